/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-singles.h"
#include "floor-store.h"
#include "table/hbase/reader.h"
#include "raw-request.h"

#define N_READERS 64
#define GETS 8192   /* of a batch, all readers together: its beginning and its end weigh little */
#define LEAST 512   /* the same, where no time is given */
#define WARM_UP 0.5 /* of the time that counts: the gateway compiles what it does often */
#define ROUND_SECONDS 0.1

/* Many readers through the front, of as many orders. */
typedef struct
{
  const TallBenchStore *store;
  GPtrArray *orders; /* of TallOrder */
  TallOrder *found[GETS];
  guint n_wanted; /* gets of a batch */
  guint n_taken;  /* gets that are under way or done */
} Readers;

/* Every reader takes the next get of the batch, so that all readers end at about the same time. */
static gboolean
take_get (Readers *self, guint *number)
{
  *number = (guint)g_atomic_int_add ((gint *)&self->n_taken, 1);
  return *number < self->n_wanted;
}

static gboolean
read_orders (gpointer data, guint reader G_GNUC_UNUSED, GError **error)
{
  Readers *self = data;
  for (guint i; take_get (self, &i);)
    {
      const TallOrder *order = g_ptr_array_index (self->orders, i % N_READERS);
      self->found[i] = tall_front_get_order (self->store->front, order->customer_number,
                                             order->order_number, NULL, error);
      if (self->found[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_readers (gpointer data, guint n, GError **error)
{
  Readers *self = data;
  self->n_wanted = n;
  self->n_taken = 0;
  return tall_floor_run_threads (N_READERS, read_orders, data, error);
}

static gboolean
check_readers (gpointer data, guint n, GError **error)
{
  Readers *self = data;
  for (guint i = 0; i < n; i++)
    if (!tall_bench_check_same (g_ptr_array_index (self->orders, i % N_READERS), self->found[i],
                                error))
      return FALSE;
  return TRUE;
}

static void
clear_readers (gpointer data, guint n)
{
  Readers *self = data;
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&self->found[i], tall_order_free);
}

/* A request for the rows of several orders, on one connection. */
typedef struct
{
  TallRawClient raw;
  guint n_orders; /* of a request */
} Multiple;

static void
multiple_clear (Multiple *self)
{
  tall_raw_client_close (&self->raw);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Multiple, multiple_clear)

static gboolean
run_multiple (gpointer data, guint n, GError **error)
{
  Multiple *self = data;
  for (guint i = 0; i < n / self->n_orders; i++)
    if (!tall_raw_client_call (&self->raw, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_multiple (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Multiple *self = data;
  return tall_raw_client_check (&self->raw, error);
}

/* What a fetch of an order asks for first: all of it in one request. */
static GByteArray *
encode_order (const TallFloorHbase *hbase, const TallOrder *order, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_bench_store_plan_order (&hbase->store, order);
  return tall_raw_request_encode (&hbase->address.options, tall_read_plan_get (plan, 0), error);
}

/* Appends copies of the keys of the rows that an order has. */
static gboolean
append_keys (const TallFloorHbase *hbase, const TallOrder *order, GPtrArray *keys, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_bench_store_plan_order (&hbase->store, order);
  g_autoptr (TallReadResult) result =
      tall_table_read (hbase->store.table, plan, TALL_NO_DEADLINE, error);
  if (result == NULL)
    return FALSE;
  for (guint i = 0; i < result->results[0].n_rows; i++)
    {
      GByteArray *key = g_byte_array_new ();
      tall_bytes_append (key, result->results[0].rows[i].key);
      g_ptr_array_add (keys, key);
    }
  return TRUE;
}

/* Asks for all rows of as many orders as tallorder's requests take rows, one at least. */
static gboolean
connect_multiple (const TallFloorHbase *hbase,
                  GPtrArray *orders,
                  Multiple *multiple,
                  GError **error)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (TallSlice));
  for (guint i = 0; i < orders->len; i++)
    {
      if (!append_keys (hbase, g_ptr_array_index (orders, i), rows, error))
        return FALSE;
      if (rows->len > TALL_HBASE_MAX_GETS && i > 0)
        break;
      while (keys->len < rows->len)
        {
          TallSlice key = tall_slice_array ((const GByteArray *)rows->pdata[keys->len]);
          g_array_append_val (keys, key);
        }
      multiple->n_orders = i + 1;
    }
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  return tall_floor_hbase_connect (
      hbase,
      tall_read_plan_add_gets (plan, "orders", (const TallSlice *)(gpointer)keys->data, keys->len),
      &multiple->raw, error);
}

static gboolean
connect_all (const TallFloorHbase *hbase,
             GPtrArray *orders,
             TallFloorSingles *singles,
             Multiple *multiple,
             GError **error)
{
  g_autoptr (GPtrArray) requests =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  for (guint i = 0; i < N_READERS; i++)
    {
      GByteArray *request = encode_order (hbase, g_ptr_array_index (orders, i), error);
      if (request == NULL)
        return FALSE;
      g_ptr_array_add (requests, request);
    }
  return connect_multiple (hbase, orders, multiple, error)
         && tall_floor_singles_connect (singles, hbase, requests, error);
}

/* A layout, whose orders are read by one request each. */
typedef struct
{
  const TallLayout *layout;
  const char *id;
  const char *singles; /* are the requests */
  double goal;
  const char *multiple_id;
  double multiple_goal;
} Kind;

static void
add_figures (TallFloorRun *self,
             const Kind *kind,
             const TallMeasurement *measurement,
             const TallFloorSingles *singles,
             const Multiple *multiple)
{
  g_autofree char *beside = g_strdup_printf ("HBase, %s: 64 readers / %u raw %s",
                                             kind->layout->name, singles->n, kind->singles);
  g_autofree char *above = g_strdup_printf ("HBase, %s: 64 readers / raw getMultiple of %u",
                                            kind->layout->name, multiple->n_orders);
  tall_bench_report_add_rate (self->report, kind->id, beside, kind->goal, &measurement->sides[0],
                              &measurement->sides[1]);
  tall_bench_report_add_rate (self->report, kind->multiple_id, above, kind->multiple_goal,
                              &measurement->sides[0], &measurement->sides[2]);
}

static gboolean
measure (TallFloorRun *self,
         const Kind *kind,
         const TallFloorHbase *hbase,
         Readers *readers,
         GError **error)
{
  g_auto (TallMeasurement) measurement = { 0 };
  g_auto (Multiple) multiple = { TALL_RAW_CLIENT_INIT, 0 };
  g_auto (TallFloorSingles) singles = { .n_calls = 1 };
  TallMeasurePlan plan = tall_floor_make_plan (self, "HBase: 64 readers");
  guint n = self->options->seconds > 0 ? GETS : LEAST;

  /* tallorder opens all its connections before the raw side takes the rest. */
  gboolean ready = run_readers (readers, n, error)
                   && connect_all (hbase, readers->orders, &singles, &multiple, error);
  clear_readers (readers, n);
  if (!ready)
    return FALSE;
  const TallMeasureSide sides[] = {
    { n, NULL, run_readers, check_readers, clear_readers, readers },
    tall_floor_singles_get_side (&singles, n),
    { n, NULL, run_multiple, check_multiple, NULL, &multiple },
  };
  plan.warm_up = WARM_UP * self->options->seconds;
  plan.round_seconds = MIN (ROUND_SECONDS, self->options->seconds / 10);
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  add_figures (self, kind, &measurement, &singles, &multiple);
  return TRUE;
}

static gboolean
measure_kind (TallFloorRun *self, const Kind *kind, GError **error)
{
  g_auto (TallFloorHbase) hbase = { 0 };
  TallWorkload workload = { "R", self->options->n_lines };
  if (!tall_floor_hbase_open (&hbase, self, kind->layout, error))
    return FALSE;
  g_autoptr (GPtrArray) orders = tall_floor_fill (self, &hbase.store, &workload, N_READERS, error);
  g_autofree Readers *readers = g_new0 (Readers, 1);
  readers->store = &hbase.store;
  readers->orders = orders;
  return orders != NULL && measure (self, kind, &hbase, readers, error);
}

/**
 * tall_floor_readers:
 *
 * Compares many readers at one gateway to its rate of the requests that each fetch would be by
 * itself, and to asking for the rows of many orders in one request. It shows whether waiting reads
 * leave together, and what it would bring if scans did.
 */
gboolean
tall_floor_readers (TallFloorRun *self, GError **error)
{
  static const Kind kinds[] = {
    { &tall_layout_blob, "hbase-readers", "single gets", 2, "hbase-readers-multiple", 0.6 },
    { &tall_layout_record_type, "hbase-readers-rows", "scans", 0, "hbase-readers-rows-multiple",
      0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (!measure_kind (self, &kinds[i], error))
      return FALSE;
  return TRUE;
}
