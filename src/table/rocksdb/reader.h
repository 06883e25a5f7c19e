/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/database.h"
#include "table/rocksdb/filter.h"

G_BEGIN_DECLS

/**
 * TallRocksdbReader:
 *
 * Executes reads. Safe to be used by many threads at once.
 */
typedef struct _TallRocksdbReader TallRocksdbReader;

TallRocksdbReader *tall_rocksdb_reader_new (TallRocksdbDatabase *database);
void tall_rocksdb_reader_free (TallRocksdbReader *self);
gboolean tall_rocksdb_reader_read (TallRocksdbReader *self,
                                   const TallRocksdbStep *step,
                                   TallRows *rows,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
