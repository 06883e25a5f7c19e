/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-rocksdb-sweeper.h"

/* The pause after a compaction: so many times as long as it took, but not less than that. */
#define PAUSES 10
#define LEAST_PAUSE G_USEC_PER_SEC

struct _TallRocksdbSweeper
{
  rocksdb_t *db; /* not owned */
  rocksdb_compactoptions_t *options;
  GMutex mutex;
  GThread *thread; /* of the last compaction */
  gboolean busy;   /* it runs */
  gint64 next;     /* monotonic time: none begins before */
};

/* What one thread does. */
typedef struct
{
  TallRocksdbSweeper *sweeper;
  TallRocksdbFamily *family;
  TallArena *arena; /* of the keys */
  TallSlice start, stop;
} Sweep;

TallRocksdbSweeper *
tall_rocksdb_sweeper_new (rocksdb_t *db)
{
  TallRocksdbSweeper *self = g_new0 (TallRocksdbSweeper, 1);
  self->db = db;
  self->options = rocksdb_compactoptions_create ();
  rocksdb_compactoptions_set_exclusive_manual_compaction (self->options, FALSE);
  g_mutex_init (&self->mutex);
  return self;
}

/**
 * tall_rocksdb_sweeper_free:
 *
 * Breaks off the compaction that runs. Nobody else may use it any more.
 */
void
tall_rocksdb_sweeper_free (TallRocksdbSweeper *self)
{
  if (self->thread != NULL)
    {
      rocksdb_disable_manual_compaction (self->db);
      g_thread_join (self->thread);
    }
  rocksdb_compactoptions_destroy (self->options);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

static gpointer
run (gpointer data)
{
  Sweep *sweep = data;
  TallRocksdbSweeper *self = sweep->sweeper;
  gint64 begin = g_get_monotonic_time ();
  const char *stop = sweep->stop.len == 0 ? NULL : (const char *)sweep->stop.data;
  rocksdb_compact_range_cf_opt (self->db, sweep->family->handle, self->options,
                                (const char *)sweep->start.data, sweep->start.len, stop,
                                sweep->stop.len);

  tall_rocksdb_family_unref (sweep->family);
  tall_arena_free (sweep->arena);
  g_free (sweep);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  gint64 end = g_get_monotonic_time ();
  self->busy = FALSE;
  self->next = end + MAX (PAUSES * (end - begin), LEAST_PAUSE);
  return NULL;
}

/**
 * tall_rocksdb_sweeper_sweep:
 * @start: (nullable bytes): the first row
 * @stop: (nullable bytes): the row after the last one; none: to the end of the table
 *
 * Begins to compact the rows from @start to @stop, or does nothing if it is not time to.
 */
void
tall_rocksdb_sweeper_sweep (TallRocksdbSweeper *self,
                            TallRocksdbFamily *family,
                            TallSlice start,
                            TallSlice stop)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->busy || g_get_monotonic_time () < self->next)
    return;

  g_clear_pointer (&self->thread, g_thread_join); /* it has ended, or is about to */
  Sweep *sweep = g_new (Sweep, 1);
  sweep->sweeper = self;
  sweep->family = tall_rocksdb_family_ref (family);
  sweep->arena = tall_arena_new (0);
  sweep->start = tall_slice_dup (sweep->arena, start);
  sweep->stop = tall_slice_dup (sweep->arena, stop);
  self->busy = TRUE;
  self->thread = g_thread_new ("sweep", run, sweep);
}
