/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/writer-private.h"
#include "table/rocksdb/row-merge.h"

G_BEGIN_DECLS

/**
 * TallRocksdbWrite:
 *
 * One write in the making: rows that are read, merged and written together. Their locks are the
 * caller's. Used by one thread.
 */
typedef struct
{
  const TallRocksdbWriter *writer;
  TallArena *arena;   /* old and merged rows */
  GByteArray *stored; /* one encoded row */
  rocksdb_writebatch_t *batch;
} TallRocksdbWrite;

void tall_rocksdb_write_init (TallRocksdbWrite *self, const TallRocksdbWriter *writer);
void tall_rocksdb_write_clear (TallRocksdbWrite *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallRocksdbWrite, tall_rocksdb_write_clear)

gboolean tall_rocksdb_write_load (TallRocksdbWrite *self,
                                  const TallRocksdbFamily *family,
                                  TallSlice key,
                                  TallStoredRow *row,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_write_add (TallRocksdbWrite *self,
                                 const TallRocksdbFamily *family,
                                 const TallStoredRow *old,
                                 const TallMutation *mutation,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_write_commit (TallRocksdbWrite *self,
                                    TallDurability durability,
                                    gint64 deadline,
                                    const char *operation,
                                    gboolean *refused,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_write_commit_once (TallRocksdbWrite *self,
                                         TallDurability durability,
                                         gint64 deadline,
                                         const char *operation,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
