/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/given.h"
#include "bench/summary.h"
#include "tall-error.h"

#include <math.h>

static void
test_of (void)
{
  const double five[] = { 5, 1, 4, 2, 3 };
  const double even[] = { 4, 1, 2, 9 };
  TallSpread spread = tall_spread_of (five, G_N_ELEMENTS (five));
  g_assert_cmpfloat (spread.median, ==, 3);
  g_assert_cmpfloat (spread.least, ==, 1);
  g_assert_cmpfloat (spread.most, ==, 5);
  g_assert_cmpuint (spread.n, ==, 5);
  g_assert_cmpfloat_with_epsilon (tall_spread_get_deviation (&spread), 2.0 / 3, 1e-9);
  spread = tall_spread_of (even, G_N_ELEMENTS (even));
  g_assert_cmpfloat (spread.median, ==, 3);

  spread = tall_spread_of (NULL, 0);
  g_assert_cmpuint (spread.n, ==, 0);
  g_assert_cmpfloat (tall_spread_get_deviation (&spread), ==, 0);
}

static void
test_overlaps (void)
{
  static const struct
  {
    double least, most, other_least, other_most;
    gboolean overlaps;
  } cases[] = {
    { 1, 2, 3, 4, FALSE }, { 1, 3, 2, 4, TRUE }, { 1, 4, 2, 3, TRUE },
    { 1, 2, 2, 3, TRUE },  { 1, 1, 1, 1, TRUE }, { 1, 1, 2, 2, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallSpread one = { .least = cases[i].least, .most = cases[i].most };
      TallSpread other = { .least = cases[i].other_least, .most = cases[i].other_most };
      g_assert_cmpint (tall_spread_overlaps (&one, &other), ==, cases[i].overlaps);
      g_assert_cmpint (tall_spread_overlaps (&other, &one), ==, cases[i].overlaps);
    }
}

/* No digit after the one in which the values differ, and three at most. */
static void
test_format (void)
{
  static const struct
  {
    double median, half;
    const char *text;
  } cases[] = {
    { 123456, 0, "123000" },
    { 123456, 700, "123000" },
    { 123456, 7000, "123000" },
    { 123456, 20000, "120000" },
    { 123456, 300000, "100000" },
    { 7.256, 0, "7.26" },
    { 7.256, 0.03, "7.26" },
    { 7.256, 0.3, "7.3" },
    { 7.256, 3, "7" },
    { 7.256, 40, "7" },
    { 0.0456, 0.001, "0.046" },
    { 999.6, 0, "1000" },
    { 0, 0, "0" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallSpread spread = { .median = cases[i].median,
                            .least = cases[i].median - cases[i].half,
                            .most = cases[i].median + cases[i].half,
                            .n = 5 };
      g_autofree char *text = tall_spread_format (&spread);
      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

/* Both ends are in a range; what is not given is refused only where it must be. */
static void
test_ranges (void)
{
  static const struct
  {
    TallRange range;
    const char *message; /* NULL: it is right */
  } cases[] = {
    { { "turns", 1, 1, 9, FALSE }, NULL },
    { { "turns", 9, 1, 9, FALSE }, NULL },
    { { "turns", 0.5, 1, 9, FALSE }, "--turns: choose 1 to 9" },
    { { "turns", 10, 1, 9, FALSE }, "--turns: choose 1 to 9" },
    { { "skew", NAN, 0, 0.99, TRUE }, "--skew: choose 0 to 0.99" },
    { { "seed", -1, 0, INFINITY, TRUE }, "--seed: choose 0 or more" },
    { { "seed", 1e300, 0, INFINITY, TRUE }, NULL },
    { { "count", (double)TALL_BENCH_NO_COUNT, 1, 10000000, TRUE }, NULL },
    { { "rate", TALL_BENCH_NO_NUMBER, 0.001, 10000000, TRUE }, NULL },
    { { "clients", (double)TALL_BENCH_NO_COUNT, 1, 256, FALSE }, "--clients: choose 1 to 256" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean ok = tall_bench_check_ranges (&cases[i].range, 1, &error);
      g_assert_cmpint (ok, ==, cases[i].message == NULL);
      g_assert_cmpstr (error != NULL ? error->message : NULL, ==, cases[i].message);
      g_assert_true (ok || g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bench/spread/of", test_of);
  g_test_add_func ("/bench/spread/overlaps", test_overlaps);
  g_test_add_func ("/bench/spread/format", test_format);
  g_test_add_func ("/bench/spread/ranges", test_ranges);
  return g_test_run ();
}
