/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping.h"

#include "base/text.h"
#include "load/csv/reader-private.h"

/* What a comment of a query begins with that has keys. */
#define SQL_COMMENT "-- load:"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

#define MAPPING "mapping"
#define DEFAULTS "defaults"
#define OWN "own" /* of one table of a query */

static gboolean
read_encoding (TallMapping *self, const char *key, const char *text, GError **error)
{
  self->dialect.encoding = tall_arena_strdup (self->arena, text);
  return tall_csv_encoding_is_known (text)
         || tall_mapping_refuse (self, MAPPING, key, error,
                                 "there is no encoding “%s”; iconv --list prints those that exist, "
                                 "such as ISO-8859-1, WINDOWS-1252 and UTF-16",
                                 text);
}

static gboolean
read_dates (TallMapping *self, const char *key, const char *text, GError **error)
{
  g_autoptr (GError) local = NULL;
  return tall_value_format_set_dates (&self->format, tall_arena_strdup (self->arena, text), &local)
         || tall_mapping_refuse (self, MAPPING, key, error, "%s", local->message);
}

static gboolean
read_zone (TallMapping *self, const char *key, const char *text, GError **error)
{
  self->format.zone = *text != '\0' ? g_time_zone_new_identifier (text) : NULL;
  return self->format.zone != NULL
         || tall_mapping_refuse (self, MAPPING, key, error,
                                 "there is no time zone “%s”; write one such as Europe/Berlin, or "
                                 "+01:00",
                                 text);
}

/* A space needs quotes, the others may have some. */
static gboolean
read_thousands (TallMapping *self, const char *key, const char *text, GError **error)
{
  static const char *const known[] = { ".", ",", " ", "'", "’", NULL };
  gsize len = strlen (text);
  gboolean is_quoted = len >= 2 && text[0] == '"' && text[len - 1] == '"';
  g_autofree char *separator = is_quoted ? g_strndup (text + 1, len - 2) : g_strdup (text);
  self->format.thousands = tall_arena_strdup (self->arena, separator);
  return g_strv_contains (known, separator)
         || tall_mapping_refuse (self, MAPPING, key, error,
                                 "“%s” is not one of: \".\" \",\" \" \" \"'\" \"’\"", separator);
}

static gboolean
read_signs (TallMapping *self, const char *key, const char *text, GError **error)
{
  self->format.signs = tall_arena_strdup (self->arena, text);
  return (g_utf8_validate (text, -1, NULL) && strpbrk (text, "0123456789.,-()'\"") == NULL
          && *text != '\0')
         || tall_mapping_refuse (self, MAPPING, key, error,
                                 "“%s” is not a list of signs with spaces between them, such as: "
                                 "£ GBP",
                                 text);
}

/* What [mapping] may say. A query reads dates and numbers by functions. The value goes to the
 * member at @offset: the position of a word, a number, or a list; or @read takes it. */
typedef struct
{
  const char *key;
  gboolean of_query;
  const char *words; /* of a choice, the usual one first */
  gsize offset;
  gint least, most;      /* of a number */
  const char *what;      /* that it is */
  const char *separator; /* of a list, which is there as it stands: a backslash is one */
  gboolean (*read) (TallMapping *self, const char *key, const char *text, GError **error);
} Setting;

