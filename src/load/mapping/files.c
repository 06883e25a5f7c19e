/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping-private.h"

static void
file_free (gpointer data)
{
  TallMappingFile *file = data;
  g_free (file->name);
  g_free (file->key);
  g_free (file->from_column);
  g_free (file);
}

GPtrArray *
tall_mapping_files_new (void)
{
  return g_ptr_array_new_with_free_func (file_free);
}

/* Whether a group describes a file: [file.lines]. */
gboolean
tall_mapping_is_file_group (const char *group)
{
  return g_str_has_prefix (group, TALL_MAPPING_FILE_PREFIX)
         && strlen (group) > strlen (TALL_MAPPING_FILE_PREFIX);
}

/**
 * tall_mapping_find_file:
 *
 * Returns: the position of the file group [file.NAME] among its like; -1: there is none
 */
gint
tall_mapping_find_file (const TallMapping *self, const char *name)
{
  for (guint i = 0; i < self->files->len; i++)
    if (g_str_equal (tall_mapping_get_file (self, i)->name, name))
      return (gint)i;
  return -1;
}

/* The names of the files, for messages. */
char *
tall_mapping_list_files (const TallMapping *self)
{
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < self->files->len; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", tall_mapping_get_file (self, i)->name);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* `from = headers:customer_id`: which column of a file before has this file's key. */
static gboolean
read_from (TallMapping *self, TallMappingFile *file, const char *group, char *from, GError **error)
{
  file->from = -1;
  if (from == NULL)
    return TRUE;
  char *colon = strchr (from, ':');
  if (colon != NULL)
    {
      *colon = '\0';
      file->from = tall_mapping_find_file (self, from);
      file->from_column = g_strdup (colon + 1);
    }
  if (file->from >= 0 && *file->from_column != '\0')
    return TRUE;
  g_autofree char *list = tall_mapping_list_files (self);
  return tall_mapping_refuse (self, group, "from", error,
                              "write FILE:COLUMN, where FILE is one of those above: %s",
                              *list != '\0' ? list : "there is none");
}

static gboolean
check_keys (const TallMapping *self, GKeyFile *from, const char *group, GError **error)
{
  static const char *const known[] = { "key", "from", NULL };
  g_auto (GStrv) keys = g_key_file_get_keys (from, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    if (!g_strv_contains (known, keys[i]))
      return tall_mapping_refuse (self, group, keys[i], error,
                                  "there is no such key; known are: key, from");
  return TRUE;
}

static gboolean
read_file (TallMapping *self, GKeyFile *from, const char *group, GError **error)
{
  TallMappingFile *file = g_new0 (TallMappingFile, 1);
  g_autofree char *column = g_key_file_get_string (from, group, "from", NULL);
  gboolean ok = read_from (self, file, group, column, error);
  file->name = g_strdup (group + strlen (TALL_MAPPING_FILE_PREFIX));
  file->key = g_key_file_get_string (from, group, "key", NULL);
  g_ptr_array_add (self->files, file);
  if (!ok || !check_keys (self, from, group, error))
    return FALSE;
  if (file->key == NULL || *file->key == '\0')
    return tall_mapping_refuse (self, group, "key", error, "has to name a column");
  if (self->files->len > TALL_MAPPING_MAX_FILES)
    return tall_mapping_refuse (self, group, NULL, error, "there are more than %d files",
                                TALL_MAPPING_MAX_FILES);
  return TRUE;
}

/* One file has a row for each order, and one more may have any number. */
static gboolean
check_files (const TallMapping *self, GError **error)
{
  guint n = 0;
  for (guint i = 0; i < self->files->len; i++)
    {
      const TallMappingFile *file = tall_mapping_get_file (self, i);
      g_autofree char *group = g_strconcat (TALL_MAPPING_FILE_PREFIX, file->name, NULL);
      if (file->from < 0 && ++n > 2)
        return tall_mapping_refuse (self, group, NULL, error,
                                    "only two files are joined by the number of the order, the "
                                    "headers first; say with from = FILE:COLUMN who names rows of "
                                    "this one");
    }
  return TRUE;
}

/**
 * tall_mapping_read_files:
 *
 * Reads the groups [file.NAME] of files that are joined.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID
 */
gboolean
tall_mapping_read_files (TallMapping *self, GKeyFile *from, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (from, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (tall_mapping_is_file_group (groups[i]) && !read_file (self, from, groups[i], error))
      return FALSE;
  if (self->files->len > 0 && self->kind != TALL_MAPPING_ORDERS)
    return tall_mapping_refuse (self, "mapping", "kind", error,
                                "only files of orders can be joined");
  return check_files (self, error);
}
