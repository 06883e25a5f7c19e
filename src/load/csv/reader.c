/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader-private.h"

#include "base/fail.h"

#define MARK "\xef\xbb\xbf" /* the byte order mark */

#define KIND_NUL "holds a NUL byte"
#define KIND_QUOTE "a quote is not closed, or stands within a field"
#define KIND_LONG "the row is too long"
#define KIND_COUNT "another number of fields than in the header"
#define KIND_NOT_UTF8 "is not UTF-8"
#define KIND_ENCODING "is not of the encoding that the mapping names"

/* Bytes that show whether the file is text. */
#define START_SIZE 4

/* The header of a reject file, as tall-rejects writes it. */
#define REJECTS_HEADER "\"line\",\"column\",\"reason\",\"row\"\n"

static void
begin_record (TallCsvReader *self)
{
  self->lines.record = self->lines.first_end = self->lines.at;
  self->lines.record_line = self->lines.line;
  tall_csv_reader_begin_fields (self);
  g_clear_pointer (&self->reason, g_free);
  self->kind = NULL;
}

static TallSlice
strip_line_end (const guint8 *data, gsize len)
{
  if (len > 0 && data[len - 1] == '\n')
    len--;
  if (len > 0 && data[len - 1] == '\r')
    len--;
  return tall_slice (data, len);
}

/* The record is wrong, so its further lines, if any, may well be rows of their own. */
static void
give_up_record (TallCsvReader *self, char *reason)
{
  self->reason = reason;
  self->kind = KIND_QUOTE;
  self->lines.at = self->lines.first_end;
  self->lines.line = self->lines.record_line + 1;
}

static void
give_up_open_quote (TallCsvReader *self)
{
  give_up_record (self, g_strdup_printf ("a quote is opened and not closed within %" G_GSIZE_FORMAT
                                         " bytes",
                                         self->max_row));
}

/* The file ends within a record. */
static void
give_up_end (TallCsvReader *self)
{
  const TallCsvDialect *dialect = &self->dialect;
  gboolean has_own_rules = dialect->quotes != TALL_CSV_QUOTES_DOUBLE || dialect->backslash;
  give_up_record (self,
                  g_strdup (has_own_rules ? "the file ends within quotes, or after a backslash"
                                          : "a quote is opened and never closed"));
}

/* Reads the line up to @stop. Returns whether the row is complete, for good or bad. */
static gboolean
parse_line (TallCsvReader *self, gsize stop)
{
  TallCsvLines *lines = &self->lines;
  TallSlice line = tall_slice (lines->buffer + lines->at, stop - lines->at);
  gboolean is_first = lines->at == lines->record;
  if (is_first)
    lines->first_end = stop;
  TallCsvSplit split =
      is_first && tall_csv_reader_split_plain (self, strip_line_end (line.data, line.len))
          ? TALL_CSV_WHOLE
          : tall_csv_reader_split (self, line);
  if (split == TALL_CSV_STRAY_QUOTE)
    {
      give_up_record (self,
                      g_strdup_printf ("a quote stands within a field (line %" G_GUINT64_FORMAT
                                       "); quote the field and double the quotes in it",
                                       lines->line));
      return TRUE;
    }
  lines->at = stop;
  lines->line++;
  if (split == TALL_CSV_GOES_ON && lines->at - lines->record > self->max_row)
    give_up_open_quote (self);
  return split == TALL_CSV_WHOLE || self->reason != NULL;
}

/* People who mend the row need the bytes of the file, not marks. */
static void
unmark (TallCsvReader *self, TallCsvRow *row)
{
  g_clear_pointer (&self->plain, g_byte_array_unref);
  if (self->lines.encoding == NULL)
    return;
  self->plain = tall_csv_marks_replace (row->raw);
  if (self->plain != NULL)
    row->raw = tall_slice (self->plain->data, self->plain->len);
}

static TallCsvRow
make_row (const TallCsvReader *self, guint64 line, TallSlice raw)
{
  return (TallCsvRow){ .file = self->file,
                       .file_name = self->file_name,
                       .line = line,
                       .raw = raw,
                       .fields = (const char *const *)self->fields->pdata,
                       .n_fields = self->is_plain ? tall_csv_reader_count_columns (self)
                                                  : self->fields->len,
                       .is_garbled = self->reason != NULL,
                       .reason = self->reason,
                       .kind = self->kind,
                       .column = TALL_CSV_NO_COLUMN };
}