#define MEMBER(name) offsetof (TallMapping, name)
static const Setting settings[] = {
  { "kind", TRUE, "orders|customers", MEMBER (kind) },
  { "delimiter", TRUE, TALL_DELIMITER_NAMES, MEMBER (delimiter) },
  { "encoding", TRUE, .read = read_encoding },
  { "dates", FALSE, .read = read_dates },
  { "two-digit-years", FALSE, NULL, MEMBER (format.first_year), 1000, 9900,
    "a year of four digits; write 1970 for 1970 to 2069" },
  { "time-zone", FALSE, .read = read_zone },
  { "decimal-comma", FALSE, "false|true", MEMBER (format.decimal_comma) },
  { "thousands", FALSE, .read = read_thousands },
  { "currency-signs", FALSE, .read = read_signs },
  { "negative", FALSE, "minus|parentheses|trailing-minus", MEMBER (format.negative) },
  { "discount", FALSE, "rate|percent", MEMBER (format.discount_percent) },
  { "empty", TRUE, "absent|text", MEMBER (keep_empty) },
  { "skip-lines", TRUE, NULL, MEMBER (dialect.skip_lines), 0, 1000, "a number from 0 to 1000" },
  { "header", TRUE, "first-line|none", MEMBER (has_no_header) },
  { "columns", TRUE, NULL, MEMBER (dialect.columns), .separator = ";" },
  { "quotes", TRUE, "double|none|loose", MEMBER (dialect.quotes) },
  { "escape", TRUE, "none|backslash", MEMBER (dialect.backslash) },
  { "null", TRUE, NULL, MEMBER (dialect.nulls), .separator = "|" },
  { "short-rows", TRUE, "reject|pad", MEMBER (dialect.pad) },
  { "trim", TRUE, "false|true", MEMBER (dialect.trim) },
};

static gboolean
read_setting (TallMapping *self, const Setting *setting, const char *text, GError **error)
{
  gpointer member = (char *)self + setting->offset;
  if (setting->read != NULL)
    return setting->read (self, setting->key, text, error);
  g_auto (GStrv) parts = g_strsplit (setting->words != NULL ? setting->words : text,
                                     setting->separator != NULL ? setting->separator : "|", -1);
  if (setting->separator != NULL)
    {
      char **list = tall_arena_newa0 (self->arena, char *, g_strv_length (parts) + 1);
      for (guint i = 0; parts[i] != NULL; i++)
        list[i] = tall_arena_strdup (self->arena, g_strstrip (parts[i]));
      *(char ***)member = list[0] != NULL ? list : NULL;
      return TRUE;
    }
  if (setting->words == NULL)
    {
      guint64 value = 0;
      gboolean ok = g_ascii_string_to_unsigned (text, 10, (guint64)setting->least,
                                                (guint64)setting->most, &value, NULL);
      *(guint *)member = (guint)value;
      return ok
             || tall_mapping_refuse (self, MAPPING, setting->key, error, "“%s” is not %s", text,
                                     setting->what);
    }
  for (gint i = 0; parts[i] != NULL; i++)
    if (g_str_equal (parts[i], text))
      {
        *(gint *)member = i;
        return TRUE;
      }
  g_autofree char *list = g_strjoinv (", ", parts);
  return tall_mapping_refuse (self, MAPPING, setting->key, error, "“%s” is not one of: %s", text,
                              list);
}

static gboolean
refuse_key (const TallMapping *self, const char *key, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    if (self->sql == NULL || settings[i].of_query)
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", settings[i].key);
  return tall_mapping_refuse (self, MAPPING, key, error, "there is no such key; known are: %s",
                              list->str);
}

/* What one setting needs of another. */
static gboolean
check_settings (const TallMapping *self, GError **error)
{
  const TallValueFormat *format = &self->format;
  if (self->has_no_header != (self->dialect.columns != NULL))
    return tall_mapping_refuse (self, MAPPING, "columns", error,
                                "header = none needs the names of all columns, with semicolons "
                                "between them; with a header they are there");
  if (g_strcmp0 (format->thousands, format->decimal_comma ? "," : ".") == 0)
    return tall_mapping_refuse (self, MAPPING, "thousands", error,
                                "“%s” is what decimals begin with; set decimal-comma = %s",
                                format->thousands, format->decimal_comma ? "false" : "true");
  if (!format->needs_year || format->first_year != 0)
    return TRUE;
  return tall_mapping_refuse (self, MAPPING, "dates", error,
                              "%%y needs two-digit-years, the first year that two digits mean: "
                              "two-digit-years = 1970 for 1970 to 2069");
}

