/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-rocksdb-database.h"

#include <stdlib.h>

#include "tall-error.h"
#include "tall-rocksdb-directory.h"
#include "tall-rocksdb-engine.h"
#include "tall-rocksdb-error.h"
#include "tall-rocksdb-horizon.h"
#include "tall-rocksdb-losses.h"
#include "tall-rocksdb-options.h"
#include "tall-rocksdb-sweeper.h"
#include "tall-spec-codec.h"

#define SPEC_PREFIX "table/" /* keys of specs in the default family */

struct _TallRocksdbDatabase
{
  guint ref_count; /* under registry_mutex */
  char *path;      /* key in the registry */

  TallRocksdbEngine *engine;
  rocksdb_t *db; /* its */
  rocksdb_options_t *options;
  rocksdb_options_t *table_options; /* of all families but the default one */
  rocksdb_cache_t *cache;
  rocksdb_column_family_handle_t *specs; /* the default family */

  TallRocksdbRoom *room;

  GMutex schema_mutex;     /* one create or drop at a time */
  GRWLock lock;            /* for deployments */
  GHashTable *deployments; /* name → hash table of short name → TallRocksdbFamily */

  TallRocksdbStripes *stripes;
  TallRocksdbHorizon *horizon;
  TallRocksdbSweeper *sweeper; /* NULL until the database is open */
};

/* RocksDB opens a directory once; several deployments in one process share it. */
static GMutex registry_mutex;
static GHashTable *registry; /* path → TallRocksdbDatabase */

static void
add_family (TallRocksdbDatabase *self, const char *deployment, TallRocksdbFamily *family)
{
  GHashTable *tables = g_hash_table_lookup (self->deployments, deployment);
  if (tables == NULL)
    {
      tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                      (GDestroyNotify)tall_rocksdb_family_unref);
      g_hash_table_insert (self->deployments, g_strdup (deployment), tables);
    }
  g_hash_table_insert (tables, g_strdup (family->spec->name), family);
}

/* Those of all families. */
static GPtrArray *
list_handles (TallRocksdbDatabase *self)
{
  GPtrArray *handles = g_ptr_array_new ();
  GHashTableIter deployments, tables;
  gpointer value;
  g_ptr_array_add (handles, self->specs);
  g_hash_table_iter_init (&deployments, self->deployments);
  while (g_hash_table_iter_next (&deployments, NULL, &value))
    {
      g_hash_table_iter_init (&tables, value);
      while (g_hash_table_iter_next (&tables, NULL, &value))
        g_ptr_array_add (handles, ((TallRocksdbFamily *)value)->handle);
    }
  return handles;
}

static void
database_free (TallRocksdbDatabase *self)
{
  g_hash_table_unref (self->deployments);
  if (self->specs != NULL)
    rocksdb_column_family_handle_destroy (self->specs);
  g_clear_pointer (&self->engine, tall_rocksdb_engine_close);
  tall_rocksdb_room_free (self->room);
  rocksdb_options_destroy (self->options);
  rocksdb_options_destroy (self->table_options);
  tall_rocksdb_horizon_free (self->horizon);
  rocksdb_cache_destroy (self->cache);
  g_mutex_clear (&self->schema_mutex);
  g_rw_lock_clear (&self->lock);
  tall_rocksdb_stripes_free (self->stripes);
  g_free (self->path);
  g_free (self);
}

static TallRocksdbDatabase *
database_new (const char *path, const TallRocksdbSetup *setup)
{
  TallRocksdbDatabase *self = g_new0 (TallRocksdbDatabase, 1);
  self->ref_count = 1;
  self->path = g_strdup (path);
  self->room = tall_rocksdb_room_new (path);
  self->cache = rocksdb_cache_create_lru (tall_rocksdb_options_get_cache_size (setup->cache_bytes));
  self->options = tall_rocksdb_options_new (self->cache, tall_rocksdb_room_measure (self->room),
                                            setup->statistics);
  self->deployments =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_hash_table_unref);
  g_mutex_init (&self->schema_mutex);
  g_rw_lock_init (&self->lock);
  self->stripes = tall_rocksdb_stripes_new ();
  self->horizon = tall_rocksdb_horizon_new ();
  self->table_options = rocksdb_options_create_copy (self->options);
  rocksdb_options_set_compaction_filter_factory (self->table_options,
                                                 tall_rocksdb_horizon_new_filter_factory (
                                                     self->horizon)); /* taken over */
  return self;
}

