/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What each key strategy makes of numbers, byte for byte, what it refuses, and how its keys are
 * sorted. */
#include "key/strategy.h"
#include "tall-test-orders.h"

#define MD5_OF_10248 "cfdf55d9c4687ca7b7d9b2d2b997135f"

static const struct
{
  const TallKeyStrategy *strategy;
  const char *customer;
  const char *order;
  const char *customer_hex;
  const char *order_hex;
} golden[] = {
  /* Made with md5sum(1). */
  { &tall_key_hashed, "VINET", "10248", "369aacdc152e982e657b6b738ee5360e", MD5_OF_10248 },
  { &tall_key_hashed, "10248", "VINET", MD5_OF_10248, "369aacdc152e982e657b6b738ee5360e" },
  { &tall_key_hashed, "a", "日本語", "0cc175b9c0f1b6a831c399e269772661",
    "00110af8b4393ef3f72c50be5b332bec" },
  { &tall_key_hashed, "日本語", "a", "00110af8b4393ef3f72c50be5b332bec",
    "0cc175b9c0f1b6a831c399e269772661" },
  { &tall_key_raw, "VINET", "10248", "56494e455400", "313032343800" },
  { &tall_key_raw, "1", "1", "3100", "3100" },
  { &tall_key_raw, "é", " ", "c3a900", "2000" },
  { &tall_key_reversed, "VINET", "10248", "54454e495600", "313032343800" },
  { &tall_key_reversed, "1", "12", "3100", "313200" },
  { &tall_key_reversed, "100", "001", "30303100", "30303100" },
  { &tall_key_reversed, "é", "é", "a9c300", "c3a900" },
  { &tall_key_reversed, "日a", " ", "61a597e600", "2000" },
  /* The first byte as md5sum(1) gives it. */
  { &tall_key_salted, "VINET", "10248", "3656494e455400", "313032343800" },
  { &tall_key_salted, "10248", "1", "cf313032343800", "3100" },
  { &tall_key_salted, "日本語", "a", "00e697a5e69cace8aa9e00", "6100" },
  { &tall_key_salted, "é", " ", "66c3a900", "2000" },
};

static void
test_golden (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (golden); i++)
    {
      g_auto (TallOrderKey) key = { NULL };
      tall_order_key_init (&key, golden[i].strategy, golden[i].customer, 0, golden[i].order);
      g_autofree char *hex = tall_slice_to_hex (key.whole);
      g_autofree char *expected = g_strconcat (golden[i].customer_hex, golden[i].order_hex, NULL);
      g_assert_cmpstr (hex, ==, expected);
    }
}

/* The customer part consists of the id alone; the order part is the MD5 of the order number. */
static void
test_golden_ids (void)
{
  static const struct
  {
    guint64 id;
    const char *hex;
  } cases[] = {
    { 1, "8000000000000000" },
    { 2, "4000000000000000" },
    { 3, "c000000000000000" },
    { 4, "2000000000000000" },
    { 0x80, "0100000000000000" },
    { 0xff, "ff00000000000000" },
    { 0x100, "0080000000000000" },
    { G_GUINT64_CONSTANT (0x0123456789abcdef), "f7b3d591e6a2c480" },
    { G_GUINT64_CONSTANT (1) << 32, "0000000080000000" },
    { G_MAXINT64, "fffffffffffffffe" },
    { G_GUINT64_CONSTANT (1) << 63, "0000000000000001" },
    { G_MAXUINT64, "ffffffffffffffff" },
  };
  static const char *const numbers[] = { "VINET", "é", "10248" };
  g_assert_true (tall_key_numeric.needs_id);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
      {
        g_auto (TallOrderKey) key = { NULL };
        tall_order_key_init (&key, &tall_key_numeric, numbers[j], cases[i].id, "10248");
        g_autofree char *hex = tall_slice_to_hex (key.whole);
        g_autofree char *expected = g_strconcat (cases[i].hex, MD5_OF_10248, NULL);
        g_assert_cmpstr (hex, ==, expected);
        g_assert_cmpuint (key.customer.len, ==, 8);
      }
}

/* Bytes that may hold a NUL. Neither a customer's part of a key, as long as they are and with
 * nothing behind them, nor, with raw keys, an order's. Stored keys may be damaged. */
