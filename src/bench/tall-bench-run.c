/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-run.h"

#include <gio/gio.h>

#define WARM_UP 10 /* the part of a phase, as a divisor, that goes first and is not timed */
#define PROGRESS_INTERVAL (G_USEC_PER_SEC / 10)

/* A phase under way. */
typedef struct
{
  const TallBenchPhase *phase;
  const TallBenchPlan *plan;
  gint64 begun;   /* monotonic time */
  gint64 warm_at; /* the same: from when on it is timed, if time is what limits it */
  gint64 ends_at; /* the same: when it ends */
  gint failed;    /* atomic: 1 if a client has failed, so that the others stop */
} Run;

/* One client of it. */
typedef struct
{
  Run *run;
  TallBenchClient client;
  TallMeasureSide side;
  gboolean by_time;  /* time limits the phase; else: */
  guint64 n_warm_up; /* operations that are not timed */
  guint64 n_wanted;  /* operations, those included */
  guint64 n_timed;
  guint64 busy;         /* nanoseconds that the timed ones took */
  TallHistogram *times; /* owned: nanoseconds of each */
  gint64 shown_at;      /* monotonic time when progress was reported last */
  GThread *thread;
  GError *error; /* owned; NULL: it went well */
} Worker;

static gboolean
is_asked_to_stop (const Run *self)
{
  return self->plan->stop != NULL && g_atomic_int_get (self->plan->stop) != 0;
}

/* Operations done; time counts only if it limits the phase, and at least one is timed. */
static gboolean
is_over (const Worker *self, gint64 now)
{
  if (!self->by_time)
    return self->client.step >= self->n_wanted;
  return self->n_timed > 0 && now >= self->run->ends_at;
}

static gboolean
is_warm (const Worker *self, gint64 now)
{
  if (!self->by_time)
    return self->client.step >= self->n_warm_up;
  return now >= self->run->warm_at;
}

static void
report_progress (Worker *self, gint64 now)
{
  const Run *run = self->run;
  if (run->plan->progress == NULL || self->client.number != 0
      || now - self->shown_at < PROGRESS_INTERVAL)
    return;
  self->shown_at = now;
  double done = !self->by_time ? (double)self->client.step / (double)MAX (self->n_wanted, 1)
                               : (double)(now - run->begun) / (double)(run->ends_at - run->begun);
  run->plan->progress (MIN (done, 1), run->plan->progress_data);
}

static gpointer
work (gpointer data)
{
  Worker *self = data;
  gint64 now = self->run->begun;
  while (!is_over (self, now) && g_atomic_int_get (&self->run->failed) == 0
         && !is_asked_to_stop (self->run))
    {
      guint64 nanoseconds;
      gboolean timed = is_warm (self, now);
      if (!tall_measure_batch (&self->side, &nanoseconds, &self->error))
        {
          g_atomic_int_set (&self->run->failed, 1);
          break;
        }
      if (timed)
        {
          tall_histogram_add (self->times, nanoseconds);
          self->busy += nanoseconds;
          self->n_timed++;
        }
      now = g_get_monotonic_time ();
      report_progress (self, now);
    }
  return NULL;
}

/* How many operations this client has to do, if that is what limits the phase. */
static void
set_share (Worker *self, guint n_orders)
{
  const TallBenchPlan *plan = self->run->plan;
  guint64 n = self->run->phase->once ? n_orders : plan->n_operations;
  self->by_time = n == 0;
  guint64 share = n / plan->n_clients + (self->client.number < n % plan->n_clients ? 1 : 0);
  self->n_warm_up = share / WARM_UP;
  self->n_wanted = self->run->phase->once ? share : share + self->n_warm_up;
}

static void
start (Worker *self, Run *run, TallFront *front, const TallBenchOrders *orders, guint number)
{
  *self = (Worker){
    .run = run,
    .client = { .front = front,
                .orders = orders,
                .number = number,
                .n_clients = run->plan->n_clients,
                .seed = run->plan->seed },
    .side = run->phase->side,
    .times = tall_histogram_new (),
  };
  self->side.data = &self->client;
  set_share (self, orders->orders->len);
  self->thread = g_thread_new ("client", work, self);
}

/* Waits for a client, and adds what it has measured. */
static void
finish (Worker *self, TallHistogram *times, TallBenchRecord *record, GError **error)
{
  g_thread_join (self->thread);
  tall_histogram_merge (times, self->times);
  tall_histogram_free (self->times);
  record->n_timed += self->n_timed;
  record->n_counted += self->client.step;
  record->rate += self->busy > 0 ? (double)self->n_timed * 1e9 / (double)self->busy : 0;
  if (self->error == NULL)
    return;
  if (*error == NULL)
    *error = g_steal_pointer (&self->error);
  g_clear_error (&self->error);
}

static double
get_microseconds (const TallHistogram *times, double quantile)
{
  return (double)tall_histogram_get_quantile (times, quantile) / 1000;
}

static void
run_clients (Run *run,
             TallFront *front,
             const TallBenchOrders *orders,
             TallBenchRecord *record,
             GError **error)
{
  g_autoptr (TallHistogram) times = tall_histogram_new ();
  g_autofree Worker *workers = g_new (Worker, run->plan->n_clients);
  for (guint i = 0; i < run->plan->n_clients; i++)
    start (&workers[i], run, front, orders, i);
  for (guint i = 0; i < run->plan->n_clients; i++)
    finish (&workers[i], times, record, error);
  record->p50 = get_microseconds (times, 0.5);
  record->p95 = get_microseconds (times, 0.95);
  record->p99 = get_microseconds (times, 0.99);
  record->max = (double)tall_histogram_get_max (times) / 1000;
}

/**
 * tall_bench_run_phase:
 * @orders: at least as many as clients
 * @record: (inout): gets the figures, added to nothing; not the cost
 *
 * Lets the clients work until the phase is over. A client begins an operation when the one before
 * is done; making what it needs, and comparing what it has brought, are not timed, and the rate is
 * that of the timed parts. The first tenth, to warm up, is not timed either.
 *
 * Returns: FALSE with the first error of a client, %TALL_ERROR_DAMAGED if something did not come
 *   back as it was stored; %G_IO_ERROR_CANCELLED if it was asked to stop
 */
gboolean
tall_bench_run_phase (const TallBenchPhase *phase,
                      const TallBenchPlan *plan,
                      TallFront *front,
                      const TallBenchOrders *orders,
                      TallBenchRecord *record,
                      GError **error)
{
  g_return_val_if_fail (plan->n_clients >= 1 && plan->n_clients <= orders->orders->len, FALSE);

  g_autoptr (GError) local = NULL;
  gint64 time = (gint64)(plan->seconds * G_USEC_PER_SEC);
  Run run = { .phase = phase, .plan = plan, .begun = g_get_monotonic_time () };
  run.warm_at = run.begun + time / WARM_UP;
  run.ends_at = run.warm_at + time;
  record->phase = phase;
  run_clients (&run, front, orders, record, &local);
  if (local == NULL && is_asked_to_stop (&run))
    g_set_error (&local, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Stopped, as asked");
  if (local == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
