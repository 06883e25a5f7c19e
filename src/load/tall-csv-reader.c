/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-csv-reader.h"
#include "tall-csv-source.h"
#include "tall-error.h"

#include <csv.h>

#define CHUNK_SIZE (256 * 1024)
#define NOT_YET G_MAXSIZE

/* Bytes that show whether the file is text. */
#define START_SIZE 4

#define KIND_QUOTE "a quote is not closed, or stands within a field"
#define KIND_LONG "the row is too long"
#define KIND_COUNT "another number of fields than in the header"
#define KIND_NUL "holds a NUL byte"
#define KIND_ENCODING "is not UTF-8"

/* The buffer holds the lines of the record under construction and what was read ahead:
 *
 *     record      first_end         at                end
 *       | first line  | further lines | next line …    |
 */
/* The header of a reject file, as tall-rejects writes it. */
#define REJECTS_HEADER "\"line\",\"column\",\"reason\",\"row\"\n"

struct _TallCsvReader
{
  gboolean is_rejects;   /* the file begins as a reject file does */
  TallCsvSource *source; /* owned */
  gsize max_row;
  char delimiter;

  guint8 *buffer;
  gsize allocated;
  gsize record;        /* where the record begins */
  gsize first_end;     /* where its first line ends */
  gsize at;            /* what the parser has seen ends here */
  gsize end;           /* of the bytes in the buffer */
  gboolean file_ended; /* nothing left to read */
  guint64 consumed;    /* bytes of the file before the buffer */
  guint64 line;        /* number of the line that begins at @at */
  guint64 record_line; /* number of the line that begins at @record */
  guint64 kept;        /* bytes of the file before the place that a rewind goes to … */
  guint64 kept_line;   /* … and the number of its line */

  struct csv_parser parser;
  gboolean row_done;
  GByteArray *text;   /* the fields, each with its NUL */
  GArray *offsets;    /* of gsize: where each field begins in @text */
  GPtrArray *fields;  /* of char *, into @text */
  char *reason;       /* of the last bad row */
  const char *kind;   /* and its kind */
  GPtrArray *columns; /* of char *; NULL-terminated */
};

static int
is_never_space (unsigned char byte G_GNUC_UNUSED)
{
  return 0;
}

static void
reset_parser (TallCsvReader *self)
{
  csv_free (&self->parser);
  if (csv_init (&self->parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
    g_error ("libcsv refuses its own options");
  csv_set_delim (&self->parser, (unsigned char)self->delimiter);
  csv_set_space_func (&self->parser, is_never_space);
}

static void
on_field (void *data, gsize len, gpointer user_data)
{
  TallCsvReader *self = user_data;
  gsize offset = self->text->len;
  g_array_append_val (self->offsets, offset);
  if (len > 0)
    g_byte_array_append (self->text, data, len);
  g_byte_array_append (self->text, (const guint8 *)"", 1);
}

static void
on_row (int terminator G_GNUC_UNUSED, gpointer user_data)
{
  TallCsvReader *self = user_data;
  self->row_done = TRUE;
}

static void
make_room (TallCsvReader *self)
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
  if (self->allocated - self->end < CHUNK_SIZE)
    {
      self->allocated = self->end + 2 * CHUNK_SIZE;
      self->buffer = g_realloc (self->buffer, self->allocated);
    }
}

static gboolean
fill (TallCsvReader *self, GError **error)
{
  make_room (self);
  gssize n = tall_csv_source_read (self->source, self->buffer + self->end, CHUNK_SIZE, error);
  if (n < 0)
    {
      g_prefix_error (error, "After line %" G_GUINT64_FORMAT ": ", self->line - 1);
      return FALSE;
    }
  self->file_ended = n == 0;
  self->end += (gsize)n;
  return TRUE;
}

/* The end of the line that begins at @at, line end included; NOT_YET if it is not in the buffer. A
 * CR at the very end may be half of a CR LF. */
static gsize
find_line_end (const TallCsvReader *self)
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
  return self->file_ended ? self->end : NOT_YET;
}

