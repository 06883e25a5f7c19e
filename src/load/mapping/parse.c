/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping-private.h"

#include "base/text.h"
#include "load/csv/recoder.h"

/* What a comment of a query begins with that has keys. */
#define SQL_COMMENT "-- load:"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* @words: such as `iso|dmy|mdy`
 * @choice: (out): the position of the key's value among them; 0 if the key is not there
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it is not one of them */
static gboolean
mapping_read_choice (const TallMapping *self,
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
  return tall_mapping_refuse (self, "mapping", key, error, "“%s” is not one of: %s", value, list);
}

static gboolean
check_mapping_keys (const TallMapping *self, GKeyFile *file, GError **error)
{
  static const char *const all[] = {
    "kind",      "delimiter",     "encoding",   "dates",          "two-digit-years",
    "time-zone", "decimal-comma", "thousands",  "currency-signs", "negative",
    "discount",  "empty",         "skip-lines", "header",         "columns",
    "quotes",    "escape",        "null",       "short-rows",     "trim",
    NULL
  };
  /* A query reads dates and numbers by functions. */
  static const char *const of_query[] = { "kind",    "delimiter",  "encoding",   "empty",  "escape",
                                          "columns", "header",     "skip-lines", "quotes", "null",
                                          "trim",    "short-rows", NULL };
  const char *const *known = self->sql != NULL ? of_query : all;
  g_auto (GStrv) keys = g_key_file_get_keys (file, "mapping", NULL, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **)known);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    if (!g_strv_contains (known, keys[i]))
      return tall_mapping_refuse (self, "mapping", keys[i], error,
                                  "there is no such key; known are: %s", list);
  return TRUE;
}

static gboolean
read_encoding (TallMapping *self, GKeyFile *file, GError **error)
{
  g_autofree char *encoding = g_key_file_get_string (file, "mapping", "encoding", NULL);
  if (encoding != NULL && !tall_csv_encoding_is_known (encoding))
    return tall_mapping_refuse (self, "mapping", "encoding", error,
                                "there is no encoding “%s”; iconv --list prints those that exist, "
                                "such as ISO-8859-1, WINDOWS-1252 and UTF-16",
                                encoding);
  self->dialect.encoding = tall_mapping_keep_text (self, encoding);
  return TRUE;
}

/* A list, as it stands there: a backslash is one. */
static char **
read_list (TallMapping *self, GKeyFile *file, const char *key, const char *separator)
{
  g_autofree char *text = g_key_file_get_value (file, "mapping", key, NULL);
  if (text == NULL || *text == '\0')
    return NULL;
  char **list = g_strsplit (text, separator, -1);
  g_ptr_array_add (self->lists, list);
  for (guint i = 0; list[i] != NULL; i++)
    g_strstrip (list[i]);
  return list;
}

static gboolean
read_header (TallMapping *self, GKeyFile *file, GError **error)
{
  guint none;
  guint64 n = 0;
  g_autofree char *skipped = g_key_file_get_string (file, "mapping", "skip-lines", NULL);
  if (skipped != NULL && !g_ascii_string_to_unsigned (skipped, 10, 0, 1000, &n, NULL))
    return tall_mapping_refuse (self, "mapping", "skip-lines", error,
                                "“%s” is not a number from 0 to 1000", skipped);
  if (!mapping_read_choice (self, file, "header", "first-line|none", &none, error))
    return FALSE;
  self->dialect.skip_lines = (guint)n;
  self->dialect.columns = read_list (self, file, "columns", ";");
  if ((none == 1) == (self->dialect.columns != NULL))
    return TRUE;
  return tall_mapping_refuse (self, "mapping", "columns", error,
                              "header = none needs the names of all columns, with semicolons "
                              "between them; with a header they are there");
}

