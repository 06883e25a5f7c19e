/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/database.h"
#include "table/rocksdb/table.h"

G_BEGIN_DECLS

/* For measurements and tests beside us: the rows as RocksDB keeps them, and their locks. */
TallRocksdbStripes *tall_rocksdb_table_get_stripes (TallRocksdbTable *self);
TallRocksdbSweeper *tall_rocksdb_table_get_sweeper (TallRocksdbTable *self);
rocksdb_t *tall_rocksdb_table_get_handle (TallRocksdbTable *self);
TallRocksdbFamily *tall_rocksdb_table_find_family (TallRocksdbTable *self,
                                                   const char *table,
                                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
