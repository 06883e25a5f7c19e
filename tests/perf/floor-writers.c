/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"
#include "floor-store.h"

/* Some threads that store new orders at the same time. */
typedef struct
{
  const TallBenchStore *store;
  TallWorkload workload;
  guint n_writers;
  guint64 next;
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
  return TRUE;
}

static gboolean
write_share (gpointer data, guint number, GError **error)
{
  const Writers *self = data;
  guint each = self->orders->len / self->n_writers;
  for (guint i = number * each; i < (number + 1) * each; i++)
    if (!tall_front_put_order (self->store->front, g_ptr_array_index (self->orders, i), NULL, NULL,
                               error))
      return FALSE;
  return TRUE;
}

static gboolean
run (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Writers *self = data;
  return tall_floor_run_threads (self->n_writers, write_share, self, error);
}

static gboolean
check (gpointer data, guint n, GError **error)
{
  Writers *self = data;
  return tall_bench_store_check_orders (self->store, self->orders, n, error);
}

/* What is compared with one writer. */
typedef struct
{
  gboolean sync;
  guint n_writers;
  guint each;  /* orders of each of them in a batch */
  guint alone; /* orders of the one */
  const char *id;
  const char *what;
  double goal;
} Comparison;

static gboolean
measure (TallFloorRun *self, const Comparison *comparison, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  g_auto (TallMeasurement) measurement = { 0 };
  g_auto (Writers)
      many = { &store, { "M", self->options->n_lines }, comparison->n_writers, 0, NULL };
  g_auto (Writers) one = { &store, { "A", self->options->n_lines }, 1, 0, NULL };
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: writers");

  if (!tall_bench_store_open_embedded (&store, self->directory, &tall_layout_blob, comparison->sync,
                                       error))
    return FALSE;
  const TallMeasureSide sides[] = {
    { comparison->n_writers * comparison->each, prepare, run, check, NULL, &many },
    { comparison->alone, prepare, run, check, NULL, &one },
  };
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  tall_bench_report_add_rate (self->report, comparison->id, comparison->what, comparison->goal,
                              &measurement.sides[0], &measurement.sides[1]);
  return TRUE;
}

/**
 * tall_floor_writers:
 *
 * Compares many writers to one. Of durable orders it shows whether a sync of the log serves many of
 * them; of others, whether they get into each other's way.
 */
gboolean
tall_floor_writers (TallFloorRun *self, GError **error)
{
  static const Comparison comparisons[] = {
    { TRUE, 32, 50, 200, "rocksdb-writers", "RocksDB, blob: 32 writers synced / 1 writer synced",
      5 },
    { FALSE, 8, 100, 800, "rocksdb-writers-unsynced",
      "RocksDB, blob: 8 writers not synced / 1 writer not synced", 1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (comparisons); i++)
    if (!measure (self, &comparisons[i], error))
      return FALSE;
  return TRUE;
}
