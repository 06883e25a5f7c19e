/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-keys.h"

/* The first byte as md5sum(1) gives it. */
static void
test_golden (void)
{
  static const TallTestKey cases[] = {
    { "VINET", "10248",
      "3656494e455400"
      "313032343800" },
    { "10248", "1",
      "cf313032343800"
      "3100" },
    { "日本語", "a",
      "00e697a5e69cace8aa9e00"
      "6100" },
    { "é", " ",
      "66c3a900"
      "2000" },
  };

  tall_test_keys_assert_golden (&tall_key_salted, cases, G_N_ELEMENTS (cases));
}

/* Stored keys may be damaged. A number in a wrong bucket is damage, too. */
static void
test_refused (void)
{
  static const TallTestBytes cases[] = {
    { "", 0 },         { "6", 1 },         { "6\0", 2 },       { "6VINET", 6 },
    { "7VINET\0", 7 }, { "\0VINET\0", 7 }, { "VINET\0", 6 },   { "6VINE\0", 6 },
    { "6\n\0", 3 },    { "6\xff\0", 3 },   { "6VINET \0", 8 },
  };
  tall_test_keys_assert_refused (&tall_key_salted, cases, G_N_ELEMENTS (cases));
  g_assert_cmpint (tall_key_salted.measure_customer (tall_slice ("6VINET\0", 7)), ==, 7);
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
  g_test_add_func ("/key/salted/golden", test_golden);
  g_test_add_func ("/key/salted/refused", test_refused);
  g_test_add_func ("/key/salted/order-in-bucket", test_order_in_bucket);
  return g_test_run ();
}
