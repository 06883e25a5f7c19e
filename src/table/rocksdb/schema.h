/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/database.h"
#include "table/table-access.h"

G_BEGIN_DECLS

gboolean tall_rocksdb_schema_create_table (TallRocksdbDatabase *self,
                                           const char *deployment,
                                           const TallTableSpec *spec,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_schema_drop_table (TallRocksdbDatabase *self,
                                         const char *deployment,
                                         const char *table,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_schema_set_access (TallRocksdbDatabase *self,
                                         const char *deployment,
                                         const char *table,
                                         const TallTableShutter *to,
                                         gint64 deadline,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
