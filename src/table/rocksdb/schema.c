/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/database.h"

#include "tall-error.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/settings.h"

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
    {
      tall_error_set_detailed (error, TALL_ERROR_CONFLICT, self->path, "Table %s exists already",
                               full_name);
      return FALSE;
    }
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
  g_autoptr (GPtrArray) handles = tall_rocksdb_database_list_handles (self);
  guint64 last = rocksdb_get_latest_sequence_number (self->db);
  if (!tall_rocksdb_flush (self->db, handles, error))
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
  if (!flush (self, error)
      || !tall_rocksdb_stripes_lock_all (self->stripes, TALL_NO_DEADLINE, error))
    return FALSE;
  family->dropped = flush (self, error) && drop_flushed (self, family, error);
  tall_rocksdb_stripes_unlock_all (self->stripes);
  return family->dropped;
}

static gboolean
drop_without_sweeper (TallRocksdbDatabase *self, TallRocksdbFamily *family, GError **error)
{
  tall_rocksdb_sweeper_pause (self->sweeper);
  gboolean dropped = drop_family (self, family, error);
  tall_rocksdb_sweeper_resume (self->sweeper);
  return dropped;
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
      || !drop_without_sweeper (self, family, error))
    return FALSE;

  tall_rocksdb_families_remove (self->families, deployment, table);

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
  if (family == NULL || !tall_rocksdb_stripes_lock_all (self->stripes, deadline, error))
    return FALSE;

  g_autofree char *full_name = g_strconcat (deployment, ".", table, NULL);
  g_autoptr (TallTableSpec) spec = tall_rocksdb_family_describe (family);
  tall_table_shutter_apply (to, spec);
  if (tall_rocksdb_family_admits (family, TRUE, NULL))
    family->shut_at = rocksdb_get_latest_sequence_number (self->db);
  gboolean stored = store_access (self, full_name, spec, error);
  if (stored)
    tall_rocksdb_family_set_access (family, spec->access, spec->seal);
  tall_rocksdb_stripes_unlock_all (self->stripes);
  return stored;
}
