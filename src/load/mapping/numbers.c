/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/value.h"

#include "base/fail.h"

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

static gboolean
is_plain (const TallValueFormat *format)
{
  return format->thousands == NULL && format->signs == NULL
         && format->negative == TALL_NEGATIVE_MINUS;
}

/* Takes away the separators of thousands, the currency and the ways to write a negative number that
 * the format allows.
 *
 * Returns: (transfer full) (nullable): the number as `-1234.5`; NULL if it does not have that form
 */
static char *
normalize_number (const char *text, const TallValueFormat *format)
{
  Span span = { text, text + strlen (text), FALSE, FALSE };
  if (*text == '+' && g_ascii_isdigit (text[1]) && is_plain (format))
    span.start++;
  while (take_currency (&span, format->signs) || take_negative (&span, format->negative))
    if (!is_plain (format))
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
      g_string_append (number, at == span.start ? "0." : ".");
      g_string_append_len (number, at + 1, span.end - at - 1);
    }
  return g_string_free (g_steal_pointer (&number), FALSE);
}

/* @number: (out) number of a location or a line. Returns: FALSE with %TALL_ERROR_INVALID if @text
 * is not 1 … 2147483647 */
gboolean
tall_parse_position (const char *text, gint32 *number, GError **error)
{
  const char *at = text;
  guint64 value = 0;
  for (; g_ascii_isdigit (*at) && value <= G_MAXINT32; at++)
    value = value * 10 + (guint)(*at - '0');
  if (*at != '\0' || value < 1 || value > G_MAXINT32)
    return tall_error_fail_invalid (error, NULL, "“%s” is not a whole number from 1 to %d", text,
                                    G_MAXINT32);
  *number = (gint32)value;
  return TRUE;
}

static gboolean
parse_number (const char *text, const TallValueFormat *format, TallDecimal *decimal)
{
  if (is_plain (format) && !format->decimal_comma && tall_decimal_parse (text, -1, decimal, NULL))
    return TRUE;
  g_autofree char *number = normalize_number (text, format);
  return number != NULL && tall_decimal_parse (number, -1, decimal, NULL);
}

/* @decimal: (out). Returns: FALSE with %TALL_ERROR_INVALID if @text is not a number of that form */
gboolean
tall_parse_decimal (const char *text,
                    const TallValueFormat *format,
                    TallDecimal *decimal,
                    GError **error)
{
  if (parse_number (text, format, decimal))
    return TRUE;
  const char *thousands = format->thousands != NULL ? format->thousands : "";
  return tall_error_fail_invalid (
      error, NULL, "“%s” is not a number of the form 1%s234%s5 with at most 18 decimals", text,
      thousands, format->decimal_comma ? "," : ".");
}

/* @discount: (out) a rate from 0 to 1. Returns: FALSE with %TALL_ERROR_INVALID if @text is not a
 * discount of that form */
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
        return tall_error_fail_invalid (error, NULL, "discount “%s” has more than 16 decimals",
                                        text);
      discount->scale += 2;
    }
  if (tall_decimal_compare (*discount, TALL_DECIMAL (0, 0)) >= 0
      && tall_decimal_compare (*discount, TALL_DECIMAL (1, 0)) <= 0)
    return TRUE;
  return tall_error_fail_invalid (
      error, NULL,
      format->discount_percent
          ? "discount “%s” is not from 0 to 100 percent"
          : "discount “%s” is not a rate from 0 to 1; for percents a .map says "
            "“discount = percent”, and a .sql divides by 100",
      text);
}
