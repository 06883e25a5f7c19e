/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping-private.h"

/* Finds the column of a source, or makes it of others, which come after those of the file. Returns
 * -1, and what is missing, if a file with these columns does not have it. */
static gint
find_index (const TallMappingSource *source,
            const char *const *columns,
            GPtrArray *composites,
            char **missing)
{
  gint index = tall_csv_find_column (columns, source->column);
  if (index >= 0)
    return index;
  if (strpbrk (source->column, "+\"") == NULL)
    {
      *missing = g_strdup (source->column);
      return -1;
    }
  TallCsvComposite *composite = tall_csv_composite_new (source->column, columns, missing);
  if (composite == NULL)
    return -1;
  g_ptr_array_add (composites, composite);
  return (gint)(g_strv_length ((char **)columns) + composites->len - 1);
}

/* TRUE if a file with these columns has everything that the mapping asks for. */
gboolean
tall_mapping_fits (const TallMapping *self, const char *const *columns)
{
  g_autoptr (GPtrArray) composites =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tall_csv_composite_free);
  for (guint i = 0; i < self->sources->len; i++)
    {
      const TallMappingSource *source = tall_mapping_get_source (self, i);
      g_autofree char *missing = NULL;
      if (source->column != NULL && find_index (source, columns, composites, &missing) < 0)
        return FALSE;
    }
  return TRUE;
}

/* A question to add where the whole header is one name with another delimiter in it. */
static char *
guess_delimiter (const TallMapping *self, const char *const *columns)
{
  g_auto (GStrv) names = g_strsplit (TALL_DELIMITER_NAMES, "|", -1);
  for (guint i = 0; columns[0] != NULL && columns[1] == NULL && names[i] != NULL; i++)
    if (TALL_DELIMITERS[i] != self->dialect.delimiter
        && strchr (columns[0], TALL_DELIMITERS[i]) != NULL)
      return g_strdup_printf (". Is the delimiter a %s? Set delimiter = %s in [mapping]", names[i],
                              names[i]);
  return g_strdup ("");
}

/**
 * tall_mapping_bind:
 * @columns: the names in the file's header, NULL-terminated
 *
 * Finds the columns that the mapping names, for rows that have those made of others, too: see
 * tall_mapping_bind_reader(). May be called again, for the next file.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, listing the columns that there are, if one is missing
 */
gboolean
tall_mapping_bind (TallMapping *self, const char *const *columns, GError **error)
{
  g_ptr_array_unref (self->composites); /* the last file's reader may still have them */
  self->composites = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_csv_composite_free);
  for (guint i = 0; i < self->sources->len; i++)
    {
      TallMappingSource *source = tall_mapping_get_source (self, i);
      if (source->column == NULL)
        continue;
      g_autofree char *missing = NULL;
      source->index = find_index (source, columns, self->composites, &missing);
      if (source->index >= 0)
        continue;
      g_autofree char *list = g_strjoinv (", ", (char **)columns);
      g_autofree char *guess = guess_delimiter (self, columns);
      g_autofree char *key = source->attribute != NULL
                                 ? g_strconcat ("attribute.", source->attribute, NULL)
                                 : g_strdup (source->field->name);
      return tall_mapping_refuse (self, tall_csv_field_scope_name (source->field->scope), key,
                                  error, "the file has no column “%s”; it has: %s%s", missing, list,
                                  guess);
    }
  return TRUE;
}

/**
 * tall_mapping_bind_reader:
 *
 * Binds the mapping to the file, and makes the reader add the columns that are made of others.
 *
 * Returns: FALSE as tall_mapping_bind()
 */
gboolean
tall_mapping_bind_reader (TallMapping *self, TallCsvReader *reader, GError **error)
{
  if (!tall_mapping_bind (self, tall_csv_reader_get_columns (reader), error))
    return FALSE;
  tall_csv_reader_set_composites (reader, self->composites);
  return TRUE;
}

/* What tall_mapping_get_value() gives where the column is empty, or, with @text NULL, not there. */
const char *
tall_mapping_get_value_of_empty (const TallMapping *self,
                                 const TallMappingSource *source,
                                 const char *text)
{
  if (source->fallback != NULL)
    return source->fallback;

  TallModelKind kind = source->field->field->kind;
  gboolean is_text =
      kind == TALL_MODEL_TEXT || kind == TALL_MODEL_TEXTS || kind == TALL_MODEL_ATTRIBUTES;
  return self->keep_empty && is_text && source->index >= 0 ? text : NULL;
}
