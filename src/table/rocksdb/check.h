/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/synced.h"

G_BEGIN_DECLS

/**
 * TallRocksdbCheck:
 *
 * What a look at the files of a store found before RocksDB opens it.
 */
typedef struct
{
  gboolean exists; /* FALSE: there is no database yet */
  guint64 covered; /* every write up to this number is in the files */
  GPtrArray *lost; /* of texts: what RocksDB will drop, as it was not written to its end */
} TallRocksdbCheck;

gboolean tall_rocksdb_check_directory (const char *directory,
                                       TallRocksdbCheck *check,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_check_opened (const char *directory,
                                    const TallRocksdbCheck *check,
                                    guint64 last,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_check_measure_manifest (const char *directory,
                                              guint64 *number,
                                              guint64 *len,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_check_clear (TallRocksdbCheck *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallRocksdbCheck, tall_rocksdb_check_clear)

G_END_DECLS
