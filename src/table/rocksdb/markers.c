/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/markers.h"

#include "table/rocksdb/engine.h"
#include "table/rocksdb/row.h"

struct _TallRocksdbHorizon
{
  GMutex mutex;
  guint present;     /* 0 or 1: the generation that calls enter */
  guint running[2];  /* calls of each */
  gint64 begun;      /* when the present one began: monotonic time */
  guint64 first;     /* the last write when the present one began */
  guint64 forgotten; /* atomic: markers with this number or a lower one are needed by nobody */
};

TallRocksdbHorizon *
tall_rocksdb_horizon_new (void)
{
  TallRocksdbHorizon *self = g_new0 (TallRocksdbHorizon, 1);
  g_mutex_init (&self->mutex);
  return self;
}

void
tall_rocksdb_horizon_free (TallRocksdbHorizon *self)
{
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/**
 * tall_rocksdb_horizon_open:
 * @last: number of the last write when the store was opened
 */
void
tall_rocksdb_horizon_open (TallRocksdbHorizon *self, guint64 last)
{
  self->first = last;
  self->begun = g_get_monotonic_time ();
  __atomic_store_n (&self->forgotten, last, __ATOMIC_RELEASE);
}

/**
 * tall_rocksdb_horizon_enter:
 * @now: monotonic time
 * @last: number of the last write
 *
 * Begins a call that writes.
 *
 * Returns: its generation, for tall_rocksdb_horizon_leave()
 */
guint
tall_rocksdb_horizon_enter (TallRocksdbHorizon *self, gint64 now, guint64 last)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  guint other = 1 - self->present;
  if (self->running[other] == 0 && now - self->begun >= TALL_ROCKSDB_MARKER_AGE)
    {
      /* All that run began in the present generation, so after the write @first. */
      __atomic_store_n (&self->forgotten, self->first, __ATOMIC_RELEASE);
      self->present = other;
      self->begun = now;
      self->first = last;
    }
  self->running[self->present]++;
  return self->present;
}

void
tall_rocksdb_horizon_leave (TallRocksdbHorizon *self, guint generation)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->running[generation]--;
}

guint64
tall_rocksdb_horizon_get (TallRocksdbHorizon *self)
{
  return __atomic_load_n (&self->forgotten, __ATOMIC_ACQUIRE);
}

/**
 * tall_rocksdb_horizon_forget:
 * @last: number of the last write
 *
 * For a caller who knows that nobody else uses the store: no call can need a marker any more,
 * unless one runs after all.
 */
void
tall_rocksdb_horizon_forget (TallRocksdbHorizon *self, guint64 last)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->running[0] + self->running[1] > 0)
    return;
  self->first = last;
  __atomic_store_n (&self->forgotten, last, __ATOMIC_RELEASE);
}

/* Of one compaction, which uses it in one thread. */
typedef struct
{
  guint64 forgotten;
  GByteArray *stripped; /* what was given to RocksDB last */
} Filter;

static void
filter_free (void *data)
{
  Filter *self = data;
  g_byte_array_unref (self->stripped);
  g_free (self);
}

static const char *
filter_name (void *data G_GNUC_UNUSED)
{
  return "tallorder-markers";
}

/* What a reader sees of a row is the same with its markers and without. */
static unsigned char
filter_row (void *data,
            int level G_GNUC_UNUSED,
            const char *key G_GNUC_UNUSED,
            size_t key_len G_GNUC_UNUSED,
            const char *value,
            size_t value_len,
            char **new_value,
            size_t *new_value_len,
            unsigned char *changed)
{
  Filter *self = data;
  *changed = 0;
  switch (tall_row_strip (tall_slice (value, value_len), self->forgotten, self->stripped))
    {
    case TALL_ROW_EMPTY:
      return 1;
    case TALL_ROW_STRIPPED:
      *new_value = (char *)self->stripped->data;
      *new_value_len = self->stripped->len;
      *changed = 1;
      return 0;
    case TALL_ROW_AS_IT_WAS:
    default:
      return 0;
    }
}

static rocksdb_compactionfilter_t *
create_filter (void *data, rocksdb_compactionfiltercontext_t *context G_GNUC_UNUSED)
{
  Filter *self = g_new (Filter, 1);
  self->forgotten = tall_rocksdb_horizon_get (data);
  self->stripped = g_byte_array_new ();
  return rocksdb_compactionfilter_create (self, filter_free, filter_row, filter_name);
}

static void
keep_horizon (void *data G_GNUC_UNUSED)
{
}

/**
 * tall_rocksdb_horizon_new_filter_factory:
 * @self: has to live longer than the database
 *
 * Returns: (transfer full): what lets compactions remove the markers beyond the horizon, and rows
 *   that have nothing else
 */
rocksdb_compactionfilterfactory_t *
tall_rocksdb_horizon_new_filter_factory (TallRocksdbHorizon *self)
{
  return rocksdb_compactionfilterfactory_create (self, keep_horizon, create_filter, filter_name);
}

