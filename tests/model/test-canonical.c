/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-canonical.h"
#include "tall-error.h"
#include "tall-md5.h"
#include "tall-test-orders.h"

static GRand *
new_rand (void)
{
  return g_rand_new_with_seed (g_test_rand_int ());
}

static void
check_order_round_trip (const TallOrder *order)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) error = NULL;
  TallSlice canonical = tall_order_to_canonical (order, arena);
  g_autoptr (TallOrder) back = tall_order_from_canonical (canonical, &error);
  g_assert_no_error (error);
  g_assert_nonnull (back);
  tall_test_assert_order_equal (order, back);

  TallSlice again = tall_order_to_canonical (back, arena);
  g_assert_cmpmem (canonical.data, canonical.len, again.data, again.len);
}

static void
test_order_round_trip (void)
{
  g_autoptr (GRand) rand = new_rand ();
  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, i % 50 == 0 ? 1000 : 12);
      check_order_round_trip (order);
    }

  g_autoptr (TallOrder) long_order = tall_test_order_with_lines ("C", "1", 9999);
  check_order_round_trip (long_order);
}

static void
test_customer_round_trip (void)
{
  g_autoptr (GRand) rand = new_rand ();
  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (GError) error = NULL;
      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      TallSlice canonical = tall_customer_to_canonical (customer, arena);
      g_autoptr (TallCustomer) back = tall_customer_from_canonical (canonical, &error);
      g_assert_no_error (error);
      tall_test_assert_customer_equal (customer, back);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/canonical/order-round-trip", test_order_round_trip);
  g_test_add_func ("/model/canonical/customer-round-trip", test_customer_round_trip);
  return g_test_run ();
}
