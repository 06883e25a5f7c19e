/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/end.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATIENCE (5 * G_TIME_SPAN_SECOND)

typedef struct
{
  gatomicrefcount refs;
  rocksdb_t *db;
  GMutex mutex;
  GCond cond;
  gboolean is_done;
} Ending;

static void
ending_unref (Ending *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
  g_free (self);
}

static gpointer
end (gpointer data)
{
  Ending *self = data;
  rocksdb_cancel_all_background_work (self->db, 1);
  g_mutex_lock (&self->mutex);
  self->is_done = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
  ending_unref (self);
  return NULL;
}

static gboolean
wait_for (Ending *self)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  while (!self->is_done)
    if (!g_cond_wait_until (&self->cond, &self->mutex, until))
      return self->is_done;
  return TRUE;
}

/* RocksDB's own end of the process would wait for the same thread. */
static void
leave (int status, void *data G_GNUC_UNUSED)
{
  fflush (NULL);
  _exit (status);
}

/**
 * tall_rocksdb_end_work:
 *
 * Ends what RocksDB does in the background. After a full disk a thread of RocksDB 7.8 that moves
 * the log of several families together may wait for another one that has given up, and for ever
 * (https://github.com/facebook/rocksdb/issues/11867).
 *
 * Returns: FALSE if it does not end in time. @db must not be touched any more then. It stays open
 *   until the process ends, which then waits for nobody.
 */
gboolean
tall_rocksdb_end_work (rocksdb_t *db)
{
  Ending *self = g_new0 (Ending, 1);
  g_atomic_ref_count_init (&self->refs);
  g_atomic_ref_count_inc (&self->refs);
  self->db = db;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  GThread *thread = g_thread_try_new ("tall-end", end, self, NULL);
  if (thread != NULL)
    g_thread_unref (thread);
  else
    end (self);
  gboolean is_done = wait_for (self);
  ending_unref (self);
  if (is_done)
    return TRUE;
  g_warning ("RocksDB does not end its work, so it is left; nothing is lost by that");
  on_exit (leave, NULL);
  return FALSE;
}
