/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-values.h"

#include <string.h>

/* Ways to write dates, the likeliest first. */
static const struct
{
  const char *dates; /* as the mapping says it */
  TallDates kind;
  gboolean has_short_years;
  gboolean is_telling; /* nothing but a date looks like this */
} date_ways[] = {
  { "iso", TALL_DATES_ISO, FALSE, TRUE },
  { "dmy", TALL_DATES_DMY, FALSE, TRUE },
  { "mdy", TALL_DATES_MDY, FALSE, TRUE },
  { "dmy", TALL_DATES_DMY, TRUE, TRUE },
  { "mdy", TALL_DATES_MDY, TRUE, TRUE },
  { "%Y/%m/%d|%Y/%m/%d %H:%M|%Y/%m/%d %H:%M:%S", TALL_DATES_OWN, FALSE, TRUE },
  { "%d %b %Y|%d-%b-%Y|%d-%b-%Y %H:%M", TALL_DATES_OWN, FALSE, TRUE },
  { "%b %d, %Y|%a, %d %b %Y", TALL_DATES_OWN, FALSE, TRUE },
  { "%m/%d/%Y %I:%M %p|%m/%d/%Y %I:%M:%S %p", TALL_DATES_OWN, FALSE, TRUE },
  { "%d/%m/%Y %I:%M %p|%d/%m/%Y %I:%M:%S %p", TALL_DATES_OWN, FALSE, TRUE },
  { "%Y-%m-%d %H:%M:%S.%f|%Y-%m-%dT%H:%M:%S.%f%z", TALL_DATES_OWN, FALSE, TRUE },
  { "%Y%m%d|%Y%m%d%H%M%S", TALL_DATES_OWN, FALSE, FALSE },
  { "%s", TALL_DATES_OWN, FALSE, FALSE },
  { "%Q", TALL_DATES_OWN, FALSE, FALSE },
};

#define FIRST_YEAR 1970

static TallValueFormat
make_date_format (guint way)
{
  return (TallValueFormat){ .dates = date_ways[way].kind,
                            .date_forms = date_ways[way].dates,
                            .first_year = date_ways[way].has_short_years ? FIRST_YEAR : 0 };
}

typedef gboolean (*Fits) (const char *text, const TallValueFormat *format);

static gboolean
fits_date (const char *text, const TallValueFormat *format)
{
  gint64 date;
  return tall_parse_date (text, format, &date, NULL);
}

static gboolean
fits_number (const char *text, const TallValueFormat *format)
{
  TallDecimal value;
  return tall_parse_decimal (text, format, &value, NULL);
}

/* How many values of a column fit; @n of them are not empty. */
static guint
count_fits (
    const TallSample *sample, guint column, Fits fits, const TallValueFormat *format, guint *n)
{
  guint fitting = 0;
  *n = 0;
  for (guint i = 0; i < sample->rows->len; i++)
    {
      const char *text = tall_sample_get (sample, i, column);
      if (*text == '\0')
        continue;
      (*n)++;
      fitting += fits (text, format);
    }
  return fitting;
}

static guint
count_all_fits (const TallSample *sample,
                const GArray *columns,
                Fits fits,
                const TallValueFormat *format,
                guint *n)
{
  guint fitting = 0, filled;
  *n = 0;
  for (guint i = 0; i < columns->len; i++)
    {
      fitting += count_fits (sample, g_array_index (columns, guint, i), fits, format, &filled);
      *n += filled;
    }
  return fitting;
}

/* TRUE if all values of a column look like dates, and like nothing else. */
gboolean
tall_sniff_is_date (const TallSample *sample, guint column)
{
  for (guint way = 0; way < G_N_ELEMENTS (date_ways); way++)
    {
      TallValueFormat format = make_date_format (way);
      guint n, fitting = count_fits (sample, column, fits_date, &format, &n);
      if (date_ways[way].is_telling && n > 0 && fitting == n)
        return TRUE;
    }
  return FALSE;
}

/**
 * tall_sniff_dates:
 * @columns: (element-type guint): those that hold dates
 * @found: (out caller-allocates): the way that fits most values
 */