static gboolean
read_group (TallMapping *self, GKeyFile *file, const char *group, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      guint k = 0;
      while (k < G_N_ELEMENTS (settings) && !g_str_equal (settings[k].key, keys[i]))
        k++;
      if (k == G_N_ELEMENTS (settings) || (self->sql != NULL && !settings[k].of_query))
        return refuse_key (self, keys[i], error);
      g_autofree char *text = settings[k].separator != NULL
                                  ? g_key_file_get_value (file, group, keys[i], NULL)
                                  : g_key_file_get_string (file, group, keys[i], NULL);
      if (text != NULL && !read_setting (self, &settings[k], text, error))
        return FALSE;
    }
  return TRUE;
}

/* Reads the kind of the file, how it is written, and how its values are. */
static gboolean
read_settings (TallMapping *self, GKeyFile *file, GError **error)
{
  self->dialect = (TallCsvDialect){ 0 };
  if (!read_group (self, file, MAPPING, error)
      || (self->sql != NULL && !read_group (self, file, OWN, error)))
    return FALSE;
  self->dialect.delimiter = TALL_DELIMITERS[self->delimiter];
  return check_settings (self, error);
}

/* Whether rows of this kind of file have fields of that scope. */
static gboolean
has_scope (const TallMapping *self, TallCsvScope scope)
{
  return (scope == TALL_SCOPE_CUSTOMER) == (self->kind == TALL_MAPPING_CUSTOMERS);
}

/* Names of fields: of one scope, or, with %TALL_N_SCOPES, of the result of a query. */
static char *
list_fields (const TallMapping *self, guint scope)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    {
      gboolean has_group =
          scope == TALL_N_SCOPES
          && (fields[i].scope == TALL_SCOPE_LOCATION || fields[i].scope == TALL_SCOPE_LINE);
      if (scope == TALL_N_SCOPES ? has_scope (self, fields[i].scope) : fields[i].scope == scope)
        g_string_append_printf (list, "%s%s%s%s", list->len > 0 ? ", " : "",
                                has_group ? tall_csv_field_scope_name (fields[i].scope) : "",
                                has_group ? "." : "", fields[i].name);
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static TallMappingSource *
add_source (TallMapping *self, const TallCsvField *field, const char *key, const char *column)
{
  TallMappingSource *source = tall_arena_new0 (self->arena, TallMappingSource);
  source->field = field;
  source->index = -1;
  source->column = tall_arena_strdup (self->arena, column);
  source->part = tall_arena_strdup (self->arena, tall_csv_field_get_part (field, key));
  g_ptr_array_add (self->sources, source);
  g_ptr_array_add (self->of_scope[field->scope], source);
  return source;
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
          g_autofree char *list = list_fields (self, scope);
          return tall_mapping_refuse (self, group, keys[i], error,
                                      "there is no such field; known are: %s", list);
        }
      g_autofree char *value = g_key_file_get_string (file, group, keys[i], NULL);
      if (value == NULL || *value == '\0')
        return tall_mapping_refuse (self, group, keys[i], error, "names no column");
      gboolean is_list = tall_model_kind (field->field) == TALL_MODEL_TEXTS;
      g_auto (GStrv) columns = g_strsplit (value, ";", is_list ? -1 : 1);
      for (guint k = 0; columns[k] != NULL; k++)
        if (!is_list || *g_strstrip (columns[k]) != '\0')
          add_source (self, field, keys[i], columns[k]);
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
          && g_strcmp0 (source->part, tall_csv_field_get_part (field, key)) == 0)
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
  g_auto (GStrv) keys = g_key_file_get_keys (file, DEFAULTS, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      const char *name = NULL;
      const TallCsvField *field = find_default (self, keys[i], &name);
      if (field == NULL)
        return tall_mapping_refuse (self, DEFAULTS, keys[i], error,
                                    "there is no such field; write GROUP.FIELD, such as %s",
                                    self->kind == TALL_MAPPING_ORDERS ? "order.currency"
                                                                      : "customer.name");
      if (tall_model_kind (field->field) == TALL_MODEL_POSITION
          || tall_model_kind (field->field) == TALL_MODEL_TEXTS)
        return tall_mapping_refuse (self, DEFAULTS, keys[i], error,
                                    "this field cannot have a default");
      TallMappingSource *source = find_source (self, field, name);
      if (source == NULL)
        source = add_source (self, field, name, NULL);
      g_autofree char *fallback = g_key_file_get_string (file, DEFAULTS, keys[i], NULL);
      source->fallback = tall_arena_strdup (self->arena, fallback);
      if (fallback == NULL || !g_utf8_validate (fallback, -1, NULL))
        return tall_mapping_refuse (self, DEFAULTS, keys[i], error, "is not UTF-8 text");
    }
  return TRUE;
}