static TallTableSpec *
load_spec (TallRocksdbDatabase *self, const char *full_name, const char *table, GError **error)
{
  g_autofree char *key = g_strconcat (SPEC_PREFIX, full_name, NULL);
  g_autofree char *operation = g_strdup_printf ("Reading the settings of table %s", full_name);
  g_autoptr (rocksdb_readoptions_t) read_options = rocksdb_readoptions_create ();
  char *message = NULL;
  size_t len = 0;

  g_autoptr (TallRocksdbText) stored =
      rocksdb_get_cf (self->db, read_options, self->specs, key, strlen (key), &len, &message);
  if (!tall_rocksdb_take_error (message, operation, error))
    return NULL;
  return tall_spec_decode (table, tall_slice (stored, len), error);
}

/* Families are opened without compression, as their settings lie inside; files are written with
 * what is set here. */
static gboolean
set_compression (TallRocksdbDatabase *self, const TallRocksdbFamily *family, GError **error)
{
  const char *key = "compression";
  const char *value = tall_rocksdb_options_find_compression (family->spec);
  if (family->spec->compression == NULL || value == NULL || self->engine->read_only != NULL)
    return TRUE;

  char *message = NULL;
  rocksdb_set_options_cf (self->db, family->handle, 1, &key, &value, &message);
  return tall_rocksdb_take_error (message, "Setting the compression of a table", error);
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
                             "The store has a column family %s that is no table", full_name);
  else
    spec = load_spec (self, full_name, dot + 1, error);
  if (spec == NULL)
    {
      rocksdb_column_family_handle_destroy (handle);
      return FALSE;
    }

  TallRocksdbFamily *family = tall_rocksdb_family_new (handle, spec);
  add_family (self, deployment, family);
  return set_compression (self, family, error);
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
database_open (const char *path, const TallRocksdbSetup *setup, GError **error)
{
  TallRocksdbDatabase *self = database_new (path, setup);
  self->engine =
      tall_rocksdb_engine_open (path, self->options, self->table_options, self->room, error);
  self->db = self->engine == NULL ? NULL : self->engine->db;
  if (self->engine != NULL && adopt_families (self, error))
    {
      tall_rocksdb_horizon_open (self->horizon, rocksdb_get_latest_sequence_number (self->db));
      self->sweeper = tall_rocksdb_sweeper_new (self->db);
      return self;
    }
  database_free (self);
  return NULL;
}

/**
 * tall_rocksdb_database_open:
 * Returns: (transfer full): the database in a directory, shared by all in this process who open it
 */
TallRocksdbDatabase *
tall_rocksdb_database_open (const char *directory, const TallRocksdbSetup *setup, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&registry_mutex);
  if (!tall_rocksdb_directory_prepare (directory, setup->must_exist, error))
    return NULL;

  g_autofree char *absolute = g_canonicalize_filename (directory, NULL);
  char *resolved = realpath (absolute, NULL);
  g_autofree char *path = g_strdup (resolved != NULL ? resolved : absolute);
  g_free (resolved);

  if (registry == NULL)
    registry = g_hash_table_new (g_str_hash, g_str_equal);
  TallRocksdbDatabase *self = g_hash_table_lookup (registry, path);
  if (self != NULL)
    {
      self->ref_count++;
      return self;
    }
  self = database_open (path, setup, error);
  if (self != NULL)
    g_hash_table_insert (registry, self->path, self);
  return self;
}

/* Whether rows and tables may change at all, and whether @size bytes more have room. */
static gboolean
check_writable (TallRocksdbDatabase *self, gsize size, const char *operation, GError **error)
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
  g_hash_table_remove (registry, self->path);
  tall_rocksdb_sweeper_free (self->sweeper);
  g_autoptr (GPtrArray) handles = list_handles (self);
  g_autoptr (GError) no_room = NULL;
  if (check_writable (self, 0, "Closing the store", &no_room))
    tall_rocksdb_engine_finish (self->engine, handles);
  database_free (self);
}

rocksdb_t *
tall_rocksdb_database_get_handle (TallRocksdbDatabase *self)
{
  return self->db;
}

/**
 * tall_rocksdb_database_enter:
 *
 * Begins a call that writes rows.
 *
 * Returns: what tall_rocksdb_database_leave() takes at its end
 */
