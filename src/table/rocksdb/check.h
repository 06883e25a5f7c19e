/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/proof.h"
#include "tall-bytes.h"

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

gboolean tall_rocksdb_check_find_torn (TallSlice log, gsize *end);
guint64 tall_rocksdb_check_get_last_write (TallSlice batch);
guint32 tall_rocksdb_checksum (TallSlice data);

G_END_DECLS
