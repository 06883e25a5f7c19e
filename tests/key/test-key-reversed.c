/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-order-key.h"

static void
test_golden (void)
{
  static const struct
  {
    const char *customer;
    const char *order;
    const char *hex;
  } cases[] = {
    { "VINET", "10248",
      "54454e495600"
      "313032343800" },
    { "1", "12",
      "3100"
      "313200" },
    { "100", "001",
      "30303100"
      "30303100" },
    { "é", "é",
      "a9c300"
      "c3a900" },
    { "日a", " ",
      "61a597e600"
      "2000" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (TallOrderKey) key = { NULL };
      tall_order_key_init (&key, &tall_key_reversed, cases[i].customer, 0, cases[i].order);
      g_autofree char *hex = tall_slice_to_hex (key.whole);
      g_assert_cmpstr (hex, ==, cases[i].hex);
    }
}

/* Stored keys may be damaged. UTF-8 that is not reversed is not a valid part. */
static void
test_refused (void)
{
  static const struct
  {
    const char *bytes;
    gsize len;
  } cases[] = {
    { "", 0 },       { "\0", 1 },     { "\0A\0", 3 },      { "A", 1 },      { "A\nB\0", 4 },
    { "\x7f\0", 2 }, { "\xff\0", 2 }, { "\xc3\xa9\0", 3 }, { "\xc3\0", 2 }, { "\x80\xa0\xed\0", 4 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *exact = g_memdup2 (cases[i].bytes, cases[i].len);
      TallSlice key = tall_slice (exact, cases[i].len);
      g_assert_cmpint (tall_key_reversed.measure_customer (key), ==, -1);
    }

  g_autofree char *too_long = g_strnfill (129, 'x');
  g_assert_cmpint (tall_key_reversed.measure_customer (tall_slice (too_long, 130)), ==, -1);
  g_assert_cmpint (tall_key_reversed.measure_customer (tall_slice (too_long + 1, 129)), ==, 129);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key/reversed/golden", test_golden);
  g_test_add_func ("/key/reversed/refused", test_refused);
  return g_test_run ();
}