/* Keeps the beginning, which the rest of the line would push out of the buffer, and the fields that
 * are whole in it: they may say which order the row is of. */
static gboolean
give_up_long_line (TallCsvReader *self, TallCsvRow *row, GError **error)
{
  TallSlice cut = tall_slice (self->lines.buffer + self->lines.record, self->max_row);
  tall_bytes_set (self->cut, cut);
  (void)tall_csv_reader_split (self, cut);
  g_array_set_size (self->offsets,
                    MIN (self->offsets->len - 1, tall_csv_reader_count_columns (self)));
  tall_csv_reader_collect_fields (self);
  self->lines.at = self->lines.record;
  if (!tall_csv_lines_skip (&self->lines, error))
    return FALSE;
  self->lines.line = self->lines.record_line + 1;
  self->reason = g_strdup_printf ("the row is longer than %" G_GSIZE_FORMAT " bytes, of which only "
                                  "the first are kept here",
                                  self->max_row);
  self->kind = KIND_LONG;
  *row = make_row (self, self->lines.record_line, tall_slice_array (self->cut));
  unmark (self, row);
  return TRUE;
}

/* A field of a record that is not plain. */
static TallSlice
get_text (const TallCsvReader *self, guint i)
{
  gsize start = g_array_index (self->offsets, gsize, i);
  gsize stop =
      i + 1 < self->offsets->len ? g_array_index (self->offsets, gsize, i + 1) : self->text->len;
  return tall_slice (self->text->data + start, stop - start - 1);
}

/* @row: the last one. Returns: a field of it; that of a bad row may have NUL bytes */
TallSlice
tall_csv_reader_get_field (const TallCsvReader *self, const TallCsvRow *row, guint i)
{
  return row->reason == NULL ? tall_slice_str (row->fields[i]) : get_text (self, i);
}

static void
check_field (TallCsvReader *self, TallCsvRow *row, guint i)
{
  const char *field = row->fields[i], *bad, *encoding = self->lines.encoding;
  if (g_utf8_validate (field, (gssize)get_text (self, i).len, &bad))
    return;
  row->column = (gint)i;
  self->kind = *bad == '\0' ? KIND_NUL : encoding == NULL ? KIND_NOT_UTF8 : KIND_ENCODING;
  if (*bad == '\0')
    self->reason = g_strdup (KIND_NUL);
  else if (encoding == NULL)
    self->reason = g_strdup_printf (KIND_NOT_UTF8 ": byte 0x%02x at position %d; if the file has "
                                                  "another encoding, name it in the mapping: "
                                                  "encoding = WINDOWS-1252",
                                    (guint8)*bad, (int)(bad - field) + 1);
  else
    self->reason =
        g_strdup_printf ("is not %s: byte 0x%02x at character %d; if the file has another "
                         "encoding, name that in the mapping",
                         encoding, tall_csv_mark_get_byte ((const guint8 *)bad),
                         (int)g_utf8_strlen (field, bad - field) + 1);
}

static void
check_row (TallCsvReader *self, TallCsvRow *row)
{
  guint n_columns = tall_csv_reader_count_columns (self);
  gboolean is_padded = self->dialect.pad && row->n_fields < n_columns;
  if (self->reason == NULL && n_columns > 0 && row->n_fields != n_columns && !is_padded)
    {
      self->reason = g_strdup_printf ("has %u %s where the header has %u", row->n_fields,
                                      row->n_fields == 1 ? "field" : "fields", n_columns);
      self->kind = KIND_COUNT;
    }
  for (guint i = 0; i < row->n_fields && self->reason == NULL && !self->is_plain; i++)
    check_field (self, row, i);
  row->reason = self->reason;
  row->kind = self->kind;
  if (row->reason != NULL)
    unmark (self, row);
  else
    tall_csv_reader_clean_fields (self, row);
}

/* Makes a row of the fields that were split. */
static void
finish_row (TallCsvReader *self, guint64 line, TallSlice raw, TallCsvRow *row)
{
  if (self->reason != NULL)
    tall_csv_reader_guess_fields (self, raw);
  if (!self->is_plain)
    tall_csv_reader_collect_fields (self);
  *row = make_row (self, line, raw);
  check_row (self, row);
  if (self->composites != NULL && row->n_fields == tall_csv_reader_count_columns (self))
    tall_csv_reader_compose_fields (self, row);
}

/* TRUE if as many rows were read as the limit says, so that there may be more. */
gboolean
tall_csv_reader_is_cut (TallCsvReader *self)
{
  return self->limit > 0 && self->n_rows >= self->limit;
}

