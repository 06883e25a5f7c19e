/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-rocksdb-family.h"

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
  g_free (self);
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
