/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/database.h"

/* Rows that are written in one step at most. */
#define TALL_ROCKSDB_TOGETHER 256

/**
 * TallRocksdbWriter:
 *
 * Changes rows: reads, merges and writes each under a lock. Safe to be used by many threads at
 * once.
 */
typedef struct _TallRocksdbWriter TallRocksdbWriter;

TallRocksdbWriter *tall_rocksdb_writer_new (TallRocksdbDatabase *database, gboolean sync);
void tall_rocksdb_writer_free (TallRocksdbWriter *self);
gboolean tall_rocksdb_writer_apply (TallRocksdbWriter *self,
                                    TallRocksdbFamily *const *families,
                                    TallMutation *const *mutations,
                                    guint n,
                                    TallDurability durability,
                                    gint64 deadline,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_writer_apply_if (TallRocksdbWriter *self,
                                       TallRocksdbFamily *const *families,
                                       const TallConditionalWrite *conditional,
                                       gboolean *matched,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_writer_increment (TallRocksdbWriter *self,
                                        const TallRocksdbFamily *family,
                                        TallSlice row,
                                        TallSlice qualifier,
                                        gint64 delta,
                                        gint64 deadline,
                                        gint64 *value,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