void
tall_sniff_dates (const TallSample *sample, const GArray *columns, TallSniffedDates *found)
{
  guint best = 0, best_fits = 0, n = 0, fits[G_N_ELEMENTS (date_ways)];
  for (guint way = 0; way < G_N_ELEMENTS (date_ways); way++)
    {
      TallValueFormat format = make_date_format (way);
      fits[way] = count_all_fits (sample, columns, fits_date, &format, &n);
      if (fits[way] > best_fits)
        best = way;
      best_fits = MAX (best_fits, fits[way]);
    }
  gboolean is_open = date_ways[best].kind == TALL_DATES_DMY && fits[best + 1] == best_fits;
  found->dates = date_ways[best].dates;
  found->has_short_years = date_ways[best].has_short_years;
  found->reason =
      g_strdup_printf ("%u of %u values are dates of this form.%s", best_fits, n,
                       is_open ? " All fit mdy as well: look whether the day goes before the month."
                               : "");
}

/* What stands around the digits of a number: a currency sign. NULL: nothing. */
static char *
find_sign (const char *text)
{
  static const char around[] = "0123456789.,'()- ";
  g_autofree char *copy = g_strdup (text);
  const char *at = copy;
  while (*at != '\0' && strchr (around, *at) != NULL)
    at++;
  gsize len = strcspn (at, around);
  if (len == 0)
    return NULL;
  g_autofree char *sign = g_strndup (at, len);
  g_auto (GStrv) parts = g_strsplit (sign, "\xc2\xa0", -1);
  g_autofree char *joined = g_strjoinv ("", parts);
  return *joined == '\0' || strpbrk (joined, "\"%+’") != NULL ? NULL : g_steal_pointer (&joined);
}

#define MAX_SIGNS 3

static char *
find_signs (const TallSample *sample, const GArray *columns)
{
  g_autoptr (GPtrArray) signs = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < columns->len; i++)
    for (guint row = 0; row < sample->rows->len; row++)
      {
        g_autofree char *sign =
            find_sign (tall_sample_get (sample, row, g_array_index (columns, guint, i)));
        if (sign != NULL && !g_ptr_array_find_with_equal_func (signs, sign, g_str_equal, NULL))
          g_ptr_array_add (signs, g_steal_pointer (&sign));
      }
  if (signs->len == 0 || signs->len > MAX_SIGNS)
    return NULL;
  g_ptr_array_add (signs, NULL);
  return g_strjoinv (" ", (char **)signs->pdata);
}

static const char *const separators[] = { NULL, ".", ",", " ", "'", "’" };
static const char *const negatives[] = { NULL, "parentheses", "trailing-minus" };

/* One way to write numbers of the many. FALSE: there is none of that number. */
static gboolean
make_number_format (guint way, gboolean comma_first, const char *signs, TallValueFormat *format)
{
  guint separator = way / 2 % G_N_ELEMENTS (separators);
  guint negative = way / 2 / G_N_ELEMENTS (separators);
  *format = (TallValueFormat){ .decimal_comma = (way % 2 == 1) != comma_first,
                               .thousands = separators[separator],
                               .signs = signs,
                               .negative = (TallNegative)negative };
  return negative < G_N_ELEMENTS (negatives);
}

/**
 * tall_sniff_numbers:
 * @columns: (element-type guint): those that hold numbers
 * @found: (out caller-allocates): the simplest way that fits most values
 */
void
tall_sniff_numbers (const TallSample *sample, const GArray *columns, TallSniffedNumbers *found)
{
  /* Where a semicolon parts columns, it is because commas stand in numbers. */
  gboolean comma_first = sample->delimiter == ';';
  g_autofree char *signs = find_signs (sample, columns);
  TallValueFormat format, best = { .decimal_comma = FALSE };
  guint best_fits = 0, n = 0, n_best = 0;
  for (guint way = 0; make_number_format (way, comma_first, signs, &format); way++)
    {
      if (g_strcmp0 (format.thousands, format.decimal_comma ? "," : ".") == 0)
        continue;
      guint fits = count_all_fits (sample, columns, fits_number, &format, &n);
      if (fits > best_fits)
        {
          best = format;
          n_best = 0;
        }
      n_best += fits >= best_fits && format.decimal_comma != best.decimal_comma;
      best_fits = MAX (best_fits, fits);
    }
  gboolean says = best.decimal_comma || best.thousands != NULL;
  found->decimal_comma = best.decimal_comma;
  found->thousands = best.thousands;
  found->negative = negatives[best.negative];
  found->signs = best_fits > 0 ? g_steal_pointer (&signs) : NULL;
  found->reason = g_strdup_printf ("%u of %u values are numbers of this form.%s", best_fits, n,
                                   says && n_best > 0
                                       ? " They fit another form as well: look at a large amount."
                                       : "");
}
