/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-floor-singles.h"
#include "tall-raw-request.h"

#define N_READERS 64
#define GETS 8192   /* of a batch, all readers together: its beginning and its end weigh little */
#define WARM_UP 0.5 /* of the time that counts: the gateway compiles what it does often */
#define ROUND_SECONDS 0.1

/* Many readers through the front, of as many orders. */
typedef struct
{
  const TallBenchStore *store;
  GPtrArray *orders; /* of TallOrder */
  TallOrder *found[GETS];
  guint n_taken; /* gets that are under way or done */
} Readers;

/* Every reader takes the next get of the batch, so that all readers end at about the same time. */
static gboolean
take_get (guint *n_taken, guint *number)
{
  *number = (guint)g_atomic_int_add ((gint *)n_taken, 1);
  return *number < GETS;
}

static gboolean
read_orders (gpointer data, guint reader G_GNUC_UNUSED, GError **error)
{
  Readers *self = data;
  for (guint i; take_get (&self->n_taken, &i);)
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
run_readers (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Readers *self = data;
  self->n_taken = 0;
  return tall_floor_run_threads (N_READERS, read_orders, data, error);
}

static gboolean
check_readers (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Readers *self = data;
  for (guint i = 0; i < GETS; i++)
    if (!tall_bench_check_same (g_ptr_array_index (self->orders, i % N_READERS), self->found[i],
                                error))
      return FALSE;
  return TRUE;
}

static void
clear_readers (gpointer data, guint n G_GNUC_UNUSED)
{
  Readers *self = data;
  for (guint i = 0; i < GETS; i++)
    g_clear_pointer (&self->found[i], tall_order_free);
}

/* A request for the rows of all readers, on one connection. */
static gboolean
run_multiple (gpointer data, guint n, GError **error)
{
  TallRawClient *raw = data;
  for (guint i = 0; i < n / N_READERS; i++)
    if (!tall_raw_client_call (raw, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_multiple (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  return tall_raw_client_check (data, error);
}

/* Reads what layout blob reads of an order: the whole root row. */
static gboolean
connect_all (const TallFloorHbase *hbase,
             GPtrArray *orders,
             TallFloorSingles *singles,
             TallRawClient *multiple,
             GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autoptr (GPtrArray) requests =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  TallSlice keys[N_READERS];
  for (guint i = 0; i < N_READERS; i++)
    {
      GByteArray *row =
          tall_bench_store_make_root_row (&hbase->store, g_ptr_array_index (orders, i));
      g_ptr_array_add (rows, row);
      keys[i] = tall_slice_array (row);
      GByteArray *request =
          tall_raw_request_encode (&hbase->address.options,
                                   tall_read_plan_add_get (plan, "orders", keys[i]), error);
      if (request == NULL)
        return FALSE;
      g_ptr_array_add (requests, request);
    }
  return tall_floor_hbase_connect (hbase, tall_read_plan_add_gets (plan, "orders", keys, N_READERS),
                                   multiple, error)
         && tall_floor_singles_connect (singles, hbase, requests, error);
}

static void
add_figures (TallFloorRun *self, const TallMeasurement *measurement, guint n_singles)
{
  g_autofree char *what =
      g_strdup_printf ("HBase, blob: 64 readers / %u raw single gets", n_singles);
  tall_bench_report_add_rate (self->report, "hbase-readers", what, 2, &measurement->sides[0],
                              &measurement->sides[1]);
  tall_bench_report_add_rate (self->report, "hbase-readers-multiple",
                              "HBase, blob: 64 readers / raw getMultiple of 64", 0.6,
                              &measurement->sides[0], &measurement->sides[2]);
}

static gboolean
measure (TallFloorRun *self, const TallFloorHbase *hbase, Readers *readers, GError **error)
{
  g_auto (TallMeasurement) measurement = { 0 };
  g_auto (TallRawClient) multiple = TALL_RAW_CLIENT_INIT;
  g_auto (TallFloorSingles) singles = { .n_calls = 1 };
  TallMeasurePlan plan = tall_floor_make_plan (self, "HBase: 64 readers");

  /* tallorder opens all its connections before the raw side takes the rest. */
  gboolean ready = run_readers (readers, 0, error)
                   && connect_all (hbase, readers->orders, &singles, &multiple, error);
  clear_readers (readers, 0);
  if (!ready)
    return FALSE;
  const TallMeasureSide sides[] = {
    { GETS, NULL, run_readers, check_readers, clear_readers, readers },
    tall_floor_singles_get_side (&singles, GETS),
    { GETS, NULL, run_multiple, check_multiple, NULL, &multiple },
  };
  plan.warm_up = WARM_UP * self->options->seconds;
  plan.round_seconds = MIN (ROUND_SECONDS, self->options->seconds / 10);
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  add_figures (self, &measurement, singles.n);
  return TRUE;
}

/**
 * tall_floor_readers:
 *
 * Compares many readers at one gateway to its rate of single gets, and to asking for all their rows
 * in one request. It shows whether waiting reads leave together.
 */
gboolean
tall_floor_readers (TallFloorRun *self, GError **error)
{
  g_auto (TallFloorHbase) hbase = { 0 };
  TallWorkload workload = { "R", self->options->n_lines };
  if (!tall_floor_hbase_open (&hbase, self, &tall_layout_blob, error))
    return FALSE;
  g_autoptr (GPtrArray) orders = tall_floor_fill (self, &hbase.store, &workload, N_READERS, error);
  g_autofree Readers *readers = g_new0 (Readers, 1);
  readers->store = &hbase.store;
  readers->orders = orders;
  return orders != NULL && measure (self, &hbase, readers, error);
}