/* How the file is written, beside the delimiter and the encoding. */
static gboolean
read_rules (TallMapping *self, GKeyFile *file, GError **error)
{
  guint quotes, escape, rows, trim;
  if (!mapping_read_choice (self, file, "quotes", "double|none|loose", &quotes, error)
      || !mapping_read_choice (self, file, "escape", "none|backslash", &escape, error)
      || !mapping_read_choice (self, file, "short-rows", "reject|pad", &rows, error)
      || !mapping_read_choice (self, file, "trim", "false|true", &trim, error))
    return FALSE;
  self->dialect.no_quotes = quotes == 1;
  self->dialect.loose = quotes == 2;
  self->dialect.backslash = escape == 1;
  self->dialect.pad = rows == 1;
  self->dialect.trim = trim == 1;
  self->dialect.nulls = read_list (self, file, "null", "|");
  return read_header (self, file, error);
}

/* Reads the group [mapping]: the kind of the file, and how it writes values.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID */
static gboolean
mapping_read_settings (TallMapping *self, GKeyFile *file, GError **error)
{
  guint kind, delimiter, empty;
  if (!check_mapping_keys (self, file, error)
      || !mapping_read_choice (self, file, "kind", "orders|customers", &kind, error)
      || !mapping_read_choice (self, file, "delimiter", TALL_DELIMITER_NAMES, &delimiter, error)
      || !mapping_read_choice (self, file, "empty", "absent|text", &empty, error))
    return FALSE;

  if (!read_encoding (self, file, error) || !read_rules (self, file, error))
    return FALSE;
  self->kind = kind == 0 ? TALL_MAPPING_ORDERS : TALL_MAPPING_CUSTOMERS;
  self->dialect.delimiter = TALL_DELIMITERS[delimiter];
  self->keep_empty = empty == 1;
  return TRUE;
}

static const char *
read_text (TallMapping *self, GKeyFile *file, const char *key)
{
  g_autofree char *text = g_key_file_get_string (file, "mapping", key, NULL);
  return tall_mapping_keep_text (self, text);
}

/* A word, or forms of the mapping's own. */
static gboolean
read_dates (TallMapping *self, GKeyFile *file, gboolean *has_short_year, GError **error)
{
  static const char *const words[] = { "iso", "dmy", "mdy" };
  g_autoptr (GError) local = NULL;
  const char *text = read_text (self, file, "dates");
  *has_short_year = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (text != NULL ? text : words[0], words[i]))
      {
        self->format.dates = (TallDates)i;
        return TRUE;
      }
  if (strchr (text, '%') == NULL)
    return tall_mapping_refuse (self, "mapping", "dates", error,
                                "“%s” is not one of: iso, dmy, mdy; or write a form, such as "
                                "%%d.%%m.%%Y",
                                text);
  if (!tall_check_date_forms (text, has_short_year, &local))
    return tall_mapping_refuse (self, "mapping", "dates", error, "%s", local->message);
  self->format.dates = TALL_DATES_OWN;
  self->format.date_forms = text;
  return TRUE;
}

static gboolean
read_first_year (TallMapping *self, GKeyFile *file, gboolean is_needed, GError **error)
{
  static const char key[] = "two-digit-years";
  guint64 year;
  const char *text = read_text (self, file, key);
  if (text == NULL && is_needed)
    return tall_mapping_refuse (self, "mapping", "dates", error,
                                "%%y needs two-digit-years, the first year that two digits mean: "
                                "two-digit-years = 1970 for 1970 to 2069");
  if (text == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 1000, 9900, &year, NULL))
    return tall_mapping_refuse (self, "mapping", key, error,
                                "“%s” is not a year of four digits; write 1970 for 1970 to 2069",
                                text);
  self->format.first_year = (guint)year;
  return TRUE;
}

static gboolean
read_zone (TallMapping *self, GKeyFile *file, GError **error)
{
  const char *text = read_text (self, file, "time-zone");
  if (text == NULL)
    return TRUE;
  self->format.zone = *text != '\0' ? g_time_zone_new_identifier (text) : NULL;
  if (self->format.zone != NULL)
    return TRUE;
  return tall_mapping_refuse (self, "mapping", "time-zone", error,
                              "there is no time zone “%s”; write one such as Europe/Berlin, or "
                              "+01:00",
                              text);
}

/* Without the quotes that a space needs. */
static char *
unquote (const char *text)
{
  gsize len = strlen (text);
  gboolean is_quoted = len >= 2 && text[0] == '"' && text[len - 1] == '"';
  return is_quoted ? g_strndup (text + 1, len - 2) : g_strdup (text);
}

