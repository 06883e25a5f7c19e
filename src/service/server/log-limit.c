/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/log-limit.h"

/**
 * tall_log_limit_take:
 * @max_lines: that may be written in a period
 * @length: of a period, in microseconds
 * @n_left_out: (out): if this line is to be written, how many were left out since the one before,
 *   to be written with it
 *
 * Returns: whether to write this line
 */
gboolean
tall_log_limit_take (TallLogLimit *self, guint max_lines, gint64 length, guint *n_left_out)
{
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  *n_left_out = 0;
  if (self->n_lines == 0 || now - self->begin >= length)
    {
      self->begin = now;
      self->n_lines = 0;
    }
  if (self->n_lines >= max_lines)
    {
      self->n_left_out++;
      return FALSE;
    }
  self->n_lines++;
  *n_left_out = self->n_left_out;
  self->n_left_out = 0;
  return TRUE;
}
