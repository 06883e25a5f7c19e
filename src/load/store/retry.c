/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/retry.h"
#include "load/csv/reader.h"
#include "tall-error.h"
#include "load/store/rejects.h"
#include "load/orders/spool.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define MAX_FIELDS 5

/* A row that is as long as rows may be was cut: it stays too long. */
#define CUT_MARK "..."

typedef struct
{
  const char *path;
  const char *folder;
  GPtrArray *files; /* of TallRetryFile */
  TallSpool *spool; /* their rows */
  GByteArray *text; /* of the record that is being read */
  GArray *ends;     /* of gsize: where each of its fields ends in @text */
  guint64 line;     /* where it begins */
  guint n_fields;   /* of each record; 0: the first has not been read */
  gboolean row_done;
  GError *failure;
} Retry;

static void
file_free (gpointer data)
{
  TallRetryFile *self = data;
  if (self->file != NULL)
    fclose (self->file);
  g_free (self->name);
  g_free (self);
}

static TallSlice
get_field (const Retry *self, guint i)
{
  gsize start = i > 0 ? g_array_index (self->ends, gsize, i - 1) : 0;
  return tall_slice (self->text->data + start, g_array_index (self->ends, gsize, i) - start);
}

static gboolean
is_field (const Retry *self, guint i, const char *text)
{
  return tall_slice_equal (get_field (self, i), tall_slice_str (text));
}

static void
set_io_failure (Retry *self, const char *what)
{
  g_set_error (&self->failure, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "The rows of %s cannot be kept in %s: %s: %s. Name another folder with --spool",
               self->path, self->folder, what, g_strerror (errno));
}

/* The position of a file, which is made if it is new. */
static guint
find_file (Retry *self, TallSlice name)
{
  for (guint i = 0; i < self->files->len; i++)
    if (tall_slice_equal (tall_slice_str (((TallRetryFile *)self->files->pdata[i])->name), name))
      return i;
  g_autofree char *path = g_build_filename (self->folder, "tallorder-XXXXXX", NULL);
  int fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 || g_unlink (path) != 0)
    {
      set_io_failure (self, "making a file");
      return 0;
    }
  TallRetryFile *file = g_new0 (TallRetryFile, 1);
  file->name = g_strndup ((const char *)name.data, name.len);
  file->file = fdopen (fd, "w+");
  file->line = 1;
  g_ptr_array_add (self->files, file);
  return self->files->len - 1;
}

/* The first record of a reject file says what the others have. */
static void
check_first (Retry *self)
{
  static const char *const names[] = { "file", "line", "column", "reason", "row" };
  guint n = self->ends->len, skipped = n == MAX_FIELDS ? 0 : 1;
  gboolean ok = n == MAX_FIELDS || n == MAX_FIELDS - 1;
  for (guint i = 0; ok && i < n; i++)
    ok = is_field (self, i, names[i + skipped]);
  self->n_fields = n;
  if (!ok)
    g_set_error (&self->failure, TALL_ERROR, TALL_ERROR_INVALID,
                 "%s is not the reject file of a load: its first line is not \"line\",\"column\","
                 "\"reason\",\"row\"",
                 self->path);
}

/* A row goes where it was in its file, so that lines of orders keep their order. */
static void
put_row (Retry *self, guint file, gboolean is_header)
{
  g_autoptr (GByteArray) key = g_byte_array_new ();
  TallSlice text = get_field (self, self->n_fields - 4);
  g_autofree char *number = g_strndup ((const char *)text.data, text.len);
  tall_bytes_append_u32 (key, file);
  tall_bytes_append_u64 (key, is_header ? 1 : MAX (g_ascii_strtoull (number, NULL, 10), 2));
  tall_bytes_append_u64 (key, self->line);
  if (!tall_spool_put (self->spool, tall_slice_array (key), get_field (self, self->n_fields - 1),
                       &self->failure))
    g_prefix_error (&self->failure, "%s: ", self->path);
}

static void
write_row (Retry *self, TallRetryFile *file, guint64 line, TallSlice row)
{
  for (; file->line < line; file->line++)
    fputc ('\n', file->file);
  fwrite (row.data, 1, row.len, file->file);
  for (gsize i = 0; i < row.len; i++)
    file->line += row.data[i] == '\n';
  if (row.len >= TALL_CSV_MAX_ROW)
    fputs (CUT_MARK, file->file);
  if (fputc ('\n', file->file) == EOF)
    set_io_failure (self, "writing");
  file->line++;
}

static void
write_rows (Retry *self)
{
  TallSlice key, row;
  while (self->failure == NULL && tall_spool_next (self->spool, &key, &row, &self->failure))
    {
      TallReader reader = tall_reader (key);
      TallRetryFile *file = g_ptr_array_index (self->files, tall_reader_u32 (&reader));
      write_row (self, file, tall_reader_u64 (&reader), row);
    }
}

