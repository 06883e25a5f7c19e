/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/families.h"

#include "table/rocksdb/database.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/settings.h"
#include "table/table-checks.h"
#include "table/table.h"
#include "base/fail.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/**
 * tall_rocksdb_family_new:
 * @handle: (transfer full):
 */
TallRocksdbFamily *
tall_rocksdb_family_new (rocksdb_column_family_handle_t *handle, const TallTableSpec *spec)
{
  TallRocksdbFamily *self = g_new0 (TallRocksdbFamily, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->handle = handle;
  self->id = rocksdb_column_family_handle_get_id (handle);
  self->spec = tall_table_spec_copy (spec);
  self->access = (gint)spec->access;
  self->seal = g_steal_pointer (&self->spec->seal);
  self->spec->access = TALL_ACCESS_OPEN;
  g_mutex_init (&self->seal_mutex);
  return self;
}

TallRocksdbFamily *
tall_rocksdb_family_ref (TallRocksdbFamily *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
tall_rocksdb_family_unref (TallRocksdbFamily *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  rocksdb_column_family_handle_destroy (self->handle);
  tall_table_spec_free (self->spec);
  g_mutex_clear (&self->seal_mutex);
  g_free (self->seal);
  g_free (self);
}

/**
 * tall_rocksdb_family_admits:
 * @writes: whether the call writes; it has the lock of a row then
 *
 * Returns: FALSE with %TALL_ERROR_SHUT if the table is sealed or closed to the call
 */
gboolean
tall_rocksdb_family_admits (const TallRocksdbFamily *self, gboolean writes, GError **error)
{
  TallTableAccess access = (TallTableAccess)g_atomic_int_get (&self->access);
  return tall_table_access_admits (access, self->spec->name, writes, error);
}

/* @seal: (nullable): the token, which a table that is closed keeps
 *
 * To be called with the locks of all rows held. */
static void
rocksdb_family_set_access (TallRocksdbFamily *self, TallTableAccess access, const char *seal)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->seal_mutex);
  g_free (self->seal);
  self->seal = g_strdup (seal);
  g_atomic_int_set (&self->access, (gint)access);
}

/**
 * tall_rocksdb_family_describe:
 *
 * Returns: (transfer full): the table as it is now
 */
TallTableSpec *
tall_rocksdb_family_describe (TallRocksdbFamily *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->seal_mutex);
  TallTableSpec *spec = tall_table_spec_copy (self->spec);
  spec->access = (TallTableAccess)self->access;
  spec->seal = g_strdup (self->seal);
  return spec;
}

/**
 * tall_rocksdb_family_get_oldest:
 *
 * Returns: milliseconds: cells with a lower timestamp have outlived the table's TTL
 */
gint64
tall_rocksdb_family_get_oldest (const TallRocksdbFamily *self)
{
  guint64 ttl = self->spec->ttl;
  if (ttl == 0)
    return 0;
  gint64 now = g_get_real_time () / 1000;
  return ttl > (guint64)now / 1000 ? 0 : now - (gint64)ttl * 1000;
}

void
tall_rocksdb_family_prefix_row (const TallRocksdbFamily *self, TallSlice row, GError **error)
{
  g_autofree char *key = tall_slice_to_debug (row);
  if (row.len == 0)
    g_prefix_error (error, "Table %s: ", self->spec->name);
  else
    g_prefix_error (error, "Table %s, row %s: ", self->spec->name, key);
}

struct _TallRocksdbFamilies
{
  GRWLock lock;
  GHashTable *deployments; /* name → hash table of short name → TallRocksdbFamily */
};

TallRocksdbFamilies *
tall_rocksdb_families_new (void)
{
  TallRocksdbFamilies *self = g_new (TallRocksdbFamilies, 1);
  g_rw_lock_init (&self->lock);
  self->deployments =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_hash_table_unref);
  return self;
}

void
tall_rocksdb_families_free (TallRocksdbFamilies *self)
{
  g_hash_table_unref (self->deployments);
  g_rw_lock_clear (&self->lock);
  g_free (self);
}

/**
 * tall_rocksdb_families_add:
 * @family: (transfer full):
 */
void
tall_rocksdb_families_add (TallRocksdbFamilies *self,
                           const char *deployment,
                           TallRocksdbFamily *family)
{
  g_rw_lock_writer_lock (&self->lock);
  GHashTable *tables = g_hash_table_lookup (self->deployments, deployment);
  if (tables == NULL)
    {
      tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                      (GDestroyNotify)tall_rocksdb_family_unref);
      g_hash_table_insert (self->deployments, g_strdup (deployment), tables);
    }
  g_hash_table_insert (tables, g_strdup (family->spec->name), family);
  g_rw_lock_writer_unlock (&self->lock);
}