guint
tall_rocksdb_database_enter (TallRocksdbDatabase *self)
{
  return tall_rocksdb_horizon_enter (self->horizon, g_get_monotonic_time (),
                                     rocksdb_get_latest_sequence_number (self->db));
}

void
tall_rocksdb_database_leave (TallRocksdbDatabase *self, guint generation)
{
  tall_rocksdb_horizon_leave (self->horizon, generation);
}

/**
 * tall_rocksdb_database_get_forgotten:
 *
 * Returns: delete markers with this number or a lower one are needed by nobody
 */
guint64
tall_rocksdb_database_get_forgotten (TallRocksdbDatabase *self)
{
  return tall_rocksdb_horizon_get (self->horizon);
}

/**
 * tall_rocksdb_database_sweep:
 * @start: the first row; may be empty
 * @stop: the row after the last one; empty: to the end of the table
 *
 * Removes the delete markers which nobody needs from these rows, in the background.
 */
void
tall_rocksdb_database_sweep (TallRocksdbDatabase *self,
                             TallRocksdbFamily *family,
                             TallSlice start,
                             TallSlice stop)
{
  g_autoptr (GError) no_room = NULL;
  if (check_writable (self, 0, "Sweeping a table", &no_room))
    tall_rocksdb_sweeper_sweep (self->sweeper, family, start, stop);
}

/**
 * tall_rocksdb_database_get_stripes:
 *
 * Returns: (transfer none): the locks of its rows
 */
TallRocksdbStripes *
tall_rocksdb_database_get_stripes (TallRocksdbDatabase *self)
{
  return self->stripes;
}

/**
 * tall_rocksdb_database_get_statistics:
 *
 * Returns: (nullable) (transfer full): RocksDB's statistics as text, to be freed with g_free();
 * NULL if it was opened without
 */
char *
tall_rocksdb_database_get_statistics (TallRocksdbDatabase *self)
{
  g_autoptr (TallRocksdbText) text = rocksdb_options_statistics_get_string (self->options);
  return g_strdup (text);
}

/**
 * tall_rocksdb_database_list_losses:
 *
 * Returns: (nullable) (transfer full): what RocksDB dropped after crashes, see
 *   tall_table_list_losses()
 */
GStrv
tall_rocksdb_database_list_losses (TallRocksdbDatabase *self)
{
  return tall_rocksdb_losses_list (self->path);
}

static TallRocksdbFamily *
lookup_family (TallRocksdbDatabase *self, const char *deployment, const char *table)
{
  GHashTable *tables = g_hash_table_lookup (self->deployments, deployment);
  return tables == NULL ? NULL : g_hash_table_lookup (tables, table);
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
  g_rw_lock_reader_lock (&self->lock);
  TallRocksdbFamily *family = lookup_family (self, deployment, table);
  if (family != NULL)
    tall_rocksdb_family_ref (family);
  g_rw_lock_reader_unlock (&self->lock);

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
  *refused = !check_writable (self, size, operation, error);
  return !*refused && tall_rocksdb_engine_write (self->engine, options, batch, operation, error);
}

static gboolean
write_synced (TallRocksdbDatabase *self,
              rocksdb_writebatch_t *batch,
              const char *operation,
              GError **error)
{
  g_autoptr (rocksdb_writeoptions_t) options = rocksdb_writeoptions_create ();
  gboolean refused;
  rocksdb_writeoptions_set_sync (options, 1);
  return tall_rocksdb_database_write (self, options, batch, operation, &refused, error);
}

static gboolean
store_spec (TallRocksdbDatabase *self,
            const char *full_name,
            const TallTableSpec *spec,
            GError **error)
{
  g_autofree char *key = g_strconcat (SPEC_PREFIX, full_name, NULL);
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  g_autoptr (rocksdb_writebatch_t) batch = rocksdb_writebatch_create ();
  tall_spec_encode (spec, stored);
  rocksdb_writebatch_put_cf (batch, self->specs, key, strlen (key), (const char *)stored->data,
                             stored->len);
  return write_synced (self, batch, "Storing the settings of a table", error);
}

/**
 * tall_rocksdb_database_create_family:
 *
 * Creates a table. Its spec is stored first: a spec without a table is nothing, a table without a
 * spec would be damage.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT or %TALL_ERROR_UNSUPPORTED
 */
