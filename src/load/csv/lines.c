/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/lines.h"

/**
 * tall_csv_lines_open:
 * @path: a file, or `-` for standard input
 * @encoding: (nullable): of the file; NULL: UTF-8
 *
 * Returns: FALSE as tall_csv_source_open() and tall_csv_recoder_new()
 */
gboolean
tall_csv_lines_open (TallCsvLines *self, const char *path, const char *encoding, GError **error)
{
  *self = (TallCsvLines){ .line = 1 };
  self->source = tall_csv_source_open (path, error);
  if (self->source != NULL)
    self->recoder = tall_csv_recoder_new (self->source, encoding, error);
  return self->recoder != NULL;
}

void
tall_csv_lines_clear (TallCsvLines *self)
{
  tall_csv_recoder_free (self->recoder);
  tall_csv_source_free (self->source);
  g_free (self->buffer);
}

static void
make_room (TallCsvLines *self)
{
  if (self->record > 0)
    {
      memmove (self->buffer, self->buffer + self->record, self->end - self->record);
      self->consumed += self->record;
      self->first_end -= MIN (self->first_end, self->record);
      self->at -= self->record;
      self->end -= self->record;
      self->record = 0;
    }
  if (self->allocated - self->end < TALL_CSV_CHUNK_SIZE)
    {
      self->allocated = self->end + 2 * TALL_CSV_CHUNK_SIZE;
      self->buffer = g_realloc (self->buffer, self->allocated);
    }
}

/**
 * tall_csv_lines_fill:
 *
 * Reads more; sets @file_ended if there is nothing.
 *
 * Returns: FALSE if the file cannot be read
 */
gboolean
tall_csv_lines_fill (TallCsvLines *self, GError **error)
{
  make_room (self);
  gssize n =
      tall_csv_recoder_read (self->recoder, self->buffer + self->end, TALL_CSV_CHUNK_SIZE, error);
  if (n < 0)
    {
      if (self->line > 1)
        g_prefix_error (error, "After line %" G_GUINT64_FORMAT ": ", self->line - 1);
      return FALSE;
    }
  self->file_ended = n == 0;
  self->end += (gsize)n;
  return TRUE;
}

/**
 * tall_csv_lines_find_end:
 *
 * A CR at the very end of the buffer may be half of a CR LF.
 *
 * Returns: the end of the line that begins at @at, line end included; %TALL_CSV_NOT_YET if it is
 * not in the buffer
 */
gsize
tall_csv_lines_find_end (const TallCsvLines *self)
{
  const guint8 *start = self->buffer + self->at;
  gsize len = self->end - self->at;
  const guint8 *lf = len > 0 ? memchr (start, '\n', len) : NULL;
  gsize before_lf = lf != NULL ? (gsize)(lf - start) : len;
  const guint8 *cr = before_lf > 0 ? memchr (start, '\r', before_lf) : NULL;

  if (cr != NULL && cr + 1 != lf && ((gsize)(cr - start) + 1 < len || self->file_ended))
    return self->at + (gsize)(cr - start) + 1;
  if (lf != NULL)
    return self->at + (gsize)(lf - start) + 1;
  return self->file_ended ? self->end : TALL_CSV_NOT_YET;
}

/**
 * tall_csv_lines_skip:
 *
 * Drops what is left of a line that is longer than a row may be.
 *
 * Returns: FALSE if the file cannot be read
 */
gboolean
tall_csv_lines_skip (TallCsvLines *self, GError **error)
{
  while (tall_csv_lines_find_end (self) == TALL_CSV_NOT_YET)
    {
      self->consumed += self->end - self->record - 1;
      self->buffer[self->record] = self->buffer[self->end - 1]; /* may be half of a CR LF */
      self->end = self->record + 1;
      self->at = self->record;
      if (!tall_csv_lines_fill (self, error))
        return FALSE;
    }
  self->at = tall_csv_lines_find_end (self);
  return TRUE;
}

/* Marks the line at @at as the one that tall_csv_lines_rewind() goes back to. */
gboolean
tall_csv_lines_keep (TallCsvLines *self, const char *folder, GError **error)
{
  self->kept = self->consumed + self->at;
  self->kept_line = self->line;
  return tall_csv_source_keep (self->source, folder, error);
}

gboolean
tall_csv_lines_rewind (TallCsvLines *self, GError **error)
{
  self->record = self->first_end = self->at = self->end = 0;
  self->consumed = 0;
  self->file_ended = FALSE;
  if (!tall_csv_recoder_rewind (self->recoder, error))
    return FALSE;
  while (self->end < self->kept && !self->file_ended)
    if (!tall_csv_lines_fill (self, error))
      return FALSE;
  self->record = self->first_end = self->at = (gsize)MIN (self->kept, self->end);
  self->line = self->kept_line;
  return TRUE;
}

/* Bytes of the file up to @at; where they are unpacked or converted, up to what has been read. */
guint64
tall_csv_lines_get_position (const TallCsvLines *self)
{
  return tall_csv_recoder_is_plain (self->recoder) ? self->consumed + self->at
                                                   : tall_csv_source_get_position (self->source);
}
