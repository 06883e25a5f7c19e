/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/sweeper.h"

#include "table/rocksdb/error.h"

/* The pause after a compaction: so many times as long as it took, but not less than that. */
#define PAUSES 10
#define LEAST_PAUSE G_USEC_PER_SEC

/* The same, microseconds, after damage was found. */
#define DAMAGE_PAUSE ((gint64)3600 * G_USEC_PER_SEC)

/* Rows between two looks whether the store is being closed. */
#define STEP 1024

struct _TallRocksdbSweeper
{
  rocksdb_t *db; /* not owned */
  rocksdb_compactoptions_t *options;
  guint64 most_read;
  GMutex compacting; /* held during a compaction, and as long as none may run */
  GMutex mutex;      /* for all below */
  GThread *thread;   /* of the last compaction */
  gboolean busy;     /* it runs */
  gint ending;       /* atomic */
  gint64 next;       /* monotonic time: none begins before */
};

/* What one thread does. */
typedef struct
{
  TallRocksdbSweeper *sweeper;
  TallRocksdbFamily *family;
  TallArena *arena; /* of the keys */
  TallSlice start, stop;
} Sweep;

/**
 * tall_rocksdb_sweeper_new:
 * @db: has to live longer
 * @most_read: bytes on disk that are read before a compaction, usually
 *   %TALL_ROCKSDB_SWEEPER_READ; the named rows are read even if they have more
 */
TallRocksdbSweeper *
tall_rocksdb_sweeper_new (rocksdb_t *db, guint64 most_read)
{
  TallRocksdbSweeper *self = g_new0 (TallRocksdbSweeper, 1);
  self->db = db;
  self->most_read = most_read;
  self->options = rocksdb_compactoptions_create ();
  rocksdb_compactoptions_set_exclusive_manual_compaction (self->options, FALSE);
  g_mutex_init (&self->compacting);
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
  g_atomic_int_set (&self->ending, TRUE);
  if (self->thread != NULL)
    {
      rocksdb_disable_manual_compaction (self->db);
      g_thread_join (self->thread);
    }
  rocksdb_compactoptions_destroy (self->options);
  g_mutex_clear (&self->compacting);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/**
 * tall_rocksdb_sweeper_pause:
 *
 * Breaks off the compaction that runs, and lets none run until tall_rocksdb_sweeper_resume().
 *
 * A compaction moves the log of all families to tables, for a reason of its own. If somebody else
 * asks for the same at that moment, for another reason, an assertion of Debian's RocksDB (7.8) ends
 * the process.
 */
void
tall_rocksdb_sweeper_pause (TallRocksdbSweeper *self)
{
  rocksdb_disable_manual_compaction (self->db);
  g_mutex_lock (&self->compacting);
}

/**
 * tall_rocksdb_sweeper_resume:
 *
 * Ends a pause, in the thread that began it.
 */
void
tall_rocksdb_sweeper_resume (TallRocksdbSweeper *self)
{
  /* A compaction that waits for the lock begins at once, and would be broken off. */
  rocksdb_enable_manual_compaction (self->db);
  g_mutex_unlock (&self->compacting);
}

static void
sweep_free (Sweep *self)
{
  tall_rocksdb_family_unref (self->family);
  tall_arena_free (self->arena);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sweep, sweep_free)

/* Extends the rows to all of the files that have some of them; FALSE if they have been so before.
 */
static gboolean
take_whole_files (Sweep *self, const char *family)
{
  const rocksdb_livefiles_t *files = rocksdb_livefiles (self->sweeper->db);
  gboolean extended = FALSE;
  for (int i = 0; i < rocksdb_livefiles_count (files); i++)
    {
      gsize first_len, last_len;
      const char *first = rocksdb_livefiles_smallestkey (files, i, &first_len);
      const char *last = rocksdb_livefiles_largestkey (files, i, &last_len);
      TallSlice start = tall_slice (first, first_len), stop = tall_slice (last, last_len);
      gboolean before = tall_slice_compare (stop, self->start) < 0;
      gboolean after = self->stop.len > 0 && tall_slice_compare (start, self->stop) > 0;
      if (before || after || !g_str_equal (rocksdb_livefiles_column_family_name (files, i), family))
        continue;
      if (tall_slice_compare (start, self->start) < 0)
        self->start = tall_slice_dup (self->arena, start);
      else if (self->stop.len > 0 && tall_slice_compare (stop, self->stop) > 0)
        self->stop = tall_slice_dup (self->arena, stop);
      else
        continue;
      extended = TRUE;
    }
  rocksdb_livefiles_destroy (files);
  return extended;
}

/* Reads the rows, and nothing into the cache. FALSE with @error if some cannot be read. */
static gboolean
read_all (const Sweep *self, GError **error)
{
  g_autoptr (rocksdb_readoptions_t) options = rocksdb_readoptions_create ();
  rocksdb_readoptions_set_verify_checksums (options, 1);
  rocksdb_readoptions_set_fill_cache (options, 0);
  g_autoptr (rocksdb_iterator_t) iterator =
      rocksdb_create_iterator_cf (self->sweeper->db, options, self->family->handle);
  gboolean ended = FALSE;

  rocksdb_iter_seek (iterator, (const char *)self->start.data, self->start.len);
  for (guint n = 1; !ended && rocksdb_iter_valid (iterator); rocksdb_iter_next (iterator), n++)
    {
      size_t len;
      const char *key = rocksdb_iter_key (iterator, &len);
      ended = (n % STEP == 0 && g_atomic_int_get (&self->sweeper->ending))
              || (self->stop.len > 0 && tall_slice_compare (tall_slice (key, len), self->stop) > 0);
    }
  char *message = NULL;
  rocksdb_iter_get_error (iterator, &message);
  return tall_rocksdb_take_error (message, "Looking at what is to be compacted", error);
}

/* Bytes on disk, about; too many if that is not known. */
static guint64
measure (const Sweep *self)
{
  TallSlice stop = self->stop.len > 0 ? self->stop : tall_slice_str ("\xff\xff\xff\xff");
  const char *starts[] = { (const char *)self->start.data };
  const char *stops[] = { (const char *)stop.data };
  guint64 size = G_MAXUINT64;
  g_autoptr (TallRocksdbText) message = NULL;
  rocksdb_approximate_sizes_cf (self->sweeper->db, self->family->handle, 1, starts,
                                &self->start.len, stops, &stop.len, &size, &message);
  return size;
}

/* A compaction that meets damage makes RocksDB refuse all writes, and it works on whole files, on
 * each level on those that overlap the files of the one above. So these are read before, unless
 * they are too many: then RocksDB compacts some of them all the time anyway. */
static gboolean
is_sound (const Sweep *sweep)
{
  Sweep whole = *sweep, next = *sweep;
  g_autoptr (GError) error = NULL;
  size_t len;
  g_autoptr (TallRocksdbText) text =
      rocksdb_column_family_handle_get_name (sweep->family->handle, &len);
  g_autofree char *family = g_strndup (text, len);
  while (take_whole_files (&next, family) && measure (&next) <= sweep->sweeper->most_read)
    whole = next;
  if (read_all (&whole, &error))
    return !g_atomic_int_get (&sweep->sweeper->ending);
  g_warning ("Delete markers of table %s stay: %s", family, error->message);
  return FALSE;
}

static void
compact (const Sweep *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->sweeper->compacting);
  const char *stop = self->stop.len == 0 ? NULL : (const char *)self->stop.data;
  rocksdb_compact_range_cf_opt (self->sweeper->db, self->family->handle, self->sweeper->options,
                                (const char *)self->start.data, self->start.len, stop,
                                self->stop.len);
}

