/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "steady.h"

#include "tall-error.h"

#define N_THREADS 4
#define PERIOD (10 * G_TIME_SPAN_MILLISECOND) /* between two calls of a thread */
#define WRITE_EACH 5
#define NSEC_PER_USEC 1000

typedef struct
{
  TallSteady *steady;
  guint number;
  GThread *thread;
  TallSteadyResult result;
  GError *error; /* owned: what ended it */
} Caller;

struct _TallSteady
{
  TallFront *front;
  const TallWorkload *workload;
  guint n_orders;
  gint stage; /* atomic */
  gint stop;  /* atomic */
  Caller callers[N_THREADS];
};

static void
result_init (TallSteadyResult *self)
{
  *self = (TallSteadyResult){ 0 };
  for (guint i = 0; i < TALL_STEADY_N_STAGES; i++)
    self->all[i] = tall_histogram_new ();
}

void
tall_steady_result_clear (TallSteadyResult *self)
{
  for (guint i = 0; i < TALL_STEADY_N_STAGES; i++)
    g_clear_pointer (&self->all[i], tall_histogram_free);
}

static void
result_add (TallSteadyResult *self, const TallSteadyResult *from)
{
  for (guint i = 0; i < TALL_STEADY_N_STAGES; i++)
    {
      tall_histogram_merge (self->all[i], from->all[i]);
      self->n[i] += from->n[i];
      self->longest_read[i] = MAX (self->longest_read[i], from->longest_read[i]);
      self->longest_write[i] = MAX (self->longest_write[i], from->longest_write[i]);
    }
}

/* Both in microseconds. */
static void
note (Caller *self, gint64 due, gint64 begun, gboolean is_write)
{
  TallSteadyResult *result = &self->result;
  gint64 now = g_get_monotonic_time ();
  guint stage = (guint)g_atomic_int_get (&self->steady->stage);
  guint64 taken = (guint64)(now - begun) * NSEC_PER_USEC;
  guint64 *longest = is_write ? &result->longest_write[stage] : &result->longest_read[stage];
  tall_histogram_add (result->all[stage], (guint64)(now - due) * NSEC_PER_USEC);
  result->n[stage]++;
  *longest = MAX (*longest, taken);
}

/* Whatever waits too long for a switch has waited, and that is what is measured. */
static gboolean
forgive (Caller *self, GError **error)
{
  gboolean switching = g_atomic_int_get (&self->steady->stage) == TALL_STEADY_SWITCHING;
  if (switching && g_error_matches (*error, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    g_clear_error (error);
  return *error == NULL;
}

static gboolean
fetch (const TallSteady *self, const TallOrder *order, GError **error)
{
  g_autoptr (TallOrder) found =
      tall_front_get_order (self->front, order->customer_number, order->order_number, NULL, error);
  if (found == NULL || tall_order_count_lines (found) == tall_order_count_lines (order))
    return found != NULL;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "Order %s came back with other lines",
               order->order_number);
  return FALSE;
}

static gboolean
call (Caller *self, guint64 number, gint64 due)
{
  const TallSteady *steady = self->steady;
  guint64 index = tall_workload_mix (self->number, number) % steady->n_orders;
  gboolean is_write = number % WRITE_EACH == 0;
  g_autoptr (TallOrder) order = tall_workload_make_order (steady->workload, index);
  GError *error = NULL;
  gint64 begun = g_get_monotonic_time ();
  gboolean done = is_write ? tall_front_put_order (steady->front, order, NULL, NULL, &error)
                           : fetch (steady, order, &error);
  note (self, due, begun, is_write);
  if (done || forgive (self, &error))
    return TRUE;
  self->error = error;
  return FALSE;
}

/* @due: (inout): of the next call. Returns: whether it is to be made, or this is the end */
static gboolean
wait_until_due (TallSteady *self, gint64 *due)
{
  while (g_atomic_int_get (&self->stage) == TALL_STEADY_RESTING && !g_atomic_int_get (&self->stop))
    {
      g_usleep (PERIOD);
      *due = g_get_monotonic_time ();
    }
  gint64 wait = *due - g_get_monotonic_time ();
  if (wait > 0)
    g_usleep ((gulong)wait);
  return !g_atomic_int_get (&self->stop);
}

static gpointer
run (gpointer data)
{
  Caller *self = data;
  gint64 due = g_get_monotonic_time () + PERIOD * self->number / N_THREADS;
  for (guint64 i = 0; wait_until_due (self->steady, &due); i++, due += PERIOD)
    if (!call (self, i, due))
      break;
  return NULL;
}

/**
 * tall_steady_start:
 * @workload: of what is stored; must outlive this, like @front
 * @n_orders: of it, from the first
 *
 * Begins with %TALL_STEADY_ALONE.
 */
TallSteady *
tall_steady_start (TallFront *front, const TallWorkload *workload, guint n_orders)
{
  TallSteady *self = g_new0 (TallSteady, 1);
  self->front = front;
  self->workload = workload;
  self->n_orders = n_orders;
  for (guint i = 0; i < N_THREADS; i++)
    {
      Caller *caller = &self->callers[i];
      caller->steady = self;
      caller->number = i;
      result_init (&caller->result);
      caller->thread = g_thread_new ("steady", run, caller);
    }
  return self;
}

/**
 * tall_steady_enter:
 *
 * Any thread says that another stage begins.
 */
void
tall_steady_enter (TallSteady *self, TallSteadyStage stage)
{
  g_atomic_int_set (&self->stage, (gint)stage);
}

/**
 * tall_steady_stop:
 * @self: (transfer full):
 * @result: (out caller-allocates):
 *
 * Returns: FALSE with why a call failed
 */
gboolean
tall_steady_stop (TallSteady *self, TallSteadyResult *result, GError **error)
{
  GError *first = NULL;
  result_init (result);
  g_atomic_int_set (&self->stop, TRUE);
  for (guint i = 0; i < N_THREADS; i++)
    {
      Caller *caller = &self->callers[i];
      g_thread_join (caller->thread);
      result_add (result, &caller->result);
      tall_steady_result_clear (&caller->result);
      if (first == NULL)
        first = g_steal_pointer (&caller->error);
      g_clear_error (&caller->error);
    }
  g_free (self);
  if (first == NULL)
    return TRUE;
  g_propagate_error (error, first);
  return FALSE;
}
