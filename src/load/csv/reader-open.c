/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader-private.h"
#include "tall-error.h"

/* Bytes that show whether the file is text. */
#define START_SIZE 4

/* The header of a reject file, as tall-rejects writes it. */
#define REJECTS_HEADER "\"line\",\"column\",\"reason\",\"row\"\n"

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
                             tall_slice_str (TALL_CSV_MARK)))
    self->lines.at = strlen (TALL_CSV_MARK);
  self->is_rejects = tall_slice_has_prefix (tall_slice (self->lines.buffer, self->lines.end),
                                            tall_slice_str ("\"file\"," REJECTS_HEADER))
                     || tall_slice_has_prefix (tall_slice (self->lines.buffer, self->lines.end),
                                               tall_slice_str (REJECTS_HEADER));
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
               "%s is the reject file of a load: its rows are loaded by --retry-rejects %s",
               tall_csv_reader_get_name (self), tall_csv_reader_get_name (self));
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
  const char *advice = g_strcmp0 (row->kind, TALL_CSV_KIND_NUL) == 0
                           ? "; if the file is UTF-16, name it in the mapping: encoding = UTF-16LE"
                           : "";
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
               "%s, line %" G_GUINT64_FORMAT ": the header cannot be read: %s%s%s",
               tall_csv_reader_get_name (self), row->line, column, row->reason, advice);
  return FALSE;
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

/* The columns that the mapping names, as the file does not. */
static void
take_columns (TallCsvReader *self)
{
  self->header = g_strdup ("");
  for (char **name = self->dialect.columns; *name != NULL; name++)
    g_ptr_array_add (self->columns, g_strdup (*name));
  g_ptr_array_add (self->columns, NULL);
}

static gboolean
read_header (TallCsvReader *self, GError **error)
{
  if (self->dialect.columns != NULL)
    {
      take_columns (self);
      return TRUE;
    }
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
  self->header = g_strndup ((const char *)row.raw.data, row.raw.len);
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < row.n_fields; i++)
    add_column (self, counts, row.fields[i]);
  g_ptr_array_add (self->columns, NULL);
  return TRUE;
}

/**
 * tall_csv_reader_open:
 * @path: a file, or `-` for standard input
 * @dialect: how the file is written; its texts stay the caller's, for as long as the reader lives
 * @max_row: bytes of the longest row, such as %TALL_CSV_MAX_ROW
 *
 * Opens a file and reads its header.
 *
 * Returns: (transfer full): the reader; NULL with %TALL_ERROR_UNAVAILABLE if the file cannot be
 *   opened, %TALL_ERROR_INVALID if it is not text or has no header
 */
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
  tall_csv_reader_reset_parser (self);

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
  csv_free (&self->parser);
  g_free (self->reason);
  g_free (self->header);
  g_clear_pointer (&self->unmarked, g_byte_array_unref);
  g_byte_array_unref (self->text);
  g_byte_array_unref (self->cut);
  g_array_unref (self->offsets);
  g_ptr_array_unref (self->fields);
  g_ptr_array_unref (self->columns);
  g_clear_pointer (&self->composites, g_ptr_array_unref);
  g_string_free (self->composed, TRUE);
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

/**
 * tall_csv_reader_set_composites:
 * @composites: (element-type TallCsvComposite): over the columns of this file
 *
 * Makes rows have further fields from now on, after those of the file: one a composite.
 */
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
  return tall_csv_source_get_name (self->lines.source);
}

/* Another name of the file, for messages. */
void
tall_csv_reader_set_name (TallCsvReader *self, const char *name)
{
  tall_csv_source_set_name (self->lines.source, name);
}

/* The text of the header, as it stands in the file; in UTF-8. */
TallSlice
tall_csv_reader_get_header (TallCsvReader *self)
{
  return tall_slice_str (self->header);
}

/**
 * tall_csv_reader_set_file:
 * @file: the place of the file among those that are read together, which its rows have then
 * @is_one_of_many: rows have its name, too
 */
void
tall_csv_reader_set_file (TallCsvReader *self, guint file, gboolean is_one_of_many)
{
  self->file = file;
  self->file_name = is_one_of_many ? g_intern_string (tall_csv_reader_get_name (self)) : NULL;
}

/* How many bytes of the file have been handed over. */
guint64
tall_csv_reader_get_position (TallCsvReader *self)
{
  return tall_csv_lines_get_position (&self->lines);
}

/* Bytes of the file; 0 if that is not known. */
guint64
tall_csv_reader_get_size (TallCsvReader *self)
{
  return tall_csv_source_get_size (self->lines.source);
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
  tall_csv_source_set_stop (self->lines.source, stop);
}

/**
 * tall_csv_reader_set_limit:
 * @n_rows: 0: all
 *
 * Lets the file end after so many rows.
 */
void
tall_csv_reader_set_limit (TallCsvReader *self, guint64 n_rows)
{
  self->limit = n_rows;
}

/**
 * tall_csv_reader_want:
 * @n_fields: %G_MAXUINT: all, as in the beginning
 *
 * Until the file is read again only so many fields of a good row, from the first on, are sure to be
 * there; n_fields of a row counts all.
 */
void
tall_csv_reader_want (TallCsvReader *self, guint n_fields)
{
  self->n_wanted = n_fields;
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
  self->n_rows = 0;
  return tall_csv_lines_keep (&self->lines, folder, error);
}

/**
 * tall_csv_reader_rewind:
 *
 * Returns: FALSE with %TALL_ERROR_INTERNAL if the file cannot be read again
 */
gboolean
tall_csv_reader_rewind (TallCsvReader *self, GError **error)
{
  tall_csv_reader_reset_parser (self);
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
