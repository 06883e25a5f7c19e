/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-decimal.h"
#include "tall-error.h"
#include "tall-must.h"

static void
test_round_trip (void)
{
  static const struct
  {
    const char *text;
    gint64 unscaled;
    guint scale;
  } cases[] = {
    { "0", 0, 0 },
    { "0.00", 0, 2 },
    { "1.50", 150, 2 },
    { "-12", -12, 0 },
    { "-0.05", -5, 2 },
    { "9223372036854775807", G_MAXINT64, 0 },
    { "-9223372036854775808", G_MININT64, 0 },
    { "-9.223372036854775808", G_MININT64, 18 },
    { "0.000000000000000001", 1, 18 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallDecimal decimal;
      char text[TALL_DECIMAL_TEXT_SIZE];
      must (tall_decimal_parse (cases[i].text, -1, &decimal, &error));
      g_assert_cmpint (decimal.unscaled, ==, cases[i].unscaled);
      g_assert_cmpuint (decimal.scale, ==, cases[i].scale);
      g_assert_cmpstr (tall_decimal_format (decimal, text), ==, cases[i].text);
    }
}

static void
test_refused (void)
{
  static const char *const cases[] = {
    "",
    "-",
    "+",
    ".",
    "1.",
    ".5",
    "1e3",
    "1,5",
    " 1",
    "1 ",
    "--1",
    "1.2.3",
    "abc",
    "0x10",
    "9223372036854775808",
    "-9223372036854775809",
    "0.0000000000000000001",
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallDecimal decimal;
      must_fail (tall_decimal_parse (cases[i], -1, &decimal, &error), TALL_ERROR_INVALID);
    }
}

static void
test_compare (void)
{
  g_assert_cmpint (tall_decimal_compare (TALL_DECIMAL (15, 1), TALL_DECIMAL (150, 2)), ==, 0);
  g_assert_cmpint (
      tall_decimal_compare (TALL_DECIMAL (G_MININT64, 0), TALL_DECIMAL (G_MAXINT64, 18)), <, 0);
  g_assert_cmpint (tall_decimal_compare (TALL_DECIMAL (1, 0), TALL_DECIMAL (999, 3)), >, 0);
  g_assert_false (tall_decimal_identical (TALL_DECIMAL (15, 1), TALL_DECIMAL (150, 2)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/decimal/round-trip", test_round_trip);
  g_test_add_func ("/base/decimal/refused", test_refused);
  g_test_add_func ("/base/decimal/compare", test_compare);
  return g_test_run ();
}
