/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/unpacker.h"

G_BEGIN_DECLS

/**
 * TallCsvRecoder:
 *
 * The text of a file in UTF-8, made of another encoding if one is named, in memory that does not
 * grow with the file. A byte that the encoding does not have becomes a mark of three bytes, which
 * is never valid UTF-8: 0xff, and 0x80 with each half of the byte. Not thread-safe.
 */
typedef struct _TallCsvRecoder TallCsvRecoder;

#define TALL_CSV_MARK_SIZE 3

TallCsvRecoder *tall_csv_recoder_new (TallCsvSource *source,
                                      const char *encoding,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_recoder_free (TallCsvRecoder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCsvRecoder, tall_csv_recoder_free)

gboolean tall_csv_encoding_is_known (const char *encoding);
gssize tall_csv_recoder_read (TallCsvRecoder *self, guint8 *buffer, gsize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_recoder_rewind (TallCsvRecoder *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_recoder_is_plain (const TallCsvRecoder *self);
const char *tall_csv_recoder_get_encoding (const TallCsvRecoder *self);

/* The byte that a mark stands for. */
static inline guint8
tall_csv_mark_get_byte (const guint8 *mark)
{
  return (guint8)((mark[1] & 0x0f) << 4 | (mark[2] & 0x0f));
}

GByteArray *tall_csv_marks_replace (TallSlice text);

G_END_DECLS
