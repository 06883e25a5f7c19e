/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/files.h"

#include "base/fail.h"

#include <glob.h>
#include <string.h>
#include <sys/stat.h>

static void
file_free (gpointer data)
{
  TallLoadFile *file = data;
  tall_csv_reader_free (file->reader);
  tall_mapping_free (file->mapping);
  g_strfreev (file->unused);
  g_free (file);
}

/* Splits `lines=FILE`; but a file whose name has an equals sign is a file. Returns: (transfer full)
 * (nullable): the kind */
char *
tall_load_split_kind (const char *text, const char **path)
{
  const char *sign = strchr (text, '=');
  *path = text;
  if (sign == NULL || sign == text || g_file_test (text, G_FILE_TEST_EXISTS))
    return NULL;
  for (const char *at = text; at < sign; at++)
    if (!g_ascii_isalnum (*at) && *at != '-' && *at != '_')
      return NULL;
  *path = sign + 1;
  return g_strndup (text, (gsize)(sign - text));
}

static void
argument_free (gpointer data)
{
  TallLoadArgument *argument = data;
  g_free (argument->kind);
  g_free (argument->path);
  g_free (argument->name);
  g_free (argument);
}

/**
 * tall_load_arguments_new:
 *
 * Returns: (transfer full) (element-type TallLoadArgument): none yet
 */
GPtrArray *
tall_load_arguments_new (void)
{
  return g_ptr_array_new_with_free_func (argument_free);
}

/**
 * tall_load_arguments_add:
 * @kind: (nullable): as in `lines=FILE`
 *
 * Returns: (transfer none): the last one now, whose name may be set
 */
TallLoadArgument *
tall_load_arguments_add (GPtrArray *files, const char *kind, const char *path)
{
  TallLoadArgument *argument = g_new0 (TallLoadArgument, 1);
  argument->kind = g_strdup (kind);
  argument->path = g_strdup (path);
  g_ptr_array_add (files, argument);
  return argument;
}

/* A pattern gives its files in the order of their names. */
static gboolean
add_pattern (GPtrArray *files, const char *kind, const char *pattern, GError **error)
{
  glob_t found = { 0 };
  int code = glob (pattern, 0, NULL, &found);
  for (gsize i = 0; code == 0 && i < found.gl_pathc; i++)
    tall_load_arguments_add (files, kind, found.gl_pathv[i]);
  globfree (&found);
  if (code == 0)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNAVAILABLE, "%s: no file has such a name", pattern);
}

/* A file that is named twice would have all its rows twice. As two kinds it may be. */
static gboolean
check_once (GPtrArray *files, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < files->len; i++)
    {
      const TallLoadArgument *file = g_ptr_array_index (files, i);
      struct stat info;
      if (stat (file->path, &info) != 0 || !S_ISREG (info.st_mode))
        continue;
      char *key =
          g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ":%s", (guint64)info.st_dev,
                           (guint64)info.st_ino, file->kind != NULL ? file->kind : "");
      const char *first = g_hash_table_lookup (seen, key);
      g_hash_table_insert (seen, key, file->path);
      if (first == NULL)
        continue;
      return tall_error_fail_invalid (error, "files", "%s and %s are the same file; name it once",
                                      first, file->path);
    }
  return TRUE;
}

/**
 * tall_load_arguments_expand:
 * @arguments: `FILE`, `KIND=FILE`, patterns of both, and `-`
 *
 * Returns: (transfer full) (element-type TallLoadArgument): the files in the order in which they
 * are read; NULL with %TALL_ERROR_UNAVAILABLE if nothing fits a pattern, or with
 * %TALL_ERROR_INVALID if standard input or a file is there twice
 */
