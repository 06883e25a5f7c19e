/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/source.h"

#include <gio/gio.h>

G_BEGIN_DECLS

gboolean tall_csv_encoding_is_known (const char *encoding);

/* A byte that the encoding does not have becomes a mark of three bytes, which is never valid UTF-8:
 * 0xff, and 0x80 with each half of the byte. */
#define TALL_CSV_MARK_SIZE 3

/* The byte that a mark stands for. */
static inline guint8
tall_csv_mark_get_byte (const guint8 *mark)
{
  return (guint8)((mark[1] & 0x0f) << 4 | (mark[2] & 0x0f));
}

GByteArray *tall_csv_marks_replace (TallSlice text);

#define TALL_CSV_CHUNK_SIZE (256 * 1024)

/* The end of the line is not in the buffer yet. */
#define TALL_CSV_NOT_YET G_MAXSIZE

/**
 * TallCsvLines:
 *
 * The text of a file in UTF-8, made of another encoding if one is named, in memory that does not
 * grow with the file: the lines of the record under construction, and what was read ahead:
 *
 *     record      first_end         at                end
 *       | first line  | further lines | next line …    |
 *
 * The reader moves @at, @line and @first_end. Begin with tall_csv_lines_open(). Not thread-safe.
 */
typedef struct
{
  TallCsvSource *source; /* owned */
  char *encoding;        /* NULL: UTF-8, which is handed on as it is */
  GConverter *converter; /* owned; NULL: none */
  gsize unit;            /* bytes of the smallest character */
  TallCsvWindow foreign; /* what has been read and not yet converted; unset without @converter */
  guint8 *buffer;
  gsize allocated;
  gsize record;        /* where the record begins */
  gsize first_end;     /* where its first line ends */
  gsize at;            /* what the parser has seen ends here */
  gsize end;           /* of the bytes in the buffer */
  gboolean file_ended; /* nothing left to read */
  guint64 consumed;    /* bytes of the text before the buffer */
  guint64 line;        /* number of the line that begins at @at */
  guint64 record_line; /* number of the line that begins at @record */
  guint64 kept;        /* bytes of the text before the place that a rewind goes to … */
  guint64 kept_line;   /* … and the number of its line */
} TallCsvLines;

gboolean tall_csv_lines_open (TallCsvLines *self,
                              const char *path,
                              const char *encoding,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_lines_clear (TallCsvLines *self);
gboolean tall_csv_lines_fill (TallCsvLines *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gsize tall_csv_lines_find_end (const TallCsvLines *self);
gboolean tall_csv_lines_skip (TallCsvLines *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_lines_keep (TallCsvLines *self,
                              const char *folder,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint64 tall_csv_lines_get_position (const TallCsvLines *self);
gboolean tall_csv_lines_rewind (TallCsvLines *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