static TallCsvStep
read_row (TallCsvReader *self, TallCsvRow *row, GError **error)
{
  begin_record (self);
  if (tall_csv_reader_is_cut (self))
    return TALL_CSV_END;
  while (TRUE)
    {
      gsize stop = tall_csv_lines_find_end (&self->lines);
      gsize known = stop != TALL_CSV_NOT_YET ? stop : self->lines.end;
      if (self->lines.at == self->lines.record && known - self->lines.at > self->max_row + 2)
        return give_up_long_line (self, row, error) ? TALL_CSV_ROW : TALL_CSV_FAILED;
      if (stop == TALL_CSV_NOT_YET
          && known - self->lines.record > self->max_row + TALL_CSV_CHUNK_SIZE)
        {
          give_up_open_quote (self);
          break;
        }
      if (stop == TALL_CSV_NOT_YET)
        {
          if (!tall_csv_lines_fill (&self->lines, error))
            return TALL_CSV_FAILED;
          continue;
        }
      if (stop == self->lines.at && self->lines.at == self->lines.record)
        return TALL_CSV_END;
      if (stop == self->lines.at)
        {
          give_up_end (self);
          break;
        }
      guint8 first = self->lines.buffer[self->lines.at];
      if (self->lines.at == self->lines.record && (first == '\n' || first == '\r'))
        {
          self->lines.at = stop;
          self->lines.line++;
          begin_record (self);
          continue;
        }
      if (parse_line (self, stop))
        break;
    }
  finish_row (self, self->lines.record_line,
              strip_line_end (self->lines.buffer + self->lines.record,
                              self->lines.at - self->lines.record),
              row);
  return TALL_CSV_ROW;
}

/* Files that were put together have the header, and its byte order mark, several times. */
static gboolean
is_header_again (const TallCsvReader *self, const TallCsvRow *row)
{
  TallSlice text = row->raw;
  if (self->header == NULL || tall_csv_reader_count_columns (self) < 2)
    return FALSE;
  if (tall_slice_has_prefix (text, tall_slice_str (MARK)))
    text = tall_slice (text.data + strlen (MARK), text.len - strlen (MARK));
  return tall_slice_equal (text, tall_slice_str (self->header));
}

/* @row: (out caller-allocates): the next row, good or bad. Returns: %TALL_CSV_ROW if there is one,
 * %TALL_CSV_END after the last, %TALL_CSV_FAILED with %TALL_ERROR_INTERNAL if the file cannot be
 * read any further */
TallCsvStep
tall_csv_reader_next (TallCsvReader *self, TallCsvRow *row, GError **error)
{
  TallCsvStep step;
  do
    step = read_row (self, row, error);
  while (step == TALL_CSV_ROW && is_header_again (self, row));
  self->n_rows += step == TALL_CSV_ROW;
  return step;
}

/* Makes a row of its text again, wherever the file is read. @text: of a good row of the file, as
 * it was handed over; stays the caller's. @row: (out caller-allocates): the row; its place is
 * not set. */
void
tall_csv_reader_parse (TallCsvReader *self, TallSlice text, TallCsvRow *row)
{
  g_clear_pointer (&self->reason, g_free);
  self->kind = NULL;
  tall_csv_reader_begin_fields (self);
  TallCsvSplit split = tall_csv_reader_split_plain (self, text)
                           ? TALL_CSV_WHOLE
                           : tall_csv_reader_split (self, text);
  if (split == TALL_CSV_GOES_ON && !self->in_quotes) /* it ends with an escaped line end */
    g_byte_array_append (self->text, (const guint8 *)"", 1);
  else if (split != TALL_CSV_WHOLE)
    give_up_end (self);
  finish_row (self, 0, text, row);
}

/* Looks whether the file is text, and skips a byte order mark. */
static gboolean
read_start (TallCsvReader *self, GError **error)
{
  while (self->lines.end < START_SIZE && !self->lines.file_ended)
    if (!tall_csv_lines_fill (&self->lines, error))
      return FALSE;

  if (!tall_csv_source_check_start (self->lines.source,
                                    tall_slice (self->lines.buffer, self->lines.end), error))
    return FALSE;
  if (tall_slice_has_prefix (tall_slice (self->lines.buffer, self->lines.end),
                             tall_slice_str (MARK)))
    self->lines.at = strlen (MARK);
  self->is_rejects = tall_slice_has_prefix (tall_slice (self->lines.buffer, self->lines.end),
                                            tall_slice_str ("\"file\"," REJECTS_HEADER))
                     || tall_slice_has_prefix (tall_slice (self->lines.buffer, self->lines.end),
                                               tall_slice_str (REJECTS_HEADER));
  return TRUE;
}

