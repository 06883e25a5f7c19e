/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-mapping.h"
#include "tall-error.h"
#include "tall-file.h"
#include "tall-presets.h"

static const char *const presets[] = { "northwind", "northwind-customers", "online-retail", NULL };

static void
source_free (gpointer data)
{
  TallMappingSource *source = data;
  g_free (source->attribute);
  g_free (source->column);
  g_free (source->fallback);
  g_free (source);
}

void
tall_mapping_free (TallMapping *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_ptr_array_unref (self->sources);
  g_free (self);
}

/* Sets an error that begins with the file, the group and the key. */
static gboolean G_GNUC_PRINTF (5, 6) refuse (const TallMapping *self,
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
    tall_error_set_invalid (error, "map", "Mapping %s: %s", self->name, what);
  else if (key == NULL)
    tall_error_set_invalid (error, "map", "Mapping %s, [%s]: %s", self->name, group, what);
  else
    tall_error_set_invalid (error, "map", "Mapping %s, [%s] %s: %s", self->name, group, key, what);
  return FALSE;
}

/* Whether rows of this kind of file have fields of that scope. */
static gboolean
has_scope (const TallMapping *self, TallCsvScope scope)
{
  return (scope == TALL_SCOPE_CUSTOMER) == (self->kind == TALL_MAPPING_CUSTOMERS);
}

static char *
list_fields (TallCsvScope scope)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    if (fields[i].scope == scope)
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", fields[i].name);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static char *
list_groups (const TallMapping *self)
{
  g_autoptr (GString) list = g_string_new ("[mapping]");
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    if (has_scope (self, scope))
      g_string_append_printf (list, ", [%s]", tall_csv_field_scope_name (scope));
  g_string_append (list, ", [defaults]");
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* The position of a key's value among @words, such as "iso|dmy|mdy"; the first if the key is not
 * there. */
static gboolean
read_choice (const TallMapping *self,
             GKeyFile *file,
             const char *key,
             const char *words,
             guint *choice,
             GError **error)
{
  g_auto (GStrv) known = g_strsplit (words, "|", -1);
  g_autofree char *value = g_key_file_get_string (file, "mapping", key, NULL);
  for (*choice = 0; value != NULL && known[*choice] != NULL; (*choice)++)
    if (g_str_equal (known[*choice], value))
      return TRUE;
  *choice = 0;
  if (value == NULL)
    return TRUE;
  g_autofree char *list = g_strjoinv (", ", known);
  return refuse (self, "mapping", key, error, "“%s” is not one of: %s", value, list);
}

static gboolean
check_mapping_keys (const TallMapping *self, GKeyFile *file, GError **error)
{
  static const char *const known[] = { "kind",  "delimiter",     "dates", "discount",
                                       "empty", "decimal-comma", NULL };
  g_auto (GStrv) keys = g_key_file_get_keys (file, "mapping", NULL, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **)known);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    if (!g_strv_contains (known, keys[i]))
      return refuse (self, "mapping", keys[i], error, "there is no such key; known are: %s", list);
  return TRUE;
}

#define DELIMITERS ",;\t|"
#define DELIMITER_NAMES "comma|semicolon|tab|pipe"

static gboolean
read_settings (TallMapping *self, GKeyFile *file, GError **error)
{
  guint kind, delimiter, dates, comma, discount, empty;
  if (!check_mapping_keys (self, file, error)
      || !read_choice (self, file, "kind", "orders|customers", &kind, error)
      || !read_choice (self, file, "delimiter", DELIMITER_NAMES, &delimiter, error)
      || !read_choice (self, file, "dates", "iso|dmy|mdy", &dates, error)
      || !read_choice (self, file, "decimal-comma", "false|true", &comma, error)
      || !read_choice (self, file, "discount", "rate|percent", &discount, error)
      || !read_choice (self, file, "empty", "absent|text", &empty, error))
    return FALSE;

  self->kind = kind == 0 ? TALL_MAPPING_ORDERS : TALL_MAPPING_CUSTOMERS;
  self->delimiter = DELIMITERS[delimiter];
  self->format.dates = (TallDates)dates;
  self->format.decimal_comma = comma == 1;
  self->format.discount_percent = discount == 1;
  self->keep_empty = empty == 1;
  return TRUE;
}

