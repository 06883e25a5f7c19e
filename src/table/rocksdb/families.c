/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/families.h"

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

/**
 * tall_rocksdb_families_remove:
 *
 * Removes a table that is there.
 */
void
tall_rocksdb_families_remove (TallRocksdbFamilies *self, const char *deployment, const char *table)
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
