/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "floor-store.h"
#include "floor-singles.h"
#include "layout/layout.h"
#include "raw-request.h"
#include "store/operation.h"

#define N_WRITERS 64
#define ORDERS 1024 /* of a batch, all writers together */
#define LEAST 128   /* the same, where no time is given */
#define WARM_UP 0.5 /* of the time that counts: the gateway compiles what it does often */
#define ROUND_SECONDS 0.1

/* Many writers through the front, each of orders that are new. */
typedef struct
{
  const TallBenchStore *store;
  TallWorkload workload;
  guint64 next;
  guint n_taken;     /* puts that are under way or done */
  GPtrArray *orders; /* of TallOrder: those of this batch */
} Writers;

static void
writers_clear (Writers *self)
{
  g_clear_pointer (&self->orders, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Writers, writers_clear)

static gboolean
prepare (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Writers *self = data;
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  self->orders = tall_workload_make_orders (&self->workload, self->next, n);
  self->next += n;
  self->n_taken = 0;
  return TRUE;
}

/* Every writer takes the next order of the batch, so that all end at about the same time. */
static gboolean
store_orders (gpointer data, guint writer G_GNUC_UNUSED, GError **error)
{
  Writers *self = data;
  for (;;)
    {
      guint i = (guint)g_atomic_int_add ((gint *)&self->n_taken, 1);
      if (i >= self->orders->len)
        return TRUE;
      if (!tall_front_put_order (self->store->front, g_ptr_array_index (self->orders, i), NULL,
                                 NULL, error))
        return FALSE;
    }
}

static gboolean
run (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  return tall_floor_run_threads (N_WRITERS, store_orders, data, error);
}

static gboolean
check (gpointer data, guint n, GError **error)
{
  Writers *self = data;
  return tall_bench_store_check_orders (self->store, self->orders, n, error);
}

/* A conditional put of a root row as it is stored: its state is what it is, so it matches again and
 * again, and the gateway writes the row each time. */
static GByteArray *
encode_row (const TallFloorHbase *hbase, const TallOrder *order, GError **error)
{
  g_autoptr (GByteArray) key = tall_bench_store_make_root_row (&hbase->store, order);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, "orders", tall_slice_array (key));
  g_autoptr (TallReadResult) result =
      tall_table_read (hbase->store.table, plan, TALL_NO_DEADLINE, error);
  if (result == NULL)
    return NULL;
  const TallRow *row = result->results[0].n_rows > 0 ? &result->results[0].rows[0] : NULL;
  const TallCell *state = row != NULL ? tall_row_find_latest (row, TALL_STATE_QUALIFIER) : NULL;
  if (state == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "A row that was stored is not there");
      return NULL;
    }
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", row->key);
  for (guint i = 0; i < row->n_cells; i++)
    tall_mutation_put (batch, mutation, row->cells[i].qualifier, row->cells[i].timestamp,
                       row->cells[i].value);
  const TallConditionalWrite write = {
    .mutations = &mutation,
    .n = 1,
    .qualifier = TALL_STATE_QUALIFIER,
    .expected = &state->value,
  };
  return tall_raw_request_encode_if (&hbase->address.options, &write, error);
}

static GPtrArray *
encode_rows (const TallFloorHbase *hbase, const GPtrArray *orders, GError **error)
{
  g_autoptr (GPtrArray) requests =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  for (guint i = 0; i < TALL_FLOOR_MAX_SINGLES; i++)
    {
      GByteArray *request = encode_row (hbase, g_ptr_array_index (orders, i), error);
      if (request == NULL)
        return NULL;
      g_ptr_array_add (requests, request);
    }
  return g_steal_pointer (&requests);
}

/* A layout, and how many conditional puts an order of it takes. */
typedef struct
{
  const TallLayout *layout;
  guint n_calls;
  double goal;
  const char *id;
  const char *what; /* are the calls */
} Kind;

static gboolean
measure (TallFloorRun *self, const Kind *kind, const TallFloorHbase *hbase, GError **error)
{
  g_auto (TallMeasurement) measurement = { 0 };
  g_auto (TallFloorSingles) singles = { .n_calls = kind->n_calls };
  g_auto (Writers) writers = { &hbase->store, { "W", self->options->n_lines }, 0, 0, NULL };
  TallMeasurePlan plan = tall_floor_make_plan (self, "HBase: 64 writers");
  guint n = self->options->seconds > 0 ? ORDERS : LEAST;

  /* tallorder opens all its connections before the raw side takes the rest. */
  if (!prepare (&writers, n, error) || !run (&writers, n, error))
    return FALSE;
  g_autoptr (GPtrArray) requests = encode_rows (hbase, writers.orders, error);
  if (requests == NULL || !tall_floor_singles_connect (&singles, hbase, requests, error))
    return FALSE;
  const TallMeasureSide sides[] = {
    { n, prepare, run, check, NULL, &writers },
    tall_floor_singles_get_side (&singles, n),
  };
  plan.warm_up = WARM_UP * self->options->seconds;
  plan.round_seconds = MIN (ROUND_SECONDS, self->options->seconds / 10);
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  g_autofree char *what = g_strdup_printf ("HBase, %s: 64 writers / %s by %u", kind->layout->name,
                                           kind->what, singles.n);
  tall_bench_report_add_rate (self->report, kind->id, what, kind->goal, &measurement.sides[0],
                              &measurement.sides[1]);
  return TRUE;
}

/**
 * tall_floor_stores:
 *
 * Compares many writers of new orders, with an index by date, at one gateway to its rate of the
 * conditional puts that no order can do without. It shows whether everything else leaves together.
 */
gboolean
tall_floor_stores (TallFloorRun *self, GError **error)
{
  static const Kind kinds[] = {
    { &tall_layout_blob, 1, 0.85, "hbase-writers-blob", "conditional puts" },
    { &tall_layout_record_type, 2, 0.8, "hbase-writers-record-type", "pairs of conditional puts" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_auto (TallFloorHbase) hbase = { 0 };
      TallStoreSettings settings = tall_bench_store_floor_settings (kinds[i].layout);
      settings.index = TALL_INDEX_BY_DATE;
      if (!tall_floor_hbase_open_with (&hbase, self, &settings, error)
          || !measure (self, &kinds[i], &hbase, error))
        return FALSE;
    }
  return TRUE;
}
