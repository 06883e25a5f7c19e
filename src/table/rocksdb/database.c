/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/database.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "table/rocksdb/directory.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/settings.h"
#include "tall-error.h"

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

/* RocksDB opens a directory once; several deployments in one process share it. */
static GMutex registry_mutex;
static GHashTable *registry; /* its key → TallRocksdbDatabase */

/* What lies at a path may be moved, and something else put there. */
static char *
make_key (const char *path)
{
  struct stat info;
  if (stat (path, &info) != 0)
    return g_strdup (path);
  return g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, (guint64)info.st_dev,
                          (guint64)info.st_ino);
}

static void
database_free (TallRocksdbDatabase *self)
{
  tall_rocksdb_families_free (self->families);
  if (self->specs != NULL)
    rocksdb_column_family_handle_destroy (self->specs);
  g_clear_pointer (&self->engine, tall_rocksdb_engine_close);
  tall_rocksdb_room_free (self->room);
  rocksdb_options_destroy (self->options);
  rocksdb_options_destroy (self->table_options);
  tall_rocksdb_horizon_free (self->horizon);
  rocksdb_cache_destroy (self->cache);
  g_mutex_clear (&self->schema_mutex);
  g_mutex_clear (&self->compacted_mutex);
  g_clear_pointer (&self->compacted, tall_rocksdb_compaction_free);
  tall_rocksdb_stripes_free (self->stripes);
  g_free (self->path);
  g_free (self->key);
  g_free (self);
}

static TallRocksdbDatabase *
database_new (const char *path, const TallRocksdbOptions *options)
{
  TallRocksdbDatabase *self = g_new0 (TallRocksdbDatabase, 1);
  self->ref_count = 1;
  self->key = make_key (path);
  self->path = g_strdup (path);
  self->room = tall_rocksdb_room_new (path);
  self->cache =
      rocksdb_cache_create_lru (tall_rocksdb_options_get_cache_size (options->cache_bytes));
  self->options = tall_rocksdb_options_new (self->cache, tall_rocksdb_room_measure (self->room),
                                            options->statistics);
  rocksdb_options_set_use_direct_reads (self->options, options->direct_reads);
  self->read_only = options->read_only;
  if (self->read_only) /* all files are opened at once: the writer may remove them later */
    rocksdb_options_set_max_open_files (self->options, -1);
  self->families = tall_rocksdb_families_new ();
  g_mutex_init (&self->schema_mutex);
  g_mutex_init (&self->compacted_mutex);
  self->stripes = tall_rocksdb_stripes_new ();
  self->horizon = tall_rocksdb_horizon_new ();
  self->table_options = rocksdb_options_create_copy (self->options);
  rocksdb_options_set_compaction_filter_factory (self->table_options,
                                                 tall_rocksdb_horizon_new_filter_factory (
                                                     self->horizon)); /* taken over */
  return self;
}

/* @specs: the default family
 * @full_name: of a table, with its deployment and a dot before it */
static TallTableSpec *
load_settings (rocksdb_t *db,
               rocksdb_column_family_handle_t *specs,
               const char *full_name,
               GError **error)
{
  g_autofree char *key = tall_rocksdb_settings_get_key (full_name);
  g_autofree char *operation = g_strdup_printf ("Reading the settings of table %s", full_name);
  g_autoptr (rocksdb_readoptions_t) read_options = rocksdb_readoptions_create ();
  char *message = NULL;
  size_t len = 0;

  g_autoptr (TallRocksdbText) stored =
      rocksdb_get_cf (db, read_options, specs, key, strlen (key), &len, &message);
  if (!tall_rocksdb_take_error (message, operation, error))
    return NULL;
  return tall_spec_decode (strrchr (full_name, '.') + 1, tall_slice (stored, len), error);
}

/* Takes over @handle. */
static gboolean
adopt_family (TallRocksdbDatabase *self,
              const char *full_name,
              rocksdb_column_family_handle_t *handle,
              GError **error)
{
  if (g_str_equal (full_name, TALL_ROCKSDB_DEFAULT_FAMILY))
    {
      self->specs = handle;
      return TRUE;
    }

  /* The names of deployments may have dots, those of tables have none. */
  const char *dot = strrchr (full_name, '.');
  g_autofree char *deployment = g_strndup (full_name, dot == NULL ? 0 : (gsize)(dot - full_name));
  g_autoptr (TallTableSpec) spec = NULL;
  if (dot == NULL)
    tall_error_set_detailed (error, TALL_ERROR_DAMAGED, self->path,
                             "The store has a column family %s that is not a table", full_name);
  else
    spec = load_settings (self->db, self->specs, full_name, error);
  if (spec == NULL)
    {
      rocksdb_column_family_handle_destroy (handle);
      return FALSE;
    }

  TallRocksdbFamily *family = tall_rocksdb_family_new (handle, spec);
  tall_rocksdb_families_add (self->families, deployment, family);
  return tall_rocksdb_settings_apply (self->engine, family, error);
}

/* The default family comes first: it has the specs of the others. */
static gboolean
adopt_families (TallRocksdbDatabase *self, GError **error)
{
  TallRocksdbEngine *engine = self->engine;
  for (guint i = 0; i < engine->names->len; i++)
    if (!adopt_family (self, g_ptr_array_index (engine->names, i),
                       g_steal_pointer (&engine->handles[i]), error))
      return FALSE;
  return TRUE;
}

