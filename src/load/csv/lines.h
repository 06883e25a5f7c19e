/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/recoder.h"

G_BEGIN_DECLS

#define TALL_CSV_CHUNK_SIZE (256 * 1024)

/* The end of the line is not in the buffer yet. */
#define TALL_CSV_NOT_YET G_MAXSIZE

/**
 * TallCsvLines:
 *
 * The lines of the record under construction, and what was read ahead:
 *
 *     record      first_end         at                end
 *       | first line  | further lines | next line …    |
 *
 * The reader moves @at, @line and @first_end. Begin with tall_csv_lines_open(). Not thread-safe.
 */
typedef struct
{
  TallCsvSource *source;   /* owned */
  TallCsvRecoder *recoder; /* owned; the source's text in UTF-8 */
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
