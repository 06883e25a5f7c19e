/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/measures.h"

#include <sys/statvfs.h>

/* What RocksDB says by itself, of all families together or of each. */
static const struct
{
  const char *property;
  gboolean of_family;
  const char *name;
  const char *help;
} properties[] = {
  { "rocksdb.total-sst-files-size", TRUE, "table_file_bytes", "Size of the table files." },
  { "rocksdb.estimate-num-keys", TRUE, "rows", "Rows, as RocksDB estimates them." },
  { "rocksdb.cur-size-all-mem-tables", TRUE, "write_buffer_bytes",
    "Rows that are in the log and in memory only." },
  { "rocksdb.estimate-table-readers-mem", TRUE, "table_reader_bytes",
    "Memory of filters and indexes outside the block cache." },
  { "rocksdb.estimate-pending-compaction-bytes", TRUE, "pending_compaction_bytes",
    "Bytes that compactions still have to rewrite." },
  { "rocksdb.num-running-compactions", FALSE, "running_compactions", "Compactions that run now." },
  { "rocksdb.num-running-flushes", FALSE, "running_flushes", "Flushes that run now." },
  { "rocksdb.is-write-stopped", FALSE, "writes_stopped",
    "1 while RocksDB lets no write in, because compactions cannot keep up." },
  { "rocksdb.actual-delayed-write-rate", FALSE, "delayed_write_bytes_per_second",
    "The rate to which RocksDB slows writes down; 0 if it does not." },
  { "rocksdb.background-errors", FALSE, "background_errors",
    "Flushes and compactions that failed since the store was opened." },
  { "rocksdb.block-cache-usage", FALSE, "block_cache_bytes", "Memory of the block cache." },
};

static gdouble
find_value (rocksdb_t *db, GPtrArray *handles, const char *property, gboolean of_family)
{
  gdouble sum = 0;
  for (guint i = 0; i < handles->len; i++)
    {
      uint64_t value = 0;
      if (rocksdb_property_int_cf (db, g_ptr_array_index (handles, i), property, &value) != 0)
        continue;
      sum += (gdouble)value;
      if (!of_family)
        break;
    }
  return sum;
}

static void
add (GArray *measures, const char *name, const char *help, gdouble value)
{
  TallTableMeasure measure = { .name = name, .help = help, .value = value };
  g_array_append_val (measures, measure);
}

/**
 * tall_rocksdb_measures_list:
 * @handles: of column families, at least one; they stay meanwhile
 * @path: of the directory
 *
 * Returns: (transfer full): of #TallTableMeasure
 */
GArray *
tall_rocksdb_measures_list (rocksdb_t *db, GPtrArray *handles, const char *path)
{
  GArray *measures = g_array_new (FALSE, FALSE, sizeof (TallTableMeasure));
  struct statvfs room = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    add (measures, properties[i].name, properties[i].help,
         find_value (db, handles, properties[i].property, properties[i].of_family));
  if (statvfs (path, &room) != 0)
    room = (struct statvfs){ 0 };
  add (measures, "disk_free_bytes", "Room left on the file system of the store.",
       (gdouble)room.f_bavail * (gdouble)room.f_frsize);
  return measures;
}
