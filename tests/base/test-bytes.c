/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bytes.h"

static void
test_compare (void)
{
  static const struct
  {
    const char *a, *b;
    int order;
  } cases[] = {
    { "", "", 0 },    { "", "a", -1 },        { "a", "b", -1 },      { "a", "aa", -1 },
    { "b", "aa", 1 }, { "\x7f", "\x80", -1 }, { "\xff", "\x01", 1 }, { "same", "same", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallSlice a = tall_slice_str (cases[i].a);
      TallSlice b = tall_slice_str (cases[i].b);
      g_assert_cmpint (CLAMP (tall_slice_compare (a, b), -1, 1), ==, cases[i].order);
      g_assert_cmpint (CLAMP (tall_slice_compare (b, a), -1, 1), ==, -cases[i].order);
      g_assert_cmpint (tall_slice_equal (a, b), ==, cases[i].order == 0);
    }
}

static void
test_after_prefix (void)
{
  static const struct
  {
    const char *prefix, *after;
  } cases[] = {
    { "a", "b" },         { "ab", "ac" },     { "a\xff", "b" },
    { "a\xff\xff", "b" }, { "\xff\xff", "" }, { "", "" },
  };

  g_autoptr (TallArena) arena = tall_arena_new (0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallSlice after = tall_slice_after_prefix (arena, tall_slice_str (cases[i].prefix));
      g_assert_cmpmem (after.data, after.len, cases[i].after, strlen (cases[i].after));
    }
}

static void
test_big_endian (void)
{
  g_autoptr (GByteArray) array = g_byte_array_new ();
  tall_bytes_append_u8 (array, 0x01);
  tall_bytes_append_u16 (array, 0x0203);
  tall_bytes_append_u32 (array, 0x04050607);
  tall_bytes_append_u64 (array, G_GUINT64_CONSTANT (0x08090a0b0c0d0e0f));
  for (guint i = 0; i < array->len; i++)
    g_assert_cmpuint (array->data[i], ==, i + 1);

  TallReader reader = tall_reader (tall_slice_array (array));
  g_assert_cmphex (tall_reader_u8 (&reader), ==, 0x01);
  g_assert_cmphex (tall_reader_u16 (&reader), ==, 0x0203);
  g_assert_cmphex (tall_reader_u32 (&reader), ==, 0x04050607);
  g_assert_false (tall_reader_done (&reader));
  g_assert_cmphex (tall_reader_u64 (&reader), ==, G_GUINT64_CONSTANT (0x08090a0b0c0d0e0f));
  g_assert_true (tall_reader_done (&reader));
}

static void
test_short (void)
{
  TallReader reader = tall_reader (tall_slice ("abc", 3));
  g_assert_cmpuint (tall_reader_u32 (&reader), ==, 0);
  g_assert_true (reader.failed);
  g_assert_cmpuint (tall_reader_u8 (&reader), ==, 0);
  g_assert_false (tall_reader_done (&reader));
}

static void
test_for_people (void)
{
  TallSlice slice = tall_slice ("a\\\0\xff", 4);
  g_autofree char *hex = tall_slice_to_hex (slice);
  g_autofree char *debug = tall_slice_to_debug (slice);
  g_assert_cmpstr (hex, ==, "615c00ff");
  g_assert_cmpstr (debug, ==, "a\\x5C\\x00\\xFF");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/bytes/compare", test_compare);
  g_test_add_func ("/base/bytes/after-prefix", test_after_prefix);
  g_test_add_func ("/base/bytes/big-endian", test_big_endian);
  g_test_add_func ("/base/bytes/short", test_short);
  g_test_add_func ("/base/bytes/for-people", test_for_people);
  return g_test_run ();
}