static TallMappingSource *
add_source (TallMapping *self, const TallCsvField *field, const char *key, const char *column)
{
  TallMappingSource *source = g_new0 (TallMappingSource, 1);
  source->field = field;
  source->index = -1;
  source->column = g_strdup (column);
  if (field->field->kind == TALL_MODEL_ATTRIBUTES)
    source->attribute = g_strdup (key + strlen ("attribute."));
  g_ptr_array_add (self->sources, source);
  return source;
}

static gboolean
add_columns (TallMapping *self, const TallCsvField *field, const char *key, const char *value)
{
  if (field->field->kind != TALL_MODEL_TEXTS)
    {
      add_source (self, field, key, value);
      return TRUE;
    }
  g_auto (GStrv) columns = g_strsplit (value, ";", -1);
  for (guint i = 0; columns[i] != NULL; i++)
    if (*g_strstrip (columns[i]) != '\0')
      add_source (self, field, key, columns[i]);
  return TRUE;
}

static gboolean
read_scope (TallMapping *self, GKeyFile *file, TallCsvScope scope, GError **error)
{
  const char *group = tall_csv_field_scope_name (scope);
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      const TallCsvField *field = tall_csv_field_find (scope, keys[i]);
      if (field == NULL)
        {
          g_autofree char *list = list_fields (scope);
          return refuse (self, group, keys[i], error, "there is no such field; known are: %s",
                         list);
        }
      g_autofree char *value = g_key_file_get_string (file, group, keys[i], NULL);
      if (value == NULL || *value == '\0')
        return refuse (self, group, keys[i], error, "names no column");
      add_columns (self, field, keys[i], value);
    }
  return TRUE;
}

static TallMappingSource *
find_source (TallMapping *self, const TallCsvField *field, const char *key)
{
  for (guint i = 0; i < self->sources->len; i++)
    {
      TallMappingSource *source = tall_mapping_get_source (self, i);
      if (source->field == field
          && (source->attribute == NULL
              || g_str_equal (source->attribute, key + strlen ("attribute."))))
        return source;
    }
  return NULL;
}

/* Splits `order.currency` into scope and field. */
static const TallCsvField *
find_default (const TallMapping *self, const char *key, const char **name)
{
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    {
      g_autofree char *prefix = g_strconcat (tall_csv_field_scope_name (scope), ".", NULL);
      if (has_scope (self, scope) && g_str_has_prefix (key, prefix))
        {
          *name = key + strlen (prefix);
          return tall_csv_field_find (scope, *name);
        }
    }
  return NULL;
}

static gboolean
read_defaults (TallMapping *self, GKeyFile *file, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, "defaults", NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      const char *name = NULL;
      const TallCsvField *field = find_default (self, keys[i], &name);
      if (field == NULL)
        return refuse (self, "defaults", keys[i], error,
                       "there is no such field; write GROUP.FIELD, such as %s",
                       self->kind == TALL_MAPPING_ORDERS ? "order.currency" : "customer.name");
      if (field->field->kind == TALL_MODEL_POSITION || field->field->kind == TALL_MODEL_TEXTS)
        return refuse (self, "defaults", keys[i], error, "this field cannot have a default");
      TallMappingSource *source = find_source (self, field, name);
      if (source == NULL)
        source = add_source (self, field, name, NULL);
      source->fallback = g_key_file_get_string (file, "defaults", keys[i], NULL);
      if (source->fallback == NULL || !g_utf8_validate (source->fallback, -1, NULL))
        return refuse (self, "defaults", keys[i], error, "is not UTF-8 text");
    }
  return TRUE;
}

/* GLib takes the last of several, and lists the key as often as it is there. */
static gboolean
check_keys_once (const TallMapping *self, GKeyFile *file, const char *group, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    if (!g_hash_table_add (seen, keys[i]))
      return refuse (self, group, keys[i], error, "stands here twice; leave one of them out");
  return TRUE;
}

