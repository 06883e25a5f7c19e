/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/engine.h"
#include "table/rocksdb/family.h"

G_BEGIN_DECLS

/* The settings of tables, as an open database has them. */

char *tall_rocksdb_settings_get_key (const char *full_name);
TallTableSpec *tall_rocksdb_settings_load (rocksdb_t *db,
                                           rocksdb_column_family_handle_t *specs,
                                           const char *full_name,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_settings_apply (const TallRocksdbEngine *engine,
                                      const TallRocksdbFamily *family,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
