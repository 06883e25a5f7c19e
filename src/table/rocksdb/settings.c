/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/settings.h"

#include "table/rocksdb/error.h"
#include "table/rocksdb/options.h"
#include "table/rocksdb/spec-codec.h"

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
 * tall_rocksdb_settings_load:
 * @specs: the default family
 * @full_name: of a table, with its deployment and a dot before it
 */
TallTableSpec *
tall_rocksdb_settings_load (rocksdb_t *db,
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
  const char *value = tall_rocksdb_options_find_compression (family->spec);
  if (family->spec->compression == NULL || value == NULL || engine->read_only != NULL)
    return TRUE;

  char *message = NULL;
  rocksdb_set_options_cf (engine->db, family->handle, 1, &key, &value, &message);
  return tall_rocksdb_take_error (message, "Setting the compression of a table", error);
}
