/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-keys.h"

static void
test_golden (void)
{
  static const TallTestKey cases[] = {
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

  tall_test_keys_assert_golden (&tall_key_reversed, cases, G_N_ELEMENTS (cases));
}

/* Stored keys may be damaged. UTF-8 that is not reversed is not a valid part. */
static void
test_refused (void)
{
  static const TallTestBytes cases[] = {
    { "", 0 },       { "\0", 1 },     { "\0A\0", 3 },      { "A", 1 },      { "A\nB\0", 4 },
    { "\x7f\0", 2 }, { "\xff\0", 2 }, { "\xc3\xa9\0", 3 }, { "\xc3\0", 2 }, { "\x80\xa0\xed\0", 4 },
  };
  tall_test_keys_assert_refused (&tall_key_reversed, cases, G_N_ELEMENTS (cases));

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