static gboolean
is_line_end (guint8 byte)
{
  return byte == '\n' || byte == '\r';
}

/* Drops what is left of a line that is longer than a row may be. */
static gboolean
skip_line (TallCsvReader *self, GError **error)
{
  while (find_line_end (self) == NOT_YET)
    {
      self->consumed += self->end - self->record - 1;
      self->buffer[self->record] = self->buffer[self->end - 1]; /* may be half of a CR LF */
      self->end = self->record + 1;
      self->at = self->record;
      if (!fill (self, error))
        return FALSE;
    }
  self->at = find_line_end (self);
  return TRUE;
}

static void
begin_record (TallCsvReader *self)
{
  self->record = self->first_end = self->at;
  self->record_line = self->line;
  self->row_done = FALSE;
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
  self->at = self->first_end;
  self->line = self->record_line + 1;
  reset_parser (self);
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
                            self->line);
  return g_strdup (csv_strerror (csv_error (&self->parser)));
}

/* The file ends within a record. */
static void
end_record (TallCsvReader *self)
{
  if (csv_fini (&self->parser, on_field, on_row, self) != 0)
    give_up_record (self, g_strdup ("a quote is opened and never closed"));
}

/* Gives the parser the line up to @stop. Returns whether the row is complete, for good or bad. */
static gboolean
parse_line (TallCsvReader *self, gsize stop)
{
  gsize len = stop - self->at;
  if (self->at == self->record)
    self->first_end = stop;

  if (csv_parse (&self->parser, self->buffer + self->at, len, on_field, on_row, self) != len)
    {
      give_up_record (self, describe_parse_failure (self));
      return TRUE;
    }
  self->at = stop;
  self->line++;
  if (!self->row_done && self->at - self->record > self->max_row)
    give_up_open_quote (self);
  return self->row_done || self->reason != NULL;
}

static gboolean
give_up_long_line (TallCsvReader *self, TallCsvRow *row, GError **error)
{
  /* What is reported must survive the rest of the line passing through the buffer. */
  g_byte_array_append (self->text, self->buffer + self->record, self->max_row);
  reset_parser (self);
  self->at = self->record;
  if (!skip_line (self, error))
    return FALSE;
  self->line = self->record_line + 1;
  self->reason = g_strdup_printf ("the row is longer than %" G_GSIZE_FORMAT " bytes, of which only "
                                  "the first are kept here",
                                  self->max_row);
  self->kind = KIND_LONG;
  *row = (TallCsvRow){ .line = self->record_line,
                       .raw = tall_slice (self->text->data, self->max_row),
                       .reason = self->reason,
                       .kind = self->kind,
                       .column = TALL_CSV_NO_COLUMN };
  return TRUE;
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

  if (*bad == '\0')
    self->reason = g_strdup (KIND_NUL);
  else
    self->reason = g_strdup_printf (KIND_ENCODING
                                    ": byte 0x%02x at position %d; if the file has "
                                    "another encoding, such as Windows-1252, convert it: iconv -f "
                                    "WINDOWS-1252 -t UTF-8",
                                    (guint8)*bad, (int)(bad - field) + 1);
  self->kind = *bad == '\0' ? KIND_NUL : KIND_ENCODING;
  row->column = (gint)i;
}

static void
check_row (TallCsvReader *self, TallCsvRow *row)
{
  if (self->reason == NULL && self->columns->len > 0 && row->n_fields != self->columns->len - 1)
    {
      self->reason =
          g_strdup_printf ("has %u %s where the header has %u", row->n_fields,
                           row->n_fields == 1 ? "field" : "fields", self->columns->len - 1);
      self->kind = KIND_COUNT;
    }
  for (guint i = 0; i < row->n_fields && self->reason == NULL; i++)
    check_field (self, row, i);
  row->reason = self->reason;
  row->kind = self->kind;
}

