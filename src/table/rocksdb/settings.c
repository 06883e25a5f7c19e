/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/settings.h"

#include <unistd.h>

#include "base/file.h"
#include "table/rocksdb/engine.h"
#include "table/table-checks.h"
#include "base/fail.h"

#define MIB ((guint64)1024 * 1024)
#define BLOOM_BITS 10
#define MAX_LOG (512 * MIB)
#define WRITE_BACK MIB         /* of a file, at a time */
#define MAX_BUFFER (16 * MIB)  /* of a table … */
#define MAX_BUFFERS (64 * MIB) /* … and of all: what a load fills, however long it is */
#define MIN_LOG MIB
#define LOG_PART 8 /* of the free room */
#define SILENT 5   /* RocksDB's HEADER_LEVEL, which no message has */

/* Name in a spec, as HBase calls it → name of RocksDB's option. */
static const struct
{
  const char *name;
  const char *option;
} compressions[] = {
  { "none", "kNoCompression" }, { "snappy", "kSnappyCompression" },
  { "gz", "kZlibCompression" }, { "lz4", "kLZ4Compression" },
  { "zstd", "kZSTD" },
};

/* Rows are looked up by their whole key, so each file has a filter of whole keys, and each block a
 * hash of its keys. Checksums are verified on every read: RocksDB's default, said here. */
static rocksdb_block_based_table_options_t *
table_options_new (rocksdb_cache_t *cache)
{
  rocksdb_block_based_table_options_t *options = rocksdb_block_based_options_create ();
  rocksdb_block_based_options_set_block_cache (options, cache);
  rocksdb_block_based_options_set_filter_policy (options, rocksdb_filterpolicy_create_bloom_full (
                                                              BLOOM_BITS)); /* taken over */
  rocksdb_block_based_options_set_whole_key_filtering (options, 1);
  rocksdb_block_based_options_set_data_block_index_type (
      options, rocksdb_block_based_table_data_block_index_type_binary_search_and_hash);
  rocksdb_block_based_options_set_data_block_hash_ratio (options, 0.75);
  rocksdb_block_based_options_set_format_version (options, 5);
  return options;
}

/**
 * tall_rocksdb_options_get_log_size:
 * @room: bytes that are free on the file system
 *
 * Returns: bytes that the log takes, at most and about
 */
guint64
tall_rocksdb_options_get_log_size (guint64 room)
{
  return CLAMP (room / LOG_PART, MIN_LOG, MAX_LOG);
}

/* Bounds of memory, and of the log that is replayed after a crash. The log is on the disk twice for
 * a while, when it is moved to tables: on a small disk it is smaller. */
static void
set_log_bounds (rocksdb_options_t *options, guint64 room)
{
  guint64 log = tall_rocksdb_options_get_log_size (room);
  rocksdb_options_set_write_buffer_size (options, MIN (log / 8, MAX_BUFFER));
  rocksdb_options_set_db_write_buffer_size (options, MIN (log / 2, MAX_BUFFERS));
  rocksdb_options_set_max_total_wal_size (options, log);
}

/* Rows of a batch come in the order of their keys, so the place of a row in the buffer is looked
 * for from that of the row before it: one hint for all keys. RocksDB's C interface has no call for
 * it. Ranges of rows must not be deleted then: RocksDB would take the hint for their list, too. */
static rocksdb_options_t *
with_hint (rocksdb_options_t *options)
{
  char *message = NULL;
  rocksdb_options_t *hinted = rocksdb_options_create ();
  rocksdb_get_options_from_string (options, "memtable_insert_with_hint_prefix_extractor=fixed:0",
                                   hinted, &message);
  if (message != NULL)
    g_error ("RocksDB does not know an option: %s", message);
  rocksdb_options_destroy (options);
  return hinted;
}

/**
 * tall_rocksdb_options_new:
 * @cache: for blocks of all tables
 * @room: bytes that are free on the file system
 * @statistics: whether RocksDB counts what it does, which costs some time
 *
 * Returns: (transfer full): options for the database and for each of its column families
 */
