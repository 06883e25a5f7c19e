/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader-private.h"

#include "base/fail.h"

#include <gio/gio.h>

#define UTF8 "UTF-8"
#define UTF8_MARK "\xef\xbb\xbf"
#define MARK 0xff

static gboolean
is_utf8 (const char *encoding)
{
  return encoding == NULL || g_ascii_strcasecmp (encoding, UTF8) == 0
         || g_ascii_strcasecmp (encoding, "UTF8") == 0;
}

static GConverter *
make_converter (const char *encoding)
{
  return (GConverter *)g_charset_converter_new (UTF8, encoding, NULL);
}

/* @encoding: a name, such as `ISO-8859-1`. Returns: TRUE if texts in it can be read */
gboolean
tall_csv_encoding_is_known (const char *encoding)
{
  for (const char *at = encoding; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && strchr ("-_.:+()", *at) == NULL)
      return FALSE;
  g_autoptr (GConverter) converter = make_converter (encoding);
  return *encoding != '\0' && converter != NULL;
}

/* How many bytes a second `a` adds: what one bad character costs, so that the next is read from its
 * beginning. */
static gsize
measure_unit (const char *encoding)
{
  gsize one = 0, two = 0;
  g_autofree char *a = g_convert ("a", 1, encoding, UTF8, NULL, &one, NULL);
  g_autofree char *aa = g_convert ("aa", 2, encoding, UTF8, NULL, &two, NULL);
  return a != NULL && aa != NULL ? CLAMP (two - one, 1, 4) : 1;
}

static gssize
read_source (gpointer from, guint8 *buffer, gsize len, GError **error)
{
  return tall_csv_source_read (from, buffer, len, error);
}

static gboolean
open_encoding (TallCsvLines *self, const char *encoding, GError **error)
{
  if (is_utf8 (encoding))
    return TRUE;
  self->encoding = g_strdup (encoding);
  self->converter = make_converter (encoding);
  if (self->converter == NULL)
    return tall_error_fail_invalid (error, "encoding", "there is no encoding “%s”", encoding);
  self->unit = measure_unit (encoding);
  tall_csv_window_init (&self->foreign, read_source, self->source);
  if (!tall_csv_window_want (&self->foreign, strlen (UTF8_MARK), error))
    return FALSE;
  if (!tall_slice_has_prefix (tall_csv_window_get (&self->foreign), tall_slice_str (UTF8_MARK)))
    return TRUE;
  return tall_error_fail_invalid (
      error, "encoding", "%s begins with the mark of UTF-8, and is not %s; leave out encoding = %s",
      self->source->name, encoding, encoding);
}

/* Writes a mark for each byte of a character that the encoding does not have. */
static gsize
mark_bad (TallCsvLines *self, guint8 *buffer)
{
  TallSlice bad = tall_csv_window_get (&self->foreign);
  gsize n = MIN (self->unit, bad.len);
  for (gsize i = 0; i < n; i++)
    {
      *buffer++ = MARK;
      *buffer++ = (guint8)(0x80 | bad.data[i] >> 4);
      *buffer++ = (guint8)(0x80 | (bad.data[i] & 0x0f));
    }
  self->foreign.start += n;
  return n * TALL_CSV_MARK_SIZE;
}

/* Converts what is there. Returns FALSE if the file cannot be read. */
static gboolean
convert (TallCsvLines *self, guint8 *buffer, gsize len, gsize *written, GError **error)
{
  g_autoptr (GError) local = NULL;
  gsize taken = 0;
  TallSlice in = tall_csv_window_get (&self->foreign);
  GConverterResult result = g_converter_convert (self->converter, in.data, in.len, buffer, len, 0,
                                                 &taken, written, &local);
  if (result != G_CONVERTER_ERROR)
    {
      self->foreign.start += taken;
      return TRUE;
    }
  *written = 0;
  if (g_error_matches (local, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT) && !self->foreign.ended)
    return tall_csv_window_want (&self->foreign, in.len + 1, error);
  *written = mark_bad (self, buffer);
  return TRUE;
}