/* Removes a table that is there. */
static void
rocksdb_families_remove (TallRocksdbFamilies *self, const char *deployment, const char *table)
{
  g_rw_lock_writer_lock (&self->lock);
  g_hash_table_remove (g_hash_table_lookup (self->deployments, deployment), table);
  g_rw_lock_writer_unlock (&self->lock);
}

/**
 * tall_rocksdb_families_find:
 *
 * Returns: (nullable) (transfer full): a table
 */
TallRocksdbFamily *
tall_rocksdb_families_find (TallRocksdbFamilies *self, const char *deployment, const char *table)
{
  g_rw_lock_reader_lock (&self->lock);
  GHashTable *tables = g_hash_table_lookup (self->deployments, deployment);
  TallRocksdbFamily *family = tables == NULL ? NULL : g_hash_table_lookup (tables, table);
  if (family != NULL)
    tall_rocksdb_family_ref (family);
  g_rw_lock_reader_unlock (&self->lock);
  return family;
}

/**
 * tall_rocksdb_families_add_handles:
 * @handles: of #rocksdb_column_family_handle_t, which live as long as no table is removed
 *
 * Adds the handles of all tables.
 */
void
tall_rocksdb_families_add_handles (TallRocksdbFamilies *self, GPtrArray *handles)
{
  GHashTableIter deployments, tables;
  gpointer value;
  g_rw_lock_reader_lock (&self->lock);
  g_hash_table_iter_init (&deployments, self->deployments);
  while (g_hash_table_iter_next (&deployments, NULL, &value))
    {
      g_hash_table_iter_init (&tables, value);
      while (g_hash_table_iter_next (&tables, NULL, &value))
        g_ptr_array_add (handles, ((TallRocksdbFamily *)value)->handle);
    }
  g_rw_lock_reader_unlock (&self->lock);
}

/**
 * tall_rocksdb_families_list:
 *
 * Returns: (transfer full): short names of a deployment's tables
 */
GStrv
tall_rocksdb_families_list (TallRocksdbFamilies *self, const char *deployment)
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

  g_ptr_array_add (names, NULL);
  return (GStrv)g_ptr_array_steal (names, NULL);
}

/**
 * tall_rocksdb_families_list_deployments:
 *
 * Returns: (transfer full): the names of the deployments that have a table @table
 */
GStrv
tall_rocksdb_families_list_deployments (TallRocksdbFamilies *self, const char *table)
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

struct _TallRocksdbStripes
{
  pthread_mutex_t mutexes[TALL_ROCKSDB_STRIPES]; /* GMutex cannot wait until a deadline */
};

TallRocksdbStripes *
tall_rocksdb_stripes_new (void)
{
  TallRocksdbStripes *self = g_new (TallRocksdbStripes, 1);
  for (guint i = 0; i < TALL_ROCKSDB_STRIPES; i++)
    pthread_mutex_init (&self->mutexes[i], NULL);
  return self;
}

void
tall_rocksdb_stripes_free (TallRocksdbStripes *self)
{
  for (guint i = 0; i < TALL_ROCKSDB_STRIPES; i++)
    pthread_mutex_destroy (&self->mutexes[i]);
  g_free (self);
}

/**
 * tall_rocksdb_stripes_find:
 * @table: number of the table
 *
 * Returns: the stripe of a row: FNV-1a of both
 */
guint
tall_rocksdb_stripes_find (guint32 table, TallSlice row)
{
  guint64 hash = 0xcbf29ce484222325u ^ table;
  for (gsize i = 0; i < row.len; i++)
    hash = (hash ^ row.data[i]) * 0x100000001b3u;
  return (guint)((hash ^ hash >> 32) % TALL_ROCKSDB_STRIPES);
}

static int
compare_stripes (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *)a;
  guint y = *(const guint *)b;
  return (x > y) - (x < y);
}

/* GLib's monotonic time is that of CLOCK_MONOTONIC. */
static gboolean
lock_one (pthread_mutex_t *mutex, gint64 deadline)
{
  if (pthread_mutex_trylock (mutex) == 0)
    return TRUE;
  if (deadline == TALL_NO_DEADLINE)
    return pthread_mutex_lock (mutex) == 0;
  struct timespec until = { deadline / G_USEC_PER_SEC, deadline % G_USEC_PER_SEC * 1000 };
  return pthread_mutex_clocklock (mutex, CLOCK_MONOTONIC, &until) == 0;
}

/**
 * tall_rocksdb_stripes_lock:
 * @stripes: of the rows; sorted afterwards, and each there once
 * @n: (inout): how many
 *
 * Takes them in ascending order, so that nobody waits in a circle, and waits until @deadline only.
 *
 * Returns: FALSE with %TALL_ERROR_TIMED_OUT, and none is taken
 */
