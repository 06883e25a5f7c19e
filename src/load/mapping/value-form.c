/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-limits.h"
#include "load/mapping/value.h"

#define MS_PER_SECOND G_GINT64_CONSTANT (1000)

/* What a text says of a date. */
typedef struct
{
  guint year, short_year, month, day; /* 0, or G_MAXUINT for the short year: not said */
  gboolean has_time;
  guint hour, hour_of_12, minute, second, ms;
  gboolean is_pm;
  gboolean has_offset;
  gint64 offset;      /* milliseconds that the clock is ahead of UTC */
  gboolean is_epoch;  /* then @epoch and @ms are all */
  gboolean is_before; /* the epoch; both count backwards */
  gint64 epoch;       /* milliseconds */
} Parts;

/* Letters whose value is a number: digits, range, and where it goes. */
static const struct
{
  char letter;
  guint8 min_digits, max_digits;
  guint16 lowest, highest;
  gsize offset;
  gboolean is_time;
} numbers[] = {
  { 'Y', 4, 4, 1, 9999, offsetof (Parts, year), FALSE },
  { 'y', 2, 2, 0, 99, offsetof (Parts, short_year), FALSE },
  { 'm', 1, 2, 1, 12, offsetof (Parts, month), FALSE },
  { 'd', 1, 2, 1, 31, offsetof (Parts, day), FALSE },
  { 'H', 1, 2, 0, 23, offsetof (Parts, hour), TRUE },
  { 'I', 1, 2, 1, 12, offsetof (Parts, hour_of_12), TRUE },
  { 'M', 1, 2, 0, 59, offsetof (Parts, minute), TRUE },
  { 'S', 1, 2, 0, 59, offsetof (Parts, second), TRUE },
};

static const char *const months[] = { "January",   "February", "March",    "April",
                                      "May",       "June",     "July",     "August",
                                      "September", "October",  "November", "December" };
static const char *const weekdays[] = { "Monday", "Tuesday",  "Wednesday", "Thursday",
                                        "Friday", "Saturday", "Sunday" };

/* All letters, as a mapping's error lists them. */
#define LETTERS "YymdHIMSfpbazsQ%"

static guint
take_digits (const char **text, guint max_digits, guint *value)
{
  guint n = 0;
  *value = 0;
  for (; n < max_digits && g_ascii_isdigit (**text); n++)
    *value = *value * 10 + (guint)g_ascii_digit_value (*(*text)++);
  return n;
}

/* One of @names, in full or its first three letters, in either case. Returns its position from 1;
 * 0: none. */
static guint
take_name (const char **text, const char *const *names, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      gsize len = strlen (names[i]);
      if (g_ascii_strncasecmp (*text, names[i], len) != 0)
        len = 3;
      if (g_ascii_strncasecmp (*text, names[i], len) != 0)
        continue;
      *text += len;
      return i + 1;
    }
  return 0;
}

/* One to nine digits of a fraction of a second, of which three count. */
static gboolean
take_fraction (const char **text, Parts *parts)
{
  guint value, n = take_digits (text, 3, &value);
  if (n == 0)
    return FALSE;
  for (guint i = n; i < 3; i++)
    value *= 10;
  parts->ms = value;
  guint rest;
  take_digits (text, 6, &rest);
  return TRUE;
}

static gboolean
take_half (const char **text, Parts *parts)
{
  parts->is_pm = g_ascii_strncasecmp (*text, "pm", 2) == 0;
  if (!parts->is_pm && g_ascii_strncasecmp (*text, "am", 2) != 0)
    return FALSE;
  *text += 2;
  return TRUE;
}

/* Z, +01:00, +0100 or +01. */
static gboolean
take_offset (const char **text, Parts *parts)
{
  parts->has_offset = TRUE;
  char sign = **text;
  if (sign == '\0' || strchr ("Zz+-", sign) == NULL)
    return FALSE;
  (*text)++;
  if (sign == 'Z' || sign == 'z')
    return TRUE;
  guint hours, minutes = 0;
  if (take_digits (text, 2, &hours) != 2 || hours > 23)
    return FALSE;
  gboolean colon = **text == ':';
  *text += colon;
  guint n = take_digits (text, 2, &minutes);
  if ((n != 2 && (n != 0 || colon)) || minutes > 59)
    return FALSE;
  parts->offset = (gint64)(hours * 60 + minutes) * 60 * MS_PER_SECOND;
  if (sign == '-')
    parts->offset = -parts->offset;
  return TRUE;
}

static gboolean
take_epoch (const char **text, gint64 unit, Parts *parts)
{
  parts->is_before = **text == '-';
  *text += parts->is_before;
  gint64 value = 0;
  guint n = 0;
  for (; n < 15 && g_ascii_isdigit (**text); n++)
    value = value * 10 + g_ascii_digit_value (*(*text)++);
  parts->is_epoch = TRUE;
  parts->epoch = value * unit;
  return n > 0;
}

static gboolean
take_number (const char **text, guint i, Parts *parts)
{
  guint value, n = take_digits (text, numbers[i].max_digits, &value);
  *(guint *)(gpointer)((char *)parts + numbers[i].offset) = value;
  parts->has_time |= numbers[i].is_time;
  return n >= numbers[i].min_digits && value >= numbers[i].lowest && value <= numbers[i].highest;
}

