/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/worker.h"

#include <sys/prctl.h>
#include <time.h>

#define LONGEST_SLEEP 50000 /* microseconds */
#define PROGRESS_INTERVAL G_GUINT64_CONSTANT (100000000)

/* The most lines that one client keeps until it compares them, some 3 MB; and all clients
 * together. */
#define MAX_KEPT 20000
#define MAX_KEPT_BY_ALL 640000

/**
 * tall_bench_get_time:
 *
 * Returns: nanoseconds of the monotonic clock
 */
guint64
tall_bench_get_time (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return (guint64)time.tv_sec * 1000000000 + (guint64)time.tv_nsec;
}

static gboolean
is_asked_to_stop (const TallBenchRun *self)
{
  return self->plan->stop != NULL && g_atomic_int_get (self->plan->stop) != 0;
}

/**
 * tall_bench_run_is_interrupted:
 *
 * Returns: whether a client has failed, or all are to stop
 */
gboolean
tall_bench_run_is_interrupted (const TallBenchRun *self)
{
  return g_atomic_int_get (&self->failed) != 0 || is_asked_to_stop (self);
}

/**
 * tall_bench_worker_is_over:
 * @now: nanoseconds of the monotonic clock
 *
 * With a rate, what is due before the end is done however late it is. Else a store that stands
 * still at the end would not show.
 *
 * Returns: whether it has done all of warming up, or of the rest; of that at least one operation
 */
gboolean
tall_bench_worker_is_over (const TallBenchWorker *self, guint64 now)
{
  const TallBenchRun *run = self->run;
  if (self->interval > 0)
    now = self->due;
  if (!self->by_time)
    return self->client.step >= (run->timed ? self->n_wanted : self->n_warm_up);
  return run->timed ? self->n_timed > 0 && now >= run->ends_at : now >= run->warm_at;
}

static void
report_progress (TallBenchWorker *self, guint64 now)
{
  const TallBenchRun *run = self->run;
  if (run->plan->progress == NULL || self->client.number != 0
      || now - self->shown_at < PROGRESS_INTERVAL)
    return;
  self->shown_at = now;
  double done = !self->by_time ? (double)self->client.step / (double)MAX (self->n_wanted, 1)
                               : (double)(now - run->begun) / (double)(run->ends_at - run->begun);
  run->plan->progress (MIN (done, 1), run->plan->progress_data);
}

/* A full client ends the round for all clients. If it waited, the others would measure a store with
 * less to do.
 */
static void
keep (TallBenchWorker *self, TallBenchOperation *operation)
{
  if (self->run->phase->check == NULL)
    {
      tall_bench_operation_clear (operation);
      return;
    }
  g_array_append_vals (self->kept, operation, 1);
  self->n_kept += tall_bench_operation_count_kept (operation);
  if (self->n_kept >= MIN (MAX_KEPT, MAX_KEPT_BY_ALL / self->client.n_clients))
    g_atomic_int_set (&self->run->round_over, 1);
}

/* Waits until the next operation is due. FALSE: it is not to be begun. */
static gboolean
await_due (TallBenchWorker *self)
{
  for (guint64 now = tall_bench_get_time (); now < self->due; now = tall_bench_get_time ())
    {
      if (tall_bench_run_is_interrupted (self->run)
          || g_atomic_int_get (&self->run->round_over) != 0)
        return FALSE;
      g_usleep (MIN ((self->due - now) / 1000, LONGEST_SLEEP) + 1);
    }
  return TRUE;
}

/* Returns: when it was done. With a rate its latency counts from when it was due, so that a store
 * that stands still shows in all that it has kept waiting. */
static guint64
work_once (TallBenchWorker *self)
{
  const TallBenchPhase *phase = self->run->phase;
  TallBenchOperation operation = { 0 };
  phase->choose (&self->client, &operation);
  guint64 begun = self->interval > 0 ? self->due : tall_bench_get_time ();
  guint n = MAX (operation.n, 1);
  self->due += self->interval * n;
  gboolean ok = phase->run (&self->client, &operation, &self->error);
  guint64 now = tall_bench_get_time ();
  self->n_in_round++;
  if (!ok)
    {
      tall_bench_operation_clear (&operation);
      g_atomic_int_set (&self->run->failed, 1);
      return now;
    }
  if (self->run->timed)
    {
      tall_histogram_add (self->times, now - begun);
      self->n_timed += n;
    }
  keep (self, &operation);
  return now;
}

/* Between two rounds the clock of what is due stands still. */
static void
work_round (TallBenchWorker *self)
{
  guint64 now = tall_bench_get_time ();
  self->n_in_round = 0;
  self->round_begun = now;
  self->due += self->due > 0 ? now - self->round_ended
                             : now + self->interval * self->client.number / self->client.n_clients;
  while (!tall_bench_worker_is_over (self, now) && g_atomic_int_get (&self->run->round_over) == 0
         && !tall_bench_run_is_interrupted (self->run))
    {
      if (!await_due (self))
        continue;
      now = work_once (self);
      report_progress (self, now);
    }
  self->round_ended = now;
}

/* Compares the results of the round, and frees them. */
static void
check_round (TallBenchWorker *self)
{
  for (guint i = 0; i < self->kept->len && self->error == NULL; i++)
    if (!self->run->phase->check (&g_array_index (self->kept, TallBenchOperation, i), &self->error))
      g_atomic_int_set (&self->run->failed, 1);
  g_array_set_size (self->kept, 0);
  self->n_kept = 0;
}

/**
 * tall_bench_run_meet:
 *
 * Waits for all clients and the leader.
 */
void
tall_bench_run_meet (TallBenchRun *self)
{
  pthread_barrier_wait (&self->barrier);
}

/**
 * tall_bench_worker_run:
 * @data: a #TallBenchWorker
 *
 * The thread of a client: works in rounds until the run is over.
 */
gpointer
tall_bench_worker_run (gpointer data)
{
  TallBenchWorker *self = data;
  prctl (PR_SET_TIMERSLACK, 1UL); /* else each wait is 50 µs longer, and counts as latency */
  for (tall_bench_run_meet (self->run); !self->run->over; tall_bench_run_meet (self->run))
    {
      work_round (self);
      tall_bench_run_meet (self->run);
      check_round (self);
      tall_bench_run_meet (self->run);
    }
  return NULL;
}