gboolean
tall_rocksdb_database_create_family (TallRocksdbDatabase *self,
                                     const char *deployment,
                                     const TallTableSpec *spec,
                                     GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->schema_mutex);
  g_autofree char *full_name = g_strconcat (deployment, ".", spec->name, NULL);

  if (lookup_family (self, deployment, spec->name) != NULL)
    {
      tall_error_set_detailed (error, TALL_ERROR_CONFLICT, self->path, "Table %s exists already",
                               full_name);
      return FALSE;
    }
  if (!tall_rocksdb_options_check_spec (spec, error) || !store_spec (self, full_name, spec, error))
    return FALSE;

  char *message = NULL;
  rocksdb_column_family_handle_t *handle =
      rocksdb_create_column_family (self->db, self->table_options, full_name, &message);
  if (!tall_rocksdb_take_error (message, "Creating a table", error))
    return FALSE;
  tall_rocksdb_engine_note_tables (self->engine);

  TallRocksdbFamily *family = tall_rocksdb_family_new (handle, spec);
  g_rw_lock_writer_lock (&self->lock);
  add_family (self, deployment, family);
  g_rw_lock_writer_unlock (&self->lock);
  return set_compression (self, family, error);
}

/**
 * tall_rocksdb_database_drop_family:
 *
 * Drops a table; calls that are using it end as if they had come before. The log is moved to tables
 * before, as its writes to this one would be missing later, and the removal of the settings is the
 * write that comes after them.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if it does not exist
 */
gboolean
tall_rocksdb_database_drop_family (TallRocksdbDatabase *self,
                                   const char *deployment,
                                   const char *table,
                                   GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->schema_mutex);
  g_autoptr (TallRocksdbFamily) family =
      tall_rocksdb_database_find_family (self, deployment, table, error);
  g_autoptr (GPtrArray) handles = list_handles (self);
  if (family == NULL || !check_writable (self, 0, "Dropping a table", error)
      || !tall_rocksdb_engine_flush (self->engine, handles, error))
    return FALSE;

  char *message = NULL;
  rocksdb_drop_column_family (self->db, family->handle, &message);
  if (!tall_rocksdb_take_error (message, "Dropping a table", error))
    return FALSE;

  g_rw_lock_writer_lock (&self->lock);
  g_hash_table_remove (g_hash_table_lookup (self->deployments, deployment), table);
  g_rw_lock_writer_unlock (&self->lock);

  tall_rocksdb_engine_note_tables (self->engine);
  g_autofree char *key = g_strconcat (SPEC_PREFIX, deployment, ".", table, NULL);
  g_autoptr (rocksdb_writebatch_t) batch = rocksdb_writebatch_create ();
  rocksdb_writebatch_delete_cf (batch, self->specs, key, strlen (key));
  return write_synced (self, batch, "Removing the settings of a table", error);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/**
 * tall_rocksdb_database_list_families:
 *
 * Returns: (transfer full): short names of a deployment's tables, sorted
 */
GStrv
tall_rocksdb_database_list_families (TallRocksdbDatabase *self, const char *deployment)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;

  g_rw_lock_reader_lock (&self->lock);
  GHashTable *tables = g_hash_table_lookup (self->deployments, deployment);
  if (tables != NULL)
    {
      g_hash_table_iter_init (&iter, tables);
      while (g_hash_table_iter_next (&iter, &name, NULL))
        g_ptr_array_add (names, g_strdup (name));
    }
  g_rw_lock_reader_unlock (&self->lock);

  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (GStrv)g_ptr_array_steal (names, NULL);
}

/**
 * tall_rocksdb_database_list_deployments:
 *
 * Returns: (transfer full): the names of the deployments that have a table @table
 */
GStrv
tall_rocksdb_database_list_deployments (TallRocksdbDatabase *self, const char *table)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name, tables;

  g_rw_lock_reader_lock (&self->lock);
  g_hash_table_iter_init (&iter, self->deployments);
  while (g_hash_table_iter_next (&iter, &name, &tables))
    if (g_hash_table_contains (tables, table))
      g_ptr_array_add (names, g_strdup (name));
  g_rw_lock_reader_unlock (&self->lock);
  g_ptr_array_add (names, NULL);
  return (GStrv)g_ptr_array_steal (names, NULL);
}
