/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/orders.h"

/* The same seed makes the same orders, another seed makes others; sizes fill their range. */
static void
test_workload (void)
{
  TallWorkload workload = { .prefix = "", .n_lines = 2, .max_lines = 5, .n_customers = 3 };
  guint n_of_size[8] = { 0 };
  guint n_same = 0;
  for (guint i = 0; i < 200; i++)
    {
      workload.seed = 1;
      g_autoptr (TallOrder) order = tall_workload_make_order (&workload, i);
      g_autoptr (TallOrder) again = tall_workload_make_order (&workload, i);
      workload.seed = 2;
      g_autoptr (TallOrder) other = tall_workload_make_order (&workload, i);
      g_assert_true (tall_order_equal (order, again));
      n_same += tall_order_equal (order, other) ? 1 : 0;
      g_assert_cmpuint (tall_order_count_lines (order), <=, 5);
      n_of_size[tall_order_count_lines (order)]++;
    }
  g_assert_cmpuint (n_same, ==, 0);
  g_assert_cmpuint (n_of_size[0] + n_of_size[1], ==, 0);
  for (guint i = 2; i <= 5; i++)
    g_assert_cmpuint (n_of_size[i], >, 20);
}

#define N_DRAWN 5000

/* One line comes about as often as ln 2 / ln 51 says, and there is an order of nearly 50. */
static void
test_few_lines (void)
{
  const TallWorkload workload = {
    .prefix = "", .n_lines = 1, .max_lines = 50, .few_lines = TRUE, .n_customers = 3, .seed = 3
  };
  g_autoptr (GPtrArray) orders = tall_workload_make_orders (&workload, 0, N_DRAWN);
  guint counts[51] = { 0 };
  for (guint i = 0; i < orders->len; i++)
    {
      guint n = tall_order_count_lines (g_ptr_array_index (orders, i));
      g_assert_cmpuint (n, >=, 1);
      g_assert_cmpuint (n, <=, 50);
      counts[n]++;
    }
  g_assert_cmpuint (counts[1], >, N_DRAWN * 16 / 100);
  g_assert_cmpuint (counts[1], <, N_DRAWN * 20 / 100);
  g_assert_cmpuint (counts[49] + counts[50], >, 0);
}

/* Of 100 customers, the first ten have 10^-0.5 of all orders with a skew of 0.5. */
static void
test_skew (void)
{
  const TallWorkload workload = {
    .prefix = "", .n_lines = 1, .n_customers = 100, .skew = 0.5, .seed = 3
  };
  guint n_first = 0;
  for (guint i = 0; i < N_DRAWN; i++)
    {
      g_autoptr (TallOrder) order = tall_workload_make_order (&workload, i);
      guint64 customer = g_ascii_strtoull (order->customer_number + 1, NULL, 10);
      g_assert_cmpuint (customer, <, 100);
      n_first += customer < 10;
    }
  g_assert_cmpuint (n_first, >, N_DRAWN * 29 / 100);
  g_assert_cmpuint (n_first, <, N_DRAWN * 34 / 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bench/workload", test_workload);
  g_test_add_func ("/bench/workload/few-lines", test_few_lines);
  g_test_add_func ("/bench/workload/skew", test_skew);
  return g_test_run ();
}