/* Returns: FALSE with %TALL_ERROR_INVALID, which says what to do, if the file is a reject file */
gboolean
tall_csv_reader_check_data (TallCsvReader *self, GError **error)
{
  if (!self->is_rejects)
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_INVALID,
      "%s is the reject file of a load: its rows are loaded by --retry-rejects %s",
      tall_csv_reader_get_name (self), tall_csv_reader_get_name (self));
}

static gboolean
refuse_header (TallCsvReader *self, const TallCsvRow *row, GError **error)
{
  if (!tall_csv_reader_check_data (self, error))
    return FALSE;
  g_autofree char *column = row->column != TALL_CSV_NO_COLUMN
                                ? g_strdup_printf ("name %d ", row->column + 1)
                                : g_strdup ("");
  const char *advice = g_strcmp0 (row->kind, KIND_NUL) == 0
                           ? "; if the file is UTF-16, name it in the mapping: encoding = UTF-16LE"
                           : "";
  return tall_error_fail (error, TALL_ERROR_INVALID,
                          "%s, line %" G_GUINT64_FORMAT ": the header cannot be read: %s%s%s",
                          tall_csv_reader_get_name (self), row->line, column, row->reason, advice);
}

/* Lines above the header, which may be anything. */
static gboolean
skip_lines (TallCsvReader *self, GError **error)
{
  for (guint i = 0; i < self->dialect.skip_lines; i++)
    {
      self->lines.record = self->lines.at;
      if (!tall_csv_lines_skip (&self->lines, error))
        return FALSE;
      self->lines.line++;
    }
  return TRUE;
}

static gboolean
read_header (TallCsvReader *self, GError **error)
{
  TallCsvRow row;
  if (self->dialect.columns != NULL)
    {
      self->header = g_strdup ("");
      for (char **name = self->dialect.columns; *name != NULL; name++)
        g_ptr_array_add (self->columns, g_strdup (*name));
      g_ptr_array_add (self->columns, NULL);
      return TRUE;
    }
  switch (tall_csv_reader_next (self, &row, error))
    {
    case TALL_CSV_ROW:
      break;
    case TALL_CSV_END:
      return tall_error_fail (error, TALL_ERROR_INVALID,
                              "%s is empty; its first line has to name the columns",
                              tall_csv_reader_get_name (self));
    default:
      return FALSE;
    }
  if (row.reason != NULL)
    return refuse_header (self, &row, error);
  self->header = g_strndup ((const char *)row.raw.data, row.raw.len);
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < row.n_fields; i++)
    {
      const char *name = row.fields[i];
      guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, name)) + 1;
      g_hash_table_insert (counts, g_strdup (name), GUINT_TO_POINTER (count));
      g_ptr_array_add (self->columns,
                       count == 1 ? g_strdup (name) : g_strdup_printf ("%s#%u", name, count));
    }
  g_ptr_array_add (self->columns, NULL);
  return TRUE;
}

/* Opens a file and reads its header. @path: a file, or `-` for standard input. @dialect: how the
 * file is written; its texts stay the caller's, for as long as the reader lives. @max_row: bytes of
 * the longest row, such as %TALL_CSV_MAX_ROW. Returns: (transfer full): the reader; NULL with
 * %TALL_ERROR_UNAVAILABLE if the file cannot be opened, %TALL_ERROR_INVALID if it is not text or
 * has no header */
