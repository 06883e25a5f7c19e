/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/family.h"

G_BEGIN_DECLS

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

gboolean tall_rocksdb_filter_wants_all (const TallRocksdbStep *step);
gboolean tall_rocksdb_filter_decode (const TallRocksdbStep *step,
                                     TallSlice key,
                                     TallSlice stored,
                                     TallRow *row,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_filter_copy (const TallRocksdbStep *step,
                                   TallSlice key,
                                   TallSlice stored,
                                   TallRow *row,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