rocksdb_options_t *
tall_rocksdb_options_new (rocksdb_cache_t *cache, guint64 room, gboolean statistics)
{
  rocksdb_options_t *options = rocksdb_options_create ();
  rocksdb_options_set_create_if_missing (options, 1);
  rocksdb_options_set_paranoid_checks (options, 1);
  rocksdb_options_set_atomic_flush (options, 1); /* on which table/rocksdb/check.c relies */
  rocksdb_options_increase_parallelism (options, (int)MAX (g_get_num_processors (), 2));

  rocksdb_options_set_max_open_files (options, (int)tall_descriptors_for_store ());
  set_log_bounds (options, room);

  /* Rows are small: to wake every writer of a group for its own part costs more than it saves. With
   * 32 synced writers the group's leader alone is faster by half. */
  rocksdb_options_set_allow_concurrent_memtable_write (options, 0);

  /* Else a synced write of the log waits for all of a large file that is being made. */
  rocksdb_options_set_bytes_per_sync (options, WRITE_BACK);

  rocksdb_options_set_compression (options, rocksdb_no_compression);
  rocksdb_options_set_level_compaction_dynamic_level_bytes (options, 1);
  rocksdb_options_set_prefix_extractor (options, rocksdb_slicetransform_create_fixed_prefix (
                                                     TALL_ROCKSDB_PREFIX)); /* taken over */
  rocksdb_options_set_memtable_whole_key_filtering (options, 1);
  rocksdb_options_set_memtable_prefix_bloom_size_ratio (options, 0.02);

  rocksdb_block_based_table_options_t *table = table_options_new (cache);
  rocksdb_options_set_block_based_table_factory (options, table);
  rocksdb_block_based_options_destroy (table);

  /* RocksDB's own log stays empty: RocksDB aborts the process when it has a line to write to it
   * after one that could not be written, as on a full disk. */
  rocksdb_options_set_info_log_level (options, SILENT);
  rocksdb_options_set_keep_log_file_num (options, 1);
  rocksdb_options_set_manifest_preallocation_size (options, 64 * 1024); /* by default 4 MiB */
  if (statistics)
    rocksdb_options_enable_statistics (options);
  return with_hint (options);
}

/* RocksDB's name of the compression that a spec asks for, or NULL. */
static const char *
find_compression (const TallTableSpec *spec)
{
  const char *name = spec->compression != NULL ? spec->compression : "none";
  for (guint i = 0; i < G_N_ELEMENTS (compressions); i++)
    if (g_ascii_strcasecmp (compressions[i].name, name) == 0)
      return compressions[i].option;
  return NULL;
}

/**
 * tall_rocksdb_options_check_spec:
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if the embedded store can not keep a table so
 */
gboolean
tall_rocksdb_options_check_spec (const TallTableSpec *spec, GError **error)
{
  if (spec->splits != NULL && spec->splits->len > 0)
    return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                            "the embedded store has no regions, so a table is not split into %u; "
                            "leave the number of regions out",
                            spec->splits->len + 1);
  if (find_compression (spec) == NULL)
    return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                            "the embedded store has no compression \"%s\"; it has none, snappy, "
                            "gz, lz4 and zstd",
                            spec->compression);
  if (spec->bloom_filter != NULL && g_ascii_strcasecmp (spec->bloom_filter, "row") != 0)
    return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                            "the embedded store keeps a filter of rows (row) for every table, "
                            "not \"%s\"",
                            spec->bloom_filter);
  if (spec->block_encoding != NULL && g_ascii_strcasecmp (spec->block_encoding, "prefix") != 0)
    return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                            "the embedded store encodes blocks by common prefixes (prefix), not "
                            "\"%s\"",
                            spec->block_encoding);
  return TRUE;
}

/**
 * tall_rocksdb_options_get_cache_size:
 * @wanted: bytes, or 0
 *
 * Returns: bytes of the block cache: what was wanted, or 512 MiB, or a quarter of a small machine
 */
gsize
tall_rocksdb_options_get_cache_size (gsize wanted)
{
  if (wanted != 0)
    return wanted;

  gint64 pages = sysconf (_SC_PHYS_PAGES);
  gint64 page_size = sysconf (_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0)
    return 512 * MIB;
  return MIN (512 * MIB, (guint64)pages * (guint64)page_size / 4);
}

/* Of a table that is open. One that is not has the other, which older versions refuse: they would
 * not see that it is shut. */
#define OPEN_FORMAT 1

/* An absent text has this length. */
#define ABSENT G_MAXUINT16

static void
append_text (GByteArray *stored, const char *text)
{
  gsize len = text == NULL ? 0 : strlen (text);
  g_assert (len < ABSENT);
  tall_bytes_append_u16 (stored, text == NULL ? ABSENT : (guint16)len);
  tall_bytes_append (stored, tall_slice (text, len));
}

static char *
read_text (TallReader *reader)
{
  guint16 len = tall_reader_u16 (reader);
  if (reader->failed || len == ABSENT)
    return NULL;
  TallSlice text = tall_reader_take (reader, len);
  return g_strndup ((const char *)text.data, text.len);
}