static gpointer
run (gpointer data)
{
  g_autoptr (Sweep) sweep = data;
  TallRocksdbSweeper *self = sweep->sweeper;
  gint64 begin = g_get_monotonic_time ();
  gboolean sound = is_sound (sweep);
  if (sound)
    compact (sweep);

  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  gint64 end = g_get_monotonic_time ();
  self->busy = FALSE;
  self->next = sound ? tall_rocksdb_sweeper_get_next (begin, end) : end + DAMAGE_PAUSE;
  return NULL;
}

/**
 * tall_rocksdb_sweeper_get_next:
 * @begin: of a compaction: monotonic time
 * @end: of the same
 *
 * Returns: when the next one may begin
 */
gint64
tall_rocksdb_sweeper_get_next (gint64 begin, gint64 end)
{
  return end + MAX (PAUSES * (end - begin), LEAST_PAUSE);
}

static Sweep *
sweep_new (TallRocksdbSweeper *sweeper, TallRocksdbFamily *family, TallSlice start, TallSlice stop)
{
  Sweep *self = g_new (Sweep, 1);
  self->sweeper = sweeper;
  self->family = tall_rocksdb_family_ref (family);
  self->arena = tall_arena_new (0);
  self->start = tall_slice_dup (self->arena, start);
  self->stop = tall_slice_dup (self->arena, stop);
  return self;
}

/**
 * tall_rocksdb_sweeper_sweep:
 * @start: (nullable bytes): the first row
 * @stop: (nullable bytes): the row after the last one; none: to the end of the table
 *
 * Begins to compact the rows from @start to @stop, or does nothing if it is not time to, or there
 * is no thread for it.
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
  g_autoptr (Sweep) sweep = sweep_new (self, family, start, stop);
  self->thread = g_thread_try_new ("sweep", run, sweep, NULL);
  self->busy = self->thread != NULL;
  if (self->busy)
    g_steal_pointer (&sweep);
  else
    self->next = g_get_monotonic_time () + LEAST_PAUSE;
}

/**
 * tall_rocksdb_sweeper_wait:
 *
 * Waits until nothing runs that was begun before. For tests.
 */
void
tall_rocksdb_sweeper_wait (TallRocksdbSweeper *self)
{
  g_mutex_lock (&self->mutex);
  GThread *thread = g_steal_pointer (&self->thread);
  g_mutex_unlock (&self->mutex);
  g_clear_pointer (&thread, g_thread_join);
}
