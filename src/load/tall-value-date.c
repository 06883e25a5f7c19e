/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-json.h"
#include "tall-value.h"

static gboolean
take_number (const char **text, guint max_digits, guint *number)
{
  guint digits = 0;
  *number = 0;
  while (digits < max_digits && g_ascii_isdigit (**text))
    {
      *number = *number * 10 + (guint)g_ascii_digit_value (**text);
      (*text)++;
      digits++;
    }
  return digits > 0;
}

static gboolean
take_char (const char **text, const char *allowed)
{
  if (**text == '\0' || strchr (allowed, **text) == NULL)
    return FALSE;
  (*text)++;
  return TRUE;
}

/* Nothing, or a space and H:M or H:M:S. */
static gboolean
take_time (const char **text, guint *hour, guint *minute, guint *second)
{
  *hour = *minute = *second = 0;
  if (**text == '\0')
    return TRUE;
  if (!take_char (text, " T") || !take_number (text, 2, hour) || !take_char (text, ":")
      || !take_number (text, 2, minute))
    return FALSE;
  if (take_char (text, ":") && !take_number (text, 2, second))
    return FALSE;
  return **text == '\0' && *hour < 24 && *minute < 60 && *second < 60;
}

/* Day and month as @dates says, then a year of four digits; midnight unless a time follows. */
static gboolean
parse_numeric_date (const char *text, TallDates dates, gint64 *date)
{
  guint day, month, year, hour, minute, second;
  const char *rest = text;
  if (!take_number (&rest, 2, &day) || !take_char (&rest, "/.-") || !take_number (&rest, 2, &month)
      || !take_char (&rest, "/.-"))
    return FALSE;
  const char *year_start = rest;
  if (!take_number (&rest, 4, &year) || rest - year_start != 4
      || !take_time (&rest, &hour, &minute, &second))
    return FALSE;
  if (dates == TALL_DATES_MDY)
    {
      guint swap = day;
      day = month;
      month = swap;
    }
  if (year < 1 || month < 1 || month > 12
      || !g_date_valid_dmy ((GDateDay)day, (GDateMonth)month, (GDateYear)year))
    return FALSE;

  g_autoptr (GDateTime) time =
      g_date_time_new_utc ((gint)year, (gint)month, (gint)day, (gint)hour, (gint)minute, second);
  *date = g_date_time_to_unix (time) * 1000;
  return TRUE;
}

/* Also with a space before the time, and without an offset after it. */
static gboolean
parse_iso_date (const char *text, gint64 *date)
{
  gboolean has_time = strlen (text) > 11;
  gboolean has_offset = has_time && strpbrk (text + 11, "Zz+-") != NULL;
  g_autofree char *iso = g_strconcat (text, has_time && !has_offset ? "Z" : "", NULL);
  if (has_time && iso[10] == ' ' && g_ascii_isdigit (iso[11]))
    iso[10] = 'T';
  return tall_date_parse (iso, date, NULL);
}

/**
 * tall_parse_date:
 * @date: (out): milliseconds since the epoch; what names no offset is UTC
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text is no date of that form
 */
gboolean
tall_parse_date (const char *text, const TallValueFormat *format, gint64 *date, GError **error)
{
  if (format->dates == TALL_DATES_ISO)
    {
      if (parse_iso_date (text, date))
        return TRUE;
      tall_error_set_invalid (error, NULL, "“%s” is not a date of the form 1996-07-04", text);
      return FALSE;
    }
  if (parse_numeric_date (text, format->dates, date))
    return TRUE;
  tall_error_set_invalid (error, NULL, "“%s” is not a date of the form %s", text,
                          format->dates == TALL_DATES_DMY ? "day/month/year, such as 31/12/2010"
                                                          : "month/day/year, such as 12/31/2010");
  return FALSE;
}
