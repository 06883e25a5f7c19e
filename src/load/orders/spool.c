/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/spool.h"

#include "tall-error.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <rocksdb/c.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A row is
 *
 *     u8   form
 *     u64  line
 *     u64  blame
 *     PLAIN:  its text to the end: a delimiter between two fields, as in most rows
 *     FULL:   u32 length of its text, and that; then of each field u32 length, and its text
 *     MARK:   nothing: the row itself was rejected
 */
typedef enum
{
  PLAIN,
  FULL,
  MARK,
} Form;

void
tall_spool_row_init (TallSpoolRow *self)
{
  self->bytes = g_byte_array_new ();
  self->text = g_byte_array_new ();
  self->fields = g_ptr_array_new ();
}

void
tall_spool_row_clear (TallSpoolRow *self)
{
  g_byte_array_unref (self->bytes);
  g_byte_array_unref (self->text);
  g_ptr_array_unref (self->fields);
}

static void
append_text (GByteArray *bytes, TallSlice text)
{
  tall_bytes_append_u32 (bytes, (guint32)text.len);
  tall_bytes_append (bytes, text);
}

/* Whether splitting the raw bytes at each delimiter gives the fields. */
static gboolean
is_plain (const TallCsvRow *row, char delimiter)
{
  gsize at = 0;
  for (guint i = 0; i < row->n_fields; i++)
    {
      gsize len = strlen (row->fields[i]);
      gboolean last = i + 1 == row->n_fields;
      if (row->raw.len - at < len + !last || memcmp (row->raw.data + at, row->fields[i], len) != 0
          || memchr (row->fields[i], delimiter, len) != NULL
          || (!last && row->raw.data[at + len] != (guint8)delimiter))
        return FALSE;
      at += len + !last;
    }
  return row->n_fields > 0 && at == row->raw.len;
}

static void
append_full (GByteArray *bytes, const TallCsvRow *row)
{
  append_text (bytes, row->raw);
  for (guint i = 0; i < row->n_fields; i++)
    append_text (bytes, tall_slice_str (row->fields[i]));
}

/**
 * tall_spool_row_encode:
 * @row: a good row; or a bad one, of which only a mark is kept
 * @blame: line of the row for which the whole order is rejected; 0: none so far
 * @delimiter: of the file
 *
 * Returns: the bytes, which are valid until the next call
 */
TallSlice
tall_spool_row_encode (TallSpoolRow *self, const TallCsvRow *row, guint64 blame, char delimiter)
{
  Form form = row->reason != NULL ? MARK : is_plain (row, delimiter) ? PLAIN : FULL;
  g_byte_array_set_size (self->bytes, 0);
  tall_bytes_append_u8 (self->bytes, (guint8)form);
  tall_bytes_append_u64 (self->bytes, row->line);
  tall_bytes_append_u64 (self->bytes, blame);
  if (form == PLAIN)
    tall_bytes_append (self->bytes, row->raw);
  else if (form == FULL)
    append_full (self->bytes, row);
  return tall_slice_array (self->bytes);
}

static TallSlice
take_text (TallReader *reader)
{
  return tall_reader_take (reader, tall_reader_u32 (reader));
}

/* Adds a field to the texts; the pointers follow when all texts are there. */
static void
add_field (TallSpoolRow *self, TallSlice text)
{
  g_ptr_array_add (self->fields, GSIZE_TO_POINTER (self->text->len));
  tall_bytes_append (self->text, text);
  tall_bytes_append_u8 (self->text, 0);
}

static void
split_raw (TallSpoolRow *self, TallSlice raw, char delimiter)
{
  const guint8 *end = raw.data + raw.len, *stop;
  for (const guint8 *at = raw.data;; at = stop + 1)
    {
      stop = at < end ? memchr (at, delimiter, (gsize)(end - at)) : NULL;
      add_field (self, tall_slice (at, (gsize)((stop != NULL ? stop : end) - at)));
      if (stop == NULL)
        return;
    }
}

