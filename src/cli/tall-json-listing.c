/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-json-listing.h"

/* Returns: where the string that begins at @at has ended */
static gsize
skip_string (TallSlice text, gsize at)
{
  for (at++; at < text.len && text.data[at] != '"'; at++)
    if (text.data[at] == '\\')
      at++;
  return MIN (at + 1, text.len);
}

/* Whether @c comes next, after blanks. Moves @at (inout) behind it. */
static gboolean
take (TallSlice text, gsize *at, char c)
{
  gsize i = *at;
  while (i < text.len && g_ascii_isspace (text.data[i]))
    i++;
  if (i >= text.len || text.data[i] != (guint8)c)
    return FALSE;
  *at = i + 1;
  return TRUE;
}

/* Whether the string between @start and @end names what is listed, and a list follows. */
static gboolean
is_list (TallSlice text, gsize start, gsize end)
{
  TallSlice name = tall_slice (text.data + start, end - start);
  return (tall_slice_equal (name, tall_slice_str ("\"orders\""))
          || tall_slice_equal (name, tall_slice_str ("\"customers\"")))
         && take (text, &end, ':') && take (text, &end, '[');
}

/**
 * tall_json_is_listing:
 * @text: JSON, perhaps only the beginning of an object
 *
 * Returns: whether it is an object with a list `orders` or `customers`, as listings are printed
 */
gboolean
tall_json_is_listing (TallSlice text)
{
  guint64 depth = 0;
  for (gsize i = 0; i < text.len;)
    {
      guint8 c = text.data[i];
      gsize end = c == '"' ? skip_string (text, i) : i + 1;
      if (c == '"' && depth == 1 && is_list (text, i, end))
        return TRUE;
      if (c == '{' || c == '[')
        depth++;
      else if ((c == '}' || c == ']') && --depth == 0)
        return FALSE;
      i = end;
    }
  return FALSE;
}
