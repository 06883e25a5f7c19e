/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/readiness.h"

#include <math.h>

#define USUAL_INTERVAL 300
#define USUAL_PATIENCE 1500
#define USUAL_FAREWELL 5000

struct _TallReadiness
{
  gatomicrefcount ref_count; /* one of the owner, and one of the thread, if there is one */
  TallFront *front;          /* owned */
  TallReadinessTimes times;  /* without zeros */

  GMutex mutex; /* of what follows */
  GCond changed;
  gboolean stopping; /* never ready again */
  gboolean ended;    /* no thread is there: not yet, or no more */
  gint64 asked;      /* when the question under way began (monotonic clock); 0: none is */
  gint64 answered;   /* when the last answer came; 0: none came yet */
  char *failure; /* what the last question ended with; NULL: with an answer, or it is the first */
};

static void
unref (TallReadiness *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_object_unref (self->front);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self->failure);
  g_free (self);
}

/* With the mutex, which it lets go meanwhile. */
static void
ask (TallReadiness *self)
{
  g_autoptr (GError) error = NULL;
  self->asked = g_get_monotonic_time ();
  g_mutex_unlock (&self->mutex);
  gboolean ok = tall_front_ping (self->front, &error);
  g_mutex_lock (&self->mutex);
  self->asked = 0;
  g_clear_pointer (&self->failure, g_free);
  if (ok)
    self->answered = g_get_monotonic_time ();
  else
    self->failure = g_strdup (error->message);
}

static gpointer
ask_all_the_time (gpointer data)
{
  TallReadiness *self = data;
  g_mutex_lock (&self->mutex);
  while (!self->stopping)
    {
      ask (self);
      gint64 next =
          g_get_monotonic_time () + (gint64)self->times.interval * G_TIME_SPAN_MILLISECOND;
      while (!self->stopping && g_cond_wait_until (&self->changed, &self->mutex, next))
        continue;
    }
  self->ended = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->mutex);
  unref (self);
  return NULL;
}

/**
 * tall_readiness_new:
 * @front: a reference is taken
 * @times: (nullable): copied
 *
 * Returns: (transfer full): to be ended with tall_readiness_end(); it asks from
 *   tall_readiness_begin() on, and is not ready until the first answer
 */
TallReadiness *
tall_readiness_new (TallFront *front, const TallReadinessTimes *times)
{
  TallReadiness *self = g_new0 (TallReadiness, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->front = g_object_ref (front);
  self->times = (TallReadinessTimes){ USUAL_INTERVAL, USUAL_PATIENCE, USUAL_FAREWELL };
  self->ended = TRUE;
  if (times != NULL && times->interval != 0)
    self->times.interval = times->interval;
  if (times != NULL && times->patience != 0)
    self->times.patience = times->patience;
  if (times != NULL && times->farewell != 0)
    self->times.farewell = times->farewell;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  return self;
}

/**
 * tall_readiness_begin:
 *
 * Asks from now on. To be called once.
 */
void
tall_readiness_begin (TallReadiness *self)
{
  self->ended = FALSE;
  g_atomic_ref_count_inc (&self->ref_count);
  g_thread_unref (g_thread_new ("tall-ready", ask_all_the_time, self));
}

/**
 * tall_readiness_stop:
 *
 * It is not ready from now on, because the process is about to end.
 */
void
tall_readiness_stop (TallReadiness *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->stopping = TRUE;
  g_cond_broadcast (&self->changed);
}

/**
 * tall_readiness_end:
 * @self: (transfer full):
 *
 * Asks no more. A question under way is waited for, as a store that is still asked something when
 * the process exits may end that by a signal; but not if it hangs: then it keeps the front until it
 * has ended.
 */
void
tall_readiness_end (TallReadiness *self)
{
  tall_readiness_stop (self);
  gint64 until = g_get_monotonic_time () + (gint64)self->times.farewell * G_TIME_SPAN_MILLISECOND;
  g_mutex_lock (&self->mutex);
  while (!self->ended && g_cond_wait_until (&self->changed, &self->mutex, until))
    continue;
  g_mutex_unlock (&self->mutex);
  unref (self);
}

/* With the mutex. Returns: (nullable) (transfer full): why it is not ready. */
static char *
find_reason (TallReadiness *self)
{
  gint64 waiting = self->asked != 0 ? g_get_monotonic_time () - self->asked : 0;
  if (self->stopping)
    return g_strdup ("the server stops");
  if (waiting > (gint64)self->times.patience * G_TIME_SPAN_MILLISECOND)
    return g_strdup_printf ("the store has not answered for %.1f s", (gdouble)waiting / 1e6);
  if (self->failure != NULL)
    return g_strdup (self->failure);
  return self->answered == 0 ? g_strdup ("the store has not answered yet") : NULL;
}

/**
 * tall_readiness_get:
 * @reason: (out) (transfer full) (nullable): why not, in words for people; NULL: it is ready
 */
gboolean
tall_readiness_get (TallReadiness *self, char **reason)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  *reason = find_reason (self);
  return *reason == NULL;
}

/**
 * tall_readiness_get_age:
 *
 * Returns: seconds since the last answer; infinite if there was none
 */
gdouble
tall_readiness_get_age (TallReadiness *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (self->answered == 0)
    return HUGE_VAL;
  return (gdouble)(g_get_monotonic_time () - self->answered) / 1e6;
}
