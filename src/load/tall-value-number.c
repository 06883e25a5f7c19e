/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-value.h"

/**
 * tall_parse_position:
 * @number: (out): number of a location or a line
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text is not 1 … 2147483647
 */
gboolean
tall_parse_position (const char *text, gint32 *number, GError **error)
{
  guint64 value;
  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT32, &value, NULL))
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
copy_plain (const char *text, const TallValueFormat *format)
{
  if (format->decimal_comma && strchr (text, '.') != NULL)
    return NULL;
  char *copy = g_strdup (text);
  return format->decimal_comma ? g_strdelimit (copy, ",", '.') : copy;
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
  g_autofree char *number =
      is_plain (format) ? copy_plain (text, format) : tall_normalize_number (text, format);
  if (number != NULL && tall_decimal_parse (number, -1, decimal, NULL))
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
  g_autofree char *copy = g_strdup (text);
  gsize len = strlen (copy);
  if (format->discount_percent && len > 0 && copy[len - 1] == '%')
    copy[len - 1] = '\0';
  if (!tall_parse_decimal (copy, format, discount, error))
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