static void
finish_row (TallCsvReader *self, TallCsvRow *row)
{
  g_ptr_array_set_size (self->fields, 0);
  for (guint i = 0; i < self->offsets->len; i++)
    g_ptr_array_add (self->fields, self->text->data + g_array_index (self->offsets, gsize, i));

  *row = (TallCsvRow){ .line = self->record_line,
                       .raw = strip_line_end (self->buffer + self->record, self->at - self->record),
                       .fields = (const char *const *)self->fields->pdata,
                       .n_fields = self->fields->len,
                       .column = TALL_CSV_NO_COLUMN };
  check_row (self, row);
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
  begin_record (self);
  while (TRUE)
    {
      gsize stop = find_line_end (self);
      gsize known = stop != NOT_YET ? stop : self->end;
      if (self->at == self->record && known - self->at > self->max_row + 2)
        return give_up_long_line (self, row, error) ? TALL_CSV_ROW : TALL_CSV_FAILED;
      if (stop == NOT_YET && known - self->record > self->max_row + CHUNK_SIZE)
        {
          give_up_open_quote (self);
          break;
        }
      if (stop == NOT_YET)
        {
          if (!fill (self, error))
            return TALL_CSV_FAILED;
          continue;
        }
      if (stop == self->at && self->at == self->record)
        return TALL_CSV_END;
      if (stop == self->at)
        {
          end_record (self);
          break;
        }
      if (self->at == self->record && is_line_end (self->buffer[self->at]))
        {
          self->at = stop;
          self->line++;
          begin_record (self);
          continue;
        }
      if (parse_line (self, stop))
        break;
    }
  finish_row (self, row);
  return TALL_CSV_ROW;
}

/* Looks whether the file is text, and skips a byte order mark. */
static gboolean
read_start (TallCsvReader *self, GError **error)
{
  while (self->end < START_SIZE && !self->file_ended)
    if (!fill (self, error))
      return FALSE;

  if (!tall_csv_source_check_start (self->source, tall_slice (self->buffer, self->end), error))
    return FALSE;
  if (self->end >= 3 && memcmp (self->buffer, "\xef\xbb\xbf", 3) == 0)
    self->at = 3;
  self->is_rejects =
      tall_slice_has_prefix (tall_slice (self->buffer, self->end), tall_slice_str (REJECTS_HEADER));
  return TRUE;
}

/* A name that stands more than once in the header becomes NAME, NAME#2, NAME#3 … */
static void
add_column (TallCsvReader *self, GHashTable *counts, const char *name)
{
  guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, name)) + 1;
  g_hash_table_insert (counts, g_strdup (name), GUINT_TO_POINTER (count));
  g_ptr_array_add (self->columns,
                   count == 1 ? g_strdup (name) : g_strdup_printf ("%s#%u", name, count));
}

/**
 * tall_csv_reader_check_data:
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, which says what to do, if the file is a reject file
 */
gboolean
tall_csv_reader_check_data (TallCsvReader *self, GError **error)
{
  if (!self->is_rejects)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
               "%s is the reject file of a load: the rows stand in its column row. Take them out "
               "and load them below the header of the original; tallorder load --help has a "
               "command for that",
               tall_csv_reader_get_name (self));
  return FALSE;
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
                           ? "; if the file is UTF-16, convert it: iconv -f UTF-16LE -t UTF-8"
                           : "";
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
               "%s, line %" G_GUINT64_FORMAT ": the header cannot be read: %s%s%s",
               tall_csv_reader_get_name (self), row->line, column, row->reason, advice);
  return FALSE;
}

static gboolean
read_header (TallCsvReader *self, GError **error)
{
  TallCsvRow row;
  switch (tall_csv_reader_next (self, &row, error))
    {
    case TALL_CSV_ROW:
      break;
    case TALL_CSV_END:
      g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                   "%s is empty; its first line has to name the columns",
                   tall_csv_reader_get_name (self));
      return FALSE;
    default:
      return FALSE;
    }
  if (row.reason != NULL)
    return refuse_header (self, &row, error);
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < row.n_fields; i++)
    add_column (self, counts, row.fields[i]);
  g_ptr_array_add (self->columns, NULL);
  return TRUE;
}

