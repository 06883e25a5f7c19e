/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/run.h"

#include <gio/gio.h>
#include <math.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>

#define LONGEST_SLEEP 50000 /* microseconds */
#define PROGRESS_INTERVAL G_GUINT64_CONSTANT (100000000)

/* The most lines that one client keeps until it compares them, some 3 MB; and all clients
 * together. */
#define MAX_KEPT 20000
#define MAX_KEPT_BY_ALL 640000

/* A phase under way. Except for atomic fields, only the leader changes it, which is not a client,
 * and only while all clients wait for it. */
typedef struct
{
  const TallBenchPhase *phase;
  const TallBenchPlan *plan;
  pthread_barrier_t barrier; /* at which all clients and the leader meet: thrice a round */
  guint64 begun;             /* nanoseconds of the monotonic clock */
  guint64 warm_at;           /* the same: when timing begins, if time limits the phase */
  guint64 ends_at;           /* the same: when it ends */
  gboolean timed;            /* it is warm */
  gboolean over;             /* no round follows */
  guint64 time;              /* nanoseconds of all timed rounds */
  double spent[TALL_BENCH_N_SPENDINGS]; /* in them; NAN: not known */
  gint round_over; /* atomic: 1 if no client is to begin an operation in this round */
  gint failed;     /* the same: 1 if a client has failed */
} Run;

/* One client of it. */
typedef struct
{
  Run *run;
  TallBenchClient client;
  gboolean by_time;  /* time limits the phase; else: */
  guint64 n_warm_up; /* operations that are not timed */
  guint64 n_wanted;  /* operations, those included */
  guint64 n_timed;
  guint n_in_round;     /* operations of this round */
  guint64 interval;     /* nanoseconds from one operation to the next; 0: at once */
  guint64 due;          /* nanoseconds of the monotonic clock: when the next is, if so */
  guint64 round_begun;  /* the same */
  guint64 round_ended;  /* the same */
  GArray *kept;         /* owned: of TallBenchOperation, to be compared after the round */
  guint n_kept;         /* lines in it */
  TallHistogram *times; /* owned: nanoseconds of each */
  guint64 shown_at;     /* nanoseconds, when progress was reported last */
  GThread *thread;
  GError *error; /* owned; NULL: it went well */
} Worker;

/* Returns: nanoseconds of the monotonic clock */
static guint64
bench_get_time (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return (guint64)time.tv_sec * 1000000000 + (guint64)time.tv_nsec;
}

static gboolean
is_asked_to_stop (const Run *self)
{
  return self->plan->stop != NULL && g_atomic_int_get (self->plan->stop) != 0;
}

/* Returns: whether a client has failed, or all are to stop */
static gboolean
bench_run_is_interrupted (const Run *self)
{
  return g_atomic_int_get (&self->failed) != 0 || is_asked_to_stop (self);
}

/* @now: nanoseconds of the monotonic clock
 *
 * With a rate, what is due before the end is done however late it is. Else a store that stands
 * still at the end would not show.
 *
 * Returns: whether it has done all of warming up, or of the rest; of that at least one operation */
static gboolean
bench_worker_is_over (const Worker *self, guint64 now)
{
  const Run *run = self->run;
  if (self->interval > 0)
    now = self->due;
  if (!self->by_time)
    return self->client.step >= (run->timed ? self->n_wanted : self->n_warm_up);
  return run->timed ? self->n_timed > 0 && now >= run->ends_at : now >= run->warm_at;
}

static void
report_progress (Worker *self, guint64 now)
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

static void
operation_clear (TallBenchOperation *self)
{
  g_clear_pointer (&self->found, tall_order_free);
  g_clear_pointer (&self->list, tall_order_list_free);
  g_clear_pointer (&self->all_orders, tall_customer_orders_free);
  g_clear_pointer (&self->number, g_free);
  g_clear_pointer (&self->batch, g_ptr_array_unref);
}

/* A full client ends the round for all clients. If it waited, the others would measure a store with
 * less to do.
 */
static void
keep (Worker *self, TallBenchOperation *operation)
{
  if (self->run->phase->check == NULL)
    {
      operation_clear (operation);
      return;
    }
  g_array_append_vals (self->kept, operation, 1);
  self->n_kept += tall_bench_operation_count_kept (operation);
  if (self->n_kept >= MIN (MAX_KEPT, MAX_KEPT_BY_ALL / self->client.n_clients))
    g_atomic_int_set (&self->run->round_over, 1);
}

/* Waits until the next operation is due. FALSE: it is not to be begun. */
static gboolean
await_due (Worker *self)
{
  for (guint64 now = bench_get_time (); now < self->due; now = bench_get_time ())
    {
      if (bench_run_is_interrupted (self->run) || g_atomic_int_get (&self->run->round_over) != 0)
        return FALSE;
      g_usleep (MIN ((self->due - now) / 1000, LONGEST_SLEEP) + 1);
    }
  return TRUE;
}

