/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-round-trip.h"

#include "tall-test-orders.h"
#include "tall-test-store.h"

#define MOST_LINES 5000

static void
put_and_get (TallFront *front, TallOrder *order)
{
  g_autoptr (GError) error = NULL;
  gint64 stored, revision;
  g_assert_true (tall_front_put_order (front, order, NULL, &stored, &error));
  g_assert_no_error (error);
  g_autoptr (TallOrder) fetched =
      tall_front_get_order (front, order->customer_number, order->order_number, &revision, &error);
  g_assert_no_error (error);
  g_assert_cmpint (revision, ==, stored);
  tall_test_assert_order_equal (order, fetched);
}

/* Another order takes the place of each, as random as the first. */
static void
replace (TallFront *front, const TallOrder *order, TallOrder *other)
{
  other->customer_number = tall_arena_strdup (other->arena, order->customer_number);
  other->order_number = tall_arena_strdup (other->arena, order->order_number);
  put_and_get (front, other);
}

static void
round_trip_orders (TallFront *front, GRand *rand, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, i % 10 == 0 ? 200 : 20);
      g_autoptr (TallOrder) other = tall_test_random_order (rand, 20);
      put_and_get (front, order);
      replace (front, order, other);
    }
}

static void
round_trip_customers (TallFront *front, GRand *rand, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      g_assert_true (tall_front_put_customer (front, customer, NULL, NULL, &error));
      g_assert_no_error (error);
      g_autoptr (TallCustomer) fetched =
          tall_front_get_customer (front, customer->number, NULL, &error);
      g_assert_no_error (error);
      tall_test_assert_customer_equal (customer, fetched);
    }
}

/**
 * tall_test_round_trip:
 * @table: an empty table
 * @n: number of random orders, and of random customers
 *
 * Makes a deployment; puts @n random orders and customers, gets each back and compares. Each order
 * is replaced by another one. Then the longest order, and the shortest in its place.
 */
void
tall_test_round_trip (TallTable *table,
                      const TallLayout *layout,
                      const TallKeyStrategy *key_strategy,
                      guint n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int () & 0x7fffffff);
  tall_test_create (table, layout->name, key_strategy->name, 0);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  TallFront *front = TALL_FRONT (store);

  round_trip_orders (front, rand, n);
  round_trip_customers (front, rand, n);
  g_autoptr (TallOrder) longest =
      tall_test_order_with_lines (TALL_TEST_CUSTOMER, TALL_TEST_ORDER, MOST_LINES);
  g_autoptr (TallOrder) shortest =
      tall_test_order_with_lines (TALL_TEST_CUSTOMER, TALL_TEST_ORDER, 1);
  put_and_get (front, longest);
  put_and_get (front, shortest);
}
