/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/json-listing.h"

#include <string.h>

#include "cli/json-item.h"

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

/**
 * tall_json_is_closed:
 *
 * Returns: whether braces that are opened are closed again, not looking into strings
 */
gboolean
tall_json_is_closed (TallSlice text)
{
  gint64 depth = 0;
  gboolean in_string = FALSE;
  for (gsize i = 0; i < text.len; i++)
    {
      guint8 c = text.data[i];
      if (in_string && c == '\\')
        i++;
      else if (c == '"')
        in_string = !in_string;
      else if (!in_string)
        depth += (c == '{') - (c == '}');
    }
  return depth == 0 && !in_string;
}

/**
 * tall_json_has_object_lines:
 *
 * Returns: whether a later line is an object by itself, so that what stands before it is a broken
 *   line and not the beginning of one object over many
 */
gboolean
tall_json_has_object_lines (TallSlice text)
{
  const guint8 *end = text.len > 0 ? memchr (text.data, '\n', text.len) : NULL;
  while (end != NULL)
    {
      gsize skipped = (gsize)(end - text.data) + 1;
      text = tall_slice (text.data + skipped, text.len - skipped);
      end = text.len > 0 ? memchr (text.data, '\n', text.len) : NULL;
      TallSlice line = tall_json_strip (
          tall_slice (text.data, end != NULL ? (gsize)(end - text.data) : text.len));
      if (line.len > 0 && text.data[0] == '{' && line.data[line.len - 1] == '}'
          && tall_json_is_closed (line))
        return TRUE;
    }
  return FALSE;
}