static TallRocksdbDatabase *
database_open (const char *path, const TallRocksdbOptions *options, GError **error)
{
  TallRocksdbDatabase *self = database_new (path, options);
  self->engine = tall_rocksdb_engine_open (path, self->options, self->table_options, self->room,
                                           options->read_only, error);
  self->db = self->engine == NULL ? NULL : self->engine->db;
  if (self->engine != NULL && adopt_families (self, error))
    {
      tall_rocksdb_room_watch (self->room, self->engine->locks[0]);
      tall_rocksdb_horizon_open (self->horizon, rocksdb_get_latest_sequence_number (self->db));
      self->sweeper = tall_rocksdb_sweeper_new (self->db, TALL_ROCKSDB_SWEEPER_READ);
      return self;
    }
  database_free (self);
  return NULL;
}

/* What reads only must not come to write because somebody else in the process does. */
static TallRocksdbDatabase *
share (TallRocksdbDatabase *self, const TallRocksdbOptions *options, GError **error)
{
  if (self->read_only != options->read_only)
    {
      tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, self->path,
                               "This process has the store open for %s: close that first",
                               self->read_only ? "reading" : "writing");
      return NULL;
    }
  self->ref_count++;
  return self;
}

/**
 * tall_rocksdb_database_open:
 * Returns: (transfer full): the database in a directory, shared by all in this process who open it
 */
TallRocksdbDatabase *
tall_rocksdb_database_open (const TallRocksdbOptions *options, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&registry_mutex);
  if (!tall_rocksdb_directory_prepare (options->directory, options->must_exist, options->read_only,
                                       error))
    return NULL;

  g_autofree char *absolute = g_canonicalize_filename (options->directory, NULL);
  char *resolved = realpath (absolute, NULL);
  g_autofree char *path = g_strdup (resolved != NULL ? resolved : absolute);
  g_free (resolved);

  if (registry == NULL)
    registry = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *key = make_key (path);
  TallRocksdbDatabase *self = g_hash_table_lookup (registry, key);
  if (self != NULL)
    return share (self, options, error);
  self = database_open (path, options, error);
  if (self != NULL)
    g_hash_table_insert (registry, self->key, self);
  return self;
}

/**
 * tall_rocksdb_database_check_writable:
 *
 * Returns: whether rows and tables may change at all, and whether @size bytes more have room
 */
gboolean
tall_rocksdb_database_check_writable (TallRocksdbDatabase *self,
                                      gsize size,
                                      const char *operation,
                                      GError **error)
{
  if (self->engine->read_only == NULL)
    return tall_rocksdb_room_take (self->room, size, operation, error);
  g_propagate_error (error, g_error_copy (self->engine->read_only));
  g_prefix_error (error, "%s: the store is open for reading only. ", operation);
  return FALSE;
}

void
tall_rocksdb_database_unref (TallRocksdbDatabase *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&registry_mutex);
  if (--self->ref_count > 0)
    return;
  g_hash_table_remove (registry, self->key);
  tall_rocksdb_sweeper_free (self->sweeper);
  rocksdb_enable_manual_compaction (self->db);
  g_autoptr (GError) no_room = NULL;
  gboolean writable = tall_rocksdb_database_check_writable (self, 0, "Closing the store", &no_room);
  if (tall_rocksdb_engine_finish (self->engine, writable ? self->specs : NULL))
    database_free (self);
}

/**
 * tall_rocksdb_database_enter:
 *
 * Begins a call that writes rows.
 *
 * Returns: what tall_rocksdb_horizon_leave() takes at its end
 */
guint
tall_rocksdb_database_enter (TallRocksdbDatabase *self)
{
  return tall_rocksdb_horizon_enter (self->horizon, g_get_monotonic_time (),
                                     rocksdb_get_latest_sequence_number (self->db));
}

/**
 * tall_rocksdb_database_find_family:
 *
 * Returns: (transfer full): a table; NULL with %TALL_ERROR_NOT_FOUND if it does not exist
 */
TallRocksdbFamily *
tall_rocksdb_database_find_family (TallRocksdbDatabase *self,
                                   const char *deployment,
                                   const char *table,
                                   GError **error)
{
  TallRocksdbFamily *family = tall_rocksdb_families_find (self->families, deployment, table);
  if (family == NULL)
    tall_error_set_detailed (error, TALL_ERROR_NOT_FOUND, self->path, "Table %s.%s does not exist",
                             deployment, table);
  return family;
}

/**
 * tall_rocksdb_database_write:
 * @operation: what is written, and where
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE and @refused if there is no room for it, and nothing
 *   was written; other errors leave open what was
 */
gboolean
tall_rocksdb_database_write (TallRocksdbDatabase *self,
                             const rocksdb_writeoptions_t *options,
                             rocksdb_writebatch_t *batch,
                             const char *operation,
                             gboolean *refused,
                             GError **error)
{
  size_t size = 0;
  rocksdb_writebatch_data (batch, &size);
  *refused = !tall_rocksdb_database_check_writable (self, size, operation, error);
  return !*refused && tall_rocksdb_engine_write (self->engine, options, batch, operation, error);
}
