/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping-private.h"

#include "base/key-file.h"

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
  if (self->kind == TALL_MAPPING_ORDERS)
    g_string_append (list, ", [file.NAME]");
  return g_string_free (g_steal_pointer (&list), FALSE);
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
          return tall_mapping_refuse (self, group, keys[i], error,
                                      "there is no such field; known are: %s", list);
        }
      g_autofree char *value = g_key_file_get_string (file, group, keys[i], NULL);
      if (value == NULL || *value == '\0')
        return tall_mapping_refuse (self, group, keys[i], error, "names no column");
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
        return tall_mapping_refuse (self, "defaults", keys[i], error,
                                    "there is no such field; write GROUP.FIELD, such as %s",
                                    self->kind == TALL_MAPPING_ORDERS ? "order.currency"
                                                                      : "customer.name");
      if (field->field->kind == TALL_MODEL_POSITION || field->field->kind == TALL_MODEL_TEXTS)
        return tall_mapping_refuse (self, "defaults", keys[i], error,
                                    "this field cannot have a default");
      TallMappingSource *source = find_source (self, field, name);
      if (source == NULL)
        source = add_source (self, field, name, NULL);
      source->fallback = g_key_file_get_string (file, "defaults", keys[i], NULL);
      if (source->fallback == NULL || !g_utf8_validate (source->fallback, -1, NULL))
        return tall_mapping_refuse (self, "defaults", keys[i], error, "is not UTF-8 text");
    }
  return TRUE;
}

static gboolean
check_groups (const TallMapping *self, GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    {
      gboolean known = g_str_equal (groups[i], "mapping") || g_str_equal (groups[i], "defaults")
                       || tall_mapping_is_file_group (groups[i]);
      for (guint scope = 0; scope < TALL_N_SCOPES && !known; scope++)
        known =
            has_scope (self, scope) && g_str_equal (groups[i], tall_csv_field_scope_name (scope));
      if (!known)
        {
          g_autofree char *list = list_groups (self);
          return tall_mapping_refuse (self, groups[i], NULL, error,
                                      "a mapping of %s has no such group; known are: %s",
                                      self->kind == TALL_MAPPING_ORDERS ? "orders" : "customers",
                                      list);
        }
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
      return tall_mapping_refuse (self, tall_csv_field_scope_name (fields[i].scope), fields[i].name,
                                  error, "has to name a column");
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
  self->composites = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_csv_composite_free);
  self->files = tall_mapping_files_new ();
  self->texts = g_string_chunk_new (64);
  self->lists = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  self->sources = g_ptr_array_new_with_free_func (tall_mapping_source_free);
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    self->of_scope[scope] = g_ptr_array_new ();

  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;
  gsize size = len < 0 ? strlen (text) : (gsize)len;
  if (!tall_key_file_load (file, text, size, &local))
    {
      tall_mapping_refuse (self, NULL, NULL, error, "%s", local->message);
      return NULL;
    }
  if (!tall_mapping_read_settings (self, file, error)
      || !tall_mapping_read_values (self, file, error) || !check_groups (self, file, error)
      || !tall_mapping_read_files (self, file, error))
    return NULL;
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    if (!read_scope (self, file, scope, error))
      return NULL;
  if (!read_defaults (self, file, error) || !check_required (self, error))
    return NULL;
  for (guint i = 0; i < self->sources->len; i++)
    {
      TallMappingSource *source = tall_mapping_get_source (self, i);
      g_ptr_array_add (self->of_scope[source->field->scope], source);
    }
  return g_steal_pointer (&self);
}
