/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-log-limit.h"

#define LINES_A_MINUTE 20

/**
 * tall_log_limit_take:
 * @n_left_out: (out): how many lines were left out in the minute that ended with this one; to be
 *   told with it
 *
 * Returns: whether to write this line
 */
gboolean
tall_log_limit_take (TallLogLimit *self, guint *n_left_out)
{
  gint64 minute = g_get_monotonic_time () / G_TIME_SPAN_MINUTE;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  *n_left_out = 0;
  if (minute != self->minute)
    {
      if (self->n_lines > LINES_A_MINUTE)
        *n_left_out = self->n_lines - LINES_A_MINUTE;
      self->minute = minute;
      self->n_lines = 0;
    }
  return self->n_lines++ < LINES_A_MINUTE;
}
