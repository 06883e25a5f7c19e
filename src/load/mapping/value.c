/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/value.h"

#include "tall-error.h"
#include "tall-json.h"
#include "tall-limits.h"

#define MS_PER_SECOND G_GINT64_CONSTANT (1000)
#define SECONDS_PER_DAY (24 * 60 * 60)

/* Seconds that the clock is ahead of UTC at a time of UTC. */
static gint64
get_offset (GTimeZone *zone, gint64 utc)
{
  gint interval = g_time_zone_find_interval (zone, G_TIME_TYPE_UNIVERSAL, utc);
  return g_time_zone_get_offset (zone, interval);
}

/**
 * tall_settle_time:
 * @local: what a clock shows, as milliseconds since the epoch that it would be in UTC
 * @is_day: the text names a day, and no time
 * @zone: (nullable): of the clock; NULL: UTC
 * @date: (out): milliseconds since the epoch
 *
 * Finds the time at which a clock shows something. Of two, where it is set back, the earlier
 * counts. A time that it passes over, where it is set forward, is none; the beginning of a day is
 * then as much later as it is set forward.
 *
 * Returns: FALSE if there is no such time
 */
gboolean
tall_settle_time (gint64 local, gboolean is_day, GTimeZone *zone, gint64 *date)
{
  *date = local;
  if (zone == NULL)
    return TRUE;
  gint64 second = local / MS_PER_SECOND - (local % MS_PER_SECOND < 0);
  gint64 before = get_offset (zone, second - SECONDS_PER_DAY);
  gint64 after = get_offset (zone, second + SECONDS_PER_DAY);
  /* The larger offset gives the earlier time. */
  gint64 larger = MAX (before, after), smaller = MIN (before, after);
  gint64 offset = get_offset (zone, second - larger) == larger ? larger : smaller;
  gboolean exists = get_offset (zone, second - offset) == offset;
  *date = local - (exists ? offset : before) * MS_PER_SECOND;
  return exists || is_day;
}

/**
 * tall_refuse_time:
 *
 * Sets the error for a time that tall_settle_time() does not find.
 *
 * Returns: FALSE
 */
gboolean
tall_refuse_time (const char *text, GTimeZone *zone, GError **error)
{
  tall_error_set_invalid (error, NULL,
                          "“%s” is no time in %s, where the clock is set forward over it", text,
                          g_time_zone_get_identifier (zone));
  return FALSE;
}

/**
 * tall_expand_year:
 * @two_digits: 0 … 99
 * @first_year: that they can mean, such as 1970
 *
 * Returns: the year of the hundred from @first_year on that ends so
 */
guint
tall_expand_year (guint two_digits, guint first_year)
{
  return first_year + (two_digits + 100 - first_year % 100) % 100;
}

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

static gboolean
take_short_number (const char **text, guint max_digits, guint *number)
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
  if (!take_char (text, " T") || !take_short_number (text, 2, hour) || !take_char (text, ":")
      || !take_short_number (text, 2, minute))
    return FALSE;
  if (take_char (text, ":") && !take_short_number (text, 2, second))
    return FALSE;
  return **text == '\0' && *hour < 24 && *minute < 60 && *second < 60;
}