static gboolean
check_groups (const TallMapping *self, GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    {
      gboolean known = g_str_equal (groups[i], "mapping") || g_str_equal (groups[i], "defaults");
      for (guint scope = 0; scope < TALL_N_SCOPES && !known; scope++)
        known =
            has_scope (self, scope) && g_str_equal (groups[i], tall_csv_field_scope_name (scope));
      if (!known)
        {
          g_autofree char *list = list_groups (self);
          return refuse (self, groups[i], NULL, error,
                         "a mapping of %s has no such group; known are: %s",
                         self->kind == TALL_MAPPING_ORDERS ? "orders" : "customers", list);
        }
      if (!check_keys_once (self, file, groups[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_required (TallMapping *self, GError **error)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    if (fields[i].field->kind == TALL_MODEL_NUMBER && has_scope (self, fields[i].scope)
        && find_source (self, &fields[i], fields[i].name) == NULL)
      return refuse (self, tall_csv_field_scope_name (fields[i].scope), fields[i].name, error,
                     "has to name a column");
  return TRUE;
}

/**
 * tall_mapping_parse:
 * @name: of the mapping, for messages
 *
 * Returns: (transfer full): the mapping; NULL with %TALL_ERROR_INVALID, naming group and key, if
 *   anything in it is not understood
 */
TallMapping *
tall_mapping_parse (const char *name, const char *text, gssize len, GError **error)
{
  g_autoptr (TallMapping) self = g_new0 (TallMapping, 1);
  self->name = g_strdup (name);
  self->sources = g_ptr_array_new_with_free_func (source_free);

  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;
  gsize size = len < 0 ? strlen (text) : (gsize)len;
  if (!g_key_file_load_from_data (file, text, size, G_KEY_FILE_NONE, &local))
    {
      refuse (self, NULL, NULL, error, "%s", local->message);
      return NULL;
    }
  if (!read_settings (self, file, error) || !check_groups (self, file, error))
    return NULL;
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    if (!read_scope (self, file, scope, error))
      return NULL;
  if (!read_defaults (self, file, error) || !check_required (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * tall_mapping_load:
 * @name: a preset's name, or else that of a file
 *
 * Returns: (transfer full): the mapping; NULL with %TALL_ERROR_INVALID
 */
TallMapping *
tall_mapping_load (const char *name, GError **error)
{
  g_autofree char *preset = tall_mapping_preset_text (name);
  if (preset != NULL)
    return tall_mapping_parse (name, preset, -1, error);

  g_autoptr (GError) local = NULL;
  gsize len = 0;
  g_autofree char *text = tall_file_read (name, TALL_FILE_MAX_SETTINGS, &len, &local);
  if (text == NULL)
    {
      g_autofree char *list = g_strjoinv (", ", (char **)presets);
      tall_error_set_invalid (error, "map",
                              "There is no preset “%s” (there are: %s), and as a file, %s", name,
                              list, local->message);
      return NULL;
    }
  return tall_mapping_parse (name, text, (gssize)len, error);
}

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
  g_auto (GStrv) names = g_strsplit (DELIMITER_NAMES, "|", -1);
  for (guint i = 0; columns[0] != NULL && columns[1] == NULL && names[i] != NULL; i++)
    if (DELIMITERS[i] != self->delimiter && strchr (columns[0], DELIMITERS[i]) != NULL)
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
      return refuse (self, tall_csv_field_scope_name (source->field->scope), key, error,
                     "the file has no column “%s”; it has: %s%s", source->column, list, guess);
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

/**
 * tall_mapping_presets:
 *
 * Returns: (transfer none): names of the mappings that are built in, NULL-terminated
 */
const char *const *
tall_mapping_presets (void)
{
  return presets;
}

/**
 * tall_mapping_preset_text:
 *
 * Returns: (transfer full) (nullable): the file of a preset; NULL if there is none of that name
 */
char *
tall_mapping_preset_text (const char *name)
{
  if (!g_strv_contains (presets, name))
    return NULL;
  g_autofree char *path = g_strdup_printf ("/tallorder/presets/%s.map", name);
  g_autoptr (GBytes) bytes = g_resource_lookup_data (tall_presets_get_resource (), path,
                                                     G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_return_val_if_fail (bytes != NULL, NULL);
  gsize len;
  const char *text = g_bytes_get_data (bytes, &len);
  return g_strndup (text, len);
}
