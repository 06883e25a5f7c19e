/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-csv-reader.h"
#include "tall-error.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_SIZE (256 * 1024)
#define NOT_YET G_MAXSIZE
#define STOP_CHECK 200 /* milliseconds */

/* The buffer holds the lines of the record under construction and what was read ahead:
 *
 *     record      first_end         at                end
 *       | first line  | further lines | next line …    |
 */
struct _TallCsvReader
{
  char *name;
  int fd;
  guint64 size; /* bytes of the file; 0 if it is no regular file */
  gsize max_row;
  const gint *stop; /* atomic; reading ends when it is not 0 any more; NULL: it never does */
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

  struct csv_parser parser;
  gboolean row_done;
  GByteArray *text;   /* the fields, each with its NUL */
  GArray *offsets;    /* of gsize: where each field begins in @text */
  GPtrArray *fields;  /* of char *, into @text */
  char *reason;       /* of the last bad row */
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

/**
 * tall_csv_reader_set_stop:
 * @stop: (nullable): read atomically
 *
 * Makes reading fail with %G_IO_ERROR_CANCELLED when @stop is not 0 any more and nothing comes.
 */
void
tall_csv_reader_set_stop (TallCsvReader *self, const gint *stop)
{
  self->stop = stop;
}

/* Waits for something to read, as a pipe may be silent for long. */
static gboolean
wait_for_input (const TallCsvReader *self, GError **error)
{
  struct pollfd input = { .fd = self->fd, .events = POLLIN };
  while (self->stop != NULL && poll (&input, 1, STOP_CHECK) <= 0)
    if (g_atomic_int_get (self->stop) != 0)
      {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Reading %s was stopped", self->name);
        return FALSE;
      }
  return TRUE;
}

static gboolean
fill (TallCsvReader *self, GError **error)
{
  if (!wait_for_input (self, error))
    return FALSE;
  make_room (self);
  ssize_t n;
  do
    n = read (self->fd, self->buffer + self->end, CHUNK_SIZE);
  while (n < 0 && errno == EINTR);

  if (n < 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL,
                   "Reading %s failed after line %" G_GUINT64_FORMAT ": %s", self->name,
                   self->line - 1, g_strerror (errno));
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
  *row = (TallCsvRow){ .line = self->record_line,
                       .raw = tall_slice (self->text->data, self->max_row),
                       .reason = self->reason,
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

  self->reason = *bad == '\0' ? g_strdup ("holds a NUL byte")
                              : g_strdup_printf ("is not UTF-8: byte 0x%02x at position %d",
                                                 (guint8)*bad, (int)(bad - field) + 1);
  row->column = (gint)i;
}

static void
check_row (TallCsvReader *self, TallCsvRow *row)
{
  if (self->reason == NULL && self->columns->len > 0 && row->n_fields != self->columns->len - 1)
    self->reason = g_strdup_printf ("has %u fields where the header has %u", row->n_fields,
                                    self->columns->len - 1);
  for (guint i = 0; i < row->n_fields && self->reason == NULL; i++)
    check_field (self, row, i);
  row->reason = self->reason;
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

static gboolean
open_file (TallCsvReader *self, const char *path, GError **error)
{
  gboolean is_stdin = g_strcmp0 (path, "-") == 0;
  self->name = g_strdup (is_stdin ? "standard input" : path);
  self->fd = is_stdin ? dup (STDIN_FILENO) : open (path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (self->fd < 0 || fstat (self->fd, &info) != 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s cannot be opened: %s", self->name,
                   g_strerror (errno));
      return FALSE;
    }
  if (S_ISDIR (info.st_mode))
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s is a directory, not a CSV file",
                   self->name);
      return FALSE;
    }
  self->size = S_ISREG (info.st_mode) ? (guint64)info.st_size : 0;
  return TRUE;
}

static gboolean
skip_byte_order_mark (TallCsvReader *self, GError **error)
{
  while (self->end < 3 && !self->file_ended)
    if (!fill (self, error))
      return FALSE;

  if (self->end >= 3 && memcmp (self->buffer, "\xef\xbb\xbf", 3) == 0)
    self->at = 3;
  if (self->end >= 2
      && (memcmp (self->buffer, "\xff\xfe", 2) == 0 || memcmp (self->buffer, "\xfe\xff", 2) == 0))
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                   "%s is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8", self->name);
      return FALSE;
    }
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
                   "%s is empty; its first line has to name the columns", self->name);
      return FALSE;
    default:
      return FALSE;
    }
  if (row.reason != NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                   "%s, line %" G_GUINT64_FORMAT ": the header cannot be read: %s", self->name,
                   row.line, row.reason);
      return FALSE;
    }
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
 *   opened, %TALL_ERROR_INVALID if it has no header
 */
TallCsvReader *
tall_csv_reader_open (const char *path, char delimiter, gsize max_row, GError **error)
{
  g_autoptr (TallCsvReader) self = g_new0 (TallCsvReader, 1);
  self->fd = -1;
  self->delimiter = delimiter;
  self->max_row = max_row;
  self->line = 1;
  self->text = g_byte_array_new ();
  self->offsets = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->fields = g_ptr_array_new ();
  self->columns = g_ptr_array_new_with_free_func (g_free);
  reset_parser (self);

  if (!open_file (self, path, error) || !skip_byte_order_mark (self, error)
      || !read_header (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
tall_csv_reader_free (TallCsvReader *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  csv_free (&self->parser);
  g_free (self->name);
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
  return self->name;
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
  return self->size;
}
