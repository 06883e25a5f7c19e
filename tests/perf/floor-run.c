/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "bench/settle.h"

#define ROUND_SECONDS 0.02

static void
report_progress (double done, gpointer data)
{
  const TallFloorRun *self = data;
  const TallFloorOptions *options = self->options;
  if (options->progress != NULL)
    options->progress (self->what, done, options->progress_data);
}

/**
 * tall_floor_make_plan:
 *
 * Returns: how a part of the run is measured
 */
TallMeasurePlan
tall_floor_make_plan (TallFloorRun *self, const char *what)
{
  self->what = what;
  return (TallMeasurePlan){
    .seconds = self->options->seconds,
    .round_seconds = MIN (ROUND_SECONDS, self->options->seconds / 10),
    .pids = self->options->pids,
    .stop = self->options->stop,
    .progress = report_progress,
    .progress_data = self,
  };
}

/**
 * tall_floor_fill:
 *
 * Stores the first @n orders of a workload.
 *
 * Returns: (transfer full) (element-type TallOrder): them
 */
GPtrArray *
tall_floor_fill (const TallFloorRun *self,
                 const TallBenchStore *store,
                 const TallWorkload *workload,
                 guint n,
                 GError **error)
{
  g_autoptr (GPtrArray) orders = tall_workload_make_orders (workload, 0, n);
  for (guint i = 0; i < n; i++)
    if (!tall_measure_check_stop (self->options->stop, error)
        || !tall_front_put_order (store->front, g_ptr_array_index (orders, i), NULL, NULL, error))
      return NULL;
  return g_steal_pointer (&orders);
}

/* A thread of several. */
typedef struct
{
  TallFloorWork work;
  gpointer data;
  guint number;
  GThread *thread;
  GError *error; /* owned; NULL: it went well */
} Worker;

static gpointer
run_worker (gpointer data)
{
  Worker *self = data;
  if (!self->work (self->data, self->number, &self->error))
    g_assert (self->error != NULL);
  return NULL;
}

/**
 * tall_floor_run_threads:
 * @work: is called by each of @n threads, with its number
 *
 * Returns: FALSE with the error of one of them
 */
gboolean
tall_floor_run_threads (guint n, TallFloorWork work, gpointer data, GError **error)
{
  g_autofree Worker *workers = g_new (Worker, n);
  g_autoptr (GError) first = NULL;
  for (guint i = 0; i < n; i++)
    {
      workers[i] = (Worker){ work, data, i, NULL, NULL };
      workers[i].thread = g_thread_new ("worker", run_worker, &workers[i]);
    }
  for (guint i = 0; i < n; i++)
    {
      g_thread_join (workers[i].thread);
      if (first == NULL)
        first = g_steal_pointer (&workers[i].error);
      g_clear_error (&workers[i].error);
    }
  if (first == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

/**
 * tall_floor_settle:
 * @table: embedded
 *
 * Moves the rows of a table into sorted files, where most rows of a store in use are.
 */
gboolean
tall_floor_settle (TallTable *table, const char *name, GError **error)
{
  guint64 bytes;
  return tall_bench_settle_one (table, name, TALL_BENCH_COMPACTED, &bytes, error);
}
