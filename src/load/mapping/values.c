/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping-private.h"

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

/**
 * tall_mapping_read_values:
 *
 * Reads how the file writes dates and numbers.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID
 */
gboolean
tall_mapping_read_values (TallMapping *self, GKeyFile *file, GError **error)
{
  guint comma, negative, discount;
  gboolean has_short_year;
  if (!tall_mapping_read_choice (self, file, "decimal-comma", "false|true", &comma, error)
      || !tall_mapping_read_choice (self, file, "negative", "minus|parentheses|trailing-minus",
                                    &negative, error)
      || !tall_mapping_read_choice (self, file, "discount", "rate|percent", &discount, error))
    return FALSE;
  self->format.decimal_comma = comma == 1;
  self->format.negative = (TallNegative)negative;
  self->format.discount_percent = discount == 1;
  return read_dates (self, file, &has_short_year, error)
         && read_first_year (self, file, has_short_year, error) && read_zone (self, file, error)
         && read_thousands (self, file, error) && read_signs (self, file, error);
}