/**
 * tall_spool_row_decode:
 * @bytes: of tall_spool_row_encode(); the text of @row lies in them
 * @row: (out): a good row; of a bad one nothing but the line
 * @blame: (out): as it was given
 *
 * Returns: FALSE if these are other bytes
 */
gboolean
tall_spool_row_decode (
    TallSpoolRow *self, TallSlice bytes, char delimiter, TallCsvRow *row, guint64 *blame)
{
  TallReader reader = tall_reader (bytes);
  Form form = (Form)tall_reader_u8 (&reader);
  *row = (TallCsvRow){ .line = tall_reader_u64 (&reader), .column = TALL_CSV_NO_COLUMN };
  *blame = tall_reader_u64 (&reader);
  g_byte_array_set_size (self->text, 0);
  g_ptr_array_set_size (self->fields, 0);
  if (form == PLAIN && !reader.failed)
    {
      row->raw = tall_reader_take (&reader, reader.rest.len);
      split_raw (self, row->raw, delimiter);
    }
  else if (form == FULL)
    row->raw = take_text (&reader);
  while (form == FULL && reader.rest.len > 0 && !reader.failed)
    add_field (self, take_text (&reader));

  for (guint i = 0; i < self->fields->len; i++)
    self->fields->pdata[i] = self->text->data + GPOINTER_TO_SIZE (self->fields->pdata[i]);
  row->fields = (const char *const *)self->fields->pdata;
  row->n_fields = self->fields->len;
  return tall_reader_done (&reader) && form <= MARK;
}

#define PREFIX "tallorder-spool-"

struct _TallSpoolFolder
{
  char *path;
  int lock; /* the folder itself, locked */
};

/* Returns a locked descriptor of a folder of ours; -1 if it is another's, or in use. */
static int
lock_folder (const char *path)
{
  struct stat opened, there;
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return -1;
  if (fstat (fd, &opened) == 0 && opened.st_uid == geteuid () && flock (fd, LOCK_EX | LOCK_NB) == 0
      && lstat (path, &there) == 0 && there.st_ino == opened.st_ino
      && there.st_dev == opened.st_dev)
    return fd;
  close (fd);
  return -1;
}

/* The files of a locked folder, which has no folders in it, and then the folder. */
static void
remove_folder (const char *path, int lock)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    unlinkat (lock, name, 0);
  g_rmdir (path);
  close (lock);
}

/* Removes what processes that were killed have left. */
static void
clean (const char *parent)
{
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      if (!g_str_has_prefix (name, PREFIX))
        continue;
      g_autofree char *path = g_build_filename (parent, name, NULL);
      int lock = lock_folder (path);
      if (lock >= 0)
        remove_folder (path, lock);
    }
}

/**
 * tall_spool_folder_new:
 * @parent: where it goes; what killed processes have left there is removed
 *
 * Returns: (transfer full): an empty folder that nobody else may read; NULL with
 *   %TALL_ERROR_UNAVAILABLE if there can be none
 */
TallSpoolFolder *
tall_spool_folder_new (const char *parent, GError **error)
{
  clean (parent);
  while (TRUE)
    {
      g_autofree char *path = g_build_filename (parent, PREFIX "XXXXXX", NULL);
      if (g_mkdtemp (path) == NULL)
        {
          g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                       "Rows cannot be put aside in %s: %s. Name another folder with --spool",
                       parent, g_strerror (errno));
          return NULL;
        }
      /* Another process that cleans up may have found the folder before it was locked. */
      int lock = lock_folder (path);
      if (lock < 0)
        continue;
      TallSpoolFolder *self = g_new0 (TallSpoolFolder, 1);
      self->path = g_steal_pointer (&path);
      self->lock = lock;
      return self;
    }
}

