/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallRocksdbLog:
 *
 * Reads the records of a file in RocksDB's log format, which are those of its log and of its
 * MANIFEST. Start from TALL_ROCKSDB_LOG_INIT.
 */
typedef struct
{
  TallSlice data;
  gsize at;          /* where the next record begins, or would begin */
  GByteArray *whole; /* a record that was put together of several parts */
} TallRocksdbLog;

#define TALL_ROCKSDB_LOG_INIT(data)                                                                \
  {                                                                                                \
    data, 0, NULL                                                                                  \
  }

gboolean tall_rocksdb_log_next (TallRocksdbLog *self, TallSlice *record);
gboolean tall_rocksdb_log_skip (TallRocksdbLog *self);
void tall_rocksdb_log_clear (TallRocksdbLog *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallRocksdbLog, tall_rocksdb_log_clear)

/**
 * TallRocksdbSpan:
 *
 * The writes of one record of a log. RocksDB numbers all writes of all tables from 1 on, and leaves
 * no number out.
 */
typedef struct
{
  guint64 first;
  guint32 n; /* 0: the record has none */
} TallRocksdbSpan;

TallRocksdbSpan tall_rocksdb_log_parse_writes (TallSlice record);
guint64 tall_rocksdb_log_parse_edit (TallSlice record, guint32 *more);
guint32 tall_rocksdb_log_checksum (TallSlice data);

G_END_DECLS
