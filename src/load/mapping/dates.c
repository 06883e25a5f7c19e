/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/value.h"

#include "base/fail.h"
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

/* Finds the time at which a clock shows something. Of two, where it is set back, the earlier
 * counts. A time that it passes over, where it is set forward, does not exist; a day that would
 * begin there begins as much later. @local: what a clock shows, as milliseconds since the epoch
 * that it would be in UTC. @is_day: the text names a day, and no time. @zone: (nullable): of the
 * clock; NULL: UTC. @date: (out) milliseconds since the epoch. Returns: FALSE if there is no such
 * time */
static gboolean
settle_time (gint64 local, gboolean is_day, GTimeZone *zone, gint64 *date)
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

/* What a text says of a date. */
typedef struct
{
  guint year, short_year, month, day; /* 0, or G_MAXUINT for the short year: not said */
  gboolean has_time;
  guint hour, hour_of_12, minute, second, ms;
  gboolean is_pm;
  const char *zone; /* a name such as PST, @zone_len bytes of the text; NULL: not said */
  gsize zone_len;
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
  { 'm', 1, 2, 0, 99, offsetof (Parts, month), FALSE },
  { 'd', 1, 2, 0, 99, offsetof (Parts, day), FALSE },
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
#define LETTERS "YymdHIMSfpbazZsQ%"

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
take_char (const char **text, const char *allowed)
{
  if (**text == '\0' || strchr (allowed, **text) == NULL)
    return FALSE;
  (*text)++;
  return TRUE;
}

static gboolean
take_letter (const char **text, char letter, Parts *parts)
{
  guint value, n;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i].letter == letter)
      {
        n = take_digits (text, numbers[i].max_digits, &value);
        *(guint *)(gpointer)((char *)parts + numbers[i].offset) = value;
        parts->has_time |= numbers[i].is_time;
        return n >= numbers[i].min_digits && value >= numbers[i].lowest
               && value <= numbers[i].highest;
      }
  switch (letter)
    {
    case 'f':
      return take_fraction (text, parts);
    case 'p':
      parts->is_pm = g_ascii_strncasecmp (*text, "pm", 2) == 0;
      if (!parts->is_pm && g_ascii_strncasecmp (*text, "am", 2) != 0)
        return FALSE;
      *text += 2;
      return TRUE;
    case 'b':
      return (parts->month = take_name (text, months, G_N_ELEMENTS (months))) > 0;
    case 'a':
      return take_name (text, weekdays, G_N_ELEMENTS (weekdays)) > 0;
    case 'z':
      return take_offset (text, parts);
    case 'Z':
      parts->zone = *text;
      *text += strspn (*text, G_CSET_A_2_Z G_CSET_a_2_z);
      parts->zone_len = (gsize)(*text - parts->zone);
      return parts->zone_len > 0;
    case '/':
      return take_char (text, "/.-");
    case 'E': /* a year of four digits, or of two */
      n = take_digits (text, 4, &value);
      *(n == 2 ? &parts->short_year : &parts->year) = value;
      return n == 2 || (n == 4 && value > 0);
    case 't': /* nothing, or a space and H:M or H:M:S */
      return **text == '\0'
             || (take_char (text, " T") && take_letter (text, 'H', parts) && take_char (text, ":")
                 && take_letter (text, 'M', parts)
                 && (**text == '\0' || (take_char (text, ":") && take_letter (text, 'S', parts))));
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
        if ((*text == '\0' && form[1] != 't') || !take_letter (&text, *++form, parts))
          return FALSE;
      }
    else if (*form != *text++)
      return FALSE;
  return *text == '\0';
}

/* Of two digits, the year of the hundred from the format's first year on that ends so. */
static guint
get_year (const Parts *parts, const TallValueFormat *format)
{
  guint first = format->first_year;
  return parts->short_year == G_MAXUINT ? parts->year
                                        : first + (parts->short_year + 100 - first % 100) % 100;
}

/* How well a text is understood, the worst first. */
typedef enum
{
  NO_FORM,
  NO_DAY,  /* the month has no such day, or the year no such month */
  NO_ZONE, /* no clock of the mapping's zone has that name then */
  NO_TIME, /* the clock is set forward over it */
  DATE,
} Settled;

static gboolean
is_called (const Parts *parts, const char *name)
{
  return strlen (name) == parts->zone_len && strncmp (name, parts->zone, parts->zone_len) == 0;
}