/**
 * tall_csv_reader_open:
 * @path: a file, or `-` for standard input
 * @delimiter: what separates fields, such as `,`
 * @max_row: bytes of the longest row, such as %TALL_CSV_MAX_ROW
 *
 * Opens a file and reads its header.
 *
 * Returns: (transfer full): the reader; NULL with %TALL_ERROR_UNAVAILABLE if the file cannot be
 *   opened, %TALL_ERROR_INVALID if it is no text or has no header
 */
TallCsvReader *
tall_csv_reader_open (const char *path, char delimiter, gsize max_row, GError **error)
{
  g_autoptr (TallCsvReader) self = g_new0 (TallCsvReader, 1);
  self->delimiter = delimiter;
  self->max_row = max_row;
  self->line = 1;
  self->text = g_byte_array_new ();
  self->offsets = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->fields = g_ptr_array_new ();
  self->columns = g_ptr_array_new_with_free_func (g_free);
  reset_parser (self);

  self->source = tall_csv_source_open (path, error);
  if (self->source == NULL || !read_start (self, error) || !read_header (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
tall_csv_reader_free (TallCsvReader *self)
{
  if (self == NULL)
    return;
  tall_csv_source_free (self->source);
  csv_free (&self->parser);
  g_free (self->buffer);
  g_free (self->reason);
  g_byte_array_unref (self->text);
  g_array_unref (self->offsets);
  g_ptr_array_unref (self->fields);
  g_ptr_array_unref (self->columns);
  g_free (self);
}

/**
 * tall_csv_reader_get_columns:
 *
 * Returns: (transfer none): the names in the header, NULL-terminated; the second column of a name
 *   is `NAME#2`, and so on
 */
const char *const *
tall_csv_reader_get_columns (TallCsvReader *self)
{
  return (const char *const *)self->columns->pdata;
}

/* The file's name, for messages. */
const char *
tall_csv_reader_get_name (TallCsvReader *self)
{
  return tall_csv_source_get_name (self->source);
}

/* How many bytes of the file have been handed over. */
guint64
tall_csv_reader_get_position (TallCsvReader *self)
{
  return self->consumed + self->at;
}

/* Bytes of the file; 0 if that is not known. */
guint64
tall_csv_reader_get_size (TallCsvReader *self)
{
  return tall_csv_source_get_size (self->source);
}

/**
 * tall_csv_reader_set_stop:
 * @stop: (nullable): read atomically
 *
 * Makes reading fail with %G_IO_ERROR_CANCELLED when @stop is not 0 any more.
 */
void
tall_csv_reader_set_stop (TallCsvReader *self, const gint *stop)
{
  tall_csv_source_set_stop (self->source, stop);
}

/**
 * tall_csv_reader_keep:
 * @folder: where a copy of what cannot be read twice goes
 *
 * Marks the next row as the one that tall_csv_reader_rewind() goes back to.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the copy cannot be made
 */
gboolean
tall_csv_reader_keep (TallCsvReader *self, const char *folder, GError **error)
{
  self->kept = self->consumed + self->at;
  self->kept_line = self->line;
  return tall_csv_source_keep (self->source, folder,
                               tall_slice (self->buffer + self->at, self->end - self->at), error);
}

/**
 * tall_csv_reader_rewind:
 *
 * Returns: FALSE with %TALL_ERROR_INTERNAL if the file cannot be read again
 */
gboolean
tall_csv_reader_rewind (TallCsvReader *self, GError **error)
{
  reset_parser (self);
  self->record = self->first_end = self->at = self->end = 0;
  self->consumed = self->kept;
  self->line = self->kept_line;
  self->file_ended = FALSE;
  return tall_csv_source_rewind (self->source, error);
}

/* TRUE if the file was written to since it was opened. */
gboolean
tall_csv_reader_has_changed (TallCsvReader *self)
{
  return tall_csv_source_has_changed (self->source);
}