gboolean
tall_rocksdb_stripes_lock (
    TallRocksdbStripes *self, guint *stripes, guint *n, gint64 deadline, GError **error)
{
  guint n_unique = 0;
  qsort (stripes, *n, sizeof (guint), compare_stripes);
  for (guint i = 0; i < *n; i++)
    if (n_unique == 0 || stripes[n_unique - 1] != stripes[i])
      stripes[n_unique++] = stripes[i];
  *n = n_unique;

  for (guint i = 0; i < n_unique; i++)
    if (!lock_one (&self->mutexes[stripes[i]], deadline))
      {
        tall_rocksdb_stripes_unlock (self, stripes, i);
        return tall_error_fail (error, TALL_ERROR_TIMED_OUT,
                                "The deadline passed while other writes to the same rows were "
                                "running; nothing was done");
      }
  return TRUE;
}

/**
 * tall_rocksdb_stripes_unlock:
 * @stripes: @n of them, as tall_rocksdb_stripes_lock() left them
 */
void
tall_rocksdb_stripes_unlock (TallRocksdbStripes *self, const guint *stripes, guint n)
{
  for (guint i = n; i > 0; i--)
    pthread_mutex_unlock (&self->mutexes[stripes[i - 1]]);
}

static void
unlock_first (TallRocksdbStripes *self, guint n)
{
  for (guint i = n; i > 0; i--)
    pthread_mutex_unlock (&self->mutexes[i - 1]);
}

/* Waits until no write runs, and lets none begin.
 *
 * Returns: FALSE with %TALL_ERROR_TIMED_OUT, and none is taken */
static gboolean
rocksdb_stripes_lock_all (TallRocksdbStripes *self, gint64 deadline, GError **error)
{
  for (guint i = 0; i < TALL_ROCKSDB_STRIPES; i++)
    if (!lock_one (&self->mutexes[i], deadline))
      {
        unlock_first (self, i);
        return tall_error_fail (error, TALL_ERROR_TIMED_OUT,
                                "The deadline passed while writes were running; nothing was done");
      }
  return TRUE;
}

static void
rocksdb_stripes_unlock_all (TallRocksdbStripes *self)
{
  unlock_first (self, TALL_ROCKSDB_STRIPES);
}

/* FALSE with @refused if nothing was written, for certain. */
static gboolean
write_synced (TallRocksdbDatabase *self,
              rocksdb_writebatch_t *batch,
              const char *operation,
              gboolean *refused,
              GError **error)
{
  g_autoptr (rocksdb_writeoptions_t) options = rocksdb_writeoptions_create ();
  rocksdb_writeoptions_set_sync (options, 1);
  return tall_rocksdb_database_write (self, options, batch, operation, refused, error);
}

static gboolean
store_spec (TallRocksdbDatabase *self,
            const char *full_name,
            const TallTableSpec *spec,
            gboolean *refused,
            GError **error)
{
  g_autofree char *key = tall_rocksdb_settings_get_key (full_name);
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  g_autoptr (rocksdb_writebatch_t) batch = rocksdb_writebatch_create ();
  tall_spec_encode (spec, stored);
  rocksdb_writebatch_put_cf (batch, self->specs, key, strlen (key), (const char *)stored->data,
                             stored->len);
  return write_synced (self, batch, "Storing the settings of a table", refused, error);
}

/**
 * tall_rocksdb_schema_create_table:
 *
 * Creates a table. Its spec is stored first: a spec without a table is nothing, a table without a
 * spec would be damage.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT or %TALL_ERROR_UNSUPPORTED
 */
gboolean
tall_rocksdb_schema_create_table (TallRocksdbDatabase *self,
                                  const char *deployment,
                                  const TallTableSpec *spec,
                                  GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->schema_mutex);
  g_autofree char *full_name = g_strconcat (deployment, ".", spec->name, NULL);
  g_autoptr (TallRocksdbFamily) old =
      tall_rocksdb_families_find (self->families, deployment, spec->name);
  gboolean refused;

  if (old != NULL)
    return tall_error_fail_detailed (error, TALL_ERROR_CONFLICT, self->path,
                                     "Table %s exists already", full_name);
  self->n_changes++;
  if (!tall_rocksdb_options_check_spec (spec, error)
      || !store_spec (self, full_name, spec, &refused, error))
    return FALSE;

  char *message = NULL;
  rocksdb_column_family_handle_t *handle =
      rocksdb_create_column_family (self->db, self->table_options, full_name, &message);
  if (!tall_rocksdb_take_error (message, "Creating a table", error))
    return FALSE;
  tall_rocksdb_engine_note_tables (self->engine);

  TallRocksdbFamily *family = tall_rocksdb_family_new (handle, spec);
  tall_rocksdb_families_add (self->families, deployment, family);
  return tall_rocksdb_settings_apply (self->engine, family, error);
}