/* Finds the offset of a clock that shows @second and has the name that the text says. */
static gboolean
find_named_offset (const Parts *parts, GTimeZone *zone, gint64 second, gint64 *offset)
{
  *offset = 0;
  if (is_called (parts, "UTC") || is_called (parts, "GMT"))
    return TRUE;
  for (gint day = -1; day <= 1 && zone != NULL; day += 2)
    {
      gint interval =
          g_time_zone_find_interval (zone, G_TIME_TYPE_UNIVERSAL, second + day * SECONDS_PER_DAY);
      *offset = g_time_zone_get_offset (zone, interval);
      if (is_called (parts, g_time_zone_get_abbreviation (zone, interval))
          && get_offset (zone, second - *offset) == *offset)
        return TRUE;
    }
  return FALSE;
}

static Settled
settle_parts (const Parts *parts, const TallValueFormat *format, gint64 *date)
{
  gint64 offset;
  if (parts->short_year != G_MAXUINT && format->first_year == 0)
    return NO_FORM;
  *date = parts->epoch + parts->ms;
  if (parts->is_before)
    *date = -*date;
  if (parts->is_epoch)
    return DATE;
  guint hour =
      parts->hour_of_12 == 0 ? parts->hour : parts->hour_of_12 % 12 + (parts->is_pm ? 12 : 0);
  g_autoptr (GDateTime) time =
      g_date_time_new_utc ((gint)get_year (parts, format), (gint)parts->month, (gint)parts->day,
                           (gint)hour, (gint)parts->minute, parts->second);
  if (time == NULL)
    return NO_DAY;
  gint64 local = g_date_time_to_unix (time) * MS_PER_SECOND + parts->ms;
  if (parts->zone != NULL)
    {
      if (!find_named_offset (parts, format->zone, g_date_time_to_unix (time), &offset))
        return NO_ZONE;
      *date = local - offset * MS_PER_SECOND;
      return DATE;
    }
  *date = local - parts->offset;
  if (parts->has_offset || settle_time (local, !parts->has_time, format->zone, date))
    return DATE;
  return NO_TIME;
}

/* Words for forms: how they are shown, and what they are; some have letters of their own, see
 * take_letter(). */
static const char *const word_forms[][2] = {
  { "1996-07-04", NULL },
  { "day/month/year, such as 31/12/2010", "%d%/%m%/%E%t" },
  { "month/day/year, such as 12/31/2010", "%m%/%d%/%E%t" },
};

/* Says why @text is not a date. Returns: whether it is one */
static gboolean
conclude (const char *text,
          Settled settled,
          const Parts *parts,
          const TallValueFormat *format,
          GError **error)
{
  const char *zone = format->zone != NULL ? g_time_zone_get_identifier (format->zone) : "UTC";
  gboolean has_month = parts->month >= 1 && parts->month <= G_N_ELEMENTS (months);
  switch (settled)
    {
    case DATE:
      return TRUE;
    case NO_DAY:
      return has_month
                 ? tall_error_fail_invalid (error, NULL, "“%s” is not a date: %s %u has no day %u",
                                            text, months[parts->month - 1],
                                            get_year (parts, format), parts->day)
                 : tall_error_fail_invalid (error, NULL,
                                            "“%s” is not a date: a year has no month %u", text,
                                            parts->month);
    case NO_TIME:
      return tall_error_fail_invalid (error, NULL,
                                      "“%s” does not exist in %s: the clock is set forward over it",
                                      text, zone);
    case NO_ZONE:
      return tall_error_fail_invalid (
          error, NULL,
          "“%s” is not a date: a clock in %s is not called %.*s then; time-zone in the mapping "
          "names another place",
          text, zone, (int)parts->zone_len, parts->zone);
    default:
      return tall_error_fail_invalid (error, NULL, "“%s” is not a date of the form %s", text,
                                      format->dates == TALL_DATES_OWN
                                          ? format->date_forms
                                          : word_forms[format->dates][0]);
    }
}

static gboolean
is_in_range (gint64 date)
{
  return date >= TALL_MIN_DATE && date <= TALL_MAX_DATE;
}

/* What follows a form and a bar; NULL: nothing. */
static const char *
next_form (const char *form)
{
  const char *bar = strchr (form, '|');
  return bar != NULL ? bar + 1 : NULL;
}

/* Reads a date by the first of the forms that fits. @date: (out) milliseconds since the epoch.
 * Returns: FALSE with %TALL_ERROR_INVALID if none does */
