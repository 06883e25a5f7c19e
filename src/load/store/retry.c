/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/rejects.h"

#include "load/csv/reader.h"
#include "load/sql/temp-db.h"
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

/* A row stands in the reject file with quotes that are doubled, and with the reason, which may have
 * its text. */
#define MAX_RECORD ((gsize)8 * TALL_CSV_MAX_ROW)

/* A row that is as long as rows may be was cut: it stays too long. */
#define CUT_MARK "..."

/* Rows of several files, in any order; `place` is that in the reject file. */
#define CREATE "CREATE TABLE t(file, line, place, text); BEGIN"
#define PUT "INSERT INTO t VALUES(?1, ?2, ?3, ?4)"
#define READ "SELECT file, line, text FROM t ORDER BY file, line, place"

typedef struct
{
  const char *path;
  const char *folder;
  TallCsvReader *reader;
  guint n_fields;
  GPtrArray *files; /* of TallRetryFile */
  TallTempDb *db;   /* their rows */
  sqlite3_stmt *put;
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

static gboolean
set_io_failure (const Retry *self, const char *what, GError **error)
{
  return tall_error_fail (
      error, TALL_ERROR_UNAVAILABLE,
      "The rows of %s cannot be kept in %s: %s: %s. Name another folder with --spool", self->path,
      self->folder, what, g_strerror (errno));
}

static gboolean G_GNUC_PRINTF (4, 5)
    refuse (const Retry *self, guint64 line, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return tall_error_fail (error, TALL_ERROR_INVALID, "%s, line %" G_GUINT64_FORMAT ": %s",
                          self->path, line, what);
}

/* The position of a file, which is made if it is new; -1 with an error if it cannot be. */
static gint
find_file (Retry *self, TallSlice name, GError **error)
{
  for (guint i = 0; i < self->files->len; i++)
    if (tall_slice_equal (tall_slice_str (((TallRetryFile *)self->files->pdata[i])->name), name))
      return (gint)i;
  g_autofree char *path = g_build_filename (self->folder, "tallorder-XXXXXX", NULL);
  int fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 || g_unlink (path) != 0)
    {
      set_io_failure (self, "making a file", error);
      return -1;
    }
  TallRetryFile *file = g_new0 (TallRetryFile, 1);
  file->name = g_strndup ((const char *)name.data, name.len);
  file->file = fdopen (fd, "w+");
  file->line = 1;
  g_ptr_array_add (self->files, file);
  return (gint)self->files->len - 1;
}

/* The header of a reject file says what its rows have. */
static gboolean
check_header (Retry *self, GError **error)
{
  static const char *const names[] = { "file", "line", "column", "reason", "row", NULL };
  const char *const *columns = tall_csv_reader_get_columns (self->reader);
  self->n_fields = g_strv_length ((char **)columns);
  if (g_strv_equal (columns, names) || g_strv_equal (columns, names + 1))
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_INVALID,
      "%s is not the reject file of a load: its first line is not \"line\",\"column\","
      "\"reason\",\"row\"",
      self->path);
}

/* A row goes where it was in its file, so that lines of orders keep their order. */
static gboolean
put_row (Retry *self, const TallCsvRow *row, GError **error)
{
  guint n = self->n_fields;
  if (row->n_fields != n)
    return refuse (
        self, row->line, error,
        "there are %u fields, not %u; the row has to be in quotes, with the quotes in it "
        "doubled",
        row->n_fields, n);
  if (row->reason != NULL && row->column == TALL_CSV_NO_COLUMN)
    return refuse (self, row->line, error, "%s", row->reason);
  TallSlice text = tall_csv_reader_get_field (self->reader, row, n - 1);
  TallSlice name = n == 5 ? tall_csv_reader_get_field (self->reader, row, 0) : tall_slice ("", 0);
  gint i = find_file (self, name, error);
  if (i < 0)
    return FALSE;
  TallRetryFile *file = g_ptr_array_index (self->files, (guint)i);
  gboolean is_header = g_str_equal (row->fields[n - 2], TALL_REJECTS_HEADER);
  file->has_header |= is_header;
  if (!file->has_header)
    return refuse (self, row->line, error, "there is no header of %s above this row",
                   *file->name != '\0' ? file->name : "the file");
  guint64 line = g_ascii_strtoull (row->fields[n - 4], NULL, 10);
  sqlite3_bind_int (self->put, 1, i);
  sqlite3_bind_int64 (self->put, 2, is_header ? 1 : (gint64)MAX (line, 2));
  sqlite3_bind_int64 (self->put, 3, (gint64)row->line);
  sqlite3_bind_blob64 (self->put, 4, text.data, text.len, SQLITE_STATIC);
  if (tall_temp_db_put (self->db, self->put, error))
    return TRUE;
  g_prefix_error (error, "%s: ", self->path);
  return FALSE;
}

static gboolean
put_rows (Retry *self, GError **error)
{
  TallCsvRow row;
  TallCsvStep step;
  self->db = tall_temp_db_new (self->folder, error);
  if (self->db == NULL || !tall_temp_db_run (self->db, CREATE, error))
    return FALSE;
  self->put = tall_temp_db_prepare (self->db, PUT);
  while ((step = tall_csv_reader_next (self->reader, &row, error)) == TALL_CSV_ROW)
    if (!put_row (self, &row, error))
      return FALSE;
  return step == TALL_CSV_END;
}

static gboolean
write_row (const Retry *self, TallRetryFile *file, guint64 line, TallSlice row, GError **error)
{
  for (; file->line < line; file->line++)
    fputc ('\n', file->file);
  fwrite (row.data, 1, row.len, file->file);
  for (gsize i = 0; i < row.len; i++)
    file->line += row.data[i] == '\n';
  if (row.len >= TALL_CSV_MAX_ROW)
    fputs (CUT_MARK, file->file);
  file->line++;
  return fputc ('\n', file->file) != EOF || set_io_failure (self, "writing", error);
}

static gboolean
write_rows (const Retry *self, GError **error)
{
  gboolean ok = TRUE;
  int code = SQLITE_DONE;
  sqlite3_stmt *read = tall_temp_db_prepare (self->db, READ);
  while (ok && (code = sqlite3_step (read)) == SQLITE_ROW)
    ok = write_row (
        self, g_ptr_array_index (self->files, (guint)sqlite3_column_int (read, 0)),
        (guint64)sqlite3_column_int64 (read, 1),
        tall_slice (sqlite3_column_blob (read, 2), (gsize)sqlite3_column_bytes (read, 2)), error);
  ok = ok && (code == SQLITE_DONE || tall_temp_db_set_failure (self->db, error));
  sqlite3_finalize (read);
  for (guint i = 0; i < self->files->len && ok; i++)
    ok = fflush (((TallRetryFile *)self->files->pdata[i])->file) == 0
         || set_io_failure (self, "writing", error);
  return ok;
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
  static const TallCsvDialect dialect = { .delimiter = ',' };
  g_autoptr (TallCsvReader) reader = tall_csv_reader_open (path, &dialect, MAX_RECORD, error);
  if (reader == NULL)
    return NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (file_free);
  Retry self = { .path = path, .folder = folder, .reader = reader, .files = files };
  gboolean ok = check_header (&self, error) && put_rows (&self, error) && write_rows (&self, error);
  sqlite3_finalize (self.put);
  tall_temp_db_free (self.db);
  return ok ? g_steal_pointer (&files) : NULL;
}
