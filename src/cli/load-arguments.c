/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/load-arguments.h"
#include "tall-error.h"
#include "load/store/retry.h"

#include <glob.h>
#include <sys/stat.h>

static void
argument_free (gpointer data)
{
  TallLoadArgument *argument = data;
  g_free (argument->kind);
  g_free (argument->path);
  g_free (argument->name);
  g_free (argument);
}

static void
add (GPtrArray *files, const char *kind, const char *path)
{
  TallLoadArgument *argument = g_new0 (TallLoadArgument, 1);
  argument->kind = g_strdup (kind);
  argument->path = g_strdup (path);
  g_ptr_array_add (files, argument);
}

/* `lines=FILE`; but a file whose name has an equals sign is a file. */
static char *
split_kind (const char *text, const char **path)
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

/* A pattern gives its files in the order of their names. */
static gboolean
add_pattern (GPtrArray *files, const char *kind, const char *pattern, GError **error)
{
  glob_t found = { 0 };
  int code = glob (pattern, 0, NULL, &found);
  for (gsize i = 0; code == 0 && i < found.gl_pathc; i++)
    add (files, kind, found.gl_pathv[i]);
  globfree (&found);
  if (code == 0)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s: no file has such a name", pattern);
  return FALSE;
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
      tall_error_set_invalid (error, "files", "%s and %s are the same file; name it once", first,
                              file->path);
      return FALSE;
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
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (argument_free);
  guint n_stdin = 0;
  for (guint i = 0; i < n_arguments; i++)
    {
      const char *path;
      g_autofree char *kind = split_kind (arguments[i], &path);
      n_stdin += g_str_equal (path, "-");
      if (strpbrk (path, "*?[") == NULL || g_file_test (path, G_FILE_TEST_EXISTS))
        add (files, kind, path);
      else if (!add_pattern (files, kind, path, error))
        return NULL;
    }
  if (n_stdin < 2)
    return check_once (files, error) ? g_steal_pointer (&files) : NULL;
  tall_error_set_invalid (error, "files", "standard input can be read once only");
  return NULL;
}

#define ROWS_OF ", rows of "

/**
 * tall_load_arguments_make_retried:
 * @retried: (element-type TallRetryFile): the rows of a reject file; stay the caller's as long as
 *   the files are read
 * @path: the reject file
 *
 * Returns: (transfer full) (element-type TallLoadArgument): the files in it
 */
GPtrArray *
tall_load_arguments_make_retried (GPtrArray *retried, const char *path)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (argument_free);
  for (guint i = 0; i < retried->len; i++)
    {
      const TallRetryFile *file = g_ptr_array_index (retried, i);
      const char *name;
      g_autofree char *kind = split_kind (file->name, &name);
      g_autofree char *place = g_strdup_printf ("/proc/self/fd/%d", fileno (file->file));
      const char *original = g_strrstr (name, ROWS_OF);
      original = original != NULL ? original + strlen (ROWS_OF) : name;
      add (files, kind, place);
      ((TallLoadArgument *)g_ptr_array_index (files, i))->name =
          *original != '\0' ? g_strconcat (path, ROWS_OF, original, NULL) : g_strdup (path);
    }
  return files;
}

/**
 * tall_load_argument_find_kind:
 * @kind: (out): which of the files of @mapping it is; 0 if that has none
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if the argument and the mapping do not fit
 */
gboolean
tall_load_argument_find_kind (const TallLoadArgument *self,
                              const TallMapping *mapping,
                              guint *kind,
                              GError **error)
{
  gint found = self->kind != NULL ? tall_mapping_find_file (mapping, self->kind) : -1;
  *kind = (guint)MAX (found, 0);
  if (found >= 0 || (self->kind == NULL && mapping->files->len == 0))
    return TRUE;
  g_autofree char *list = tall_mapping_list_files (mapping);
  if (mapping->files->len == 0)
    tall_error_set_invalid (error, "files",
                            "mapping %s joins no files, so write %s without %s=", mapping->name,
                            self->path, self->kind);
  else if (self->kind == NULL)
    tall_error_set_invalid (error, "files",
                            "mapping %s joins files: say which one %s is, as in %s=%s; there are: "
                            "%s",
                            mapping->name, self->path, tall_mapping_get_file (mapping, 0)->name,
                            self->path, list);
  else
    tall_error_set_invalid (error, "files", "mapping %s has no file “%s”; there are: %s",
                            mapping->name, self->kind, list);
  return FALSE;
}