/* Removes the folder and the files in it. */
void
tall_spool_folder_free (TallSpoolFolder *self)
{
  if (self == NULL)
    return;
  remove_folder (self->path, self->lock);
  g_free (self->path);
  g_free (self);
}

const char *
tall_spool_folder_get_path (const TallSpoolFolder *self)
{
  return self->path;
}

#define MIB ((gsize)1024 * 1024)
#define WRITE_BUFFER (12 * MIB)
#define N_WRITE_BUFFERS 3
#define CACHE_SIZE (8 * MIB)
#define BLOCK_SIZE ((gsize)32 * 1024)
#define READ_AHEAD ((gsize)256 * 1024)
#define BATCH_SIZE ((gsize)256 * 1024)
#define RUNS_TO_MERGE 24 /* sorted files that are made one, so that reading keeps few open */
#define RUNS_TO_WAIT 96
#define MAX_OPEN_FILES 64
#define SILENT 5 /* RocksDB's HEADER_LEVEL, which no message has */

struct _TallSpoolDatabase
{
  char *parent; /* of the folder */
  TallSpoolFolder *folder;
  rocksdb_t *db;
  rocksdb_writeoptions_t *write;
  rocksdb_readoptions_t *read;
  rocksdb_writebatch_t *batch;
  gsize batch_size; /* bytes in @batch */
  rocksdb_iterator_t *cursor;
  gboolean moved;             /* what is read next is where it was sought */
  rocksdb_iterator_t *finder; /* of single entries; NULL: none was sought */
};

/* RocksDB's text ends with what the system says, such as “IO error: While appending to file: …: No
 * space left on device”. */
static gboolean
take_error (const TallSpoolDatabase *self, char *text, const char *doing, GError **error)
{
  if (text == NULL)
    return TRUE;
  const char *last = g_strrstr (text, ": ");
  gboolean of_system = g_str_has_prefix (text, "IO error: ") && last != NULL;
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, text,
                           "%s the spool in %s failed: %s. Name a folder with more room, or on "
                           "another disk, with --spool",
                           doing, self->parent, of_system ? last + 2 : "it is damaged");
  rocksdb_free (text);
  return FALSE;
}

static void
set_table_format (rocksdb_options_t *options)
{
  rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create ();
  rocksdb_cache_t *cache = rocksdb_cache_create_lru (CACHE_SIZE);
  rocksdb_block_based_options_set_block_cache (table, cache);
  rocksdb_block_based_options_set_block_size (table, BLOCK_SIZE);
  rocksdb_block_based_options_set_cache_index_and_filter_blocks (table, 1);
  rocksdb_options_set_block_based_table_factory (options, table);
  rocksdb_block_based_options_destroy (table);
  rocksdb_cache_destroy (cache);
}

/* What is put is sorted once, when a buffer is full, and merged while it is read; files are merged
 * before that only where there are many. */
static rocksdb_options_t *
make_options (void)
{
  rocksdb_options_t *options = rocksdb_options_create ();
  rocksdb_options_set_create_if_missing (options, 1);
  rocksdb_options_set_error_if_exists (options, 1);
  rocksdb_options_set_allow_concurrent_memtable_write (options, 0);
  rocksdb_options_set_memtable_vector_rep (options);
  rocksdb_options_set_write_buffer_size (options, WRITE_BUFFER);
  rocksdb_options_set_max_write_buffer_number (options, N_WRITE_BUFFERS);
  rocksdb_options_set_compression (options, rocksdb_lz4_compression);
  rocksdb_options_set_compaction_style (options, rocksdb_universal_compaction);
  rocksdb_options_set_level0_file_num_compaction_trigger (options, RUNS_TO_MERGE);
  rocksdb_options_set_level0_slowdown_writes_trigger (options, RUNS_TO_WAIT);
  rocksdb_options_set_level0_stop_writes_trigger (options, 2 * RUNS_TO_WAIT);
  rocksdb_options_set_max_open_files (options, MAX_OPEN_FILES);
  /* RocksDB aborts the process when its own log cannot be written twice, as on a full disk. */
  rocksdb_options_set_info_log_level (options, SILENT);
  rocksdb_options_set_keep_log_file_num (options, 1);
  rocksdb_options_set_manifest_preallocation_size (options, BLOCK_SIZE);
  set_table_format (options);
  return options;
}

