/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "floor-store.h"
#include "tall-error.h"
#include "layout/layout.h"
#include "store/operation.h"
#include "raw-request.h"

#define WARM_UP 0.5 /* of the time that counts: a gateway compiles what it does often */

/* Correcting an address through the front: the whole order is stored again. */
typedef struct
{
  const TallBenchStore *store;
  const GPtrArray *orders; /* of TallOrder: in turn, but the last one */
  guint next;
  TallOrder *order; /* one of them */
} Ours;

/* The first digit of the house number. A second call undoes it. */
static void
correct (TallOrder *order)
{
  *order->shipping_locations[0]->address->line1 ^= 1;
}

static gboolean
prepare_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  Ours *self = data;
  self->order = g_ptr_array_index (self->orders, self->next++ % (self->orders->len - 1));
  correct (self->order);
  return TRUE;
}

static gboolean
run_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Ours *self = data;
  return tall_front_put_order (self->store->front, self->order, NULL, NULL, error);
}

static gboolean
check_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Ours *self = data;
  return tall_bench_store_check_order (self->store, self->order, error);
}

/* The cells of an order that have the address, by what is changed when it is corrected. */
typedef struct
{
  TallTable *table;
  TallReadResult *result; /* owned: what was read */
  TallBatch *batch;       /* owned: the cells again, as they are stored: the order stays whole */
  guint n;
} Cells;

static void
cells_clear (Cells *self)
{
  g_clear_pointer (&self->batch, tall_batch_free);
  g_clear_pointer (&self->result, tall_read_result_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cells, cells_clear)

/* Those of a row whose values are not as before, but for the state of the order. */
static void
add_cells (Cells *self, const char *table, const TallRow *before, const TallRow *after)
{
  TallMutation *mutation = NULL;
  for (guint i = 0; i < after->n_cells; i++)
    {
      const TallCell *cell = &after->cells[i];
      const TallCell *old = tall_row_find_latest (before, cell->qualifier);
      if (tall_row_find_latest (after, cell->qualifier) != cell
          || tall_slice_equal (cell->qualifier, TALL_STATE_QUALIFIER)
          || (old != NULL && tall_slice_equal (cell->value, old->value)))
        continue;
      if (mutation == NULL)
        mutation = tall_batch_add (self->batch, table, after->key);
      tall_mutation_put (self->batch, mutation, cell->qualifier, cell->timestamp, cell->value);
      self->n++;
    }
}

static gboolean
find_cells (Cells *self, const TallBenchStore *store, TallOrder *order, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_bench_store_plan_order (store, order);
  g_autoptr (TallReadResult) before = tall_table_read (store->table, plan, TALL_NO_DEADLINE, error);
  correct (order);
  if (before == NULL || !tall_front_put_order (store->front, order, NULL, NULL, error))
    return FALSE;
  const TallReadResult *after = self->result =
      tall_table_read (store->table, plan, TALL_NO_DEADLINE, error);
  self->table = store->table;
  self->batch = tall_batch_new ();
  for (guint i = 0; after != NULL && i < after->n_results; i++)
    for (guint k = 0; k < after->results[i].n_rows; k++)
      {
        const TallRow *row = &after->results[i].rows[k];
        const TallRow *old = tall_rows_find (&before->results[i], row->key);
        if (old != NULL)
          add_cells (self, tall_read_plan_get (plan, i)->table, old, row);
      }
  if (after == NULL || self->n > 0)
    return after != NULL;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "An address was corrected, and no cell has changed: a defect of this version");
  return FALSE;
}

static gboolean
write_cells (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  const Cells *self = data;
  const GPtrArray *mutations = self->batch->mutations;
  return tall_table_apply (self->table, (TallMutation *const *)mutations->pdata, mutations->len,
                           TALL_DURABLE, TALL_NO_DEADLINE, error);
}

static TallOrder *
get_last (const GPtrArray *orders)
{
  return g_ptr_array_index (orders, orders->len - 1);
}