GPtrArray *
tall_load_arguments_expand (const char *const *arguments, guint n_arguments, GError **error)
{
  g_autoptr (GPtrArray) files = tall_load_arguments_new ();
  guint n_stdin = 0;
  for (guint i = 0; i < n_arguments; i++)
    {
      const char *path;
      g_autofree char *kind = tall_load_split_kind (arguments[i], &path);
      n_stdin += g_str_equal (path, "-");
      if (strpbrk (path, "*?[") == NULL || g_file_test (path, G_FILE_TEST_EXISTS))
        tall_load_arguments_add (files, kind, path);
      else if (!add_pattern (files, kind, path, error))
        return NULL;
    }
  if (n_stdin < 2)
    return check_once (files, error) ? g_steal_pointer (&files) : NULL;
  tall_error_set_invalid (error, "files", "standard input can be read once only");
  return NULL;
}

TallLoadFiles *
tall_load_files_new (void)
{
  TallLoadFiles *self = g_new0 (TallLoadFiles, 1);
  self->files = g_ptr_array_new_with_free_func (file_free);
  return self;
}

void
tall_load_files_free (TallLoadFiles *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->files);
  g_free (self);
}

/* @reader: (transfer full): before its first row. @mapping: (transfer full): bound to @reader; of
 * the same text as those of the other files. */
TallLoadFile *
tall_load_files_add (TallLoadFiles *self, TallCsvReader *reader, TallMapping *mapping)
{
  TallLoadFile *file = g_new0 (TallLoadFile, 1);
  file->reader = reader;
  file->mapping = mapping;
  g_ptr_array_add (self->files, file);
  return file;
}

/* @reader: (transfer full): before its first row. @mapping: (transfer full): bound to @reader. */
TallLoadFiles *
tall_load_files_new_of_one (TallCsvReader *reader, TallMapping *mapping)
{
  TallLoadFiles *self = tall_load_files_new ();
  tall_load_files_add (self, reader, mapping);
  tall_load_files_start (self);
  return self;
}

/* All files are there: gives their rows the numbers and names of the files. */
void
tall_load_files_start (TallLoadFiles *self)
{
  gboolean many = self->files->len > 1;
  for (guint i = 0; i < self->files->len; i++)
    {
      TallLoadFile *file = tall_load_files_get (self, i);
      tall_csv_reader_set_file (file->reader, i, many);
      file->name = many ? g_intern_string (tall_csv_reader_get_name (file->reader)) : NULL;
    }
}

/* @rejected: rows of it that are rejected. Returns: how many of its rows have an end: all that were
 * read, unless the load was cut short */
guint64
tall_load_file_count_settled (const TallLoadFile *self, guint64 rejected)
{
  guint64 n = self->n_kept + rejected;
  for (guint end = 0; end < TALL_LOAD_N_ENDS; end++)
    n += self->n_ended[end];
  return n;
}

/* The file as `load` names it: its name, or KIND=NAME. */
char *
tall_load_file_describe (const TallLoadFile *self)
{
  const char *name = tall_csv_reader_get_name (self->reader);
  if (self->kind_name != NULL)
    return g_strconcat (self->kind_name, "=", name, NULL);
  return g_strdup (name);
}

/* @agrees: whether its rows were those of the pass before, as far as that is known. Returns: FALSE
 * with %TALL_ERROR_UNAVAILABLE if the file is another than it was */
gboolean
tall_load_file_check_unchanged (const TallLoadFile *self, gboolean agrees, GError **error)
{
  if (agrees && !tall_csv_reader_has_changed (self->reader))
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNAVAILABLE,
                          "%s was changed while it was loaded, so orders may be stored in part",
                          tall_csv_reader_get_name (self->reader));
}

/* @position: (out) bytes read of all files. @size: (out) bytes of all files; 0: not known. */
void
tall_load_files_get_position (const TallLoadFiles *self, guint64 *position, guint64 *size)
{
  gboolean known = TRUE;
  *position = *size = 0;
  for (guint i = 0; i < self->files->len; i++)
    {
      const TallLoadFile *file = tall_load_files_get (self, i);
      guint64 bytes = tall_csv_reader_get_size (file->reader);
      *position += tall_csv_reader_get_position (file->reader);
      *size += bytes;
      known = known && bytes > 0;
    }
  if (!known)
    *size = 0;
}