void
tall_spool_database_free (TallSpoolDatabase *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->cursor, rocksdb_iter_destroy);
  g_clear_pointer (&self->finder, rocksdb_iter_destroy);
  g_clear_pointer (&self->db, rocksdb_close);
  g_clear_pointer (&self->batch, rocksdb_writebatch_destroy);
  g_clear_pointer (&self->write, rocksdb_writeoptions_destroy);
  g_clear_pointer (&self->read, rocksdb_readoptions_destroy);
  g_clear_pointer (&self->folder, tall_spool_folder_free);
  g_free (self->parent);
  g_free (self);
}

/**
 * tall_spool_database_new:
 * @parent: where its folder goes
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_UNAVAILABLE
 */
TallSpoolDatabase *
tall_spool_database_new (const char *parent, GError **error)
{
  char *text = NULL;
  g_autoptr (TallSpoolDatabase) self = g_new0 (TallSpoolDatabase, 1);
  self->parent = g_strdup (parent);
  self->folder = tall_spool_folder_new (parent, error);
  if (self->folder == NULL)
    return NULL;
  rocksdb_options_t *options = make_options ();
  self->db = rocksdb_open (options, tall_spool_folder_get_path (self->folder), &text);
  rocksdb_options_destroy (options);
  self->write = rocksdb_writeoptions_create ();
  self->read = rocksdb_readoptions_create ();
  self->batch = rocksdb_writebatch_create ();
  rocksdb_writeoptions_disable_WAL (self->write, 1);
  rocksdb_readoptions_set_readahead_size (self->read, READ_AHEAD);
  rocksdb_readoptions_set_fill_cache (self->read, 0);
  return take_error (self, text, "Opening", error) ? g_steal_pointer (&self) : NULL;
}

static gboolean
write_batch (TallSpoolDatabase *self, GError **error)
{
  char *text = NULL;
  if (self->batch_size == 0)
    return TRUE;
  rocksdb_write (self->db, self->write, self->batch, &text);
  rocksdb_writebatch_clear (self->batch);
  self->batch_size = 0;
  return take_error (self, text, "Filling", error);
}

/**
 * tall_spool_database_put:
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE, as when the disk is full
 */
gboolean
tall_spool_database_put (TallSpoolDatabase *self, TallSlice key, TallSlice value, GError **error)
{
  rocksdb_writebatch_put (self->batch, (const char *)key.data, key.len, (const char *)value.data,
                          value.len);
  self->batch_size += key.len + value.len;
  return self->batch_size < BATCH_SIZE || write_batch (self, error);
}

/**
 * tall_spool_database_finish:
 *
 * Sorts all that was put; nothing can be put any more, and reading can begin.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE
 */
gboolean
tall_spool_database_finish (TallSpoolDatabase *self, GError **error)
{
  char *text = NULL;
  if (!write_batch (self, error))
    return FALSE;
  rocksdb_flushoptions_t *options = rocksdb_flushoptions_create ();
  rocksdb_flushoptions_set_wait (options, 1);
  rocksdb_flush (self->db, options, &text);
  rocksdb_flushoptions_destroy (options);
  if (!take_error (self, text, "Filling", error))
    return FALSE;
  self->cursor = rocksdb_create_iterator (self->db, self->read);
  return TRUE;
}

/* Makes tall_spool_database_next() begin with the first key from @start on. */
void
tall_spool_database_seek (TallSpoolDatabase *self, TallSlice start)
{
  rocksdb_iter_seek (self->cursor, (const char *)start.data, start.len);
  self->moved = TRUE;
}

