/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/database.h"
#include "table/rocksdb/families.h"

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
  gint64 oldest;    /* cells with a lower timestamp have outlived the table's TTL */
  GArray *passing;  /* of TallCell: of a row that does not stay; NULL where all cells are wanted */
} TallRocksdbStep;

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