/* @orders: the last of which is for the raw side */
static gboolean
measure (TallFloorRun *self,
         const TallBenchStore *store,
         const GPtrArray *orders,
         const Cells *cells,
         const TallMeasureSide *raw,
         GError **error)
{
  const char *name = store->layout->name;
  gboolean hbase = raw->run != write_cells;
  g_auto (TallMeasurement) measurement = { 0 };
  g_autofree char *id = g_strdup_printf ("%s-address-%s", hbase ? "hbase" : "rocksdb", name);
  g_autofree char *n_cells = g_strdup_printf ("cells-%s", name);
  g_autofree char *what =
      g_strdup_printf ("%s, %s: correct an address / put %u cell%s", hbase ? "HBase" : "RocksDB",
                       name, cells->n, cells->n == 1 ? "" : "s");
  Ours ours = { .store = store, .orders = orders };
  const TallMeasureSide sides[] = { { 1, prepare_ours, run_ours, check_ours, NULL, &ours }, *raw };
  TallMeasurePlan plan = tall_floor_make_plan (self, what);
  plan.warm_up = WARM_UP * self->options->seconds;
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error)
      || !tall_bench_store_check_order (store, get_last (orders), error))
    return FALSE;
  tall_bench_report_set (self->report, n_cells, cells->n);
  tall_bench_report_add_latency (self->report, id, what, 0, &measurement.sides[0],
                                 &measurement.sides[1]);
  return TRUE;
}

static gboolean
measure_embedded (TallFloorRun *self, const TallLayout *layout, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  g_auto (Cells) cells = { 0 };
  TallWorkload workload = { "A", self->options->n_lines };
  if (!tall_bench_store_open_embedded (&store, self->directory, layout, FALSE, error))
    return FALSE;
  g_autoptr (GPtrArray) orders =
      tall_floor_fill (self, &store, &workload, self->options->n_orders + 1, error);
  const TallMeasureSide raw = { 1, NULL, write_cells, NULL, NULL, &cells };
  return orders != NULL && find_cells (&cells, &store, get_last (orders), error)
         && measure (self, &store, orders, &cells, &raw, error);
}

static gboolean
measure_hbase (TallFloorRun *self, const TallLayout *layout, GError **error)
{
  g_auto (TallFloorHbase) hbase = { 0 };
  g_auto (TallRawClient) raw = TALL_RAW_CLIENT_INIT;
  g_auto (Cells) cells = { 0 };
  TallWorkload workload = { "A", self->options->n_lines };
  if (!tall_floor_hbase_open (&hbase, self, layout, error))
    return FALSE;
  g_autoptr (GPtrArray) orders =
      tall_floor_fill (self, &hbase.store, &workload, self->options->n_orders + 1, error);
  if (orders == NULL || !find_cells (&cells, &hbase.store, get_last (orders), error))
    return FALSE;
  g_autoptr (GByteArray) request =
      tall_raw_request_encode_puts (&hbase.address.options, cells.batch, error);
  const TallMeasureSide side = tall_floor_hbase_get_raw_side (&raw);
  return request != NULL
         && tall_raw_client_open (&raw, hbase.gateways[0], tall_slice_array (request),
                                  hbase.address.options.framed, error)
         && measure (self, &hbase.store, orders, &cells, &side, error);
}

typedef gboolean (*Measure) (TallFloorRun *self, const TallLayout *layout, GError **error);

static gboolean
measure_layouts (TallFloorRun *self, Measure one, GError **error)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    if (!one (self, layouts[i], error))
      return FALSE;
  return TRUE;
}

/**
 * tall_floor_address:
 *
 * Compares correcting one address of an order, which stores the order again, to putting the cells
 * that have it, by the table contract: what a program would pay that could change rows itself.
 */
gboolean
tall_floor_address (TallFloorRun *self, GError **error)
{
  return measure_layouts (self, measure_embedded, error);
}

/**
 * tall_floor_address_hbase:
 *
 * The same on HBase, where the cells are put by one raw request to the same gateway.
 */
gboolean
tall_floor_address_hbase (TallFloorRun *self, GError **error)
{
  return measure_layouts (self, measure_hbase, error);
}