/* The pause after a compaction: so many times as long as it took, but not less than that. */
#define PAUSES 10
#define LEAST_PAUSE G_USEC_PER_SEC

/* The same, microseconds, after damage was found. */
#define DAMAGE_PAUSE ((gint64)3600 * G_USEC_PER_SEC)

/* Of the last level: files that a compaction filter may change, RocksDB's default; or each file is
 * written anew, once. */
#define USUAL 1
#define THOROUGH 3

/* Rows between two looks whether the store is being closed. */
#define STEP 1024

struct _TallRocksdbSweeper
{
  rocksdb_t *db; /* not owned */
  guint64 most_read;
  GMutex mutex;    /* for all below */
  GThread *thread; /* of the last compaction */
  gboolean busy;   /* it runs */
  gint ending;     /* atomic */
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
  g_mutex_init (&self->mutex);
  return self;
}

/**
 * tall_rocksdb_sweeper_free:
 *
 * Breaks off the compaction that runs. Nobody else may use it any more. RocksDB begins none that it
 * is asked for until rocksdb_enable_manual_compaction().
 */
void
tall_rocksdb_sweeper_free (TallRocksdbSweeper *self)
{
  g_atomic_int_set (&self->ending, TRUE);
  rocksdb_disable_manual_compaction (self->db);
  g_clear_pointer (&self->thread, g_thread_join);
  g_mutex_clear (&self->mutex);
  g_free (self);
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
  rocksdb_readoptions_set_total_order_seek (options, 1);
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
is_sound (const Sweep *sweep, GError **error)
{
  Sweep whole = *sweep, next = *sweep;
  size_t len;
  g_autoptr (TallRocksdbText) text =
      rocksdb_column_family_handle_get_name (sweep->family->handle, &len);
  g_autofree char *family = g_strndup (text, len);
  while (take_whole_files (&next, family) && measure (&next) <= sweep->sweeper->most_read)
    whole = next;
  if (read_all (&whole, error))
    return !g_atomic_int_get (&sweep->sweeper->ending);
  g_prefix_error (error, "table %s stay: ", family);
  return FALSE;
}

static void
compact (const Sweep *self, int last_level)
{
  const char *stop = self->stop.len == 0 ? NULL : (const char *)self->stop.data;
  rocksdb_compactoptions_t *options = rocksdb_compactoptions_create ();
  rocksdb_compactoptions_set_exclusive_manual_compaction (options, FALSE);
  rocksdb_compactoptions_set_bottommost_level_compaction (options, (unsigned char)last_level);
  rocksdb_compact_range_cf_opt (self->sweeper->db, self->family->handle, options,
                                (const char *)self->start.data, self->start.len, stop,
                                self->stop.len);
  rocksdb_compactoptions_destroy (options);
}

static gpointer
run (gpointer data)
{
  g_autoptr (Sweep) sweep = data;
  g_autoptr (GError) error = NULL;
  TallRocksdbSweeper *self = sweep->sweeper;
  gint64 begin = g_get_monotonic_time ();
  gboolean sound = is_sound (sweep, &error);
  if (sound)
    compact (sweep, USUAL);
  if (error != NULL)
    g_warning ("Delete markers of %s", error->message);

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

/* With the mutex held, and while it is not busy. */
static gboolean
begin (TallRocksdbSweeper *self, GThreadFunc work, gpointer data)
{
  g_clear_pointer (&self->thread, g_thread_join); /* it has ended, or is about to */
  self->thread = g_thread_try_new ("sweep", work, data, NULL);
  self->busy = self->thread != NULL;
  return self->busy;
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

  g_autoptr (Sweep) sweep = sweep_new (self, family, start, stop);
  if (begin (self, run, sweep))
    g_steal_pointer (&sweep);
  else
    self->next = g_get_monotonic_time () + LEAST_PAUSE;
}

/**
 * tall_rocksdb_sweeper_begin:
 * @work: which ends with tall_rocksdb_sweeper_end()
 *
 * Does work in the thread of the sweeper, which sweeps nothing meanwhile.
 *
 * Returns: FALSE if it is at work, or there is no thread
 */
gboolean
tall_rocksdb_sweeper_begin (TallRocksdbSweeper *self, GThreadFunc work, gpointer data)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  return !self->busy && begin (self, work, data);
}

void
tall_rocksdb_sweeper_end (TallRocksdbSweeper *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->busy = FALSE;
}

/**
 * tall_rocksdb_sweeper_rewrite:
 * @families: that are written anew, without what was deleted and markers that nobody needs
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED and others; or without an error, if the store is being
 *   closed
 */
gboolean
tall_rocksdb_sweeper_rewrite (TallRocksdbSweeper *self, GPtrArray *families, GError **error)
{
  for (guint i = 0; i < families->len; i++)
    {
      const TallSlice all = TALL_SLICE_INIT;
      g_autoptr (Sweep) sweep = sweep_new (self, g_ptr_array_index (families, i), all, all);
      if (!is_sound (sweep, error))
        return FALSE;
      compact (sweep, THOROUGH);
    }
  return !g_atomic_int_get (&self->ending);
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
