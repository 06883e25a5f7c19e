/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/join.h"
#include "load/csv/composite.h"
#include "tall-error.h"
#include "load/mapping/mapping-private.h"

/* The first file of a kind, whose header the others have, too. */
static const TallLoadFile *
find_first (const TallLoadFiles *files, guint kind)
{
  for (guint i = 0; i < tall_load_files_count (files); i++)
    if (tall_load_files_get (files, i)->kind == kind)
      return tall_load_files_get (files, i);
  return NULL;
}

static gboolean
check_headers (const TallLoadFiles *files, GError **error)
{
  for (guint i = 0; i < tall_load_files_count (files); i++)
    {
      const TallLoadFile *file = tall_load_files_get (files, i);
      const TallLoadFile *first = find_first (files, file->kind);
      if (g_strv_equal (tall_csv_reader_get_columns (file->reader),
                        tall_csv_reader_get_columns (first->reader)))
        continue;
      tall_error_set_invalid (error, "files",
                              "%s has other columns than %s; %s files need the same",
                              tall_csv_reader_get_name (file->reader),
                              tall_csv_reader_get_name (first->reader),
                              tall_mapping_get_file (file->mapping, file->kind)->name);
      return FALSE;
    }
  return TRUE;
}

/* The position of a column that the group of a file names. */
static gboolean
find_column (const TallJoin *self,
             const TallJoinKind *kind,
             const TallJoinKind *of,
             const char *name,
             guint *index,
             GError **error)
{
  gint found = tall_csv_find_column (of->columns, name);
  *index = (guint)found;
  if (found >= 0)
    return TRUE;
  g_autofree char *group = g_strconcat (TALL_MAPPING_FILE_PREFIX, kind->file->name, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **)of->columns);
  return tall_mapping_refuse (self->mapping, group, NULL, error,
                              "%s has no column “%s”; it has: %s", of->file->name, name, list);
}

static gboolean
add_kind (TallJoin *self, const TallLoadFiles *files, guint i, GError **error)
{
  TallJoinKind *kind = &self->kinds[i];
  const TallLoadFile *first = find_first (files, i);
  kind->file = tall_mapping_get_file (self->mapping, i);
  if (first == NULL)
    {
      tall_error_set_invalid (error, "files", "no file is named for %s: %s=FILE", kind->file->name,
                              kind->file->name);
      return FALSE;
    }
  kind->columns = tall_csv_reader_get_columns (first->reader);
  kind->n_columns = g_strv_length ((char **)kind->columns);
  kind->start = self->n_columns;
  kind->from = kind->file->from;
  self->n_columns += kind->n_columns;
  self->n_kinds++;
  if (kind->from < 0 && i > self->headers)
    self->lines = (gint)i;
  kind->of_line = kind->from >= 0 && (kind->from == self->lines || self->kinds[kind->from].of_line);
  return find_column (self, kind, kind, kind->file->key, &kind->key, error)
         && (kind->from < 0
             || find_column (self, kind, &self->kinds[kind->from], kind->file->from_column,
                             &kind->from_index, error));
}

static void
add_columns (TallJoin *self)
{
  for (guint i = 0; i < self->n_kinds; i++)
    for (guint k = 0; k < self->kinds[i].n_columns; k++)
      g_ptr_array_add (self->columns, g_strdup_printf ("%s:%s", self->kinds[i].file->name,
                                                       self->kinds[i].columns[k]));
  for (guint i = 0; i < self->n_kinds; i++)
    for (guint k = 0; k < self->kinds[i].n_columns; k++)
      {
        guint n = 0;
        const char *name = self->kinds[i].columns[k];
        for (guint other = 0; other < self->n_kinds; other++)
          n += tall_csv_find_column (self->kinds[other].columns, name) >= 0;
        const char *qualified = g_ptr_array_index (self->columns, self->kinds[i].start + k);
        g_ptr_array_add (self->columns, g_strdup (n == 1 ? name : qualified));
      }
  g_ptr_array_add (self->columns, NULL);
}

/**
 * tall_join_new:
 * @files: each with its kind; all have mappings with the same files; they stay the caller's
 *
 * Binds the mapping of the first file to the columns of all.
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_INVALID if a file or a column is missing
 */
TallJoin *
tall_join_new (const TallLoadFiles *files, GError **error)
{
  g_autoptr (TallJoin) self = g_new0 (TallJoin, 1);
  self->mapping = tall_load_files_get (files, 0)->mapping;
  self->columns = g_ptr_array_new_with_free_func (g_free);
  self->lines = -1;
  while (tall_mapping_get_file (self->mapping, self->headers)->from >= 0)
    self->headers++;
  for (guint i = 0; i < self->mapping->files->len; i++)
    if (!add_kind (self, files, i, error))
      return NULL;
  add_columns (self);
  if (!check_headers (files, error)
      || !tall_mapping_bind (self->mapping, (const char *const *)self->columns->pdata, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
tall_join_free (TallJoin *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->columns);
  g_free (self);
}

/* Which kind has a column of joined rows; -1: none, as it is made of several. */
gint
tall_join_find_kind (const TallJoin *self, const char *column)
{
  gint found = column != NULL
                   ? tall_csv_find_column ((const char *const *)self->columns->pdata, column)
                   : -1;
  for (guint i = 0; i < self->n_kinds && found >= 0; i++)
    {
      guint at = (guint)found % self->n_columns;
      if (at >= self->kinds[i].start && at < self->kinds[i].start + self->kinds[i].n_columns)
        return (gint)i;
    }
  return -1;
}