/* A year of four digits, or of two if the format says what they mean. */
static gboolean
take_year (const char **text, guint first_year, guint *year)
{
  const char *start = *text;
  if (!take_short_number (text, 4, year))
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
  if (!take_short_number (&rest, 2, &day) || !take_char (&rest, "/.-")
      || !take_short_number (&rest, 2, &month) || !take_char (&rest, "/.-")
      || !take_year (&rest, format->first_year, &year))
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

/* A number without what stands around it. */
typedef struct
{
  const char *start;
  const char *end;
  gboolean negative;
  gboolean has_sign; /* of a currency */
} Span;

/* Spaces: plain, not breaking, and the narrow one of figures. */
static const char *const spaces[] = { " ", "\xc2\xa0", "\xe2\x80\xaf" };

static gboolean
take_start (Span *span, const char *text, gsize len)
{
  if ((gsize)(span->end - span->start) <= len || memcmp (span->start, text, len) != 0)
    return FALSE;
  span->start += len;
  return TRUE;
}

static gboolean
take_end (Span *span, const char *text, gsize len)
{
  if ((gsize)(span->end - span->start) <= len || memcmp (span->end - len, text, len) != 0)
    return FALSE;
  span->end -= len;
  return TRUE;
}

static void
take_spaces (Span *span)
{
  gboolean again = TRUE;
  while (again)
    {
      again = FALSE;
      for (guint i = 0; i < G_N_ELEMENTS (spaces); i++)
        again |= take_start (span, spaces[i], strlen (spaces[i]))
                 || take_end (span, spaces[i], strlen (spaces[i]));
    }
}

static gboolean
take_currency (Span *span, const char *signs)
{
  while (!span->has_sign && signs != NULL && *signs != '\0')
    {
      gsize len = strcspn (signs, " ");
      span->has_sign = take_start (span, signs, len) || take_end (span, signs, len);
      signs += len + strspn (signs + len, " ");
      if (span->has_sign)
        return TRUE;
    }
  return FALSE;
}

static gboolean
take_negative (Span *span, TallNegative negative)
{
  if (span->negative)
    return FALSE;
  span->negative = take_start (span, "-", 1);
  if (!span->negative && negative == TALL_NEGATIVE_TRAILING)
    span->negative = take_end (span, "-", 1);
  if (!span->negative && negative == TALL_NEGATIVE_PARENTHESES && span->end - span->start > 2
      && span->end[-1] == ')')
    span->negative = take_start (span, "(", 1) && take_end (span, ")", 1);
  return span->negative;
}

/* Bytes of a separator of thousands at @at; 0: there is none. */
static gsize
measure_separator (const char *at, const char *end, const char *thousands)
{
  if (thousands == NULL)
    return 0;
  gboolean is_space = g_str_equal (thousands, " ");
  for (guint i = 0; i < (is_space ? G_N_ELEMENTS (spaces) : 1); i++)
    {
      const char *separator = is_space ? spaces[i] : thousands;
      gsize len = strlen (separator);
      if ((gsize)(end - at) >= len && memcmp (at, separator, len) == 0)
        return len;
    }
  return 0;
}

static gsize
count_digits (const char *at, const char *end)
{
  gsize n = 0;
  while (at + n < end && g_ascii_isdigit (at[n]))
    n++;
  return n;
}

/* Copies the digits before the decimal point. Returns where they end; NULL: they are not grouped by
 * three. */
static const char *
copy_whole (const Span *span, const char *thousands, GString *number)
{
  const char *at = span->start;
  gsize n = count_digits (at, span->end);
  gsize len = measure_separator (at + n, span->end, thousands);
  g_string_append_len (number, at, (gssize)n);
  at += n;
  if (len > 0 && (n < 1 || n > 3))
    return NULL;
  while ((len = measure_separator (at, span->end, thousands)) > 0)
    {
      at += len;
      if (count_digits (at, span->end) != 3)
        return NULL;
      g_string_append_len (number, at, 3);
      at += 3;
    }
  return at;
}

/**
 * tall_normalize_number:
 *
 * Takes away the separators of thousands, the currency and the ways to write a negative number that
 * the format allows.
 *
 * Returns: (transfer full) (nullable): the number as `-1234.5`; NULL if it is none of that form
 */
char *
tall_normalize_number (const char *text, const TallValueFormat *format)
{
  Span span = { text, text + strlen (text), FALSE, FALSE };
  while (take_currency (&span, format->signs) || take_negative (&span, format->negative))
    take_spaces (&span);

  g_autoptr (GString) number = g_string_new (span.negative ? "-" : "");
  const char *at = copy_whole (&span, format->thousands, number);
  if (at == NULL)
    return NULL;
  if (at < span.end)
    {
      if (*at != (format->decimal_comma ? ',' : '.')
          || count_digits (at + 1, span.end) != (gsize)(span.end - at - 1))
        return NULL;
      g_string_append_c (number, '.');
      g_string_append_len (number, at + 1, span.end - at - 1);
    }
  return g_string_free (g_steal_pointer (&number), FALSE);
}

/**
 * tall_parse_position:
 * @number: (out): number of a location or a line
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text is not 1 … 2147483647
 */
gboolean
tall_parse_position (const char *text, gint32 *number, GError **error)
{
  const char *at = text;
  guint64 value = 0;
  for (; g_ascii_isdigit (*at) && value <= G_MAXINT32; at++)
    value = value * 10 + (guint)(*at - '0');
  if (*at != '\0' || value < 1 || value > G_MAXINT32)
    {
      tall_error_set_invalid (error, NULL, "“%s” is not a whole number from 1 to %d", text,
                              G_MAXINT32);
      return FALSE;
    }
  *number = (gint32)value;
  return TRUE;
}

static gboolean
is_plain (const TallValueFormat *format)
{
  return format->thousands == NULL && format->signs == NULL
         && format->negative == TALL_NEGATIVE_MINUS;
}

static char *
put_point (const char *text)
{
  return strchr (text, '.') != NULL ? NULL : g_strdelimit (g_strdup (text), ",", '.');
}

static gboolean
parse_number (const char *text, const TallValueFormat *format, TallDecimal *decimal)
{
  if (is_plain (format) && !format->decimal_comma)
    return tall_decimal_parse (text, -1, decimal, NULL);
  g_autofree char *number =
      is_plain (format) ? put_point (text) : tall_normalize_number (text, format);
  return number != NULL && tall_decimal_parse (number, -1, decimal, NULL);
}

/**
 * tall_parse_decimal:
 * @decimal: (out):
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text is no number of that form
 */
gboolean
tall_parse_decimal (const char *text,
                    const TallValueFormat *format,
                    TallDecimal *decimal,
                    GError **error)
{
  if (parse_number (text, format, decimal))
    return TRUE;
  const char *thousands = format->thousands != NULL ? format->thousands : "";
  tall_error_set_invalid (error, NULL,
                          "“%s” is not a number of the form 1%s234%s5 with at most 18 decimals",
                          text, thousands, format->decimal_comma ? "," : ".");
  return FALSE;
}

/**
 * tall_parse_discount:
 * @discount: (out): a rate from 0 to 1
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text is no discount of that form
 */
gboolean
tall_parse_discount (const char *text,
                     const TallValueFormat *format,
                     TallDecimal *discount,
                     GError **error)
{
  TallValueFormat bare = *format; /* what has a sign is an amount, and no rate */
  bare.signs = NULL;
  g_autofree char *number = format->discount_percent && g_str_has_suffix (text, "%")
                                ? g_strndup (text, strlen (text) - 1)
                                : NULL;
  if (!tall_parse_decimal (number != NULL ? number : text, &bare, discount, error))
    return FALSE;
  if (format->discount_percent)
    {
      if (discount->scale > TALL_DECIMAL_MAX_SCALE - 2)
        {
          tall_error_set_invalid (error, NULL, "discount “%s” has more than 16 decimals", text);
          return FALSE;
        }
      discount->scale += 2;
    }
  if (tall_decimal_compare (*discount, TALL_DECIMAL (0, 0)) >= 0
      && tall_decimal_compare (*discount, TALL_DECIMAL (1, 0)) <= 0)
    return TRUE;
  tall_error_set_invalid (error, NULL,
                          format->discount_percent
                              ? "discount “%s” is not from 0 to 100 percent"
                              : "discount “%s” is not a rate from 0 to 1; for percents, write "
                                "“discount = percent” in the mapping",
                          text);
  return FALSE;
}