/**
 * tall_spec_encode:
 * @stored: (out caller-allocates): its bytes are appended; the name is not among them
 */
void
tall_spec_encode (const TallTableSpec *spec, GByteArray *stored)
{
  tall_bytes_append_u8 (stored, spec->access == TALL_ACCESS_OPEN ? OPEN_FORMAT : TALL_SPEC_FORMAT);
  tall_bytes_append_u32 (stored, spec->max_versions);
  tall_bytes_append_u64 (stored, spec->ttl);
  append_text (stored, spec->compression);
  append_text (stored, spec->bloom_filter);
  append_text (stored, spec->block_encoding);
  tall_bytes_append_u32 (stored, spec->splits == NULL ? 0 : spec->splits->len);
  for (guint i = 0; spec->splits != NULL && i < spec->splits->len; i++)
    {
      gsize len;
      const guint8 *data = g_bytes_get_data (g_ptr_array_index (spec->splits, i), &len);
      tall_bytes_append_u16 (stored, (guint16)len);
      tall_bytes_append (stored, tall_slice (data, len));
    }
  if (spec->access == TALL_ACCESS_OPEN)
    return;
  tall_bytes_append_u8 (stored, (guint8)spec->access);
  append_text (stored, spec->seal);
}

static void
read_splits (TallReader *reader, TallTableSpec *spec)
{
  guint32 n = tall_reader_u32 (reader);
  if (n > 0)
    spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (guint32 i = 0; i < n && !reader->failed; i++)
    {
      TallSlice split = tall_reader_take (reader, tall_reader_u16 (reader));
      g_ptr_array_add (spec->splits, g_bytes_new (split.data, split.len));
    }
}

/* Returns: whether it is one that can be */
static gboolean
read_access (TallReader *reader, TallTableSpec *spec)
{
  guint8 access = tall_reader_u8 (reader);
  spec->access = (TallTableAccess)access;
  spec->seal = read_text (reader);
  if (access == TALL_ACCESS_CLOSED && spec->seal == NULL)
    return TRUE;
  return (access == TALL_ACCESS_SEALED || access == TALL_ACCESS_CLOSED)
         && tall_table_is_seal (spec->seal);
}

/**
 * tall_spec_decode:
 * @name: short name of the table
 *
 * Returns: (transfer full): the spec; NULL with %TALL_ERROR_DAMAGED, or %TALL_ERROR_NEWER_VERSION
 * if the format is not ours
 */
TallTableSpec *
tall_spec_decode (const char *name, TallSlice stored, GError **error)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (name);
  TallReader reader = tall_reader (stored);
  guint8 format = tall_reader_u8 (&reader);

  if (format > TALL_SPEC_FORMAT)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
                   "The settings of table %s have format %u, this version knows formats up to %u",
                   name, format, TALL_SPEC_FORMAT);
      return NULL;
    }
  spec->max_versions = tall_reader_u32 (&reader);
  spec->ttl = tall_reader_u64 (&reader);
  spec->compression = read_text (&reader);
  spec->bloom_filter = read_text (&reader);
  spec->block_encoding = read_text (&reader);
  read_splits (&reader, spec);
  gboolean known =
      format == OPEN_FORMAT || (format == TALL_SPEC_FORMAT && read_access (&reader, spec));
  if (known && tall_reader_done (&reader))
    return g_steal_pointer (&spec);

  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "The settings of table %s are damaged", name);
  return NULL;
}

/**
 * tall_rocksdb_settings_get_key:
 * @full_name: of a table, with its deployment
 *
 * Returns: (transfer full): where the settings of a table lie in the default family
 */
char *
tall_rocksdb_settings_get_key (const char *full_name)
{
  return g_strconcat ("table/", full_name, NULL);
}

/**
 * tall_rocksdb_settings_apply:
 *
 * Sets how files of a table are written. Families are opened without compression, as their settings
 * lie inside.
 */
gboolean
tall_rocksdb_settings_apply (const TallRocksdbEngine *engine,
                             const TallRocksdbFamily *family,
                             GError **error)
{
  const char *key = "compression";
  const char *value = find_compression (family->spec);
  if (family->spec->compression == NULL || value == NULL || engine->read_only != NULL)
    return TRUE;

  char *message = NULL;
  rocksdb_set_options_cf (engine->db, family->handle, 1, &key, &value, &message);
  return tall_rocksdb_take_error (message, "Setting the compression of a table", error);
}
