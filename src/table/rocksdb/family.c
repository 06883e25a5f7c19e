/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/family.h"

#include "table/table-access.h"

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

/**
 * tall_rocksdb_family_set_access:
 * @seal: (nullable): the token, which a table that is closed keeps
 *
 * To be called with the locks of all rows held.
 */
void
tall_rocksdb_family_set_access (TallRocksdbFamily *self, TallTableAccess access, const char *seal)
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

/**
 * tall_rocksdb_family_prefix_row:
 *
 * Prefixes an error with the table and the row.
 */
void
tall_rocksdb_family_prefix_row (const TallRocksdbFamily *self, TallSlice row, GError **error)
{
  g_autofree char *key = tall_slice_to_debug (row);
  if (row.len == 0)
    g_prefix_error (error, "Table %s: ", self->spec->name);
  else
    g_prefix_error (error, "Table %s, row %s: ", self->spec->name, key);
}
