/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/pace.h"

#define MAX_WAIT (200 * 1000) /* microseconds without a look whether it is to stop */

/* Waits until the next may go, or it is to stop. */
void
tall_pace_wait (TallPace *self)
{
  if (self->rate == 0)
    return;
  if (self->n == 0)
    self->began = g_get_monotonic_time ();
  gint64 due = self->began + (gint64)(self->n++ * G_USEC_PER_SEC / self->rate);
  gint64 now;
  while ((now = g_get_monotonic_time ()) < due
         && (self->stop == NULL || g_atomic_int_get (self->stop) == 0))
    g_usleep ((gulong)MIN (due - now, MAX_WAIT));
}