TallCsvReader *
tall_csv_reader_open (const char *path,
                      const TallCsvDialect *dialect,
                      gsize max_row,
                      GError **error)
{
  g_autoptr (TallCsvReader) self = g_new0 (TallCsvReader, 1);
  self->dialect = *dialect;
  self->max_row = max_row;
  self->n_wanted = G_MAXUINT;
  self->text = g_byte_array_new ();
  self->cut = g_byte_array_new ();
  self->offsets = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->fields = g_ptr_array_new ();
  self->composed = g_string_new (NULL);
  self->columns = g_ptr_array_new_with_free_func (g_free);
  if (!tall_csv_lines_open (&self->lines, path, dialect->encoding, error)
      || !read_start (self, error) || !skip_lines (self, error) || !read_header (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
tall_csv_reader_free (TallCsvReader *self)
{
  if (self == NULL)
    return;
  tall_csv_lines_clear (&self->lines);
  g_free (self->reason);
  g_free (self->header);
  g_clear_pointer (&self->plain, g_byte_array_unref);
  g_byte_array_unref (self->text);
  g_byte_array_unref (self->cut);
  g_array_unref (self->offsets);
  g_ptr_array_unref (self->fields);
  g_ptr_array_unref (self->columns);
  g_clear_pointer (&self->composites, g_ptr_array_unref);
  g_string_free (self->composed, TRUE);
  g_free (self);
}

/* Returns: the names in the header, NULL-terminated; the second column of a name is `NAME#2`, and
 * so on */
const char *const *
tall_csv_reader_get_columns (TallCsvReader *self)
{
  return (const char *const *)self->columns->pdata;
}

/* Makes rows have further fields from now on, after those of the file: one a composite.
 * @composites: (element-type TallCsvComposite): over the columns of this file. */
void
tall_csv_reader_set_composites (TallCsvReader *self, GPtrArray *composites)
{
  g_clear_pointer (&self->composites, g_ptr_array_unref);
  if (composites->len > 0)
    self->composites = g_ptr_array_ref (composites);
}

/* The file's name, for messages. */
const char *
tall_csv_reader_get_name (TallCsvReader *self)
{
  return self->lines.source->name;
}

/* Another name of the file, for messages. */
void
tall_csv_reader_set_name (TallCsvReader *self, const char *name)
{
  g_free (self->lines.source->name);
  self->lines.source->name = g_strdup (name);
}

/* The text of the header, as it stands in the file; in UTF-8. */
TallSlice
tall_csv_reader_get_header (TallCsvReader *self)
{
  return tall_slice_str (self->header);
}

/* @file: the place of the file among those that are read together, which its rows have then.
 * @is_one_of_many: rows have its name, too. */
void
tall_csv_reader_set_file (TallCsvReader *self, guint file, gboolean is_one_of_many)
{
  self->file = file;
  self->file_name = is_one_of_many ? g_intern_string (tall_csv_reader_get_name (self)) : NULL;
}

/* Bytes of the file that have been handed over; where they are unpacked or converted, that have
 * been read. */
guint64
tall_csv_reader_get_position (TallCsvReader *self)
{
  const TallCsvLines *lines = &self->lines;
  gboolean is_plain = lines->converter == NULL && lines->source->packing == NULL;
  return is_plain ? lines->consumed + lines->at : lines->source->position;
}

/* Bytes of the file; 0 if that is not known. */
guint64
tall_csv_reader_get_size (TallCsvReader *self)
{
  return self->lines.source->size;
}

/* Makes reading fail with %G_IO_ERROR_CANCELLED when @stop is not 0 any more. @stop: (nullable):
 * read atomically. */
void
tall_csv_reader_set_stop (TallCsvReader *self, const gint *stop)
{
  self->lines.source->stop = stop;
}

/* Lets the file end after so many rows. @n_rows: 0: all. */
void
tall_csv_reader_set_limit (TallCsvReader *self, guint64 n_rows)
{
  self->limit = n_rows;
}

/* Until the file is read again only so many fields of a good row, from the first on, are sure to be
 * there; n_fields of a row counts all. @n_fields: %G_MAXUINT: all, as in the beginning. */
void
tall_csv_reader_want (TallCsvReader *self, guint n_fields)
{
  self->n_wanted = n_fields;
}

/* Marks the next row as the one that tall_csv_reader_rewind() goes back to. @folder: where a copy
 * of what cannot be read twice goes. Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the copy cannot
 * be made */
gboolean
tall_csv_reader_keep (TallCsvReader *self, const char *folder, GError **error)
{
  self->n_rows = 0;
  self->lines.kept = self->lines.consumed + self->lines.at;
  self->lines.kept_line = self->lines.line;
  return tall_csv_source_keep (self->lines.source, folder, error);
}

/* Returns: FALSE with %TALL_ERROR_INTERNAL if the file cannot be read again */
gboolean
tall_csv_reader_rewind (TallCsvReader *self, GError **error)
{
  self->n_rows = 0;
  self->n_wanted = G_MAXUINT;
  return tall_csv_lines_rewind (&self->lines, error);
}

/* TRUE if the file was written to since it was opened. */
gboolean
tall_csv_reader_has_changed (TallCsvReader *self)
{
  return tall_csv_source_has_changed (self->lines.source);
}
