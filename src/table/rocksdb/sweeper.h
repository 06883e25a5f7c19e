/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/family.h"

G_BEGIN_DECLS

/**
 * TallRocksdbSweeper:
 *
 * Compacts rows that a scan has found to be mostly delete markers which nobody needs: in a thread
 * of its own, for a tenth of the time at most. A range that is named meanwhile is left out: the
 * next scan names it again.
 *
 * Safe to be used by many threads.
 */
typedef struct _TallRocksdbSweeper TallRocksdbSweeper;

/* Bytes on disk that are read before a compaction because they lie in the same files. */
#define TALL_ROCKSDB_SWEEPER_READ ((guint64)1 << 30)

TallRocksdbSweeper *tall_rocksdb_sweeper_new (rocksdb_t *db, guint64 most_read);
void tall_rocksdb_sweeper_free (TallRocksdbSweeper *self);
void tall_rocksdb_sweeper_sweep (TallRocksdbSweeper *self,
                                 TallRocksdbFamily *family,
                                 TallSlice start,
                                 TallSlice stop);
void tall_rocksdb_sweeper_pause (TallRocksdbSweeper *self);
void tall_rocksdb_sweeper_resume (TallRocksdbSweeper *self);
void tall_rocksdb_sweeper_wait (TallRocksdbSweeper *self);
gint64 tall_rocksdb_sweeper_get_next (gint64 begin, gint64 end);

G_END_DECLS