static gboolean
read_thousands (TallMapping *self, GKeyFile *file, GError **error)
{
  static const char *const known[] = { ".", ",", " ", "'", "’", NULL };
  const char *text = read_text (self, file, "thousands");
  if (text == NULL)
    return TRUE;
  g_autofree char *separator = unquote (text);
  if (!g_strv_contains (known, separator))
    return tall_mapping_refuse (self, "mapping", "thousands", error,
                                "“%s” is not one of: \".\" \",\" \" \" \"'\" \"’\"", separator);
  if (g_str_equal (separator, self->format.decimal_comma ? "," : "."))
    return tall_mapping_refuse (self, "mapping", "thousands", error,
                                "“%s” is what decimals begin with; set decimal-comma = %s",
                                separator, self->format.decimal_comma ? "false" : "true");
  self->format.thousands = tall_mapping_keep_text (self, separator);
  return TRUE;
}

static gboolean
read_signs (TallMapping *self, GKeyFile *file, GError **error)
{
  const char *text = read_text (self, file, "currency-signs");
  if (text == NULL)
    return TRUE;
  if (!g_utf8_validate (text, -1, NULL) || strpbrk (text, "0123456789.,-()'\"") != NULL
      || *text == '\0')
    return tall_mapping_refuse (self, "mapping", "currency-signs", error,
                                "“%s” is not a list of signs with spaces between them, such as: "
                                "£ GBP",
                                text);
  self->format.signs = text;
  return TRUE;
}

/* Reads how the file writes dates and numbers.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID */
static gboolean
mapping_read_values (TallMapping *self, GKeyFile *file, GError **error)
{
  guint comma, negative, discount;
  gboolean has_short_year;
  if (!mapping_read_choice (self, file, "decimal-comma", "false|true", &comma, error)
      || !mapping_read_choice (self, file, "negative", "minus|parentheses|trailing-minus",
                               &negative, error)
      || !mapping_read_choice (self, file, "discount", "rate|percent", &discount, error))
    return FALSE;
  self->format.decimal_comma = comma == 1;
  self->format.negative = (TallNegative)negative;
  self->format.discount_percent = discount == 1;
  return read_dates (self, file, &has_short_year, error)
         && read_first_year (self, file, has_short_year, error) && read_zone (self, file, error)
         && read_thousands (self, file, error) && read_signs (self, file, error);
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

static TallMappingSource *
add_source (TallMapping *self, const TallCsvField *field, const char *key, const char *column)
{
  TallMappingSource *source = g_new0 (TallMappingSource, 1);
  source->field = field;
  source->index = -1;
  source->column = g_strdup (column);
  if (tall_model_kind (field->field) == TALL_MODEL_ATTRIBUTES)
    source->attribute = g_strdup (key + strlen ("attribute."));
  g_ptr_array_add (self->sources, source);
  return source;
}

static gboolean
add_columns (TallMapping *self, const TallCsvField *field, const char *key, const char *value)
{
  if (tall_model_kind (field->field) != TALL_MODEL_TEXTS)
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
      if (tall_model_kind (field->field) == TALL_MODEL_POSITION
          || tall_model_kind (field->field) == TALL_MODEL_TEXTS)
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
      gboolean known = g_str_equal (groups[i], "mapping") || g_str_equal (groups[i], "defaults");
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
    if (tall_model_kind (fields[i].field) == TALL_MODEL_NUMBER && has_scope (self, fields[i].scope)
        && find_source (self, &fields[i], fields[i].name) == NULL)
      return tall_mapping_refuse (self, tall_csv_field_scope_name (fields[i].scope), fields[i].name,
                                  error,
                                  self->sql != NULL ? "is not in the result of the query"
                                                    : "has to name a column");
  return TRUE;
}

static TallMapping *
mapping_new (const char *name)
{
  TallMapping *self = g_new0 (TallMapping, 1);
  self->name = g_strdup (name);
  self->composites = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_csv_composite_free);
  self->texts = g_string_chunk_new (64);
  self->lists = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  self->sources = g_ptr_array_new_with_free_func (tall_mapping_source_free);
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    self->of_scope[scope] = g_ptr_array_new ();
  return self;
}

