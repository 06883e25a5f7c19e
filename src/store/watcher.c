/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/watcher.h"

#define USUAL_PERIOD G_USEC_PER_SEC
#define PHASE_PERIOD (G_USEC_PER_SEC / 5) /* as long as a migration goes on */
#define LOOK_TIME G_USEC_PER_SEC

struct _TallWatcher
{
  TallFollower *follower; /* not owned */
  GThread *thread;
  GMutex mutex; /* for the next one */
  GCond cond;   /* it has changed */
  gboolean ends;
};

/* Returns: FALSE if it is to end */
static gboolean
wait (TallWatcher *self)
{
  gboolean calm = tall_follower_get_phase (self->follower) == TALL_MIGRATION_NONE;
  gint64 until = g_get_monotonic_time () + (calm ? USUAL_PERIOD : PHASE_PERIOD);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  while (!self->ends && g_cond_wait_until (&self->cond, &self->mutex, until))
    ;
  return !self->ends;
}

static gpointer
run (gpointer data)
{
  TallWatcher *self = data;
  while (wait (self))
    {
      g_autoptr (GError) error = NULL;
      if (!tall_follower_look (self->follower, g_get_monotonic_time () + LOOK_TIME, &error))
        g_debug ("watching the deployment record: %s", error->message);
    }
  return NULL;
}

/**
 * tall_watcher_new:
 * @follower: which it keeps up to date; must outlive it
 *
 * Returns: (nullable): NULL where no other process works on the tables: then there is nothing to
 *   watch
 */
TallWatcher *
tall_watcher_new (TallFollower *follower)
{
  TallTableInfo info;
  tall_table_get_info (tall_follower_get_context (follower)->table, &info);
  if (info.is_exclusive)
    return NULL;
  TallWatcher *self = g_new0 (TallWatcher, 1);
  self->follower = follower;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  self->thread = g_thread_new ("watcher", run, self);
  return self;
}

/**
 * tall_watcher_free:
 *
 * Ends the thread, after the read that is under way, which takes a second at most.
 */
void
tall_watcher_free (TallWatcher *self)
{
  g_mutex_lock (&self->mutex);
  self->ends = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
  g_thread_join (self->thread);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->mutex);
  g_free (self);
}
