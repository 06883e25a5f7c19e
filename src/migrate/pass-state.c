/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/follow.h"
#include "migrate/pass-private.h"

#define SHOW_EVERY (G_USEC_PER_SEC / 10)
#define LONGEST_REST (G_USEC_PER_SEC / 20) /* after a few items, or a page */
#define RESTS 5                            /* so many times as long as it has worked */
#define ALERT G_USEC_PER_SEC               /* so long after an operation the next may come */

gboolean
tall_pass_is_stopping (const TallPass *self)
{
  return g_atomic_int_get (&self->stopping) != 0;
}

/**
 * tall_pass_fail:
 * @error: (transfer full): why the pass cannot go on; the first one counts
 */
void
tall_pass_fail (TallPass *self, GError *error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
  g_atomic_int_set (&self->stopping, 1);
}

/* With the mutex held. */
static void
show_progress (TallPass *self)
{
  gint64 now = g_get_monotonic_time ();
  if (self->options.on_progress == NULL || now - self->shown < SHOW_EVERY)
    return;
  self->shown = now;
  self->counts.duration = now - self->begun;
  if (self->options.on_progress (&self->counts, self->options.data))
    return;
  self->counts.stopped = TRUE;
  g_atomic_int_set (&self->stopping, 1);
}

/**
 * tall_pass_count:
 * @more: is added to what was met so far
 */
void
tall_pass_count (TallPass *self, const TallPassCounts *more)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->counts.n_orders += more->n_orders;
  self->counts.n_customers += more->n_customers;
  self->counts.n_lines += more->n_lines;
  self->counts.n_copied += more->n_copied;
  self->counts.n_moved += more->n_moved;
  self->counts.n_unfit += more->n_unfit;
  self->counts.sample.n_from += more->sample.n_from;
  self->counts.sample.n_to += more->sample.n_to;
  self->counts.sample.n_read += more->sample.n_read;
  self->counts.sample.duration += more->sample.duration;
  show_progress (self);
}

/**
 * tall_pass_keep_rate:
 *
 * Waits until more may be copied.
 */
void
tall_pass_keep_rate (TallPass *self)
{
  guint rate = self->options.rate;
  while (rate != 0 && !tall_pass_is_stopping (self))
    {
      g_mutex_lock (&self->mutex);
      gint64 due = self->begun + (gint64)(self->counts.n_copied * G_USEC_PER_SEC / rate);
      show_progress (self);
      g_mutex_unlock (&self->mutex);
      gint64 wait = due - g_get_monotonic_time ();
      if (wait <= 0)
        return;
      g_usleep ((gulong)MIN (wait, SHOW_EVERY));
    }
}

/* Whether operations have begun lately: calls that come one by one leave turns without any between
 * them. With the turn. */
static gboolean
is_shared (TallPass *self)
{
  guint n_begun = tall_follow_count ();
  gint64 now = g_get_monotonic_time ();
  if (n_begun != self->n_begun)
    self->shared_until = now + ALERT;
  self->n_begun = n_begun;
  return now < self->shared_until;
}

/**
 * tall_pass_begin_turn:
 *
 * If others work beside, in this process, one thread reads a page or copies a little at a time, and
 * rests: else their calls would wait for processors, and behind large writes. Another process takes
 * a rate.
 *
 * Returns: whether it is so; if so, tall_pass_end_turn() has to follow
 */
gboolean
tall_pass_begin_turn (TallPass *self)
{
  if (self->hurried)
    return FALSE;
  g_mutex_lock (&self->turn);
  if (is_shared (self))
    return TRUE;
  g_mutex_unlock (&self->turn);
  return FALSE;
}

/**
 * tall_pass_end_turn:
 * @took: what the turn has taken, microseconds
 */
void
tall_pass_end_turn (TallPass *self, gint64 took)
{
  const TallStoreHooks *hooks = &self->options.copier.source->hooks;
  gint64 begun = g_get_monotonic_time ();
  if (!tall_pass_is_stopping (self))
    hooks->sleep (MIN (took * RESTS, LONGEST_REST), hooks->data);
  gint64 rested = g_get_monotonic_time () - begun;
  g_mutex_unlock (&self->turn);
  g_mutex_lock (&self->mutex);
  self->spared += rested + took - took / self->n_parallel;
  g_mutex_unlock (&self->mutex);
}
