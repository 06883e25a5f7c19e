/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/patience.h"

#include "tall-error.h"

#define AT_ONCE G_USEC_PER_SEC
#define MAX_DOUBLINGS 6

/**
 * tall_patience_begin:
 * @now: monotonic, microseconds
 *
 * A try begins.
 */
void
tall_patience_begin (TallPatience *self, gint64 now)
{
  self->begun = now;
  if (self->first == 0)
    self->first = now;
}

static gboolean
stands_still (const TallPatience *self, const GError *cause, gint64 now)
{
  return g_error_matches (cause, TALL_ERROR, TALL_ERROR_TIMED_OUT)
         || g_error_matches (cause, TALL_ERROR, TALL_ERROR_OVERLOADED)
         || now - self->begun >= AT_ONCE;
}

/**
 * tall_patience_goes_on:
 * @cause: why the try has failed
 * @now: as of tall_patience_begin()
 *
 * Returns: whether it is to be tried again, after a pause
 */
gboolean
tall_patience_goes_on (TallPatience *self, const GError *cause, gint64 now)
{
  self->n_tries++;
  if (!tall_error_is_passing (cause))
    return FALSE;
  if (stands_still (self, cause, now))
    {
      self->is_used_up = now - self->first >= (gint64)self->patience * G_USEC_PER_SEC;
      return !self->is_used_up;
    }
  return ++self->n_refused < self->tries;
}

/**
 * tall_patience_goes_on_after_race:
 *
 * The same where somebody else has been faster: as after being refused at once.
 */
gboolean
tall_patience_goes_on_after_race (TallPatience *self)
{
  self->n_tries++;
  return ++self->n_refused < self->tries;
}

/**
 * tall_patience_explain:
 * @cause: why it is not tried again
 *
 * Says so, if a store has stood still for too long.
 */
void
tall_patience_explain (const TallPatience *self, GError **cause)
{
  if (self->is_used_up)
    g_prefix_error (cause, "the store has stood still for more than %u s: ", self->patience);
}

/**
 * tall_patience_sleep:
 *
 * Waits before the next try, somewhat at random, so that not all come back at once.
 */
void
tall_patience_sleep (const TallPatience *self)
{
  gulong delay = (gulong)self->retry_delay * 1000 << MIN (self->n_tries - 1, MAX_DOUBLINGS);
  g_usleep (delay / 2 + (gulong)g_random_int_range (0, (gint32)(delay / 2) + 1));
}
