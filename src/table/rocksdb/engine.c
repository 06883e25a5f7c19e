/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fail.h"
#include "table/rocksdb/check.h"
#include "table/rocksdb/directory.h"

#define FLUSH_PATIENCE (60 * G_TIME_SPAN_SECOND) /* a slow disk takes 256 MiB in that time */
#define END_PATIENCE (5 * G_TIME_SPAN_SECOND)
#define MOVE_PATIENCE G_TIME_SPAN_SECOND /* the end waits for it, so it is less than that */
#define LOOK 1000                        /* µs from one look to the next */

/* How often a store that another process writes to is opened for reading: files go meanwhile. */
#define TRIES 10

#define MOST_TOGETHER (1024 * 1024) /* bytes that several writes have at most */

#define HELD                                                                                       \
  "another process has it open. Stop that process; or, for a command that takes `--server "        \
  "HOST:PORT`, run `tallorder serve` there and reach the store through it; or add "                \
  "`?readonly=1` to the address to read what is there"

/* RocksDB's C interface gives its status as text only: the kind, then the part of it, then what
 * the kind says; file names, which may be any words, come after that. */
static const struct
{
  const char *start; /* of the text */
  TallError code;
  const char *advice;
} kinds[] = {
  { "IO error: While lock file: ", TALL_ERROR_UNAVAILABLE, HELD },
  { "IO error: lock hold by current process", TALL_ERROR_UNAVAILABLE, HELD },
  { "IO error: No space left on device", TALL_ERROR_UNAVAILABLE,
    "make room on the file system of the store" },
  { "IO error: ", TALL_ERROR_UNAVAILABLE, "check its file system" },
  { "Invalid argument: Column family", TALL_ERROR_NOT_FOUND, "the table has been dropped" },
  { "Invalid argument: Invalid column family", TALL_ERROR_NOT_FOUND, "the table has been dropped" },
  { "Column family dropped: ", TALL_ERROR_NOT_FOUND, "the table has been dropped" },
  { "Corruption: ", TALL_ERROR_DAMAGED, "restore it from a backup" },
  { "Not implemented: ", TALL_ERROR_UNSUPPORTED, "this build of RocksDB can not do it" },
};

/**
 * tall_rocksdb_take_error_in:
 * @message: (nullable) (transfer full): what a call of RocksDB left in its error argument
 * @directory: (nullable): where; only the log shows it
 * @operation: what failed; anybody may read it
 *
 * Makes an error of ours out of one of RocksDB, whose text becomes the detail.
 *
 * Returns: TRUE if there was none
 */
gboolean
tall_rocksdb_take_error_in (char *message,
                            const char *directory,
                            const char *operation,
                            GError **error)
{
  g_autoptr (TallRocksdbText) text = message;
  if (text == NULL)
    return TRUE;

  g_autofree char *shown = tall_rocksdb_directory_show (text);
  g_autofree char *detail =
      directory == NULL ? g_strdup (shown) : g_strdup_printf ("%s: %s", directory, shown);
  TallError code = TALL_ERROR_INTERNAL;
  const char *advice = "RocksDB failed";
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (text, kinds[i].start))
      {
        code = kinds[i].code;
        advice = kinds[i].advice;
        break;
      }
  return tall_error_fail_detailed (error, code, detail, "%s: %s", operation, advice);
}

/**
 * tall_rocksdb_take_error:
 *
 * As tall_rocksdb_take_error_in(), where the place is known.
 */
gboolean
tall_rocksdb_take_error (char *message, const char *operation, GError **error)
{
  return tall_rocksdb_take_error_in (message, NULL, operation, error);
}

static int
compare_default_first (gconstpointer a, gconstpointer b)
{
  const char *x = *(const char *const *)a;
  const char *y = *(const char *const *)b;
  return g_str_equal (y, TALL_ROCKSDB_DEFAULT_FAMILY)
         - g_str_equal (x, TALL_ROCKSDB_DEFAULT_FAMILY);
}