static gboolean
flush (TallRocksdbDatabase *self, GError **error)
{
  guint64 last = rocksdb_get_latest_sequence_number (self->db);
  if (!tall_rocksdb_engine_flush (self->engine, self->specs, error))
    return FALSE;
  self->flushed_to = last;
  return TRUE;
}

static gboolean
drop_flushed (TallRocksdbDatabase *self, TallRocksdbFamily *family, GError **error)
{
  char *message = NULL;
  rocksdb_drop_column_family (self->db, family->handle, &message);
  return tall_rocksdb_take_error (message, "Dropping a table", error);
}

/* It stays shut as long as the schema's mutex is held. So nobody has to wait, and of several tables
 * the first one moves the log for all. */
static gboolean
drop_shut (TallRocksdbDatabase *self, TallRocksdbFamily *family, GError **error)
{
  return (family->shut_at <= self->flushed_to || flush (self, error))
         && drop_flushed (self, family, error);
}

/* Moves the log to tables and drops the family, while nobody writes: a write to the family must
 * neither come between the two nor after them. Most of the log is moved beside writers before. */
static gboolean
drop_family (TallRocksdbDatabase *self, TallRocksdbFamily *family, GError **error)
{
  if (!tall_rocksdb_family_admits (family, TRUE, NULL))
    return drop_shut (self, family, error);
  if (!flush (self, error) || !rocksdb_stripes_lock_all (self->stripes, TALL_NO_DEADLINE, error))
    return FALSE;
  family->dropped = flush (self, error) && drop_flushed (self, family, error);
  rocksdb_stripes_unlock_all (self->stripes);
  return family->dropped;
}

/**
 * tall_rocksdb_schema_drop_table:
 *
 * Drops a table; calls that read it end as if they had come before. The log is moved to tables
 * before, as its writes to this one would be missing later, and the removal of the settings is the
 * write that comes after them.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if it does not exist
 */
gboolean
tall_rocksdb_schema_drop_table (TallRocksdbDatabase *self,
                                const char *deployment,
                                const char *table,
                                GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->schema_mutex);
  g_autoptr (TallRocksdbFamily) family =
      tall_rocksdb_database_find_family (self, deployment, table, error);
  self->n_changes++;
  if (family == NULL || !tall_rocksdb_database_check_writable (self, 0, "Dropping a table", error)
      || !drop_family (self, family, error))
    return FALSE;

  rocksdb_families_remove (self->families, deployment, table);

  tall_rocksdb_engine_note_tables (self->engine);
  g_autofree char *full_name = g_strconcat (deployment, ".", table, NULL);
  g_autofree char *key = tall_rocksdb_settings_get_key (full_name);
  g_autoptr (rocksdb_writebatch_t) batch = rocksdb_writebatch_create ();
  rocksdb_writebatch_delete_cf (batch, self->specs, key, strlen (key));
  gboolean refused;
  return write_synced (self, batch, "Removing the settings of a table", &refused, error);
}

/* What fails in the middle may come back with the next replay of the log. */
static gboolean
store_access (TallRocksdbDatabase *self,
              const char *full_name,
              const TallTableSpec *spec,
              GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean refused;
  if (store_spec (self, full_name, spec, &refused, &local))
    return TRUE;
  if (!refused)
    local->code = TALL_ERROR_OUTCOME_UNKNOWN;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/**
 * tall_rocksdb_schema_set_access:
 *
 * Changes what a table admits, on disk first. No write runs meanwhile, so those that come later
 * are refused and those before are done. A read looks at the beginning: what it returns was so when
 * the table was closed, at the latest.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if it does not exist, with %TALL_ERROR_OUTCOME_UNKNOWN
 *   if the table may be changed when it is opened the next time
 */
gboolean
tall_rocksdb_schema_set_access (TallRocksdbDatabase *self,
                                const char *deployment,
                                const char *table,
                                const TallTableShutter *to,
                                gint64 deadline,
                                GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->schema_mutex);
  g_autoptr (TallRocksdbFamily) family =
      tall_rocksdb_database_find_family (self, deployment, table, error);
  if (family == NULL || !rocksdb_stripes_lock_all (self->stripes, deadline, error))
    return FALSE;

  g_autofree char *full_name = g_strconcat (deployment, ".", table, NULL);
  g_autoptr (TallTableSpec) spec = tall_rocksdb_family_describe (family);
  tall_table_shutter_apply (to, spec);
  if (tall_rocksdb_family_admits (family, TRUE, NULL))
    family->shut_at = rocksdb_get_latest_sequence_number (self->db);
  gboolean stored = store_access (self, full_name, spec, error);
  if (stored)
    rocksdb_family_set_access (family, spec->access, spec->seal);
  rocksdb_stripes_unlock_all (self->stripes);
  return stored;
}
