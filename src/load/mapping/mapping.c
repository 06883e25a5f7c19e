/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping.h"

#include "base/file.h"
#include "base/text.h"
#include "base/fail.h"
#include "tall-presets.h"

void
tall_mapping_free (TallMapping *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->composites);
  g_clear_pointer (&self->format.zone, g_time_zone_unref);
  tall_arena_free (self->arena);
  g_free (self);
}

/* Sets an error that begins with the file, the group and the key. @group: (nullable): NULL: no
 * single one. @key: (nullable): likewise. Returns: FALSE */
gboolean
tall_mapping_refuse (const TallMapping *self,
                     const char *group,
                     const char *key,
                     GError **error,
                     const char *format,
                     ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  if (group == NULL)
    return tall_error_fail_invalid (error, "map", "Mapping %s: %s", self->name, what);
  if (key == NULL)
    return tall_error_fail_invalid (error, "map", "Mapping %s, [%s]: %s", self->name, group, what);
  return tall_error_fail_invalid (error, "map", "Mapping %s, [%s] %s: %s", self->name, group, key,
                                  what);
}

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

/* Finds the columns that the mapping names, for rows that have those made of others, too: see
 * tall_mapping_bind_reader(). May be called again, for the next file. @columns: the names in the
 * file's header, NULL-terminated. Returns: FALSE with %TALL_ERROR_INVALID, listing the columns that
 * there are, if one is missing */
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
      const char *near = tall_text_find_near (missing, columns, g_strv_length ((char **)columns));
      const char *prefix = source->field->prefix;
      g_autofree char *key = prefix != NULL ? g_strconcat (prefix, source->part, NULL)
                                            : g_strdup (source->field->name);
      return tall_mapping_refuse (self, tall_csv_field_scope_name (source->field->scope), key,
                                  error, "the file has no column “%s”%s%s%s; it has: %s%s", missing,
                                  near != NULL ? " (did you mean “" : "", near != NULL ? near : "",
                                  near != NULL ? "”?)" : "", list, guess);
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

static gboolean
uses_column (const TallMapping *self, gint column)
{
  for (guint i = 0; i < self->sources->len; i++)
    if (tall_mapping_get_source (self, i)->index == column)
      return TRUE;
  for (guint i = 0; i < self->composites->len; i++)
    if (tall_csv_composite_uses (g_ptr_array_index (self->composites, i), column))
      return TRUE;
  return FALSE;
}

/* @columns: that the mapping is bound to. Returns: (transfer full): those that nothing is made of
 */
GStrv
tall_mapping_list_unused (const TallMapping *self, const char *const *columns)
{
  g_autoptr (GStrvBuilder) list = g_strv_builder_new ();
  for (gint i = 0; columns[i] != NULL; i++)
    if (!uses_column (self, i))
      g_strv_builder_add (list, columns[i]);
  return g_strv_builder_end (list);
}

/* What tall_mapping_get_value() gives where the column is empty, or, with @text NULL, not there. */
const char *
tall_mapping_get_value_of_empty (const TallMapping *self,
                                 const TallMappingSource *source,
                                 const char *text)
{
  if (source->fallback != NULL)
    return source->fallback;

  TallModelKind kind = tall_model_kind (source->field->field);
  gboolean is_text =
      kind == TALL_MODEL_TEXT || kind == TALL_MODEL_TEXTS || kind == TALL_MODEL_ATTRIBUTES;
  return self->keep_empty && is_text && source->index >= 0 ? text : NULL;
}

#define TALL_MAPPING_SQL ".sql"

static const char *const presets[] = {
  "northwind",      "northwind-customers",
  "online-retail",  "online-retail-2",
  "shopify",        "woocommerce",
  "etsy",           "ebay",
  "amazon",         "superstore",
  "olist",          "tpch",
  "adventureworks", NULL,
};

static TallMapping *
parse (const char *name, const char *text, gssize len, GError **error)
{
  gboolean is_query = g_str_has_suffix (name, TALL_MAPPING_SQL) || g_str_has_prefix (text, "--")
                      || g_str_has_prefix (text, "\xef\xbb\xbf--");
  return (is_query ? tall_mapping_parse_sql : tall_mapping_parse) (name, text, len, error);
}

/**
 * tall_mapping_load:
 * @name: a preset's name, or else that of a file. It has a query if its name ends with `.sql`, or
 *   if it begins with a comment of SQL, as what `--sniff` prints
 *
 * Returns: (transfer full): the mapping; NULL with %TALL_ERROR_INVALID
 */
TallMapping *
tall_mapping_load (const char *name, GError **error)
{
  g_autofree char *preset = tall_mapping_preset_text (name);
  if (preset != NULL)
    return parse (name, preset, -1, error);

  g_autoptr (GError) local = NULL;
  gsize len = 0;
  g_autofree char *text = tall_file_read (name, TALL_FILE_MAX_SETTINGS, &len, &local);
  if (text != NULL)
    return parse (name, text, (gssize)len, error);
  g_autofree char *list = g_strjoinv (", ", (char **)presets);
  tall_error_set_invalid (error, "map",
                          "There is no preset “%s” (there are: %s), and as a file, %s", name, list,
                          local->message);
  return NULL;
}

/* Returns: names of the mappings that are built in, NULL-terminated */
const char *const *
tall_mapping_presets (void)
{
  return presets;
}

/* Returns: (transfer full) (nullable): the file of a preset; NULL if there is none of that name */
char *
tall_mapping_preset_text (const char *name)
{
  if (!g_strv_contains (presets, name))
    return NULL;
  g_autoptr (GBytes) bytes = NULL;
  for (guint i = 0; i < 2 && bytes == NULL; i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/tallorder/presets/%s%s", name, i == 0 ? ".map" : TALL_MAPPING_SQL);
      bytes = g_resource_lookup_data (tall_presets_get_resource (), path,
                                      G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    }
  g_return_val_if_fail (bytes != NULL, NULL);
  gsize len;
  const char *text = g_bytes_get_data (bytes, &len);
  return g_strndup (text, len);
}
