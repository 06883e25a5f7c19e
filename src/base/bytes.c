/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bytes.h"

gboolean
tall_slice_has_prefix (TallSlice slice, TallSlice prefix)
{
  return slice.len >= prefix.len && tall_slice_equal (tall_slice (slice.data, prefix.len), prefix);
}

TallSlice
tall_slice_dup (TallArena *arena, TallSlice slice)
{
  return tall_slice (tall_arena_memdup (arena, slice.data, slice.len), slice.len);
}

/**
 * tall_slice_after_prefix:
 *
 * Returns: the smallest key greater than every key that begins with @prefix: where a prefix scan
 *   stops. Empty (= the end of the table) if there is none, that is, if @prefix is all 0xff.
 */
TallSlice
tall_slice_after_prefix (TallArena *arena, TallSlice prefix)
{
  gsize len = prefix.len;
  while (len > 0 && prefix.data[len - 1] == 0xff)
    len--;
  if (len == 0)
    return tall_slice (NULL, 0);

  guint8 *stop = tall_arena_memdup (arena, prefix.data, len);
  stop[len - 1]++;
  return tall_slice (stop, len);
}

void
tall_bytes_append_u8 (GByteArray *array, guint8 value)
{
  g_byte_array_append (array, &value, 1);
}

void
tall_bytes_append_u16 (GByteArray *array, guint16 value)
{
  guint16 big = GUINT16_TO_BE (value);
  g_byte_array_append (array, (const guint8 *)&big, sizeof big);
}

void
tall_bytes_append_u32 (GByteArray *array, guint32 value)
{
  guint32 big = GUINT32_TO_BE (value);
  g_byte_array_append (array, (const guint8 *)&big, sizeof big);
}

void
tall_bytes_append_u64 (GByteArray *array, guint64 value)
{
  guint64 big = GUINT64_TO_BE (value);
  g_byte_array_append (array, (const guint8 *)&big, sizeof big);
}

void
tall_bytes_append (GByteArray *array, TallSlice slice)
{
  if (slice.len > 0)
    g_byte_array_append (array, slice.data, slice.len);
}

/**
 * tall_bytes_set:
 * @slice: not of @array itself
 *
 * Makes @array hold nothing but @slice.
 */
void
tall_bytes_set (GByteArray *array, TallSlice slice)
{
  g_byte_array_set_size (array, 0);
  tall_bytes_append (array, slice);
}

/**
 * tall_bytes_set_after:
 * @slice: not of @array itself
 *
 * Makes @array hold the least bytes that come after @slice, such as the row to go on with.
 */
void
tall_bytes_set_after (GByteArray *array, TallSlice slice)
{
  tall_bytes_set (array, slice);
  tall_bytes_append_u8 (array, 0);
}

char *
tall_slice_to_hex (TallSlice slice)
{
  GString *text = g_string_sized_new (slice.len * 2 + 1);
  for (gsize i = 0; i < slice.len; i++)
    g_string_append_printf (text, "%02x", slice.data[i]);
  return g_string_free (text, FALSE);
}

/**
 * tall_slice_to_debug:
 *
 * Returns: (transfer full): the form that HBase's shell and logs use for keys
 */
char *
tall_slice_to_debug (TallSlice slice)
{
  GString *text = g_string_sized_new (slice.len + 1);
  for (gsize i = 0; i < slice.len; i++)
    {
      guint8 byte = slice.data[i];
      if (g_ascii_isprint (byte) && byte != '\\')
        g_string_append_c (text, byte);
      else
        g_string_append_printf (text, "\\x%02X", byte);
    }
  return g_string_free (text, FALSE);
}
