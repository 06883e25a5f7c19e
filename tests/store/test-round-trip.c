/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Random orders and customers come back equal under every layout and key strategy, on the tables
 * that need no server. */
#include "tall-memory-table.h"
#include "tall-rocksdb-table.h"
#include "tall-test-directory.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"

#define N_ORDERS 150
#define MOST_LINES 5000

typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  gboolean rocksdb; /* or memory */
} Kind;

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
round_trip (TallFront *front, GRand *rand)
{
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, i % 10 == 0 ? 200 : 20);
      g_autoptr (TallOrder) other = tall_test_random_order (rand, 20);
      put_and_get (front, order);
      replace (front, order, other);
    }
}

static void
round_trip_customers (TallFront *front, GRand *rand)
{
  for (guint i = 0; i < N_ORDERS; i++)
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

static TallTable *
open_table (const Kind *kind, const char *directory)
{
  g_autoptr (GError) error = NULL;
  if (!kind->rocksdb)
    return tall_memory_table_new ();
  TallRocksdbOptions options = { .directory = directory, .sync = FALSE };
  TallTable *table = tall_rocksdb_table_open (&options, &error);
  g_assert_no_error (error);
  return table;
}

static void
test_round_trip (gconstpointer data)
{
  const Kind *kind = data;
  g_autofree char *directory = kind->rocksdb ? tall_test_directory_new () : NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int () & 0x7fffffff);
  TallTable *table = open_table (kind, directory);
  tall_test_create (table, kind->layout->name, kind->key_strategy->name, 0);
  TallStore *store = tall_test_open (table, NULL);
  TallFront *front = TALL_FRONT (store);

  round_trip (front, rand);
  round_trip_customers (front, rand);
  g_autoptr (TallOrder) longest =
      tall_test_order_with_lines (TALL_TEST_CUSTOMER, TALL_TEST_ORDER, MOST_LINES);
  g_autoptr (TallOrder) shortest =
      tall_test_order_with_lines (TALL_TEST_CUSTOMER, TALL_TEST_ORDER, 1);
  put_and_get (front, longest);
  put_and_get (front, shortest);

  g_object_unref (store);
  g_object_unref (table);
  if (directory != NULL)
    tall_test_directory_remove (directory);
}

int
main (int argc, char *argv[])
{
  static Kind kinds[64];
  guint n_layouts, n_strategies;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);
  guint n_kinds = n_layouts * n_strategies * 2;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpuint (n_kinds, <=, G_N_ELEMENTS (kinds));
  for (guint i = 0; i < n_kinds; i++)
    {
      kinds[i] = (Kind){ layouts[i / 2 / n_strategies], strategies[i / 2 % n_strategies], i % 2 };
      g_autofree char *path =
          g_strdup_printf ("/round-trip/%s/%s/%s", kinds[i].layout->name,
                           kinds[i].key_strategy->name, kinds[i].rocksdb ? "rocksdb" : "memory");
      g_test_add_data_func (path, &kinds[i], test_round_trip);
    }
  return g_test_run ();
}