static gboolean
take_letter (const char **text, char letter, Parts *parts)
{
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i].letter == letter)
      return take_number (text, i, parts);
  switch (letter)
    {
    case 'f':
      return take_fraction (text, parts);
    case 'p':
      return take_half (text, parts);
    case 'b':
      return (parts->month = take_name (text, months, G_N_ELEMENTS (months))) > 0;
    case 'a':
      return take_name (text, weekdays, G_N_ELEMENTS (weekdays)) > 0;
    case 'z':
      return take_offset (text, parts);
    case 's':
      return take_epoch (text, MS_PER_SECOND, parts);
    case 'Q':
      return take_epoch (text, 1, parts);
    default:
      return *(*text)++ == '%';
    }
}

/* Reads @text by one form, which ends at a `|` or a NUL. */
static gboolean
read_form (const char *text, const char *form, Parts *parts)
{
  *parts = (Parts){ .short_year = G_MAXUINT };
  for (; *form != '\0' && *form != '|'; form++)
    if (*form == ' ')
      {
        if (*text != ' ')
          return FALSE;
        while (*text == ' ')
          text++;
      }
    else if (*form == '%')
      {
        if (*text == '\0' || !take_letter (&text, *++form, parts))
          return FALSE;
      }
    else if (*form != *text++)
      return FALSE;
  return *text == '\0';
}

/* The hour of the day; that of twelve hours goes before. */
static guint
get_hour (const Parts *parts)
{
  return parts->hour_of_12 == 0 ? parts->hour : parts->hour_of_12 % 12 + (parts->is_pm ? 12 : 0);
}

typedef enum
{
  NO_DATE,
  NO_TIME, /* the clock is set forward over it */
  DATE,
} Settled;

static Settled
settle_parts (const Parts *parts, const TallValueFormat *format, gint64 *date)
{
  *date = parts->epoch + parts->ms;
  if (parts->is_before)
    *date = -*date;
  if (parts->is_epoch)
    return DATE;
  guint year = parts->short_year != G_MAXUINT
                   ? tall_expand_year (parts->short_year, format->first_year)
                   : parts->year;
  g_autoptr (GDateTime) time =
      g_date_time_new_utc ((gint)year, (gint)parts->month, (gint)parts->day, (gint)get_hour (parts),
                           (gint)parts->minute, parts->second);
  if (time == NULL)
    return NO_DATE;
  gint64 local = g_date_time_to_unix (time) * MS_PER_SECOND + parts->ms;
  *date = local - parts->offset;
  if (parts->has_offset || tall_settle_time (local, !parts->has_time, format->zone, date))
    return DATE;
  return NO_TIME;
}

/**
 * tall_parse_own_date:
 * @format: with forms that tall_check_date_forms() takes
 * @date: (out): milliseconds since the epoch
 *
 * Reads a date by the first of the forms that fits.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if none does
 */
gboolean
tall_parse_own_date (const char *text, const TallValueFormat *format, gint64 *date, GError **error)
{
  for (const char *form = format->date_forms; form != NULL;)
    {
      Parts parts;
      Settled settled =
          read_form (text, form, &parts) ? settle_parts (&parts, format, date) : NO_DATE;
      if (settled == NO_TIME)
        return tall_refuse_time (text, format->zone, error);
      if (settled == DATE && *date >= TALL_MIN_DATE && *date <= TALL_MAX_DATE)
        return TRUE;
      const char *next = strchr (form, '|');
      form = next != NULL ? next + 1 : NULL;
    }
  tall_error_set_invalid (error, NULL, "“%s” is not a date of the form %s", text,
                          format->date_forms);
  return FALSE;
}

/* Which letters one form has. */
static gboolean
list_letters (const char *form, GString *letters, GError **error)
{
  g_string_truncate (letters, 0);
  for (; *form != '\0' && *form != '|'; form++)
    {
      if (*form != '%')
        continue;
      form++;
      if (*form == '\0' || strchr (LETTERS, *form) == NULL)
        {
          tall_error_set_invalid (error, NULL, "%%%.1s is not known; there are: %s", form,
                                  "%Y %y %m %d %H %I %M %S %f %p %b %a %z %s %Q %%");
          return FALSE;
        }
      g_string_append_c (letters, *form);
    }
  return TRUE;
}

static gboolean
names_a_day (const char *letters)
{
  if (strpbrk (letters, "sQ") != NULL)
    return TRUE;
  return strpbrk (letters, "Yy") != NULL && strpbrk (letters, "mb") != NULL
         && strchr (letters, 'd') != NULL
         && (strchr (letters, 'I') != NULL) == (strchr (letters, 'p') != NULL);
}

/**
 * tall_check_date_forms:
 * @forms: such as `%d.%m.%Y` or `%d.%m.%Y|%s`
 * @has_short_year: (out): one of them has %y
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if one has an unknown letter, or names no day
 */
gboolean
tall_check_date_forms (const char *forms, gboolean *has_short_year, GError **error)
{
  g_autoptr (GString) letters = g_string_new (NULL);
  *has_short_year = FALSE;
  for (const char *form = forms; form != NULL;)
    {
      if (!list_letters (form, letters, error))
        return FALSE;
      if (!names_a_day (letters->str))
        {
          tall_error_set_invalid (error, NULL,
                                  "“%s” needs %%Y or %%y, %%m or %%b, and %%d, or %%s or %%Q "
                                  "alone; %%I and %%p go together",
                                  forms);
          return FALSE;
        }
      *has_short_year |= strchr (letters->str, 'y') != NULL;
      const char *next = strchr (form, '|');
      form = next != NULL ? next + 1 : NULL;
    }
  return TRUE;
}
