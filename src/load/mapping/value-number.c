/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "load/mapping/value.h"

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
  if (tall_decimal_compare (*discount, (TallDecimal){ 0, 0 }) >= 0
      && tall_decimal_compare (*discount, (TallDecimal){ 1, 0 }) <= 0)
    return TRUE;
  tall_error_set_invalid (error, NULL,
                          format->discount_percent
                              ? "discount “%s” is not from 0 to 100 percent"
                              : "discount “%s” is not a rate from 0 to 1; for percents, write "
                                "“discount = percent” in the mapping",
                          text);
  return FALSE;
}