/* @buffer: (out) gets at most @len bytes of UTF-8, and of marks. @len: at least 16. Returns: how
 * many bytes were read; 0 at the end; -1 as tall_csv_source_read() */
static gssize
read_text (TallCsvLines *self, guint8 *buffer, gsize len, GError **error)
{
  gsize written = 0;
  if (self->converter == NULL)
    return tall_csv_source_read (self->source, buffer, len, error);
  while (written == 0)
    {
      if (!tall_csv_window_want (&self->foreign, 1, error))
        return -1;
      if (tall_csv_window_get (&self->foreign).len == 0)
        return 0;
      if (!convert (self, buffer, len, &written, error))
        return -1;
    }
  return (gssize)written;
}

/* @text: with marks. Returns: (transfer full) (nullable): the same with the bytes that the marks
 * stand for; those below 0x80 would be other characters in UTF-8, and become 0xff; NULL if there is
 * no mark */
GByteArray *
tall_csv_marks_replace (TallSlice text)
{
  const guint8 *end = text.data + text.len;
  const guint8 *mark = text.len > 0 ? memchr (text.data, MARK, text.len) : NULL;
  if (mark == NULL)
    return NULL;
  GByteArray *plain = g_byte_array_sized_new ((guint)text.len);
  const guint8 *at = text.data;
  for (; mark != NULL && end - mark >= TALL_CSV_MARK_SIZE;
       mark = memchr (at, MARK, (gsize)(end - at)))
    {
      guint8 byte = tall_csv_mark_get_byte (mark);
      guint8 shown = byte >= 0x80 ? byte : MARK;
      g_byte_array_append (plain, at, (guint)(mark - at));
      g_byte_array_append (plain, &shown, 1);
      at = mark + TALL_CSV_MARK_SIZE;
    }
  g_byte_array_append (plain, at, (guint)(end - at));
  return plain;
}

/* @path: a file, or `-` for standard input. @encoding: (nullable): of the file, by a name that
 * iconv knows; NULL: UTF-8. Returns: FALSE as tall_csv_source_open(), or with %TALL_ERROR_INVALID
 * if the file is clearly of another encoding */
gboolean
tall_csv_lines_open (TallCsvLines *self, const char *path, const char *encoding, GError **error)
{
  *self = (TallCsvLines){ .line = 1 };
  self->source = tall_csv_source_open (path, error);
  return self->source != NULL && open_encoding (self, encoding, error);
}

void
tall_csv_lines_clear (TallCsvLines *self)
{
  tall_csv_source_free (self->source);
  g_clear_object (&self->converter);
  tall_csv_window_clear (&self->foreign);
  g_free (self->encoding);
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

/* Reads more; sets @file_ended if there is nothing. Returns: FALSE if the file cannot be read */
gboolean
tall_csv_lines_fill (TallCsvLines *self, GError **error)
{
  make_room (self);
  gssize n = read_text (self, self->buffer + self->end, TALL_CSV_CHUNK_SIZE, error);
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

/* A CR at the very end of the buffer may be half of a CR LF. Returns: the end of the line that
 * begins at @at, line end included; %TALL_CSV_NOT_YET if it is not in the buffer */
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

/* Drops what is left of a line that is longer than a row may be. Returns: FALSE if the file cannot
 * be read */
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

gboolean
tall_csv_lines_rewind (TallCsvLines *self, GError **error)
{
  self->record = self->first_end = self->at = self->end = 0;
  self->consumed = 0;
  self->file_ended = FALSE;
  if (self->converter != NULL)
    {
      tall_csv_window_empty (&self->foreign);
      g_object_unref (self->converter); /* one that is reset does not look for a mark again */
      self->converter = make_converter (self->encoding);
    }
  if (!tall_csv_source_rewind (self->source, error))
    return FALSE;
  while (self->end < self->kept && !self->file_ended)
    if (!tall_csv_lines_fill (self, error))
      return FALSE;
  self->record = self->first_end = self->at = (gsize)MIN (self->kept, self->end);
  self->line = self->kept_line;
  return TRUE;
}