static gboolean
take_open_error (const TallRocksdbEngine *self, char *message, GError **error)
{
  return tall_rocksdb_take_error_in (message, self->path, "Opening the store", error);
}

static gboolean
list_names (TallRocksdbEngine *self,
            const rocksdb_options_t *options,
            gboolean exists,
            GError **error)
{
  if (!exists)
    {
      g_ptr_array_add (self->names, g_strdup (TALL_ROCKSDB_DEFAULT_FAMILY));
      return TRUE;
    }
  char *message = NULL;
  size_t n = 0;
  char **list = rocksdb_list_column_families (options, self->held, &n, &message);
  for (size_t i = 0; i < n; i++)
    g_ptr_array_add (self->names, g_strdup (list[i]));
  rocksdb_list_column_families_destroy (list, n); /* given after an error too */
  g_ptr_array_sort (self->names, compare_default_first);
  return take_open_error (self, message, error);
}

/* @lock: (out): descriptor that holds the lock until it is closed
 *
 * Keeps other processes out, as RocksDB does by its file LOCK. Somebody may tidy that file away,
 * and RocksDB makes another one where there is none. So the directory itself is locked. File
 * systems that cannot do so leave it to LOCK.
 *
 * Returns: FALSE with errno */
static gboolean
lock_directory (const char *directory, int *lock)
{
  *lock = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return *lock >= 0 && (flock (*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
}

/* Of the directory, and of LOCK, as RocksDB does itself: but not when it opens for reading, and not
 * before we look at the files. The latter is the process's, so that RocksDB gets it as well, and
 * goes with the first descriptor that is closed: ours is closed after RocksDB's. */
static gboolean
take_locks (TallRocksdbEngine *self, GError **error)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  if (lock_directory (self->path, &self->locks[0]))
    {
      g_free (self->held);
      self->held = tall_rocksdb_directory_hold (self->locks[0], self->path);
      g_autofree char *file = g_build_filename (self->held, "LOCK", NULL);
      self->locks[1] = open (file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (self->locks[1] >= 0 && fcntl (self->locks[1], F_SETLK, &lock) == 0)
        return TRUE;
    }
  g_autofree char *text = g_strdup_printf ("IO error: While lock file: %s", g_strerror (errno));
  return take_open_error (self, strdup (text), error);
}

static gboolean
open_families (TallRocksdbEngine *self,
               const rocksdb_options_t *options,
               const rocksdb_options_t **family_options,
               gboolean writable,
               GError **error)
{
  int n = (int)self->names->len;
  const char *const *names = (const char *const *)self->names->pdata;
  char *message = NULL;
  self->db = writable ? rocksdb_open_column_families (options, self->held, n, names, family_options,
                                                      self->handles, &message)
                      : rocksdb_open_for_read_only_column_families (options, self->held, n, names,
                                                                    family_options, self->handles,
                                                                    0, &message);
  return take_open_error (self, message, error);
}

/* Whether RocksDB has found all that the files have. */
static gboolean
check_covered (const TallRocksdbEngine *self, const TallRocksdbCheck *check, GError **error)
{
  guint64 last = rocksdb_get_latest_sequence_number (self->db);
  if (last >= check->covered)
    return TRUE;
  return tall_error_fail_detailed (error, TALL_ERROR_DAMAGED, self->path,
                                   "Opening the store: it is damaged: of %" G_GUINT64_FORMAT
                                   " writes, RocksDB found the first %" G_GUINT64_FORMAT
                                   " only. Restore the store from a backup",
                                   check->covered, last);
}

/* RocksDB has moved the log to tables: from here on that is what must be there. Where that cannot
 * be noted, as RocksDB has filled the disk meanwhile, the store is only read. */
static gboolean
begin_proof (TallRocksdbEngine *self, GError **error)
{
  guint64 last = rocksdb_get_latest_sequence_number (self->db);
  TallRocksdbProof proof;
  if (!tall_rocksdb_proof_measure (self->held, &proof, error))
    return FALSE;
  proof.base = proof.synced = last;
  self->synced = tall_rocksdb_synced_open (self->held, &proof, &self->read_only);
  return TRUE;
}

/* Whether RocksDB can write what it writes when it opens. If not, the engine says why. */
static gboolean
is_writable (TallRocksdbEngine *self, TallRocksdbRoom *room)
{
  return self->read_only == NULL
         && tall_rocksdb_room_take (room, 0, "Opening the store for writing", &self->read_only);
}

static gboolean
open_checked (TallRocksdbEngine *self,
              const rocksdb_options_t *options,
              const rocksdb_options_t *table_options,
              TallRocksdbRoom *room,
              const TallRocksdbCheck *check,
              GError **error)
{
  if (!list_names (self, options, check->exists, error))
    return FALSE;
  g_autofree const rocksdb_options_t **list = g_new (const rocksdb_options_t *, self->names->len);
  for (guint i = 0; i < self->names->len; i++)
    list[i] = i == 0 ? options : table_options;
  self->handles = g_new0 (rocksdb_column_family_handle_t *, self->names->len);

  gboolean writable = is_writable (self, room);
  if (!writable && !check->exists)
    {
      g_propagate_error (error, g_error_copy (self->read_only));
      return FALSE;
    }
  if (!open_families (self, options, list, writable, error) || !check_covered (self, check, error))
    return FALSE;
  if (!writable)
    return TRUE;
  tall_rocksdb_losses_add (self->held, check->lost);
  return begin_proof (self, error);
}

static TallRocksdbEngine *
engine_new (const char *path, gboolean read_only)
{
  TallRocksdbEngine *self = g_new0 (TallRocksdbEngine, 1);
  self->path = g_strdup (path);
  self->held = g_strdup (path);
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->locks[0] = self->locks[1] = -1;
  g_mutex_init (&self->queue_mutex);
  g_queue_init (&self->queue);
  if (read_only)
    g_set_error (&self->read_only, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                 "Its address has `?readonly=1`: leave that out to write");
  return self;
}

/* Looks at LOCK, which takes nothing from others. A lock of this process does not count, and is
 * lost by the look.
 *
 * Returns: whether another process has the store open for writing */
static gboolean
is_locked (const char *directory)
{
  g_autofree char *file = g_build_filename (directory, "LOCK", NULL);
  struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
  int descriptor = open (file, O_RDONLY | O_CLOEXEC);
  gboolean locked =
      descriptor >= 0 && fcntl (descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  if (descriptor >= 0)
    close (descriptor);
  return locked;
}

/* The process that writes to it has checked it. */
static gboolean
check_unless_locked (const char *path, TallRocksdbCheck *check, GError **error)
{
  if (!is_locked (path))
    return tall_rocksdb_check_directory (path, check, error);
  g_autofree char *current = g_build_filename (path, "CURRENT", NULL);
  check->exists = g_file_test (current, G_FILE_TEST_EXISTS);
  return TRUE;
}

static TallRocksdbEngine *
try_to_read (const char *path,
             const rocksdb_options_t *options,
             const rocksdb_options_t *table_options,
             GError **error)
{
  g_autoptr (TallRocksdbEngine) self = engine_new (path, TRUE);
  g_auto (TallRocksdbCheck) check = { 0 };
  if (check_unless_locked (path, &check, error)
      && open_checked (self, options, table_options, NULL, &check, error))
    return g_steal_pointer (&self);
  return NULL;
}

static TallRocksdbEngine *
open_to_read (const char *path,
              const rocksdb_options_t *options,
              const rocksdb_options_t *table_options,
              GError **error)
{
  g_autoptr (GError) local = NULL;
  TallRocksdbEngine *self = NULL;
  for (guint i = 0; self == NULL && (i == 0 || is_locked (path)) && i < TRIES; i++)
    {
      g_clear_error (&local);
      self = try_to_read (path, options, table_options, &local);
    }
  if (self == NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return self;
}

/**
 * tall_rocksdb_engine_open:
 * @options: of the database and of its default family
 * @table_options: of all other families
 * @read_only: whether nothing is written, and others may write
 *
 * Opens a directory after a check that all is there, for reading only also if there is no room to
 * write.
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_DAMAGED, %TALL_ERROR_UNAVAILABLE …
 */
TallRocksdbEngine *
tall_rocksdb_engine_open (const char *path,
                          const rocksdb_options_t *options,
                          const rocksdb_options_t *table_options,
                          TallRocksdbRoom *room,
                          gboolean read_only,
                          GError **error)
{
  if (read_only)
    return open_to_read (path, options, table_options, error);
  g_autoptr (TallRocksdbEngine) self = engine_new (path, FALSE);
  g_auto (TallRocksdbCheck) check = { 0 };
  if (take_locks (self, error) && tall_rocksdb_check_directory (self->held, &check, error)
      && open_checked (self, options, table_options, room, &check, error))
    return g_steal_pointer (&self);
  return NULL;
}

/* The number of the log to which a write has failed; 0: it failed of something else. RocksDB's text
 * names the log, or the directory, which is synced for each new one. */
static guint64
find_log (const TallRocksdbEngine *self, const char *message)
{
  g_autofree char *prefix = g_strconcat (self->held, "/", NULL);
  const char *name = strstr (message, prefix);
  char *end = NULL;
  guint64 number = name == NULL ? 0 : g_ascii_strtoull (name + strlen (prefix), &end, 10);
  if (end != NULL && g_str_has_prefix (end, ".log"))
    return number;
  if (!g_str_has_prefix (message, "IO error: "))
    return 0;
  g_autofree char *last = tall_rocksdb_directory_find_last_log (self->held, &number);
  return number;
}

/* RocksDB says the same again as long as it takes no writes, also when it has begun another log. */
static void
note_failure (TallRocksdbEngine *self, const char *message)
{
  guint64 failed = g_strcmp0 (message, self->failure) == 0 ? 0 : find_log (self, message);
  if (failed == 0)
    return;
  g_free (self->failure);
  self->failure = g_strdup (message);
  self->failed_log = failed;
}

static void
prefix_closed (GError **error)
{
  g_prefix_error (error, "The store takes no more writes until it is opened again: restart the "
                         "process that has it open, after this is mended. ");
}

/* RocksDB goes on by itself when there is room again; after other failures of the file system it
 * takes no write any more. It is not opened again under calls: what they have read still points
 * into its cache. */
static gboolean
take_write_error (TallRocksdbEngine *self, char *message, const char *operation, GError **error)
{
  gboolean no_room = g_str_has_prefix (message, "IO error: No space left on device");
  g_autoptr (GError) local = NULL;
  note_failure (self, message);
  if (tall_rocksdb_take_error (message, operation, &local))
    return TRUE;
  if (!no_room
      && (g_error_matches (local, TALL_ERROR, TALL_ERROR_UNAVAILABLE)
          || g_error_matches (local, TALL_ERROR, TALL_ERROR_DAMAGED)
          || g_error_matches (local, TALL_ERROR, TALL_ERROR_INTERNAL)))
    prefix_closed (&local);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* RocksDB must not write to a log that has failed once: an assertion of Debian's RocksDB ends the
 * process. It usually begins another one when there is room again. */
static gboolean
check_log (const TallRocksdbEngine *self, const char *operation, GError **error)
{
  if (self->failure == NULL)
    return TRUE;
  guint64 last;
  g_autofree char *path = tall_rocksdb_directory_find_last_log (self->held, &last);
  if (last > self->failed_log)
    return TRUE;
  gboolean taken = tall_rocksdb_take_error (strdup (self->failure), operation, error);
  prefix_closed (error);
  return taken;
}

/* A write that waits for its turn, or for another one to be written with it. */
typedef struct
{
  const rocksdb_writeoptions_t *options;
  rocksdb_writebatch_t *batch;
  const char *operation;
  GList link;    /* of the queue */
  GCond turn;    /* it is done, or the first one */
  gboolean done; /* under queue_mutex, as is @error */
  GError *error; /* why it is not written */
} Waiting;

/* A batch of RocksDB: u64 number of its first write, u32 little-endian: how many there are; then
 * these. */
#define BATCH_HEADER 12
#define BATCH_COUNT 8

static gsize
get_size (const Waiting *self)
{
  size_t len;
  (void)rocksdb_writebatch_data (self->batch, &len);
  return len;
}

static gboolean
is_synced (const Waiting *self)
{
  return rocksdb_writeoptions_get_sync ((rocksdb_writeoptions_t *)self->options) != 0;
}

/* The first one of the queue, and those behind it that are written together with it. Nobody waits
 * for a sync that it does not need, unless the first one needs it. */
static void
find_group (TallRocksdbEngine *self, GPtrArray *group)
{
  gsize size = 0;
  const Waiting *first = g_queue_peek_head (&self->queue);
  for (GList *link = self->queue.head; link != NULL; link = link->next)
    {
      Waiting *one = link->data;
      size += get_size (one);
      if (one != first && (size > MOST_TOGETHER || (is_synced (one) && !is_synced (first))))
        return;
      g_ptr_array_add (group, one);
    }
}

static rocksdb_writebatch_t *
join (const GPtrArray *group)
{
  guint32 n = 0;
  g_autoptr (GByteArray) joined = g_byte_array_new ();
  for (guint i = 0; i < group->len; i++)
    {
      size_t len;
      guint32 of_one;
      const Waiting *one = g_ptr_array_index (group, i);
      const guint8 *data = (const guint8 *)rocksdb_writebatch_data (one->batch, &len);
      gsize skipped = i == 0 ? 0 : BATCH_HEADER;
      memcpy (&of_one, data + BATCH_COUNT, sizeof of_one);
      n += GUINT32_FROM_LE (of_one);
      g_byte_array_append (joined, data + skipped, (guint)(len - skipped));
    }
  n = GUINT32_TO_LE (n);
  memcpy (joined->data + BATCH_COUNT, &n, sizeof n);
  return rocksdb_writebatch_create_from ((const char *)joined->data, joined->len);
}

/* Returns: (nullable) (transfer full): what RocksDB says has failed */
static char *
write_batch (TallRocksdbEngine *self, const Waiting *first, rocksdb_writebatch_t *batch)
{
  char *message = NULL;
  rocksdb_write (self->db, first->options, batch, &message);
  if (message == NULL)
    g_clear_pointer (&self->failure, g_free);
  if (message != NULL || !is_synced (first))
    return message;
  size_t len;
  const char *data = rocksdb_writebatch_data (batch, &len);
  tall_rocksdb_synced_note (self->synced,
                            tall_rocksdb_check_get_last_write (tall_slice (data, len)));
  return NULL;
}

static void
write_group (TallRocksdbEngine *self, const GPtrArray *group)
{
  Waiting *first = g_ptr_array_index (group, 0);
  if (check_log (self, first->operation, &first->error))
    {
      g_autoptr (rocksdb_writebatch_t) joined = group->len > 1 ? join (group) : NULL;
      char *message = write_batch (self, first, joined != NULL ? joined : first->batch);
      if (message != NULL)
        (void)take_write_error (self, message, first->operation, &first->error);
    }
  for (guint i = 1; first->error != NULL && i < group->len; i++)
    {
      Waiting *one = g_ptr_array_index (group, i);
      one->error = g_error_copy (first->error);
    }
}

/* As the first one of the queue, with its mutex, which is let go meanwhile. */
static void
lead (TallRocksdbEngine *self)
{
  g_autoptr (GPtrArray) group = g_ptr_array_new ();
  find_group (self, group);
  g_mutex_unlock (&self->queue_mutex);
  write_group (self, group);
  g_mutex_lock (&self->queue_mutex);
  for (guint i = 0; i < group->len; i++)
    {
      Waiting *one = g_queue_pop_head_link (&self->queue)->data;
      one->done = TRUE;
      g_cond_signal (&one->turn);
    }
  Waiting *next = g_queue_peek_head (&self->queue);
  if (next != NULL)
    g_cond_signal (&next->turn);
}

/**
 * tall_rocksdb_engine_write:
 *
 * Writes, and notes that it is synced if @options say so. Writes that come meanwhile are one write
 * of RocksDB, and share a sync. They do not wait within RocksDB: if a log fails, and there is room
 * again at once, RocksDB lets those in that wait there, and ends the process.
 */
gboolean
tall_rocksdb_engine_write (TallRocksdbEngine *self,
                           const rocksdb_writeoptions_t *options,
                           rocksdb_writebatch_t *batch,
                           const char *operation,
                           GError **error)
{
  Waiting own = { .options = options, .batch = batch, .operation = operation };
  own.link.data = &own;
  g_cond_init (&own.turn);
  g_mutex_lock (&self->queue_mutex);
  g_queue_push_tail_link (&self->queue, &own.link);
  while (!own.done && g_queue_peek_head (&self->queue) != &own)
    g_cond_wait (&own.turn, &self->queue_mutex);
  if (!own.done)
    lead (self);
  g_mutex_unlock (&self->queue_mutex);
  g_cond_clear (&own.turn);
  if (own.error == NULL)
    return TRUE;
  g_propagate_error (error, own.error);
  return FALSE;
}

/* @moved: the last write that is in tables, and with it all before */
static gboolean
note_manifest (TallRocksdbEngine *self, guint64 *moved, GError **error)
{
  TallRocksdbProof proof;
  if (!tall_rocksdb_proof_measure (self->held, &proof, error))
    return FALSE;
  *moved = tall_rocksdb_synced_finish (self->synced, &proof);
  return TRUE;
}

/**
 * tall_rocksdb_engine_note_tables:
 *
 * Notes that a table was created or dropped, which is in the MANIFEST now.
 */
void
tall_rocksdb_engine_note_tables (TallRocksdbEngine *self)
{
  guint64 moved;
  g_autoptr (GError) error = NULL;
  if (!note_manifest (self, &moved, &error))
    g_warning ("%s", error->message);
}

static gboolean
has_failed (rocksdb_t *db)
{
  guint64 n = 0;
  return rocksdb_property_int (db, "rocksdb.background-errors", &n) == 0 && n > 0;
}

/**
 * tall_rocksdb_engine_flush:
 * @family: any one
 *
 * Moves the log of all families to tables. It waits where there are too many tables already, until
 * compactions have made fewer of them.
 *
 * RocksDB's call for that takes one family. If RocksDB moves the log by itself at that moment, for
 * another reason, an assertion of Debian's RocksDB ends the process. A compaction moves the log of
 * all, whatever rows it is for; here it is for none. It has no result, but the MANIFEST has: at
 * once, or a little later if RocksDB has just got over a failure.
 */
gboolean
tall_rocksdb_engine_flush (TallRocksdbEngine *self,
                           rocksdb_column_family_handle_t *family,
                           GError **error)
{
  guint64 moved = 0, last = rocksdb_get_latest_sequence_number (self->db);
  rocksdb_compactoptions_t *options = rocksdb_compactoptions_create ();
  rocksdb_compactoptions_set_exclusive_manual_compaction (options, FALSE);
  rocksdb_compact_range_cf_opt (self->db, family, options, NULL, 0, "", 0);
  rocksdb_compactoptions_destroy (options);

  gint64 until = g_get_monotonic_time () + MOVE_PATIENCE;
  gboolean noted;
  while ((noted = note_manifest (self, &moved, error)) && moved < last && !has_failed (self->db)
         && g_get_monotonic_time () < until)
    g_usleep (10 * LOOK);
  if (noted && moved < last)
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                 "Moving the log to tables: RocksDB could not; check the file system of the store");
  return noted && moved >= last;
}

/* Has a thread of its own: both parts may wait for ever where the disk is full. */
static gpointer
do_last_work (gpointer data)
{
  TallRocksdbEngine *self = data;
  if (self->moved != NULL && !tall_rocksdb_engine_flush (self, self->moved, &self->left))
    self->moved = NULL;
  rocksdb_cancel_all_background_work (self->db, 1);
  g_atomic_int_set (&self->is_done, TRUE);
  return NULL;
}

/* A flush waits for compactions, which no longer end where one has failed, as on a full disk; it is
 * broken off then. And a thread of RocksDB 7.8 that moves the log of several families together may
 * wait for another one that has given up (https://github.com/facebook/rocksdb/issues/11867). FALSE
 * if the work does not end in time. */
static gboolean
wait_for_last_work (TallRocksdbEngine *self, gboolean moves)
{
  gint64 until = g_get_monotonic_time () + (moves ? FLUSH_PATIENCE : END_PATIENCE);
  while (!g_atomic_int_get (&self->is_done))
    {
      gboolean late = g_get_monotonic_time () > until;
      if (late && !moves)
        return FALSE;
      if (late || (moves && has_failed (self->db)))
        {
          rocksdb_cancel_all_background_work (self->db, 0);
          moves = FALSE;
          until = g_get_monotonic_time () + END_PATIENCE;
        }
      g_usleep (LOOK);
    }
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
 * tall_rocksdb_engine_finish:
 * @family: (nullable): any one; NULL: nothing can be written
 *
 * Moves the log to tables for the last time, so that the next process that opens the directory
 * needs no log. Nothing is written any more then. If it fails, or a write has failed before, that
 * process reads the log.
 *
 * Returns: FALSE if RocksDB is still at work: nothing of it may be freed then, and the process ends
 *   without it
 */
gboolean
tall_rocksdb_engine_finish (TallRocksdbEngine *self, rocksdb_column_family_handle_t *family)
{
  gboolean moves = family != NULL && self->failure == NULL && !has_failed (self->db);
  self->moved = moves ? family : NULL;
  GThread *thread = g_thread_try_new ("tall-end", do_last_work, self, NULL);
  if (thread != NULL)
    g_thread_unref (thread);
  else
    do_last_work (self);
  if (!wait_for_last_work (self, moves))
    {
      g_warning ("RocksDB does not end its work, so it is left; nothing is lost by that");
      on_exit (leave, NULL);
      return FALSE;
    }
  if (self->moved == NULL && self->read_only == NULL)
    g_info ("The log is left: %s",
            self->left != NULL ? self->left->message : "there is no room, or a write has failed");
  return TRUE;
}

/**
 * tall_rocksdb_engine_close:
 * @self: (transfer full): whose handles that somebody took are destroyed
 */
void
tall_rocksdb_engine_close (TallRocksdbEngine *self)
{
  for (guint i = 0; self->handles != NULL && i < self->names->len; i++)
    if (self->handles[i] != NULL)
      rocksdb_column_family_handle_destroy (self->handles[i]);
  if (self->db != NULL)
    rocksdb_close (self->db);
  for (guint i = G_N_ELEMENTS (self->locks); i > 0; i--)
    if (self->locks[i - 1] >= 0)
      close (self->locks[i - 1]);
  g_clear_pointer (&self->synced, tall_rocksdb_synced_free);
  g_clear_error (&self->read_only);
  g_clear_error (&self->left);
  g_mutex_clear (&self->queue_mutex);
  g_free (self->failure);
  g_ptr_array_unref (self->names);
  g_free (self->handles);
  g_free (self->path);
  g_free (self->held);
  g_free (self);
}
