/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-rocksdb-database.h"

G_BEGIN_DECLS

/**
 * TallRocksdbReader:
 *
 * Executes reads. Safe to be used by many threads at once.
 */
typedef struct _TallRocksdbReader TallRocksdbReader;

/**
 * TallRocksdbStep:
 *
 * One read of a plan.
 */
typedef struct
{
  TallRocksdbFamily *family;
  const TallRead *read;
  gint64 deadline;
  TallArena *arena; /* for the rows; it keeps alive what they point to, also if the read fails */
} TallRocksdbStep;

TallRocksdbReader *tall_rocksdb_reader_new (TallRocksdbDatabase *database);
void tall_rocksdb_reader_free (TallRocksdbReader *self);
gboolean tall_rocksdb_reader_read (TallRocksdbReader *self,
                                   const TallRocksdbStep *step,
                                   TallRows *rows,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Milliseconds: cells with a lower timestamp have outlived the table's TTL. */
gint64 tall_rocksdb_family_get_oldest (const TallRocksdbFamily *family);

/* Prefixes an error with the table and the row. */
void tall_rocksdb_prefix_row (GError **error, const TallRocksdbFamily *family, TallSlice row);

G_END_DECLS
