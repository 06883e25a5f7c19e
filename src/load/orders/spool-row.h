/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"

G_BEGIN_DECLS

/**
 * TallSpoolRow:
 *
 * Good rows, and marks of bad ones, as the bytes that a #TallSpool keeps, and back. Begin with
 * tall_spool_row_init(). What decoding gives is valid until the next call. Not thread-safe.
 */
typedef struct
{
  GByteArray *bytes; /* of the row that was encoded last */
  GByteArray *text;  /* of the row that was decoded last: its fields, each with its NUL */
  GPtrArray *fields; /* of char *, into @text */
} TallSpoolRow;

void tall_spool_row_init (TallSpoolRow *self);
void tall_spool_row_clear (TallSpoolRow *self);
TallSlice
tall_spool_row_encode (TallSpoolRow *self, const TallCsvRow *row, guint64 blame, char delimiter);
gboolean tall_spool_row_decode (TallSpoolRow *self,
                                TallSlice bytes,
                                char delimiter,
                                TallCsvRow *row,
                                guint64 *blame) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
