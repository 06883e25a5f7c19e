/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/recoder.h"
#include "load/mapping/mapping-private.h"

/**
 * tall_mapping_read_choice:
 * @words: such as `iso|dmy|mdy`
 * @choice: (out): the position of the key's value among them; 0 if the key is not there
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it is none of them
 */
gboolean
tall_mapping_read_choice (const TallMapping *self,
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
  static const char *const known[] = {
    "kind",      "delimiter",     "encoding",   "dates",          "two-digit-years",
    "time-zone", "decimal-comma", "thousands",  "currency-signs", "negative",
    "discount",  "empty",         "skip-lines", "header",         "columns",
    "quotes",    "escape",        "null",       "short-rows",     "trim",
    NULL
  };
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
  if (!tall_mapping_read_choice (self, file, "header", "first-line|none", &none, error))
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
  if (!tall_mapping_read_choice (self, file, "quotes", "double|none", &quotes, error)
      || !tall_mapping_read_choice (self, file, "escape", "none|backslash", &escape, error)
      || !tall_mapping_read_choice (self, file, "short-rows", "reject|pad", &rows, error)
      || !tall_mapping_read_choice (self, file, "trim", "false|true", &trim, error))
    return FALSE;
  self->dialect.no_quotes = quotes == 1;
  self->dialect.backslash = escape == 1;
  self->dialect.pad = rows == 1;
  self->dialect.trim = trim == 1;
  self->dialect.nulls = read_list (self, file, "null", "|");
  return read_header (self, file, error);
}

/**
 * tall_mapping_read_settings:
 *
 * Reads the group [mapping]: the kind of the file, and how it writes values.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID
 */
gboolean
tall_mapping_read_settings (TallMapping *self, GKeyFile *file, GError **error)
{
  guint kind, delimiter, empty;
  if (!check_mapping_keys (self, file, error)
      || !tall_mapping_read_choice (self, file, "kind", "orders|customers", &kind, error)
      || !tall_mapping_read_choice (self, file, "delimiter", TALL_DELIMITER_NAMES, &delimiter,
                                    error)
      || !tall_mapping_read_choice (self, file, "empty", "absent|text", &empty, error))
    return FALSE;

  if (!read_encoding (self, file, error) || !read_rules (self, file, error))
    return FALSE;
  self->kind = kind == 0 ? TALL_MAPPING_ORDERS : TALL_MAPPING_CUSTOMERS;
  self->dialect.delimiter = TALL_DELIMITERS[delimiter];
  self->keep_empty = empty == 1;
  return TRUE;
}