/* As tall_spool_next(). */
gboolean
tall_spool_database_next (TallSpoolDatabase *self, TallSlice *key, TallSlice *value, GError **error)
{
  if (!self->moved)
    rocksdb_iter_next (self->cursor);
  self->moved = FALSE;
  if (!rocksdb_iter_valid (self->cursor))
    {
      char *text = NULL;
      rocksdb_iter_get_error (self->cursor, &text);
      return take_error (self, text, "Reading", error) && FALSE;
    }
  key->data = (const guint8 *)rocksdb_iter_key (self->cursor, &key->len);
  value->data = (const guint8 *)rocksdb_iter_value (self->cursor, &value->len);
  return TRUE;
}

/* Merges all files, as seeking in each takes time. */
static void
begin_finding (TallSpoolDatabase *self)
{
  rocksdb_readoptions_t *options = rocksdb_readoptions_create ();
  rocksdb_compact_range (self->db, NULL, 0, NULL, 0);
  self->finder = rocksdb_create_iterator (self->db, options);
  rocksdb_readoptions_destroy (options);
}

/* As tall_spool_find(). */
gboolean
tall_spool_database_find (TallSpoolDatabase *self,
                          TallSlice prefix,
                          GByteArray *value,
                          GError **error)
{
  char *text = NULL;
  TallSlice key = TALL_SLICE_INIT, found = TALL_SLICE_INIT;
  if (self->finder == NULL)
    begin_finding (self);
  rocksdb_iter_seek (self->finder, (const char *)prefix.data, prefix.len);
  rocksdb_iter_get_error (self->finder, &text);
  if (!take_error (self, text, "Reading", error) || !rocksdb_iter_valid (self->finder))
    return FALSE;
  key.data = (const guint8 *)rocksdb_iter_key (self->finder, &key.len);
  found.data = (const guint8 *)rocksdb_iter_value (self->finder, &found.len);
  if (!tall_slice_has_prefix (key, prefix))
    return FALSE;
  tall_bytes_set (value, found);
  return TRUE;
}

/* An entry in memory. */
typedef struct
{
  TallSlice key;
  TallSlice value;
  guint8 bytes[]; /* of both */
} Entry;

struct _TallSpool
{
  TallSpoolPlace place;
  char *parent;     /* the folder of @place */
  guint64 count;    /* entries put */
  gboolean reading; /* nothing can be put any more */

  GPtrArray *entries; /* of Entry, in memory; NULL: it is in RocksDB: */
  gsize size;         /* bytes in memory */
  guint next;         /* which entry is read next */

  TallSpoolDatabase *database; /* owned */
};

/**
 * tall_spool_new:
 * @place: its texts stay the caller's
 */
