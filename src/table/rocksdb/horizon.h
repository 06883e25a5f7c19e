/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <rocksdb/c.h>

#include <glib.h>

G_BEGIN_DECLS

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
rocksdb_compactionfilterfactory_t *
tall_rocksdb_horizon_new_filter_factory (TallRocksdbHorizon *self);

G_END_DECLS
