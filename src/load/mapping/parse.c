/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping-private.h"

#include "base/text.h"
#include "load/csv/lines.h"

/* What a comment of a query begins with that has keys. */
#define SQL_COMMENT "-- load:"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

#define MAPPING "mapping"

static gboolean
read_encoding (TallMapping *self, const char *key, const char *text, GError **error)
{
  self->dialect.encoding = tall_mapping_keep_text (self, text);
  return tall_csv_encoding_is_known (text)
         || tall_mapping_refuse (self, MAPPING, key, error,
                                 "there is no encoding “%s”; iconv --list prints those that exist, "
                                 "such as ISO-8859-1, WINDOWS-1252 and UTF-16",
                                 text);
}

static gboolean
read_skip_lines (TallMapping *self, const char *key, const char *text, GError **error)
{
  guint64 n = 0;
  gboolean ok = g_ascii_string_to_unsigned (text, 10, 0, 1000, &n, NULL);
  self->dialect.skip_lines = (guint)n;
  return ok
         || tall_mapping_refuse (self, MAPPING, key, error, "“%s” is not a number from 0 to 1000",
                                 text);
}

static char **
keep_list (TallMapping *self, const char *text, const char *separator)
{
  if (*text == '\0')
    return NULL;
  char **list = g_strsplit (text, separator, -1);
  g_ptr_array_add (self->lists, list);
  for (guint i = 0; list[i] != NULL; i++)
    g_strstrip (list[i]);
  return list;
}

static gboolean
read_columns (TallMapping *self,
              const char *key G_GNUC_UNUSED,
              const char *text,
              GError **error G_GNUC_UNUSED)
{
  self->dialect.columns = keep_list (self, text, ";");
  return TRUE;
}

static gboolean
read_nulls (TallMapping *self,
            const char *key G_GNUC_UNUSED,
            const char *text,
            GError **error G_GNUC_UNUSED)
{
  self->dialect.nulls = keep_list (self, text, "|");
  return TRUE;
}

/* A word, or forms of the mapping's own. */
static gboolean
read_dates (TallMapping *self, const char *key, const char *text, GError **error)
{
  static const char *const words[] = { "iso", "dmy", "mdy" };
  g_autoptr (GError) local = NULL;
  gboolean has_short_year;
  self->format.dates = TALL_DATES_OWN;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (text, words[i]))
      self->format.dates = (TallDates)i;
  if (self->format.dates != TALL_DATES_OWN)
    return TRUE;
  if (strchr (text, '%') == NULL)
    return tall_mapping_refuse (self, MAPPING, key, error,
                                "“%s” is not one of: iso, dmy, mdy; or write a form, such as "
                                "%%d.%%m.%%Y",
                                text);
  self->format.date_forms = tall_mapping_keep_text (self, text);
  return tall_check_date_forms (text, &has_short_year, &local)
         || tall_mapping_refuse (self, MAPPING, key, error, "%s", local->message);
}

static gboolean
read_first_year (TallMapping *self, const char *key, const char *text, GError **error)
{
  guint64 year = 0;
  gboolean ok = g_ascii_string_to_unsigned (text, 10, 1000, 9900, &year, NULL);
  self->format.first_year = (guint)year;
  return ok
         || tall_mapping_refuse (self, MAPPING, key, error,
                                 "“%s” is not a year of four digits; write 1970 for 1970 to 2069",
                                 text);
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
  self->format.thousands = tall_mapping_keep_text (self, separator);
  return g_strv_contains (known, separator)
         || tall_mapping_refuse (self, MAPPING, key, error,
                                 "“%s” is not one of: \".\" \",\" \" \" \"'\" \"’\"", separator);
}

static gboolean
read_signs (TallMapping *self, const char *key, const char *text, GError **error)
{
  self->format.signs = tall_mapping_keep_text (self, text);
  return (g_utf8_validate (text, -1, NULL) && strpbrk (text, "0123456789.,-()'\"") == NULL
          && *text != '\0')
         || tall_mapping_refuse (self, MAPPING, key, error,
                                 "“%s” is not a list of signs with spaces between them, such as: "
                                 "£ GBP",
                                 text);
}

/* What [mapping] may say. A query reads dates and numbers by functions. */
typedef struct
{
  const char *key;
  gboolean of_query;
  const char *words; /* of a choice, the usual one first: its position goes to … */
  gsize offset;      /* … this member */
  gboolean (*read) (TallMapping *self, const char *key, const char *text, GError **error);
} Setting;