static gboolean
parse_by_forms (const char *text, const TallValueFormat *format, gint64 *date, GError **error)
{
  Parts parts, nearest = { 0 };
  Settled best = NO_FORM;
  const char *forms =
      format->dates == TALL_DATES_OWN ? format->date_forms : word_forms[format->dates][1];
  for (const char *form = forms; form != NULL && best < NO_TIME; form = next_form (form))
    {
      Settled settled =
          read_form (text, form, &parts) ? settle_parts (&parts, format, date) : NO_FORM;
      if (settled == DATE && !is_in_range (*date))
        settled = NO_FORM;
      if (settled > best)
        {
          best = settled;
          nearest = parts;
        }
    }
  return conclude (text, best, &nearest, format, error);
}

/* Whether a form has letters that are known, and name a day. */
static gboolean
check_form (TallValueFormat *self, const char *form, GError **error)
{
  g_autoptr (GString) letters = g_string_new (NULL);
  for (; *form != '\0' && *form != '|'; form++)
    {
      if (*form != '%')
        continue;
      form++;
      if (*form == '\0' || strchr (LETTERS, *form) == NULL)
        return tall_error_fail_invalid (error, NULL, "%%%.1s is not known; there are: %s", form,
                                        "%Y %y %m %d %H %I %M %S %f %p %b %a %z %Z %s %Q %%");
      g_string_append_c (letters, *form);
    }
  self->needs_year |= strchr (letters->str, 'y') != NULL;
  if (strpbrk (letters->str, "sQ") != NULL
      || (strpbrk (letters->str, "Yy") != NULL && strpbrk (letters->str, "mb") != NULL
          && strchr (letters->str, 'd') != NULL
          && (strchr (letters->str, 'I') != NULL) == (strchr (letters->str, 'p') != NULL)))
    return TRUE;
  return tall_error_fail_invalid (error, NULL,
                                  "“%s” needs %%Y or %%y, %%m or %%b, and %%d, or %%s or %%Q "
                                  "alone; %%I and %%p go together",
                                  self->date_forms);
}

/* @text: `iso`, `dmy`, `mdy`, or forms such as `%d.%m.%Y|%s`; stays the caller's. Returns: FALSE
 * with %TALL_ERROR_INVALID if it is none of these */
gboolean
tall_value_format_set_dates (TallValueFormat *self, const char *text, GError **error)
{
  static const char *const words[] = { "iso", "dmy", "mdy" };
  for (self->dates = TALL_DATES_ISO; self->dates < TALL_DATES_OWN; self->dates++)
    if (g_str_equal (text, words[self->dates]))
      return TRUE;
  if (strchr (text, '%') == NULL)
    return tall_error_fail_invalid (error, NULL,
                                    "“%s” is not one of: iso, dmy, mdy; or write a form, such as "
                                    "%%d.%%m.%%Y",
                                    text);
  self->date_forms = text;
  for (const char *form = text; form != NULL; form = next_form (form))
    if (!check_form (self, form, error))
      return FALSE;
  return TRUE;
}

/* Also with a space before the time, and without an offset after it. */
static Settled
settle_iso (const char *text, const TallValueFormat *format, Parts *parts, gint64 *date)
{
  gboolean has_time = strlen (text) > 11;
  gboolean has_offset = has_time && strpbrk (text + 11, "Zz+-") != NULL;
  g_autofree char *iso = g_strconcat (text, has_time && !has_offset ? "Z" : "", NULL);
  if (has_time && iso[10] == ' ' && g_ascii_isdigit (iso[11]))
    iso[10] = 'T';
  if (tall_date_parse (iso, date, NULL))
    return has_offset || settle_time (*date, !has_time, format->zone, date) ? DATE : NO_TIME;
  iso[MIN (strlen (iso), 10)] = '\0';
  return read_form (iso, "%Y-%m-%d", parts) && settle_parts (parts, format, date) == NO_DAY
             ? NO_DAY
             : NO_FORM;
}

/* @date: (out) milliseconds since the epoch; what names no offset is of the format's zone. Returns:
 * FALSE with %TALL_ERROR_INVALID if @text is not a date of that form */
gboolean
tall_parse_date (const char *text, const TallValueFormat *format, gint64 *date, GError **error)
{
  Parts parts = { .short_year = G_MAXUINT };
  if (format->dates != TALL_DATES_ISO)
    return parse_by_forms (text, format, date, error);
  Settled settled = settle_iso (text, format, &parts, date);
  if (settled == DATE && !is_in_range (*date))
    settled = NO_FORM;
  return conclude (text, settled, &parts, format, error);
}