static const struct
{
  const TallKeyStrategy *strategy;
  const char *bytes;
  gsize len;
} refused[] = {
  { &tall_key_raw, "", 0 },
  { &tall_key_raw, "\0", 1 },
  { &tall_key_raw, "\0A\0", 3 },
  { &tall_key_raw, "A", 1 },
  { &tall_key_raw, "A\nB\0", 4 },
  { &tall_key_raw, "\x7f\0", 2 },
  { &tall_key_raw, "\xc2\x85\0", 3 },
  { &tall_key_raw, "\xff\0", 2 },
  { &tall_key_raw, "\xc3\0", 2 },
  { &tall_key_raw, "\xed\xa0\x80\0", 4 },
  /* UTF-8 that is not reversed is not a valid part. */
  { &tall_key_reversed, "", 0 },
  { &tall_key_reversed, "\0", 1 },
  { &tall_key_reversed, "\0A\0", 3 },
  { &tall_key_reversed, "A", 1 },
  { &tall_key_reversed, "A\nB\0", 4 },
  { &tall_key_reversed, "\x7f\0", 2 },
  { &tall_key_reversed, "\xff\0", 2 },
  { &tall_key_reversed, "\xc3\xa9\0", 3 },
  { &tall_key_reversed, "\xc3\0", 2 },
  { &tall_key_reversed, "\x80\xa0\xed\0", 4 },
  /* A number in a wrong bucket is damage, too. */
  { &tall_key_salted, "", 0 },
  { &tall_key_salted, "6", 1 },
  { &tall_key_salted, "6\0", 2 },
  { &tall_key_salted, "6VINET", 6 },
  { &tall_key_salted, "7VINET\0", 7 },
  { &tall_key_salted, "\0VINET\0", 7 },
  { &tall_key_salted, "VINET\0", 6 },
  { &tall_key_salted, "6VINE\0", 6 },
  { &tall_key_salted, "6\n\0", 3 },
  { &tall_key_salted, "6\xff\0", 3 },
  { &tall_key_salted, "6VINET \0", 8 },
};

static void
test_refused (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      const TallKeyStrategy *strategy = refused[i].strategy;
      g_autofree char *exact = g_memdup2 (refused[i].bytes, refused[i].len);
      TallSlice key = tall_slice (exact, refused[i].len);
      g_assert_cmpint (strategy->measure_customer (key), ==, -1);
      if (strategy == &tall_key_raw)
        g_assert_cmpint (strategy->measure_order (key), ==, -1);
    }

  g_autofree char *too_long = g_strnfill (129, 'x');
  g_assert_cmpint (tall_key_raw.measure_order (tall_slice (too_long, 130)), ==, -1);
  g_assert_cmpint (tall_key_reversed.measure_customer (tall_slice (too_long, 130)), ==, -1);
  g_assert_cmpint (tall_key_reversed.measure_customer (tall_slice (too_long + 1, 129)), ==, 129);
  g_assert_cmpint (tall_key_salted.measure_customer (tall_slice ("6VINET\0", 7)), ==, 7);
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

/* Within a bucket, rows stand in the order of their numbers. */
static void
test_order_in_bucket (void)
{
  GByteArray *last[256] = { NULL };
  for (guint i = 10000; i < 20000; i++)
    {
      char number[16];
      g_snprintf (number, sizeof number, "%u", i);
      GByteArray *key = g_byte_array_new ();
      tall_key_salted.append_customer (number, 0, key);
      GByteArray **before = &last[key->data[0]];
      if (*before != NULL)
        g_assert_cmpint (tall_slice_compare (tall_slice_array (*before), tall_slice_array (key)), <,
                         0);
      g_clear_pointer (before, g_byte_array_unref);
      *before = key;
    }
  for (guint i = 0; i < G_N_ELEMENTS (last); i++)
    {
      g_assert_nonnull (last[i]);
      g_clear_pointer (&last[i], g_byte_array_unref);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key/parts/golden", test_golden);
  g_test_add_func ("/key/parts/golden-ids", test_golden_ids);
  g_test_add_func ("/key/parts/refused", test_refused);
  g_test_add_func ("/key/parts/order-at-boundaries", test_order_at_boundaries);
  g_test_add_func ("/key/parts/order-of-random-numbers", test_order_of_random_numbers);
  g_test_add_func ("/key/parts/order-in-bucket", test_order_in_bucket);
  return g_test_run ();
}