static const Setting settings[] = {
  { "kind", TRUE, "orders|customers", offsetof (TallMapping, kind) },
  { "delimiter", TRUE, TALL_DELIMITER_NAMES, offsetof (TallMapping, delimiter) },
  { "encoding", TRUE, .read = read_encoding },
  { "dates", FALSE, .read = read_dates },
  { "two-digit-years", FALSE, .read = read_first_year },
  { "time-zone", FALSE, .read = read_zone },
  { "decimal-comma", FALSE, "false|true", offsetof (TallMapping, format.decimal_comma) },
  { "thousands", FALSE, .read = read_thousands },
  { "currency-signs", FALSE, .read = read_signs },
  { "negative", FALSE, "minus|parentheses|trailing-minus",
    offsetof (TallMapping, format.negative) },
  { "discount", FALSE, "rate|percent", offsetof (TallMapping, format.discount_percent) },
  { "empty", TRUE, "absent|text", offsetof (TallMapping, keep_empty) },
  { "skip-lines", TRUE, .read = read_skip_lines },
  { "header", TRUE, "first-line|none", offsetof (TallMapping, has_no_header) },
  { "columns", TRUE, .read = read_columns },
  { "quotes", TRUE, "double|none|loose", offsetof (TallMapping, dialect.quotes) },
  { "escape", TRUE, "none|backslash", offsetof (TallMapping, dialect.backslash) },
  { "null", TRUE, .read = read_nulls },
  { "short-rows", TRUE, "reject|pad", offsetof (TallMapping, dialect.pad) },
  { "trim", TRUE, "false|true", offsetof (TallMapping, dialect.trim) },
};

static gboolean
read_setting (TallMapping *self, const Setting *setting, const char *text, GError **error)
{
  if (setting->read != NULL)
    return setting->read (self, setting->key, text, error);
  g_auto (GStrv) words = g_strsplit (setting->words, "|", -1);
  for (gint i = 0; words[i] != NULL; i++)
    if (g_str_equal (words[i], text))
      {
        *(gint *)(gpointer)((char *)self + setting->offset) = i;
        return TRUE;
      }
  g_autofree char *list = g_strjoinv (", ", words);
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
  gboolean has_short_year = FALSE;
  const TallValueFormat *format = &self->format;
  if (self->has_no_header != (self->dialect.columns != NULL))
    return tall_mapping_refuse (self, MAPPING, "columns", error,
                                "header = none needs the names of all columns, with semicolons "
                                "between them; with a header they are there");
  if (g_strcmp0 (format->thousands, format->decimal_comma ? "," : ".") == 0)
    return tall_mapping_refuse (self, MAPPING, "thousands", error,
                                "“%s” is what decimals begin with; set decimal-comma = %s",
                                format->thousands, format->decimal_comma ? "false" : "true");
  if (format->dates != TALL_DATES_OWN || format->first_year != 0
      || !tall_check_date_forms (format->date_forms, &has_short_year, NULL) || !has_short_year)
    return TRUE;
  return tall_mapping_refuse (self, MAPPING, "dates", error,
                              "%%y needs two-digit-years, the first year that two digits mean: "
                              "two-digit-years = 1970 for 1970 to 2069");
}

/* Reads the group [mapping]: the kind of the file, how it is written, and how its values are. What
 * is a list, or may be, is there as it stands: a backslash is one. */
static gboolean
read_settings (TallMapping *self, GKeyFile *file, GError **error)
{
  self->dialect = (TallCsvDialect){ 0 };
  g_auto (GStrv) keys = g_key_file_get_keys (file, MAPPING, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      guint k = 0;
      while (k < G_N_ELEMENTS (settings) && !g_str_equal (settings[k].key, keys[i]))
        k++;
      if (k == G_N_ELEMENTS (settings) || (self->sql != NULL && !settings[k].of_query))
        return refuse_key (self, keys[i], error);
      gboolean is_list = settings[k].read == read_columns || settings[k].read == read_nulls;
      g_autofree char *text = is_list ? g_key_file_get_value (file, MAPPING, keys[i], NULL)
                                      : g_key_file_get_string (file, MAPPING, keys[i], NULL);
      if (text != NULL && !read_setting (self, &settings[k], text, error))
        return FALSE;
    }
  self->dialect.delimiter = TALL_DELIMITERS[self->delimiter];
  return check_settings (self, error);
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
  source->part = g_strdup (tall_csv_field_get_part (field, key));
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

/* @name: of the mapping, for messages. Returns: (transfer full): the mapping; NULL with
 * %TALL_ERROR_INVALID, naming group and key, if anything in it is not understood */
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

/* Makes the mapping of a query that of one of its files, whose dialect may be another. @kind:
 * (nullable): the table that the mapping's file is; NULL: `csv`. Returns: FALSE with
 * %TALL_ERROR_INVALID if the comments are not understood */
gboolean
tall_mapping_take_kind (TallMapping *self, const char *kind, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (GKeyFile) file = read_comments (self->sql, kind, &local);
  if (file == NULL)
    return tall_mapping_refuse (self, NULL, NULL, error, "-- load: %s", local->message);
  return read_settings (self, file, error);
}

/* @name: of the mapping, for messages. @text: a query, after comments such as `-- load:
 * delimiter=tab`. Returns: (transfer full): the mapping, which tall_query_new() checks; NULL with
 * %TALL_ERROR_INVALID if the comments are not understood */
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

/* Makes the columns of the result those that feed fields. @columns: of the query's result,
 * NULL-terminated. Returns: FALSE with %TALL_ERROR_INVALID if one is not a field, or comes twice,
 * or a number is missing */
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