static void
take_record (Retry *self)
{
  if (self->n_fields == 0)
    {
      check_first (self);
      return;
    }
  if (self->ends->len != self->n_fields)
    {
      g_set_error (&self->failure, TALL_ERROR, TALL_ERROR_INVALID,
                   "%s, line %" G_GUINT64_FORMAT ": there are %u fields, not %u; the row has to be "
                   "in quotes, with the quotes in it doubled",
                   self->path, self->line, self->ends->len, self->n_fields);
      return;
    }
  TallSlice name = self->n_fields == MAX_FIELDS ? get_field (self, 0) : tall_slice ("", 0);
  guint i = find_file (self, name);
  if (self->failure != NULL)
    return;
  TallRetryFile *file = g_ptr_array_index (self->files, i);
  gboolean is_header = is_field (self, self->n_fields - 2, TALL_REJECTS_HEADER);
  file->has_header |= is_header;
  if (file->has_header)
    put_row (self, i, is_header);
  else
    g_set_error (&self->failure, TALL_ERROR, TALL_ERROR_INVALID,
                 "%s, line %" G_GUINT64_FORMAT ": there is no header of %s above this row",
                 self->path, self->line, *file->name != '\0' ? file->name : "the file");
}

static void
on_field (void *data, gsize len, gpointer user_data)
{
  Retry *self = user_data;
  tall_bytes_append (self->text, tall_slice (data, len));
  gsize end = self->text->len;
  g_array_append_val (self->ends, end);
}

static void
on_record (int terminator G_GNUC_UNUSED, gpointer user_data)
{
  Retry *self = user_data;
  if (self->failure == NULL)
    take_record (self);
  g_byte_array_set_size (self->text, 0);
  g_array_set_size (self->ends, 0);
  self->row_done = TRUE;
}

static int
is_never_space (unsigned char byte G_GNUC_UNUSED)
{
  return 0;
}

static void
read_lines (Retry *self, FILE *file, struct csv_parser *parser)
{
  g_autofree char *line = NULL;
  size_t size = 0;
  ssize_t len;
  self->row_done = TRUE;
  for (guint64 n = 1; self->failure == NULL && (len = getline (&line, &size, file)) > 0; n++)
    {
      if (self->row_done)
        self->line = n;
      self->row_done = FALSE;
      if (csv_parse (parser, line, (size_t)len, on_field, on_record, self) != (size_t)len)
        g_set_error (&self->failure, TALL_ERROR, TALL_ERROR_INVALID,
                     "%s, line %" G_GUINT64_FORMAT ": a quote stands within a field; quote the "
                     "field and double the quotes in it",
                     self->path, n);
      self->row_done |= self->ends->len == 0 && self->text->len == 0 && len == 1;
    }
  if (self->failure == NULL && csv_fini (parser, on_field, on_record, self) != 0)
    g_set_error (&self->failure, TALL_ERROR, TALL_ERROR_INVALID,
                 "%s, line %" G_GUINT64_FORMAT ": a quote is opened and never closed", self->path,
                 self->line);
}

static void
flush_files (Retry *self)
{
  for (guint i = 0; i < self->files->len && self->failure == NULL; i++)
    if (fflush (((TallRetryFile *)self->files->pdata[i])->file) != 0)
      set_io_failure (self, "writing");
}

/**
 * tall_retry_unpack:
 * @path: a reject file, perhaps mended in an editor
 * @folder: where temporary files without a name go
 *
 * Takes the rows out of a reject file.
 *
 * Returns: (transfer full) (element-type TallRetryFile): a file for each whose rows were rejected;
 *   NULL with %TALL_ERROR_UNAVAILABLE or %TALL_ERROR_INVALID, naming the line
 */
GPtrArray *
tall_retry_unpack (const char *path, const char *folder, GError **error)
{
  struct csv_parser parser;
  FILE *file = fopen (path, "re");
  if (file == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s cannot be opened: %s", path,
                   g_strerror (errno));
      return NULL;
    }
  Retry self = { .path = path, .folder = folder };
  self.files = g_ptr_array_new_with_free_func (file_free);
  self.text = g_byte_array_new ();
  self.ends = g_array_new (FALSE, FALSE, sizeof (gsize));
  if (csv_init (&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
    g_error ("libcsv refuses its own options");
  csv_set_space_func (&parser, is_never_space);
  self.spool = tall_spool_new (&(TallSpoolPlace){ .folder = folder });
  read_lines (&self, file, &parser);
  if (self.failure == NULL)
    write_rows (&self);
  tall_spool_free (self.spool);
  flush_files (&self);
  csv_free (&parser);
  fclose (file);
  g_byte_array_unref (self.text);
  g_array_unref (self.ends);
  if (self.failure == NULL)
    return self.files;
  g_ptr_array_unref (self.files);
  g_propagate_error (error, self.failure);
  return NULL;
}
