/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-join.h"

#define NONE (-1)

/* A column that says what another one says already. */
static gboolean
is_left_out (const TallSniffFile *file, guint i, guint column)
{
  return i > 0 && (gint)column == file->key;
}

static void
add_columns (TallSample *joined, const GPtrArray *files)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new ();
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < files->len; i++)
    {
      const TallSniffFile *file = tall_sniff_files_get (files, i);
      for (guint k = 0; file->key != NONE && k < file->sample->n_columns; k++)
        if (!is_left_out (file, i, k))
          {
            g_ptr_array_add (columns, tall_sniff_file_get_telling_name (file, k));
            g_ptr_array_add (names,
                             g_strdup_printf ("%s:%s", file->name, file->sample->columns[k]));
          }
    }
  joined->n_columns = columns->len;
  g_ptr_array_add (columns, NULL);
  g_ptr_array_add (names, NULL);
  joined->columns = (char **)g_ptr_array_steal (columns, NULL);
  joined->names = (char **)g_ptr_array_steal (names, NULL);
}

/* The row of a file that another row names; NULL: there is none. */
static char **
find_row (GHashTable *index, const char *value)
{
  return index != NULL ? g_hash_table_lookup (index, value) : NULL;
}

/* What is needed to bring the rows of the files together. */
typedef struct
{
  const GPtrArray *files;
  guint n;            /* files that are joined */
  gboolean has_lines; /* the second is one of lines */
  GPtrArray *indexes; /* of GHashTable or NULL: of the rows of each file by its key */
} Joining;

/* The rows that make one together: @rows (out): n of them, NULL where there is none. */
static void
find_rows (const Joining *self, char **first, char **rows[])
{
  guint base = self->has_lines ? 1 : 0;
  for (guint i = 0; i < self->n; i++)
    rows[i] = NULL;
  rows[base] = first;
  for (guint i = 0; i < self->n; i++)
    {
      const TallSniffFile *file = tall_sniff_files_get (self->files, i);
      const TallSniffFile *lines = tall_sniff_files_get (self->files, base);
      if (i == base)
        continue;
      if (file->from == NONE)
        rows[i] = find_row (self->indexes->pdata[i], first[lines->key]);
      else if (rows[file->from] != NULL)
        rows[i] = find_row (self->indexes->pdata[i], rows[file->from][file->from_column]);
    }
}

static char **
copy_values (const Joining *self, char **rows[])
{
  GPtrArray *values = g_ptr_array_new ();
  for (guint i = 0; i < self->n; i++)
    {
      const TallSniffFile *file = tall_sniff_files_get (self->files, i);
      for (guint k = 0; k < file->sample->n_columns; k++)
        if (!is_left_out (file, i, k))
          g_ptr_array_add (values, g_strdup (rows[i] != NULL ? rows[i][k] : ""));
    }
  g_ptr_array_add (values, NULL);
  return (char **)g_ptr_array_free (values, FALSE);
}

/* Rows of lines whose header is among the first rows, too; all, if there are no such. */
static void
add_rows (TallSample *joined, const Joining *self)
{
  const TallSniffFile *lines = tall_sniff_files_get (self->files, self->has_lines ? 1 : 0);
  g_autofree char ***rows = g_new0 (char **, self->n);
  for (guint all = 0; all < 2 && joined->rows->len == 0; all++)
    for (guint i = 0; i < lines->sample->rows->len; i++)
      {
        find_rows (self, lines->sample->rows->pdata[i], rows);
        if (rows[0] != NULL || all > 0)
          g_ptr_array_add (joined->rows, copy_values (self, rows));
      }
}

static void
index_unref (gpointer data)
{
  if (data != NULL)
    g_hash_table_unref (data);
}

/* The dialect is that of the files, which have one. */
static TallSample *
new_sample (const GPtrArray *files)
{
  TallSample *joined = g_new0 (TallSample, 1);
  const TallSample *like = tall_sniff_files_get (files, 0)->sample;
  for (guint i = 1; i < files->len && like->encoding == NULL; i++)
    like = tall_sniff_files_get (files, i)->sample;
  joined->encoding = like->encoding;
  joined->encoding_reason = g_strdup (like->encoding_reason);
  joined->delimiter = like->delimiter;
  joined->delimiter_reason = g_strdup (like->delimiter_reason);
  joined->rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  for (guint i = 0; i < files->len; i++)
    joined->n_bad += tall_sniff_files_get (files, i)->sample->n_bad;
  return joined;
}

/**
 * tall_sniff_join_make_sample:
 * @files: (element-type TallSniffFile): as tall_sniff_join_find() has put them
 *
 * Returns: (transfer full): rows as the load of these files would see them
 */
TallSample *
tall_sniff_join_make_sample (const GPtrArray *files)
{
  g_autoptr (GPtrArray) indexes = g_ptr_array_new_with_free_func (index_unref);
  Joining joining = { .files = files, .indexes = indexes };
  for (; joining.n < files->len; joining.n++)
    {
      const TallSniffFile *file = tall_sniff_files_get (files, joining.n);
      if (file->key == NONE)
        break;
      joining.has_lines |= joining.n == 1 && file->from == NONE;
      g_ptr_array_add (indexes, tall_sniff_file_index (file, (guint)file->key));
    }
  TallSample *joined = new_sample (files);
  add_columns (joined, files);
  add_rows (joined, &joining);
  return joined;
}
