/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"
#include "tall-test-keys.h"
#include "tall-test-orders.h"

static void
test_golden (void)
{
  static const TallTestKey cases[] = {
    { "VINET", "10248",
      "56494e455400"
      "313032343800" },
    { "1", "1",
      "3100"
      "3100" },
    { "é", " ",
      "c3a900"
      "2000" },
  };

  tall_test_keys_assert_golden (&tall_key_raw, cases, G_N_ELEMENTS (cases));
}

/* Compares by code points, shorter first, which people call "in order". */
static int
compare_numbers (const char *a, const char *b)
{
  while (*a != '\0' && g_utf8_get_char (a) == g_utf8_get_char (b))
    {
      a = g_utf8_next_char (a);
      b = g_utf8_next_char (b);
    }
  gunichar left = g_utf8_get_char (a), right = g_utf8_get_char (b);
  return (left > right) - (left < right);
}

static int
sign (int order)
{
  return (order > 0) - (order < 0);
}

/* An order's key compares as its customer's number, then its own. */
static void
assert_ordered (const char *const a[2], const char *const b[2])
{
  g_auto (TallOrderKey) left = { NULL };
  g_auto (TallOrderKey) right = { NULL };
  tall_order_key_init (&left, &tall_key_raw, a[0], 0, a[1]);
  tall_order_key_init (&right, &tall_key_raw, b[0], 0, b[1]);

  int expected = compare_numbers (a[0], b[0]);
  if (expected == 0)
    expected = compare_numbers (a[1], b[1]);
  g_assert_cmpint (sign (tall_slice_compare (left.whole, right.whole)), ==, expected);
}

static void
test_order_at_boundaries (void)
{
  static const char *const numbers[] = {
    " ",      "!",      "0",      "00",     "1",      "10",         "1 ",
    "A",      "AB",     "a",      "~",      "\u00A0", "ÿ",          "\u0100",
    "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFD", "\U00010000", "\U0010FFFF",
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
      {
        assert_ordered ((const char *const[]){ numbers[i], "5" },
                        (const char *const[]){ numbers[j], "5" });
        assert_ordered ((const char *const[]){ "5", numbers[i] },
                        (const char *const[]){ "5", numbers[j] });
        assert_ordered ((const char *const[]){ numbers[i], numbers[j] },
                        (const char *const[]){ numbers[j], numbers[i] });
      }
}

static void
test_order_of_random_numbers (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  for (guint i = 0; i < 3000; i++)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      const char *a[] = { tall_test_random_number (rand, arena),
                          tall_test_random_number (rand, arena) };
      const char *b[] = { g_rand_boolean (rand) ? a[0] : tall_test_random_number (rand, arena),
                          tall_test_random_number (rand, arena) };
      assert_ordered (a, b);
    }
}

/* Stored keys may be damaged: these are not valid parts. */
static void
test_refused (void)
{
  static const struct
  {
    const char *bytes;
    gsize len;
  } cases[] = {
    { "", 0 },       { "\0", 1 },         { "\0A\0", 3 },  { "A", 1 },      { "A\nB\0", 4 },
    { "\x7f\0", 2 }, { "\xc2\x85\0", 3 }, { "\xff\0", 2 }, { "\xc3\0", 2 }, { "\xed\xa0\x80\0", 4 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallSlice key = tall_slice (cases[i].bytes, cases[i].len);
      g_assert_cmpint (tall_key_raw.measure_customer (key), ==, -1);
      g_assert_cmpint (tall_key_raw.measure_order (key), ==, -1);
    }

  g_autofree char *too_long = g_strnfill (129, 'x');
  g_assert_cmpint (tall_key_raw.measure_order (tall_slice (too_long, 130)), ==, -1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key/raw/golden", test_golden);
  g_test_add_func ("/key/raw/order-at-boundaries", test_order_at_boundaries);
  g_test_add_func ("/key/raw/order-of-random-numbers", test_order_of_random_numbers);
  g_test_add_func ("/key/raw/refused", test_refused);
  return g_test_run ();
}
