/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/* Writers of different rows rarely meet on one, also where each holds 256 of them at once. */
#define TALL_ROCKSDB_STRIPES 32768

/**
 * TallRocksdbStripes:
 *
 * The locks of rows: a row is locked while it is read, changed and written. Each lock is that of
 * many rows.
 */
typedef struct _TallRocksdbStripes TallRocksdbStripes;

TallRocksdbStripes *tall_rocksdb_stripes_new (void);
void tall_rocksdb_stripes_free (TallRocksdbStripes *self);
guint tall_rocksdb_stripes_find (guint32 table, TallSlice row);
gboolean tall_rocksdb_stripes_lock (TallRocksdbStripes *self,
                                    guint *stripes,
                                    guint *n,
                                    gint64 deadline,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_stripes_unlock (TallRocksdbStripes *self, const guint *stripes, guint n);
gboolean tall_rocksdb_stripes_lock_all (TallRocksdbStripes *self,
                                        gint64 deadline,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_stripes_unlock_all (TallRocksdbStripes *self);

G_END_DECLS