static gboolean
check_groups (const TallMapping *self, GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    {
      g_autoptr (GString) list = g_string_new ("[" MAPPING "]");
      gboolean known = g_str_equal (groups[i], MAPPING) || g_str_equal (groups[i], DEFAULTS);
      for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
        if (has_scope (self, scope))
          {
            known |= g_str_equal (groups[i], tall_csv_field_scope_name (scope));
            g_string_append_printf (list, ", [%s]", tall_csv_field_scope_name (scope));
          }
      if (!known)
        return tall_mapping_refuse (self, groups[i], NULL, error,
                                    "a mapping of %s has no such group; known are: %s, [" DEFAULTS
                                    "]",
                                    self->kind == TALL_MAPPING_ORDERS ? "orders" : "customers",
                                    list->str);
    }
  return TRUE;
}

static gboolean
check_required (TallMapping *self, GError **error)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    if (tall_model_kind (fields[i].field) == TALL_MODEL_NUMBER && has_scope (self, fields[i].scope)
        && find_source (self, &fields[i], fields[i].name) == NULL)
      return tall_mapping_refuse (self, tall_csv_field_scope_name (fields[i].scope), fields[i].name,
                                  error,
                                  self->sql != NULL ? "is not in the result of the query"
                                                    : "has to name a column");
  return TRUE;
}

/* An array that goes with the mapping. */
static GPtrArray *
add_array (TallMapping *self)
{
  GPtrArray *array = g_ptr_array_new ();
  tall_arena_own (self->arena, array, (GDestroyNotify)g_ptr_array_unref);
  return array;
}

static TallMapping *
mapping_new (const char *name)
{
  TallMapping *self = g_new0 (TallMapping, 1);
  self->arena = tall_arena_new (0);
  self->name = tall_arena_strdup (self->arena, name);
  self->composites = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_csv_composite_free);
  self->sources = add_array (self);
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    self->of_scope[scope] = add_array (self);
  return self;
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
  g_autoptr (TallMapping) self = mapping_new (name);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;
  gsize size = len < 0 ? strlen (text) : (gsize)len;
  if (!tall_key_file_load (file, text, size, &local))
    {
      tall_mapping_refuse (self, NULL, NULL, error, "%s", local->message);
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

/* Adds the words of a line, such as `delimiter=tab columns="A B;C"`, as lines of a key file. */
static void
add_words (GString *keys, const char *at, const char *end)
{
  gboolean quoted = FALSE;
  for (; at < end && *at != '\r'; at++)
    if (*at == '"')
      quoted = !quoted;
    else
      g_string_append_c (keys, *at == ' ' && !quoted ? '\n' : *at);
  g_string_append_c (keys, '\n');
}

/* The comments that a query begins with say how its files are written: `-- load:`, or, of those
 * that are one table, `-- load NAME:`, which counts more. */
static gboolean
read_comments (GKeyFile *file, const char *text, const char *kind, GError **error)
{
  g_autoptr (GString) keys = g_string_new ("[" MAPPING "]\n");
  g_autoptr (GString) own = g_string_new ("[" OWN "]\n");
  g_autofree char *comment = g_strdup_printf ("-- load %s:", kind != NULL ? kind : "");
  for (const char *line = text; *line != '\0';)
    {
      gsize len = strcspn (line, "\n");
      const char *at = line + strspn (line, " \t\r");
      if (g_str_has_prefix (at, SQL_COMMENT))
        add_words (keys, at + strlen (SQL_COMMENT), line + len);
      else if (g_str_has_prefix (at, comment))
        add_words (own, at + strlen (comment), line + len);
      else if (at < line + len && !g_str_has_prefix (at, "--"))
        break;
      line += len + (line[len] == '\n');
    }
  g_string_append_len (keys, own->str, (gssize)own->len);
  return tall_key_file_load (file, keys->str, keys->len, error);
}

/**
 * tall_mapping_take_kind:
 * @kind: (nullable): the table that the mapping's file is; NULL: `csv`
 *
 * Makes the mapping of a query that of one of its files, whose dialect may be another.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if the comments are not understood
 */
gboolean
tall_mapping_take_kind (TallMapping *self, const char *kind, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!read_comments (file, self->sql, kind, &local))
    return tall_mapping_refuse (self, NULL, NULL, error, "-- load: %s", local->message);
  return read_settings (self, file, error);
}

