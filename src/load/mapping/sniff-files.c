/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-files.h"
#include "load/csv/field.h"
#include "tall-error.h"
#include "load/mapping/sniff-names.h"

#define NONE (-1)

static void
file_free (gpointer data)
{
  TallSniffFile *self = data;
  g_free (self->path);
  g_free (self->name);
  g_clear_pointer (&self->sample, tall_sample_free);
  g_free (self);
}

/* What a file is called in the mapping: `orders` for `/data/orders.csv.gz`. */
static char *
make_name (const GPtrArray *files, const char *path, const char *given)
{
  if (given != NULL)
    return g_strdup (given);
  g_autofree char *base = g_path_get_basename (path);
  *strchrnul (base, '.') = '\0';
  g_strcanon (base, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_", '_');
  gboolean is_taken = *base == '\0';
  for (guint i = 0; i < files->len; i++)
    is_taken |= g_str_equal (tall_sniff_files_get (files, i)->name, base);
  return is_taken ? g_strdup_printf ("%s_%u", base, files->len + 1) : g_steal_pointer (&base);
}

/* Files with the same columns are of one kind, of which one is enough. */
static gboolean
has_columns (const GPtrArray *files, const TallSample *sample)
{
  for (guint i = 0; i < files->len; i++)
    if (g_strv_equal ((const char *const *)tall_sniff_files_get (files, i)->sample->columns,
                      (const char *const *)sample->columns))
      return TRUE;
  return FALSE;
}

static gboolean
is_ascii (const TallSample *sample)
{
  for (guint i = 0; i < sample->rows->len; i++)
    for (guint k = 0; k < sample->n_columns; k++)
      if (!g_str_is_ascii (tall_sample_get (sample, i, k)))
        return FALSE;
  return TRUE;
}

/* A mapping has one delimiter and one encoding. What is ASCII is of any encoding. */
static gboolean
check_dialect (const TallSniffFile *a, const TallSniffFile *b, GError **error)
{
  const char *what = NULL;
  if (a->sample->delimiter != b->sample->delimiter)
    what = "delimiters";
  else if (g_strcmp0 (a->sample->encoding, b->sample->encoding) != 0 && !is_ascii (a->sample)
           && !is_ascii (b->sample))
    what = "encodings";
  if (what != NULL)
    tall_error_set_invalid (error, "files",
                            "%s and %s have different %s: convert one, as a mapping has one for "
                            "all its files",
                            a->path, b->path, what);
  return what == NULL;
}

/**
 * tall_sniff_files_read:
 * @paths: @n of them, which can be read several times
 * @names: of those that have one; the others NULL
 *
 * Returns: (transfer full) (element-type TallSniffFile): the files, those with the same columns
 *   only once; NULL if one cannot be read, or with %TALL_ERROR_INVALID if one mapping cannot be of
 *   all
 */
GPtrArray *
tall_sniff_files_read (const char *const *paths, const char *const *names, guint n, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (file_free);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TallSample) sample = tall_sample_read (paths[i], error);
      if (sample == NULL)
        return NULL;
      if (has_columns (files, sample))
        continue;
      TallSniffFile *file = g_new0 (TallSniffFile, 1);
      file->path = g_strdup (paths[i]);
      file->name = make_name (files, paths[i], names[i]);
      file->sample = g_steal_pointer (&sample);
      file->key = file->from = NONE;
      g_ptr_array_add (files, file);
      if (!check_dialect (tall_sniff_files_get (files, 0), file, error))
        return NULL;
    }
  return g_steal_pointer (&files);
}

/* `customer` for the file `customers`. */
static char *
make_singular (const TallSniffFile *file)
{
  char *name = tall_sniff_normalize (file->name);
  gsize len = strlen (name);
  if (len > 3 && g_str_has_suffix (name, "ies"))
    memcpy (name + len - 3, "y", 2);
  else if (len > 1 && name[len - 1] == 's')
    name[len - 1] = '\0';
  return name;
}

/**
 * tall_sniff_file_get_full_name:
 *
 * Returns: (transfer full): what a column is called outside of its file, such as `customerid` for
 *   `id` of customers
 */
char *
tall_sniff_file_get_full_name (const TallSniffFile *file, guint column)
{
  static const char *const bare[] = { "id", "number", "no", "nr", "key", "code", NULL };
  g_autofree char *name = tall_sniff_normalize (file->sample->columns[column]);
  if (!g_strv_contains (bare, name))
    return g_steal_pointer (&name);
  g_autofree char *singular = make_singular (file);
  return g_strconcat (singular, name, NULL);
}

/* Whether any field of orders is usually called like this. */
static gboolean
is_known (const char *name)
{
  guint n, rank;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    if (fields[i].scope != TALL_SCOPE_CUSTOMER && tall_sniff_names (&fields[i], name, &rank))
      return TRUE;
  return FALSE;
}

/**
 * tall_sniff_file_get_telling_name:
 *
 * Returns: (transfer full): the name by which a column's field may be guessed, such as `city` for
 *   `customer_city` of customers
 */
char *
tall_sniff_file_get_telling_name (const TallSniffFile *file, guint column)
{
  g_autofree char *singular = make_singular (file);
  g_autofree char *full = tall_sniff_file_get_full_name (file, column);
  const char *rest = full + strlen (singular);
  if (!is_known (full) && g_str_has_prefix (full, singular) && is_known (rest))
    return g_strdup (rest);
  g_autofree char *plain = tall_sniff_normalize (file->sample->columns[column]);
  return g_str_equal (plain, full) ? g_strdup (file->sample->columns[column])
                                   : g_steal_pointer (&full);
}

/**
 * tall_sniff_file_index:
 *
 * Returns: (transfer full) (nullable): the rows by their values in a column; NULL if one of these
 * is empty, or there twice
 */
GHashTable *
tall_sniff_file_index (const TallSniffFile *self, guint column)
{
  const TallSample *sample = self->sample;
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < sample->rows->len; i++)
    {
      const char *text = tall_sample_get (sample, i, column);
      if (*text == '\0' || !g_hash_table_insert (values, (gpointer)text, sample->rows->pdata[i]))
        return NULL;
    }
  return g_steal_pointer (&values);
}
