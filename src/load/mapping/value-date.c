/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-json.h"
#include "tall-limits.h"
#include "load/mapping/value.h"

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

/* A year of four digits, or of two if the format says what they mean. */
static gboolean
take_year (const char **text, guint first_year, guint *year)
{
  const char *start = *text;
  if (!take_number (text, 4, year))
    return FALSE;
  if (*text - start == 2 && first_year > 0)
    *year = tall_expand_year (*year, first_year);
  else if (*text - start != 4)
    return FALSE;
  return *year > 0;
}

/* Day and month as the format says, then a year; @has_time if a time follows. */
static gboolean
parse_numeric_date (const char *text,
                    const TallValueFormat *format,
                    gint64 *local,
                    gboolean *has_time)
{
  guint day, month, year, hour, minute, second;
  const char *rest = text;
  if (!take_number (&rest, 2, &day) || !take_char (&rest, "/.-") || !take_number (&rest, 2, &month)
      || !take_char (&rest, "/.-") || !take_year (&rest, format->first_year, &year))
    return FALSE;
  *has_time = *rest != '\0';
  if (!take_time (&rest, &hour, &minute, &second))
    return FALSE;
  if (format->dates == TALL_DATES_MDY)
    {
      guint swap = day;
      day = month;
      month = swap;
    }
  g_autoptr (GDateTime) time =
      g_date_time_new_utc ((gint)year, (gint)month, (gint)day, (gint)hour, (gint)minute, second);
  if (time == NULL)
    return FALSE;
  *local = g_date_time_to_unix (time) * 1000;
  return TRUE;
}

/* Also with a space before the time, and without an offset after it. */
static gboolean
parse_iso_date (const char *text, gint64 *local, gboolean *has_time, gboolean *has_offset)
{
  *has_time = strlen (text) > 11;
  *has_offset = *has_time && strpbrk (text + 11, "Zz+-") != NULL;
  g_autofree char *iso = g_strconcat (text, *has_time && !*has_offset ? "Z" : "", NULL);
  if (*has_time && iso[10] == ' ' && g_ascii_isdigit (iso[11]))
    iso[10] = 'T';
  return tall_date_parse (iso, local, NULL);
}

static const char *
describe_form (TallDates dates)
{
  if (dates == TALL_DATES_ISO)
    return "1996-07-04";
  return dates == TALL_DATES_DMY ? "day/month/year, such as 31/12/2010"
                                 : "month/day/year, such as 12/31/2010";
}

/**
 * tall_parse_date:
 * @date: (out): milliseconds since the epoch; what names no offset is of the format's zone
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text is no date of that form
 */
gboolean
tall_parse_date (const char *text, const TallValueFormat *format, gint64 *date, GError **error)
{
  gint64 local;
  gboolean has_time, has_offset = FALSE;
  if (format->dates == TALL_DATES_OWN)
    return tall_parse_own_date (text, format, date, error);
  gboolean is_form = format->dates == TALL_DATES_ISO
                         ? parse_iso_date (text, &local, &has_time, &has_offset)
                         : parse_numeric_date (text, format, &local, &has_time);
  if (!is_form)
    tall_error_set_invalid (error, NULL, "“%s” is not a date of the form %s", text,
                            describe_form (format->dates));
  else if (has_offset)
    *date = local;
  else if (!tall_settle_time (local, !has_time, format->zone, date) || *date < TALL_MIN_DATE
           || *date > TALL_MAX_DATE)
    return tall_refuse_time (text, format->zone, error);
  return is_form;
}