TallSpool *
tall_spool_new (const TallSpoolPlace *place)
{
  TallSpool *self = g_new0 (TallSpool, 1);
  self->place = *place;
  self->parent = g_strdup (place->folder);
  self->entries = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
tall_spool_free (TallSpool *self)
{
  if (self == NULL)
    return;
  tall_spool_database_free (self->database);
  g_clear_pointer (&self->entries, g_ptr_array_unref);
  g_free (self->parent);
  g_free (self);
}

static void
put_in_memory (TallSpool *self, TallSlice key, TallSlice value)
{
  Entry *entry = g_malloc (sizeof *entry + key.len + value.len);
  entry->key = tall_slice (entry->bytes, key.len);
  entry->value = tall_slice (entry->bytes + key.len, value.len);
  memcpy (entry->bytes, key.data, key.len);
  if (value.len > 0)
    memcpy (entry->bytes + key.len, value.data, value.len);
  g_ptr_array_add (self->entries, entry);
  self->size += sizeof *entry + key.len + value.len;
}

static gboolean
leave_memory (TallSpool *self, GError **error)
{
  g_autoptr (GPtrArray) entries = g_steal_pointer (&self->entries);
  self->database = tall_spool_database_new (self->parent, error);
  if (self->database == NULL)
    return FALSE;
  if (self->place.announce != NULL)
    self->place.announce (self->parent, MAX (self->place.estimate, self->size), self->place.data);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (entries, i);
      if (!tall_spool_database_put (self->database, entry->key, entry->value, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_spool_put:
 * @key: that is not there yet; not empty
 *
 * Puts an entry, before anything is read. After a failure the spool is of no more use.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE, as when the disk is full
 */
gboolean
tall_spool_put (TallSpool *self, TallSlice key, TallSlice value, GError **error)
{
  g_return_val_if_fail (!self->reading, FALSE);
  self->count++;
  if (self->entries != NULL)
    {
      put_in_memory (self, key, value);
      return self->size <= TALL_SPOOL_MEMORY || leave_memory (self, error);
    }
  return tall_spool_database_put (self->database, key, value, error);
}

static gint
compare_entries (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare ((*(const Entry *const *)a)->key, (*(const Entry *const *)b)->key);
}

static gboolean
finish_filling (TallSpool *self, GError **error)
{
  self->reading = TRUE;
  if (self->entries == NULL)
    return tall_spool_database_finish (self->database, error);
  g_ptr_array_sort (self->entries, compare_entries);
  return TRUE;
}

/* The first entry in memory whose key is @start or comes after it. */
static guint
find_entry (const TallSpool *self, TallSlice start)
{
  guint low = 0, high = self->entries->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const Entry *entry = g_ptr_array_index (self->entries, middle);
      if (tall_slice_compare (entry->key, start) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/**
 * tall_spool_seek:
 *
 * Makes tall_spool_next() begin with the first key from @start on. Nothing can be put any more.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE, as when the disk is full
 */
gboolean
tall_spool_seek (TallSpool *self, TallSlice start, GError **error)
{
  if (!self->reading && !finish_filling (self, error))
    return FALSE;
  if (self->entries != NULL)
    self->next = find_entry (self, start);
  else
    tall_spool_database_seek (self->database, start);
  return TRUE;
}

/**
 * tall_spool_next:
 * @key: (out): of the next entry; valid until the next call
 * @value: (out): likewise
 *
 * Returns: TRUE if there is one; FALSE at the end, and with %TALL_ERROR_UNAVAILABLE after a failure
 */
gboolean
tall_spool_next (TallSpool *self, TallSlice *key, TallSlice *value, GError **error)
{
  if (self->entries == NULL)
    return tall_spool_database_next (self->database, key, value, error);
  if (self->next >= self->entries->len)
    return FALSE;
  const Entry *entry = g_ptr_array_index (self->entries, self->next++);
  *key = entry->key;
  *value = entry->value;
  return TRUE;
}

/**
 * tall_spool_find:
 * @value: (out): of the first entry whose key begins with @prefix
 *
 * Looks up an entry, once nothing is put any more. tall_spool_next() goes on where it was.
 *
 * Returns: FALSE if there is none, and with %TALL_ERROR_UNAVAILABLE after a failure
 */
gboolean
tall_spool_find (TallSpool *self, TallSlice prefix, GByteArray *value, GError **error)
{
  if (self->entries == NULL)
    return tall_spool_database_find (self->database, prefix, value, error);
  guint i = find_entry (self, prefix);
  if (i >= self->entries->len)
    return FALSE;
  const Entry *entry = g_ptr_array_index (self->entries, i);
  if (!tall_slice_has_prefix (entry->key, prefix))
    return FALSE;
  tall_bytes_set (value, entry->value);
  return TRUE;
}

/* How many entries there are. */
guint64
tall_spool_count (const TallSpool *self)
{
  return self->count;
}

/* What is read is not what was put. */
void
tall_spool_set_damaged (const TallSpool *self, GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "Rows that were put aside in %s come back damaged; check its disk, or name another "
               "folder with --spool",
               self->parent);
}
