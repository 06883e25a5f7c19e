/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/spool-database.h"
#include "tall-error.h"
#include "load/orders/spool-folder.h"

#include <rocksdb/c.h>

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