/* Returns: when it was done. With a rate its latency counts from when it was due, so that a store
 * that stands still shows in all that it has kept waiting. */
static guint64
work_once (Worker *self)
{
  const TallBenchPhase *phase = self->run->phase;
  TallBenchOperation operation = { 0 };
  phase->choose (&self->client, &operation);
  guint64 begun = self->interval > 0 ? self->due : bench_get_time ();
  guint n = MAX (operation.n, 1);
  self->due += self->interval * n;
  gboolean ok = phase->run (&self->client, &operation, &self->error);
  guint64 now = bench_get_time ();
  self->n_in_round++;
  if (!ok)
    {
      operation_clear (&operation);
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
work_round (Worker *self)
{
  guint64 now = bench_get_time ();
  self->n_in_round = 0;
  self->round_begun = now;
  self->due += self->due > 0 ? now - self->round_ended
                             : now + self->interval * self->client.number / self->client.n_clients;
  while (!bench_worker_is_over (self, now) && g_atomic_int_get (&self->run->round_over) == 0
         && !bench_run_is_interrupted (self->run))
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
check_round (Worker *self)
{
  for (guint i = 0; i < self->kept->len && self->error == NULL; i++)
    if (!self->run->phase->check (&g_array_index (self->kept, TallBenchOperation, i), &self->error))
      g_atomic_int_set (&self->run->failed, 1);
  g_array_set_size (self->kept, 0);
  self->n_kept = 0;
}

/* Waits for all clients and the leader. */
static void
bench_run_meet (Run *self)
{
  pthread_barrier_wait (&self->barrier);
}

/* @data: a Worker
 *
 * The thread of a client: works in rounds until the run is over. */
static gpointer
bench_worker_run (gpointer data)
{
  Worker *self = data;
  prctl (PR_SET_TIMERSLACK, 1UL); /* else each wait is 50 µs longer, and counts as latency */
  for (bench_run_meet (self->run); !self->run->over; bench_run_meet (self->run))
    {
      work_round (self);
      bench_run_meet (self->run);
      check_round (self);
      bench_run_meet (self->run);
    }
  return NULL;
}

#define WARM_UP 10 /* the part of a phase, as a divisor, that goes first and is not timed */

/* The time from when the first client began until the last was done. */
static guint64
find_round_time (const Worker *workers, guint n)
{
  guint64 begun = G_MAXUINT64;
  guint64 ended = 0;
  for (guint i = 0; i < n; i++)
    if (workers[i].n_in_round > 0)
      {
        begun = MIN (begun, workers[i].round_begun);
        ended = MAX (ended, workers[i].round_ended);
      }
  return ended > begun ? ended - begun : 0;
}

static gboolean
are_over (const Worker *workers, guint n)
{
  guint64 now = bench_get_time ();
  for (guint i = 0; i < n; i++)
    if (!bench_worker_is_over (&workers[i], now))
      return bench_run_is_interrupted (workers[i].run);
  return TRUE;
}

static void
read_meter (const Run *self, double values[TALL_BENCH_N_SPENDINGS])
{
  for (guint i = 0; i < TALL_BENCH_N_SPENDINGS; i++)
    values[i] = NAN;
  if (self->plan->meter != NULL)
    tall_bench_meter_read (self->plan->meter, values);
}

/* @before: what had been spent when the round began */
static void
add_round (Run *self, const Worker *workers, const double *before)
{
  double after[TALL_BENCH_N_SPENDINGS];
  read_meter (self, after);
  for (guint i = 0; i < TALL_BENCH_N_SPENDINGS; i++)
    self->spent[i] += after[i] - before[i];
  self->time += find_round_time (workers, self->plan->n_clients);
}

/* Leads the clients through warming up, or through the rest. */
static void
lead (Run *self, const Worker *workers, gboolean timed)
{
  guint n = self->plan->n_clients;
  self->timed = timed;
  while (!are_over (workers, n))
    {
      double before[TALL_BENCH_N_SPENDINGS];
      g_atomic_int_set (&self->round_over, 0);
      read_meter (self, before);
      bench_run_meet (self); /* the round begins */
      bench_run_meet (self); /* all are done */
      if (timed)
        add_round (self, workers, before);
      bench_run_meet (self); /* and have compared */
    }
}

/* Sets how many operations this client has to do, if their number limits the phase. */
static void
set_share (Worker *self, guint n_orders)
{
  const TallBenchPlan *plan = self->run->plan;
  guint64 n = self->run->phase->once ? n_orders : plan->n_operations;
  self->by_time = n == 0;
  guint64 share = n / plan->n_clients + (self->client.number < n % plan->n_clients ? 1 : 0);
  self->n_warm_up = share / WARM_UP;
  self->n_wanted = share;
}

static void
start (Worker *self, Run *run, TallFront *front, const TallBenchOrders *orders, guint number)
{
  *self = (Worker){
    .run = run,
    .client = { .front = front,
                .orders = orders,
                .mix = run->plan->mix,
                .number = number,
                .n_clients = run->plan->n_clients,
                .seed = run->plan->seed },
    .kept = g_array_new (FALSE, FALSE, sizeof (TallBenchOperation)),
    .times = tall_histogram_new (),
    .interval = run->plan->rate > 0 ? (guint64)(1e9 * run->plan->n_clients / run->plan->rate) : 0,
  };
  g_array_set_clear_func (self->kept, (GDestroyNotify)operation_clear);
  set_share (self, orders->orders->len);
  self->thread = g_thread_new ("client", bench_worker_run, self);
}

/* Ends the load of a client, if it has begun one. */
static gboolean
end_load (TallBenchClient *client, GError **error)
{
  g_autoptr (TallBulk) bulk = g_steal_pointer (&client->bulk);
  return bulk == NULL || tall_bulk_end (bulk, error);
}

/* Waits for a client, and adds what it has measured. */
static void
finish (Worker *self, TallHistogram *times, TallBenchRecord *record, GError **error)
{
  g_thread_join (self->thread);
  if (!end_load (&self->client, self->error == NULL ? &self->error : NULL))
    g_atomic_int_set (&self->run->failed, 1);
  tall_histogram_merge (times, self->times);
  tall_histogram_free (self->times);
  g_array_unref (self->kept);
  record->n_timed += self->n_timed;
  record->n_counted += self->client.step;
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
set_metrics (TallBenchRecord *record, const Run *run, const TallHistogram *times)
{
  double *metrics = record->metrics;
  metrics[TALL_BENCH_RATE] = run->time > 0 ? (double)record->n_timed * 1e9 / (double)run->time : 0;
  metrics[TALL_BENCH_P50] = get_microseconds (times, 0.5);
  metrics[TALL_BENCH_P95] = get_microseconds (times, 0.95);
  metrics[TALL_BENCH_P99] = get_microseconds (times, 0.99);
  metrics[TALL_BENCH_P999] = get_microseconds (times, 0.999);
  metrics[TALL_BENCH_MAX] = (double)tall_histogram_get_max (times) / 1000;
  for (guint i = 0; i < TALL_BENCH_N_SPENDINGS; i++)
    metrics[TALL_BENCH_CPU_CLIENT + i] =
        record->n_timed > 0 ? run->spent[i] / (double)record->n_timed : NAN;
  for (guint i = TALL_BENCH_CPU_CLIENT; i <= TALL_BENCH_CPU_SERVER; i++)
    metrics[i] /= 1000;
}

static void
run_clients (Run *run,
             TallFront *front,
             const TallBenchOrders *orders,
             TallBenchRecord *record,
             GError **error)
{
  guint n = run->plan->n_clients;
  g_autoptr (TallHistogram) times = tall_histogram_new ();
  g_autofree Worker *workers = g_new (Worker, n);
  pthread_barrier_init (&run->barrier, NULL, n + 1);
  for (guint i = 0; i < n; i++)
    start (&workers[i], run, front, orders, i);
  lead (run, workers, FALSE);
  lead (run, workers, TRUE);
  run->over = TRUE;
  bench_run_meet (run);
  for (guint i = 0; i < n; i++)
    finish (&workers[i], times, record, error);
  pthread_barrier_destroy (&run->barrier);
  set_metrics (record, run, times);
}

static gboolean
check_stop (const gint *stop, GError **error)
{
  if (stop == NULL || g_atomic_int_get (stop) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Stopped, as asked");
  return FALSE;
}

/**
 * tall_bench_run_phase:
 * @orders: at least as many as clients
 * @record: (inout): zero before; gets the figures, except the cost
 *
 * Lets the clients work until the phase is over. A client begins an operation when the one before
 * is done, or, with a rate, when it is due; if that is past, at once. Clients work in rounds: they
 * keep their results, and when one has kept as much as it may, all stop, compare the results and
 * free them. A round is timed from when the first client begins until the last is done. The rate is
 * the number of all operations divided by the time of all rounds; comparing happens between rounds
 * and is not timed. The first tenth, to warm up, is not timed either.
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
  guint64 time = (guint64)(plan->seconds * 1e9);
  Run run = { .phase = phase, .plan = plan, .begun = bench_get_time () };
  run.warm_at = run.begun + time / WARM_UP;
  run.ends_at = run.begun + time;
  record->phase = phase;
  run_clients (&run, front, orders, record, &local);
  if (local == NULL && check_stop (plan->stop, &local))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
