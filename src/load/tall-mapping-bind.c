/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-mapping-private.h"

static gint
find_column (const char *const *columns, const char *name)
{
  for (gint i = 0; columns[i] != NULL; i++)
    if (g_str_equal (columns[i], name))
      return i;
  return -1;
}

/* TRUE if a file with these columns has everything that the mapping asks for. */
gboolean
tall_mapping_fits (const TallMapping *self, const char *const *columns)
{
  for (guint i = 0; i < self->sources->len; i++)
    {
      const TallMappingSource *source = tall_mapping_get_source (self, i);
      if (source->column != NULL && find_column (columns, source->column) < 0)
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
 * Finds the columns that the mapping names.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, listing the columns that there are, if one is missing
 */
gboolean
tall_mapping_bind (TallMapping *self, const char *const *columns, GError **error)
{
  for (guint i = 0; i < self->sources->len; i++)
    {
      TallMappingSource *source = tall_mapping_get_source (self, i);
      if (source->column == NULL)
        continue;
      source->index = find_column (columns, source->column);
      if (source->index >= 0)
        continue;
      g_autofree char *list = g_strjoinv (", ", (char **)columns);
      g_autofree char *guess = guess_delimiter (self, columns);
      g_autofree char *key = source->attribute != NULL
                                 ? g_strconcat ("attribute.", source->attribute, NULL)
                                 : g_strdup (source->field->name);
      return tall_mapping_refuse (self, tall_csv_field_scope_name (source->field->scope), key,
                                  error, "the file has no column “%s”; it has: %s%s",
                                  source->column, list, guess);
    }
  return TRUE;
}

/**
 * tall_mapping_get_value:
 * @fields: a row's fields, @n_fields of them
 *
 * Returns: (transfer none) (nullable): the text for a field; NULL if it is absent
 */
const char *
tall_mapping_get_value (const TallMapping *self,
                        const TallMappingSource *source,
                        const char *const *fields,
                        guint n_fields)
{
  const char *text = NULL;
  if (source->index >= 0 && (guint)source->index < n_fields)
    text = fields[source->index];
  if (text != NULL && *text != '\0')
    return text;
  if (source->fallback != NULL)
    return source->fallback;

  TallModelKind kind = source->field->field->kind;
  gboolean is_text =
      kind == TALL_MODEL_TEXT || kind == TALL_MODEL_TEXTS || kind == TALL_MODEL_ATTRIBUTES;
  return self->keep_empty && is_text && source->index >= 0 ? text : NULL;
}