/**
 * tall_mapping_parse_sql:
 * @name: of the mapping, for messages
 * @text: a query, after comments such as `-- load: delimiter=tab`
 *
 * Returns: (transfer full): the mapping, which tall_query_new() checks; NULL with
 *   %TALL_ERROR_INVALID if the comments are not understood
 */
TallMapping *
tall_mapping_parse_sql (const char *name, const char *text, gssize len, GError **error)
{
  g_autoptr (TallMapping) self = mapping_new (name);
  gsize size = len < 0 ? strlen (text) : (gsize)len;
  gsize mark = strlen (BYTE_ORDER_MARK);
  if (size >= mark && memcmp (text, BYTE_ORDER_MARK, mark) == 0)
    {
      text += mark;
      size -= mark;
    }
  self->sql = tall_arena_strndup (self->arena, text, size);
  if (strlen (self->sql) != size || !g_utf8_validate (text, (gssize)size, NULL))
    {
      tall_mapping_refuse (self, NULL, NULL, error, "is not a text in UTF-8");
      return NULL;
    }
  return tall_mapping_take_kind (self, NULL, error) ? g_steal_pointer (&self) : NULL;
}

/* A field by its name in the result of a query: that of an order, or a customer, without its group.
 */
static const TallCsvField *
find_result (const TallMapping *self, const char *column, const char **name)
{
  *name = column;
  const TallCsvField *field = tall_csv_field_find (
      self->kind == TALL_MAPPING_ORDERS ? TALL_SCOPE_ORDER : TALL_SCOPE_CUSTOMER, column);
  return field != NULL ? field : find_default (self, column, name);
}

/* Makes the columns of the result those that feed fields. @columns: of the query's result,
 * NULL-terminated. Returns: FALSE with %TALL_ERROR_INVALID if one is not a field, or comes twice,
 * or a number is missing */
gboolean
tall_mapping_bind_result (TallMapping *self, const char *const *columns, GError **error)
{
  self->columns = tall_arena_newa0 (self->arena, char *, g_strv_length ((char **)columns) + 1);
  for (guint i = 0; columns[i] != NULL; i++)
    {
      self->columns[i] = tall_arena_strdup (self->arena, columns[i]);
      const char *name;
      const TallCsvField *field = find_result (self, columns[i], &name);
      if (g_str_equal (columns[i], TALL_MAPPING_LINE))
        continue;
      g_autofree char *list = field == NULL ? list_fields (self, TALL_N_SCOPES) : NULL;
      if (field == NULL)
        return tall_mapping_refuse (self, NULL, NULL, error,
                                    "“%s” is not a field; name each column of the result, by AS, "
                                    "as one of: %s, " TALL_MAPPING_LINE,
                                    columns[i], list);
      if (tall_model_kind (field->field) != TALL_MODEL_TEXTS
          && find_source (self, field, name) != NULL)
        return tall_mapping_refuse (self, NULL, NULL, error, "two columns of the result are %s",
                                    columns[i]);
      add_source (self, field, name, columns[i])->index = (gint)i;
    }
  return check_required (self, error);
}
