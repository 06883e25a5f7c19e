/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-floor-private.h"

#define MANY 32
#define ORDERS_A_WRITER 50 /* a batch, when there are many */
#define ORDERS_ALONE 200

/* Some threads that store new orders at the same time, each order synced to disk. */
typedef struct
{
  const TallBenchStore *store;
  TallWorkload workload;
  guint n_writers;
  guint64 next;
  GPtrArray *orders; /* of TallOrder: those of this batch */
} Writers;

/* What one thread does. */
typedef struct
{
  const Writers *writers;
  guint first;
  guint n;
  GError *error; /* NULL: all are stored */
} Share;

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

static gpointer
write_share (gpointer data)
{
  Share *share = data;
  const Writers *writers = share->writers;
  for (guint i = share->first; i < share->first + share->n; i++)
    if (!tall_front_put_order (writers->store->front, g_ptr_array_index (writers->orders, i), NULL,
                               NULL, &share->error))
      break;
  return NULL;
}

static gboolean
run (gpointer data, guint n, GError **error)
{
  Writers *self = data;
  GThread *threads[MANY];
  Share shares[MANY];
  guint each = n / self->n_writers;
  GError *first = NULL;

  for (guint i = 0; i < self->n_writers; i++)
    {
      shares[i] = (Share){ self, i * each, each, NULL };
      threads[i] = g_thread_new ("writer", write_share, &shares[i]);
    }
  for (guint i = 0; i < self->n_writers; i++)
    {
      g_thread_join (threads[i]);
      if (shares[i].error != NULL && first == NULL)
        first = g_steal_pointer (&shares[i].error);
      g_clear_error (&shares[i].error);
    }
  if (first == NULL)
    return TRUE;
  g_propagate_error (error, first);
  return FALSE;
}

static gboolean
check (gpointer data, guint n, GError **error)
{
  Writers *self = data;
  for (guint i = 0; i < n; i++)
    if (!tall_bench_store_check_order (self->store, g_ptr_array_index (self->orders, i), error))
      return FALSE;
  return TRUE;
}

/**
 * tall_floor_writers:
 *
 * Many writers of durable orders against one: whether a sync of the log serves many of them.
 */
gboolean
tall_floor_writers (TallFloorRun *self, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  g_auto (TallMeasurement) measurement = { 0 };
  g_auto (Writers) many = { &store, { "M", self->options->n_lines }, MANY, 0, NULL };
  g_auto (Writers) one = { &store, { "A", self->options->n_lines }, 1, 0, NULL };
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: writers");

  if (!tall_bench_store_open_embedded (&store, self->options->directory, &tall_layout_blob, TRUE,
                                       error))
    return FALSE;
  const TallMeasureSide sides[] = {
    { MANY * ORDERS_A_WRITER, prepare, run, check, NULL, &many },
    { ORDERS_ALONE, prepare, run, check, NULL, &one },
  };
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  tall_bench_report_add_rate (self->report, "rocksdb-writers",
                              "RocksDB, blob: 32 writers synced / 1 writer synced", 5,
                              &measurement.sides[0], &measurement.sides[1]);
  return TRUE;
}
