/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/value.h"

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
