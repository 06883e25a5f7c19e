/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include <rocksdb/c.h>

#include "table/rocksdb/families.h"

/* Microseconds that a marker lives at least, while the store is open. */
#define TALL_ROCKSDB_MARKER_AGE (60 * G_USEC_PER_SEC)

/**
 * TallRocksdbHorizon:
 *
 * Which delete markers no call can need any more. A marker hides puts that come later: those of
 * calls that were running when it was written, and of what they belong to. RocksDB's number of the
 * last write serves as clock, which goes on from one opening of the store to the next.
 *
 * The calls that write are counted in two generations: those that began in the present one, and
 * those before. When the earlier ones have all ended, and the present one is old enough, the next
 * begins; and every marker from before the present one is beyond the horizon: each call that is
 * running began after it. What a process wrote that has ended is beyond it from the beginning, as
 * one process has the store.
 *
 * Safe to be used by many threads.
 */
typedef struct _TallRocksdbHorizon TallRocksdbHorizon;

TallRocksdbHorizon *tall_rocksdb_horizon_new (void);
void tall_rocksdb_horizon_free (TallRocksdbHorizon *self);
void tall_rocksdb_horizon_open (TallRocksdbHorizon *self, guint64 last);
guint tall_rocksdb_horizon_enter (TallRocksdbHorizon *self, gint64 now, guint64 last);
void tall_rocksdb_horizon_leave (TallRocksdbHorizon *self, guint generation);
guint64 tall_rocksdb_horizon_get (TallRocksdbHorizon *self);
void tall_rocksdb_horizon_forget (TallRocksdbHorizon *self, guint64 last);
rocksdb_compactionfilterfactory_t *
tall_rocksdb_horizon_new_filter_factory (TallRocksdbHorizon *self);

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
gboolean tall_rocksdb_sweeper_begin (TallRocksdbSweeper *self, GThreadFunc work, gpointer data);
void tall_rocksdb_sweeper_end (TallRocksdbSweeper *self);
gboolean tall_rocksdb_sweeper_rewrite (TallRocksdbSweeper *self,
                                       GPtrArray *families,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_sweeper_wait (TallRocksdbSweeper *self);
gint64 tall_rocksdb_sweeper_get_next (gint64 begin, gint64 end);
