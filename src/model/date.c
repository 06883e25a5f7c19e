/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"
#include "tall-json.h"
#include "tall-limits.h"

#define MS_PER_DAY G_GINT64_CONSTANT (86400000)
#define JULIAN_OF_EPOCH 719163 /* GDate's day number of 1970-01-01; 0001-01-01 is day 1 */

/* What is read from the front of a text. */
typedef struct
{
  const char *at;
  gboolean failed;
} Cursor;

/**
 * tall_date_format:
 * @date: milliseconds since the epoch, UTC
 * @text: room for the text
 *
 * Returns: @text: `1996-07-04T00:00:00.000Z`. A date outside the years 1 to 9999, which only
 *   damaged data can hold, is given as its number of milliseconds.
 */
const char *
tall_date_format (gint64 date, char text[TALL_DATE_TEXT_SIZE])
{
  if (date < TALL_MIN_DATE || date > TALL_MAX_DATE)
    {
      g_snprintf (text, TALL_DATE_TEXT_SIZE, "%" G_GINT64_FORMAT " ms", date);
      return text;
    }

  guint32 day = (date - TALL_MIN_DATE) / MS_PER_DAY;
  guint32 ms = (date - TALL_MIN_DATE) % MS_PER_DAY;
  GDate civil;
  g_date_clear (&civil, 1);
  g_date_set_julian (&civil, day + 1);
  g_snprintf (text, TALL_DATE_TEXT_SIZE, "%04d-%02d-%02dT%02u:%02u:%02u.%03uZ",
              g_date_get_year (&civil), g_date_get_month (&civil), g_date_get_day (&civil),
              ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000);
  return text;
}

static guint
read_digits (Cursor *self, guint n)
{
  guint value = 0;
  for (guint i = 0; i < n && !self->failed; i++)
    {
      if (g_ascii_isdigit (*self->at))
        value = value * 10 + (*self->at++ - '0');
      else
        self->failed = TRUE;
    }
  return value;
}

static gboolean
accept (Cursor *self, char character)
{
  if (self->failed || *self->at != character)
    return FALSE;
  self->at++;
  return TRUE;
}

static guint
read_field (Cursor *self, char before, guint n, guint max)
{
  if (!accept (self, before))
    self->failed = TRUE;
  guint value = read_digits (self, n);
  if (value > max)
    self->failed = TRUE;
  return value;
}

/* Days since the epoch. */
static gint64
read_day (Cursor *self)
{
  guint year = read_digits (self, 4);
  guint month = read_field (self, '-', 2, 12);
  guint day = read_field (self, '-', 2, 31);
  if (self->failed || !g_date_valid_dmy (day, month, year))
    {
      self->failed = TRUE;
      return 0;
    }

  GDate civil;
  g_date_clear (&civil, 1);
  g_date_set_dmy (&civil, day, month, year);
  return (gint64)g_date_get_julian (&civil) - JULIAN_OF_EPOCH;
}

/* Up to three digits; more only if they are zeros, as nothing may be lost. */
static guint
read_fraction (Cursor *self)
{
  guint ms = 0;
  guint digits = 0;
  for (; g_ascii_isdigit (*self->at); self->at++, digits++)
    {
      if (digits < 3)
        ms = ms * 10 + (*self->at - '0');
      else if (*self->at != '0')
        self->failed = TRUE;
    }
  if (digits == 0)
    self->failed = TRUE;
  for (; digits < 3; digits++)
    ms *= 10;
  return ms;
}

/* Milliseconds since midnight. */
static gint64
read_time (Cursor *self)
{
  guint hour = read_field (self, 'T', 2, 23);
  guint minute = read_field (self, ':', 2, 59);
  guint second = *self->at == ':' ? read_field (self, ':', 2, 59) : 0;
  guint ms = accept (self, '.') ? read_fraction (self) : 0;
  return ((hour * G_GINT64_CONSTANT (60) + minute) * 60 + second) * 1000 + ms;
}

/* Milliseconds that the text's clock is ahead of UTC. */
static gint64
read_offset (Cursor *self)
{
  if (accept (self, 'Z'))
    return 0;

  gint64 sign = *self->at == '-' ? -1 : 1;
  guint hours = read_field (self, sign < 0 ? '-' : '+', 2, 23);
  guint minutes = read_field (self, ':', 2, 59);
  return sign * (hours * G_GINT64_CONSTANT (60) + minutes) * 60000;
}

/**
 * tall_date_parse_first:
 * @text: as much of ISO 8601 as is known: `1996`, `1996-07`, or as tall_date_parse() takes it
 *
 * The first moment of a span of time, in UTC, for searches.
 *
 * Returns: FALSE as tall_date_parse() does
 */
gboolean
tall_date_parse_first (const char *text, gint64 *date, GError **error)
{
  static const char *const rest[] = { [4] = "-01-01", [7] = "-01" };
  gsize len = strlen (text);
  g_autofree char *whole = g_strconcat (text, len == 4 || len == 7 ? rest[len] : "", NULL);
  return tall_date_parse (tall_date_parse (whole, date, NULL) ? whole : text, date, error);
}

/**
 * tall_date_parse:
 * @text: `1996-07-04`, or `1996-07-04T12:30:00.000Z`, with seconds and fraction optional and
 *   `+02:00` or so in place of `Z`
 * @date: (out): milliseconds since the epoch, UTC
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text has another form, is not a day of the calendar
 * or lies outside the years 1 to 9999, or is finer than a millisecond
 */
gboolean
tall_date_parse (const char *text, gint64 *date, GError **error)
{
  Cursor cursor = { text, FALSE };
  gint64 value = read_day (&cursor) * MS_PER_DAY;
  if (!cursor.failed && *cursor.at != '\0')
    {
      value += read_time (&cursor);
      value -= read_offset (&cursor);
    }
  if (cursor.failed || *cursor.at != '\0' || value < TALL_MIN_DATE || value > TALL_MAX_DATE)
    {
      g_autofree char *shown = g_utf8_make_valid (text, strnlen (text, 40));
      return tall_error_fail_invalid (
          error, NULL, "“%s” is not a date: write it like 1996-07-04 or 1996-07-04T12:30:00.000Z",
          shown);
    }

  *date = value;
  return TRUE;
}
