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
    "kind",      "delimiter",     "encoding",  "dates",          "two-digit-years",
    "time-zone", "decimal-comma", "thousands", "currency-signs", "negative",
    "discount",  "empty",         NULL
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

  if (!read_encoding (self, file, error))
    return FALSE;
  self->kind = kind == 0 ? TALL_MAPPING_ORDERS : TALL_MAPPING_CUSTOMERS;
  self->dialect.delimiter = TALL_DELIMITERS[delimiter];
  self->keep_empty = empty == 1;
  return TRUE;
}
