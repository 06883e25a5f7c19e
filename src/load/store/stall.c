/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/stall.h"

/* So often at most people learn that nothing goes on, and only if nothing has for that long. */
#define SAY_EVERY ((gint64)10 * G_USEC_PER_SEC)

void
tall_stall_init (TallStall *self, TallStalled stalled, gpointer data)
{
  *self = (TallStall){ .stalled = stalled, .data = data, .said_at = g_get_monotonic_time () };
  g_mutex_init (&self->lock);
}

void
tall_stall_clear (TallStall *self)
{
  g_mutex_clear (&self->lock);
}

static gboolean
begin_to_say (TallStall *self, gint64 now)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  if (self->stalled == NULL || now - self->said_at < SAY_EVERY)
    return FALSE;
  self->said_at = now;
  return TRUE;
}

/**
 * tall_stall_say:
 * @patience: of what is tried, and is going to be tried again
 * @cause: why it has failed
 * @now: monotonic, microseconds
 *
 * Says so if it is time to.
 */
void
tall_stall_say (TallStall *self, const TallPatience *patience, const GError *cause, gint64 now)
{
  if (begin_to_say (self, now))
    self->stalled ((guint)((now - patience->first) / G_USEC_PER_SEC), patience->patience, cause,
                   self->data);
}
