/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader-private.h"

#define KIND_QUOTE "a quote is not closed, or stands within a field"
#define KIND_LONG "the row is too long"
#define KIND_COUNT "another number of fields than in the header"
#define KIND_NOT_UTF8 "is not UTF-8"
#define KIND_ENCODING "is not of the encoding that the mapping names"

static int
is_never_space (unsigned char byte G_GNUC_UNUSED)
{
  return 0;
}

/* Makes the parser forget what it has seen of a record. */
void
tall_csv_reader_reset_parser (TallCsvReader *self)
{
  csv_free (&self->parser);
  if (csv_init (&self->parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
    g_error ("libcsv refuses its own options");
  csv_set_delim (&self->parser, (unsigned char)self->dialect.delimiter);
  csv_set_space_func (&self->parser, is_never_space);
}

static void
on_row (int terminator G_GNUC_UNUSED, gpointer user_data)
{
  TallCsvReader *self = user_data;
  self->row_done = TRUE;
}

static gboolean
is_line_end (guint8 byte)
{
  return byte == '\n' || byte == '\r';
}

static void
begin_record (TallCsvReader *self)
{
  self->lines.record = self->lines.first_end = self->lines.at;
  self->lines.record_line = self->lines.line;
  self->row_done = self->is_plain = FALSE;
  g_byte_array_set_size (self->text, 0);
  g_array_set_size (self->offsets, 0);
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
  tall_csv_reader_reset_parser (self);
}

static void
give_up_open_quote (TallCsvReader *self)
{
  give_up_record (self, g_strdup_printf ("a quote is opened and not closed within %" G_GSIZE_FORMAT
                                         " bytes",
                                         self->max_row));
}

static char *
describe_parse_failure (TallCsvReader *self)
{
  if (csv_error (&self->parser) == CSV_EPARSE)
    return g_strdup_printf ("a quote stands within a field (line %" G_GUINT64_FORMAT "); quote the "
                            "field and double the quotes in it",
                            self->lines.line);
  return g_strdup (csv_strerror (csv_error (&self->parser)));
}

static gboolean
has_own_rules (const TallCsvReader *self)
{
  return self->dialect.no_quotes || self->dialect.loose || self->dialect.backslash;
}

/* The file ends within a record. */
static void
end_record (TallCsvReader *self)
{
  if (has_own_rules (self))
    give_up_record (self, g_strdup ("the file ends within quotes, or after a backslash"));
  else if (csv_fini (&self->parser, tall_csv_reader_add_field, on_row, self) != 0)
    give_up_record (self, g_strdup ("a quote is opened and never closed"));
}

/* Splits the line up to @stop if it is a whole record that needs no parser. */
static gboolean
split_plain (TallCsvReader *self, gsize stop)
{
  const guint8 *line = self->lines.buffer + self->lines.at;
  if (self->lines.at != self->lines.record || self->columns->len < 2)
    return FALSE;
  guint n_fields = self->columns->len - 1;
  const TallCsvShape shape = { self->dialect.delimiter, n_fields,
                               MIN (n_fields,
                                    self->composites != NULL ? n_fields : self->n_wanted) };
  self->is_plain = tall_csv_split_plain (strip_line_end (line, stop - self->lines.at), &shape,
                                         self->text, self->fields);
  if (!self->is_plain)
    g_byte_array_set_size (self->text, 0);
  return self->is_plain;
}

static gboolean
feed_parser (TallCsvReader *self, gsize stop)
{
  gboolean is_first = self->lines.at == self->lines.record;
  TallSlice line = tall_slice (self->lines.buffer + self->lines.at, stop - self->lines.at);
  if (is_first)
    self->lines.first_end = stop;
  g_autoptr (GByteArray) bare =
      tall_csv_drop_equals (line, self->dialect.delimiter, /* in_quotes: */ !is_first);
  if (bare != NULL)
    line = tall_slice_array (bare);
  if (csv_parse (&self->parser, line.data, line.len, tall_csv_reader_add_field, on_row, self)
      == line.len)
    return TRUE;
  give_up_record (self, describe_parse_failure (self));
  return FALSE;
}

/* Reads the line up to @stop. Returns whether the row is complete, for good or bad. */
static gboolean
parse_line (TallCsvReader *self, gsize stop)
{
  if (has_own_rules (self))
    {
      if (self->lines.at == self->lines.record)
        self->lines.first_end = stop;
      self->row_done = tall_csv_reader_split (self, stop);
    }
  else if (split_plain (self, stop))
    self->row_done = TRUE;
  else if (!feed_parser (self, stop))
    return TRUE;
  self->lines.at = stop;
  self->lines.line++;
  if (!self->row_done && self->lines.at - self->lines.record > self->max_row)
    give_up_open_quote (self);
  return self->row_done || self->reason != NULL;
}

/* People who mend the row need the bytes of the file, not marks. */
static void
unmark (TallCsvReader *self, TallCsvRow *row)
{
  g_clear_pointer (&self->unmarked, g_byte_array_unref);
  if (tall_csv_recoder_get_encoding (self->lines.recoder) == NULL)
    return;
  self->unmarked = tall_csv_marks_replace (row->raw);
  if (self->unmarked != NULL)
    row->raw = tall_slice (self->unmarked->data, self->unmarked->len);
}

/* Keeps the beginning, which the rest of the line would push out of the buffer, and the fields that
 * are whole in it: they may say which order the row is of. */
static void
cut_long_line (TallCsvReader *self)
{
  const guint8 *start = self->lines.buffer + self->lines.record;
  g_byte_array_set_size (self->cut, 0);
  g_byte_array_append (self->cut, start, (guint)self->max_row);
  csv_set_blk_size (&self->parser, self->max_row); /* it would grow by 128 bytes at a time */
  csv_parse (&self->parser, self->cut->data, self->cut->len, tall_csv_reader_add_field, on_row,
             self);
  tall_csv_reader_reset_parser (self);
  g_array_set_size (self->offsets, MIN (self->offsets->len, MAX (self->columns->len, 1) - 1));
  tall_csv_reader_collect_fields (self);
}

static gboolean
give_up_long_line (TallCsvReader *self, TallCsvRow *row, GError **error)
{
  cut_long_line (self);
  self->lines.at = self->lines.record;
  if (!tall_csv_lines_skip (&self->lines, error))
    return FALSE;
  self->lines.line = self->lines.record_line + 1;
  self->reason = g_strdup_printf ("the row is longer than %" G_GSIZE_FORMAT " bytes, of which only "
                                  "the first are kept here",
                                  self->max_row);
  self->kind = KIND_LONG;
  *row = (TallCsvRow){ .file = self->file,
                       .file_name = self->file_name,
                       .line = self->lines.record_line,
                       .raw = tall_slice_array (self->cut),
                       .fields = (const char *const *)self->fields->pdata,
                       .n_fields = self->fields->len,
                       .is_garbled = TRUE,
                       .reason = self->reason,
                       .kind = self->kind,
                       .column = TALL_CSV_NO_COLUMN };
  unmark (self, row);
  return TRUE;
}

static char *
describe_bad_byte (const TallCsvReader *self, const char *field, const char *bad)
{
  const char *encoding = tall_csv_recoder_get_encoding (self->lines.recoder);
  if (encoding == NULL)
    return g_strdup_printf (KIND_NOT_UTF8 ": byte 0x%02x at position %d; if the file has another "
                                          "encoding, name it in the mapping: encoding = "
                                          "WINDOWS-1252",
                            (guint8)*bad, (int)(bad - field) + 1);
  return g_strdup_printf ("is not %s: byte 0x%02x at character %d; if the file has another "
                          "encoding, name that in the mapping",
                          encoding, tall_csv_mark_get_byte ((const guint8 *)bad),
                          (int)g_utf8_strlen (field, bad - field) + 1);
}

static void
check_field (TallCsvReader *self, TallCsvRow *row, guint i)
{
  gsize start = g_array_index (self->offsets, gsize, i);
  gsize stop =
      i + 1 < self->offsets->len ? g_array_index (self->offsets, gsize, i + 1) : self->text->len;
  const char *field = row->fields[i];
  const char *bad;
  if (g_utf8_validate (field, (gssize)(stop - start - 1), &bad))
    return;

  gboolean is_nul = *bad == '\0';
  gboolean is_utf8 = tall_csv_recoder_get_encoding (self->lines.recoder) == NULL;
  self->reason = is_nul ? g_strdup (TALL_CSV_KIND_NUL) : describe_bad_byte (self, field, bad);
  self->kind = is_nul ? TALL_CSV_KIND_NUL : is_utf8 ? KIND_NOT_UTF8 : KIND_ENCODING;
  row->column = (gint)i;
}

static void
check_row (TallCsvReader *self, TallCsvRow *row)
{
  guint n_columns = MAX (self->columns->len, 1) - 1;
  gboolean is_padded = self->dialect.pad && row->n_fields < n_columns;
  if (self->reason == NULL && self->columns->len > 0 && row->n_fields != n_columns && !is_padded)
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

static void
finish_row (TallCsvReader *self, TallCsvRow *row)
{
  TallSlice raw =
      strip_line_end (self->lines.buffer + self->lines.record, self->lines.at - self->lines.record);
  gboolean is_garbled = self->reason != NULL;
  if (is_garbled)
    tall_csv_reader_guess_fields (self, raw);
  if (!self->is_plain)
    tall_csv_reader_collect_fields (self);
  *row = (TallCsvRow){ .file = self->file,
                       .file_name = self->file_name,
                       .line = self->lines.record_line,
                       .raw = raw,
                       .fields = (const char *const *)self->fields->pdata,
                       .n_fields = self->is_plain ? self->columns->len - 1 : self->fields->len,
                       .is_garbled = is_garbled,
                       .column = TALL_CSV_NO_COLUMN };
  check_row (self, row);
  if (self->composites != NULL && row->n_fields == self->columns->len - 1)
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
          end_record (self);
          break;
        }
      if (self->lines.at == self->lines.record && is_line_end (self->lines.buffer[self->lines.at]))
        {
          self->lines.at = stop;
          self->lines.line++;
          begin_record (self);
          continue;
        }
      if (parse_line (self, stop))
        break;
    }
  finish_row (self, row);
  return TALL_CSV_ROW;
}

/* Files that were put together have the header, and its byte order mark, several times. */
static gboolean
is_header_again (const TallCsvReader *self, const TallCsvRow *row)
{
  TallSlice text = row->raw;
  if (self->header == NULL || self->columns->len < 3)
    return FALSE;
  if (tall_slice_has_prefix (text, tall_slice_str (TALL_CSV_MARK)))
    text = tall_slice (text.data + strlen (TALL_CSV_MARK), text.len - strlen (TALL_CSV_MARK));
  return tall_slice_equal (text, tall_slice_str (self->header));
}

/**
 * tall_csv_reader_next:
 * @row: (out caller-allocates): the next row, good or bad
 *
 * Returns: %TALL_CSV_ROW if there is one, %TALL_CSV_END after the last, %TALL_CSV_FAILED with
 *   %TALL_ERROR_INTERNAL if the file cannot be read any further
 */
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
