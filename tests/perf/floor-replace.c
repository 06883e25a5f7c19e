/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "floor-store.h"
#include "bench/orders.h"
#include "layout/layout.h"

#define N_LINES 5
#define N_REPLACED 1000
#define BATCH 100

/* What is put. */
typedef struct
{
  const TallBenchStore *store;
  TallWorkload workload;
  gboolean replaces; /* the same orders again and again, by the other content, or new ones */
  gboolean other;    /* it is the turn of that */
  guint64 next;
  GPtrArray *orders; /* of TallOrder: those of this batch */
} Puts;

static void
puts_clear (Puts *self)
{
  g_clear_pointer (&self->orders, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Puts, puts_clear)

static gboolean
prepare (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Puts *self = data;
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  if (self->replaces && self->next == N_REPLACED)
    {
      self->next = 0;
      self->other = !self->other;
    }
  self->orders = tall_workload_make_orders (&self->workload, self->next, n);
  for (guint i = 0; self->other && i < n; i++)
    tall_bench_change_order (g_ptr_array_index (self->orders, i));
  self->next += n;
  return TRUE;
}

static gboolean
run (gpointer data, guint n, GError **error)
{
  Puts *self = data;
  return tall_bench_store_put_orders (self->store, self->orders, n, error);
}

static gboolean
check (gpointer data, guint n, GError **error)
{
  Puts *self = data;
  return tall_bench_store_check_orders (self->store, self->orders, n, error);
}

static gboolean
open_store (const TallFloorRun *self,
            const TallLayout *layout,
            TallBenchStore *store,
            GError **error)
{
  TallStoreSettings settings = tall_bench_store_floor_settings (layout);
  settings.index = TALL_INDEX_BY_DATE;
  return tall_bench_store_open_temporary (store, self->directory, &settings, FALSE, error);
}

static gboolean
measure (TallFloorRun *self, const TallLayout *layout, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  g_auto (TallBenchStore) blob_store = { 0 };
  g_auto (TallMeasurement) measurement = { 0 };
  g_auto (Puts) replaces = { &store, { "R", N_LINES }, TRUE, TRUE, 0, NULL };
  g_auto (Puts) stores = { &blob_store, { "S", N_LINES }, FALSE, FALSE, 0, NULL };
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: replaces");
  const TallMeasureSide sides[] = {
    { BATCH, prepare, run, check, NULL, &replaces },
    { BATCH, prepare, run, check, NULL, &stores },
  };
  if (!open_store (self, layout, &store, error)
      || !open_store (self, &tall_layout_blob, &blob_store, error))
    return FALSE;
  g_autoptr (GPtrArray) orders =
      tall_floor_fill (self, &store, &replaces.workload, N_REPLACED, error);
  if (orders == NULL || !tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  g_autofree char *id = g_strdup_printf ("rocksdb-replace-%s", layout->name);
  g_autofree char *what =
      g_strdup_printf ("RocksDB, %s: replaces / stores of new orders, blob", layout->name);
  tall_bench_report_add_rate (self->report, id, what, 0.36, &measurement.sides[0],
                              &measurement.sides[1]);
  return TRUE;
}

/**
 * tall_floor_replace:
 *
 * Compares replacing orders of several rows to storing new ones in one row, both with an index by
 * date and not synced.
 */
gboolean
tall_floor_replace (TallFloorRun *self, GError **error)
{
  guint n_layouts;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  for (guint i = 0; i < n_layouts; i++)
    if (!layouts[i]->single_row && !measure (self, layouts[i], error))
      return FALSE;
  return TRUE;
}