static void
arrange_sources (TallMapping *self)
{
  for (guint i = 0; i < self->sources->len; i++)
    {
      TallMappingSource *source = tall_mapping_get_source (self, i);
      g_ptr_array_add (self->of_scope[source->field->scope], source);
    }
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
  if (!mapping_read_settings (self, file, error) || !mapping_read_values (self, file, error)
      || !check_groups (self, file, error))
    return NULL;
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    if (!read_scope (self, file, scope, error))
      return NULL;
  if (!read_defaults (self, file, error) || !check_required (self, error))
    return NULL;
  arrange_sources (self);
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
static GKeyFile *
read_comments (const char *text, const char *kind, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GKeyFile) own = g_key_file_new ();
  g_autoptr (GString) keys = g_string_new ("[mapping]\n");
  g_autoptr (GString) own_keys = g_string_new ("[mapping]\n");
  g_autofree char *comment = g_strdup_printf ("-- load %s:", kind != NULL ? kind : "");
  for (const char *line = text; *line != '\0';)
    {
      gsize len = strcspn (line, "\n");
      const char *at = line + strspn (line, " \t\r");
      if (g_str_has_prefix (at, SQL_COMMENT))
        add_words (keys, at + strlen (SQL_COMMENT), line + len);
      else if (g_str_has_prefix (at, comment))
        add_words (own_keys, at + strlen (comment), line + len);
      else if (at < line + len && !g_str_has_prefix (at, "--"))
        break;
      line += len + (line[len] == '\n');
    }
  if (!tall_key_file_load (file, keys->str, keys->len, error)
      || !tall_key_file_load (own, own_keys->str, own_keys->len, error))
    return NULL;
  g_auto (GStrv) names = g_key_file_get_keys (own, "mapping", NULL, NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_value (own, "mapping", names[i], NULL);
      g_key_file_set_value (file, "mapping", names[i], value);
    }
  return g_steal_pointer (&file);
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
  g_autoptr (GKeyFile) file = read_comments (self->sql, kind, &local);
  if (file == NULL)
    return tall_mapping_refuse (self, NULL, NULL, error, "-- load: %s", local->message);
  return mapping_read_settings (self, file, error);
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
  self->sql = g_strndup (text, size);
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

static gboolean
refuse_result (const TallMapping *self, const char *column, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    {
      gboolean is_bare =
          fields[i].scope == TALL_SCOPE_ORDER || fields[i].scope == TALL_SCOPE_CUSTOMER;
      if (has_scope (self, fields[i].scope))
        g_string_append_printf (list, "%s%s%s, ",
                                is_bare ? "" : tall_csv_field_scope_name (fields[i].scope),
                                is_bare ? "" : ".", fields[i].name);
    }
  return tall_mapping_refuse (self, NULL, NULL, error,
                              "“%s” is not a field; name each column of the result, by AS, as one "
                              "of: %s" TALL_MAPPING_LINE,
                              column, list->str);
}

/**
 * tall_mapping_bind_result:
 * @columns: of the query's result, NULL-terminated
 *
 * Makes the columns of the result those that feed fields.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if one is none, or comes twice, or a number is missing
 */
gboolean
tall_mapping_bind_result (TallMapping *self, const char *const *columns, GError **error)
{
  self->columns = g_strdupv ((char **)columns);
  for (guint i = 0; columns[i] != NULL; i++)
    {
      const char *name;
      const TallCsvField *field = find_result (self, columns[i], &name);
      if (g_str_equal (columns[i], TALL_MAPPING_LINE))
        continue;
      if (field == NULL)
        return refuse_result (self, columns[i], error);
      if (tall_model_kind (field->field) != TALL_MODEL_TEXTS
          && find_source (self, field, name) != NULL)
        return tall_mapping_refuse (self, NULL, NULL, error, "two columns of the result are %s",
                                    columns[i]);
      add_source (self, field, name, columns[i])->index = (gint)i;
    }
  arrange_sources (self);
  return check_required (self, error);
}
