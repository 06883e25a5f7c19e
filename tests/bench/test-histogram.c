/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/summary.h"

static void
assert_near (guint64 found, double expected)
{
  g_assert_cmpfloat_with_epsilon ((double)found, expected, MAX (0.5, expected * 0.005));
}

static void
test_empty (void)
{
  g_autoptr (TallHistogram) histogram = tall_histogram_new ();
  g_assert_cmpuint (tall_histogram_get_count (histogram), ==, 0);
  g_assert_cmpuint (tall_histogram_get_max (histogram), ==, 0);
  g_assert_cmpuint (tall_histogram_get_quantile (histogram, 0.5), ==, 0);
}

/* Small values are kept exactly. */
static void
test_small (void)
{
  g_autoptr (TallHistogram) histogram = tall_histogram_new ();
  for (guint64 value = 0; value <= 200; value++)
    tall_histogram_add (histogram, value);
  g_assert_cmpuint (tall_histogram_get_count (histogram), ==, 201);
  g_assert_cmpuint (tall_histogram_get_quantile (histogram, 0), ==, 0);
  g_assert_cmpuint (tall_histogram_get_quantile (histogram, 0.5), ==, 100);
  g_assert_cmpuint (tall_histogram_get_quantile (histogram, 0.95), ==, 190);
  g_assert_cmpuint (tall_histogram_get_quantile (histogram, 1), ==, 200);
}

/* One value, whatever its size, comes back within half a per cent; also at both ends of a power of
 * two, where the buckets change their width. */
static void
test_precision (void)
{
  for (guint bits = 1; bits < 64; bits++)
    for (gint64 offset = -1; offset <= 1; offset++)
      {
        guint64 value = ((guint64)1 << bits) + (guint64)offset;
        g_autoptr (TallHistogram) histogram = tall_histogram_new ();
        tall_histogram_add (histogram, value);
        tall_histogram_add (histogram, G_MAXUINT64);
        tall_histogram_add (histogram, 0);
        assert_near (tall_histogram_get_quantile (histogram, 0.5), (double)value);
        g_assert_cmpuint (tall_histogram_get_max (histogram), ==, G_MAXUINT64);
      }
}

static int
compare_values (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *)a;
  guint64 y = *(const guint64 *)b;
  return (x > y) - (x < y);
}

/* Quantiles of random values of very different sizes are those of the sorted values. */
static void
test_quantiles (void)
{
  const double quantiles[] = { 0.01, 0.25, 0.5, 0.9, 0.99, 0.999 };
  const guint n = 10000;
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (TallHistogram) histogram = tall_histogram_new ();

  for (guint i = 0; i < n; i++)
    {
      guint64 value = (guint64)g_test_rand_int () << g_test_rand_int_range (0, 24);
      value >>= g_test_rand_int_range (0, 32);
      g_array_append_val (values, value);
      tall_histogram_add (histogram, value);
    }
  g_array_sort (values, compare_values);
  for (guint i = 0; i < G_N_ELEMENTS (quantiles); i++)
    {
      guint index = (guint)(quantiles[i] * n) - 1;
      assert_near (tall_histogram_get_quantile (histogram, quantiles[i]),
                   (double)g_array_index (values, guint64, index));
    }
}

static void
test_merge (void)
{
  g_autoptr (TallHistogram) low = tall_histogram_new ();
  g_autoptr (TallHistogram) high = tall_histogram_new ();
  g_autoptr (TallHistogram) empty = tall_histogram_new ();
  for (guint64 value = 1; value <= 100; value++)
    {
      tall_histogram_add (low, value);
      tall_histogram_add (high, 100 + value);
    }
  tall_histogram_merge (low, high);
  tall_histogram_merge (low, empty);
  g_assert_cmpuint (tall_histogram_get_count (low), ==, 200);
  g_assert_cmpuint (tall_histogram_get_max (low), ==, 200);
  g_assert_cmpuint (tall_histogram_get_quantile (low, 0), ==, 1);
  g_assert_cmpuint (tall_histogram_get_quantile (low, 0.5), ==, 100);

  tall_histogram_clear (low);
  g_assert_cmpuint (tall_histogram_get_count (low), ==, 0);
  tall_histogram_merge (low, high);
  g_assert_cmpuint (tall_histogram_get_quantile (low, 0), ==, 101);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bench/histogram/empty", test_empty);
  g_test_add_func ("/bench/histogram/small", test_small);
  g_test_add_func ("/bench/histogram/precision", test_precision);
  g_test_add_func ("/bench/histogram/quantiles", test_quantiles);
  g_test_add_func ("/bench/histogram/merge", test_merge);
  return g_test_run ();
}
