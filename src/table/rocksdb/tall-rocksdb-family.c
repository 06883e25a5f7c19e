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
  TallRocksdbFamily *self = g_new (TallRocksdbFamily, 1);
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
