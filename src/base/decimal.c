/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-decimal.h"
#include "base/fail.h"

#include <string.h>

__extension__ typedef __int128 Wide;

/**
 * tall_decimal_new:
 * @scale: 0 … %TALL_DECIMAL_MAX_SCALE
 *
 * Returns: (transfer none): a decimal in @arena, for an order whose arena it is
 */
TallDecimal *
tall_decimal_new (TallArena *arena, gint64 unscaled, guint32 scale)
{
  TallDecimal *self = tall_arena_alloc (arena, sizeof *self);
  tall_pb__decimal__init (self);
  self->unscaled = unscaled;
  self->scale = scale;
  return self;
}

static Wide
widen (TallDecimal decimal, guint scale)
{
  Wide value = decimal.unscaled;
  for (guint i = decimal.scale; i < scale; i++)
    value *= 10;
  return value;
}

/**
 * tall_decimal_compare:
 *
 * Returns: less than, equal to or greater than 0, by value: 1.5 and 1.50 compare equal
 */
int
tall_decimal_compare (TallDecimal a, TallDecimal b)
{
  /* 2^63 × 10^18 fits in 128 bits */
  guint scale = MAX (a.scale, b.scale);
  Wide left = widen (a, scale);
  Wide right = widen (b, scale);
  return (left > right) - (left < right);
}

/**
 * tall_decimal_add:
 * @sum: (out): exact, with the larger scale of both
 *
 * Returns: FALSE if it does not fit in 64 bits
 */
gboolean
tall_decimal_add (TallDecimal a, TallDecimal b, TallDecimal *sum)
{
  guint scale = MAX (a.scale, b.scale);
  Wide value = widen (a, scale) + widen (b, scale); /* fits, as in tall_decimal_compare() */
  if (value < G_MININT64 || value > G_MAXINT64)
    return FALSE;
  sum->unscaled = (gint64)value;
  sum->scale = scale;
  return TRUE;
}

static gboolean
set_bad_decimal (GError **error, const char *text, gsize len, const char *why)
{
  gsize shown = MIN (len, 40); /* may end inside a character, and none be there at all */
  g_autofree char *quoted = g_utf8_make_valid (len > 0 ? text : "", shown);
  return tall_error_fail_invalid (error, NULL, "“%s%s” is not a decimal: %s", quoted,
                                  shown < len ? "…" : "", why);
}

/* Appends one digit to @value, which is kept negative, as -2^63 has no positive. */
static gboolean
push_digit (gint64 *value, char digit)
{
  return !__builtin_mul_overflow (*value, 10, value)
         && !__builtin_sub_overflow (*value, digit - '0', value);
}

/**
 * tall_decimal_parse:
 * @text: an optional sign, digits, and optionally a point with digits after it; no exponent, no
 *   blanks, no thousands separators
 * @len: bytes of @text, -1 if it ends with NUL
 * @decimal: (out): exactly the digits given, trailing zeros included
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text has another form, more than 18 digits after the
 *   point, or does not fit in 64 bits
 */
gboolean
tall_decimal_parse (const char *text, gssize len, TallDecimal *decimal, GError **error)
{
  gsize n = len < 0 ? strlen (text) : (gsize)len;
  gsize start = n > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  gint64 value = 0; /* negative, see push_digit() */
  gsize digits = 0;
  gssize point = -1;

  for (gsize i = start; i < n; i++)
    {
      if (text[i] == '.' && point < 0 && digits > 0)
        point = digits;
      else if (!g_ascii_isdigit (text[i]))
        return set_bad_decimal (error, text, n, "write it like 12, -3 or 9.80");
      else if (!push_digit (&value, text[i]))
        return set_bad_decimal (error, text, n, "it does not fit in 64 bits");
      else
        digits++;
    }

  gsize scale = point < 0 ? 0 : digits - point;
  if (digits == 0 || (point >= 0 && scale == 0))
    return set_bad_decimal (error, text, n, "write it like 12, -3 or 9.80");
  if (scale > TALL_DECIMAL_MAX_SCALE)
    return set_bad_decimal (error, text, n, "it has more than 18 digits after the point");

  gboolean negative = text[0] == '-';
  if (!negative && value == G_MININT64)
    return set_bad_decimal (error, text, n, "it does not fit in 64 bits");

  decimal->unscaled = negative ? value : -value;
  decimal->scale = scale;
  return TRUE;
}

/**
 * tall_decimal_format:
 * @text: room for the text, NUL included
 *
 * Returns: @text, the shortest form that tall_decimal_parse() reads back identically
 */
const char *
tall_decimal_format (TallDecimal decimal, char text[TALL_DECIMAL_TEXT_SIZE])
{
  guint64 magnitude = decimal.unscaled < 0 ? -(guint64)decimal.unscaled : (guint64)decimal.unscaled;
  char *end = text + TALL_DECIMAL_TEXT_SIZE - 1;
  char *at = end;

  text[0] = '\0';
  g_return_val_if_fail (decimal.scale <= TALL_DECIMAL_MAX_SCALE, text);

  for (guint digits = 0; magnitude > 0 || digits <= decimal.scale; digits++)
    {
      if (digits == decimal.scale && digits > 0)
        *--at = '.';
      *--at = '0' + magnitude % 10;
      magnitude /= 10;
    }
  if (decimal.unscaled < 0)
    *--at = '-';

  memmove (text, at, end - at);
  text[end - at] = '\0';
  return text;
}
