/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-round-trip.h"

#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define MOST_LINES 5000
#define PAGE 20

/**
 * Trip:
 *
 * A store, and what must be in it: "customer\norder", or "customer\n" for a customer → revision.
 */
typedef struct
{
  TallFront *front;
  GHashTable *revisions;
} Trip;

static void
note_revision (Trip *self, const char *customer, const char *order, gint64 revision)
{
  g_hash_table_replace (self->revisions, g_strconcat (customer, "\n", order, NULL),
                        g_memdup2 (&revision, sizeof revision));
}

/* Checks that the revision was noted, and that it does not come again. */
static void
take_revision (Trip *self, const char *customer, const char *order, gint64 revision)
{
  g_autofree char *key = g_strconcat (customer, "\n", order, NULL);
  const gint64 *noted = g_hash_table_lookup (self->revisions, key);
  if (noted == NULL)
    g_error ("order “%s” of “%s” is listed twice, or was never stored", order, customer);
  g_assert_cmpint (revision, ==, *noted);
  g_hash_table_remove (self->revisions, key);
}

static void
put_and_get (Trip *trip, TallOrder *order)
{
  TallFront *front = trip->front;
  gint64 stored, revision;
  must (tall_front_put_order (front, order, NULL, &stored, &error));
  g_autoptr (TallOrder) fetched = must (
      tall_front_get_order (front, order->customer_number, order->order_number, &revision, &error));
  g_assert_cmpint (revision, ==, stored);
  tall_test_assert_order_equal (order, fetched);
  note_revision (trip, order->customer_number, order->order_number, revision);
}

/* Replaces an order by another random one. */
static void
replace (Trip *trip, const TallOrder *order, TallOrder *other)
{
  other->customer_number = tall_arena_strdup (tall_order_get_arena (other), order->customer_number);
  other->order_number = tall_arena_strdup (tall_order_get_arena (other), order->order_number);
  put_and_get (trip, other);
}

static void
round_trip_orders (Trip *trip, GRand *rand, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, i % 10 == 0 ? 200 : 20);
      g_autoptr (TallOrder) other = tall_test_random_order (rand, 20);
      put_and_get (trip, order);
      replace (trip, order, other);
    }
}

static void
round_trip_customers (Trip *trip, GRand *rand, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      gint64 stored, revision;
      must (tall_front_put_customer (trip->front, customer, NULL, &stored, &error));
      g_autoptr (TallCustomer) fetched =
          must (tall_front_get_customer (trip->front, customer->number, &revision, &error));
      g_assert_cmpint (revision, ==, stored);
      tall_test_assert_customer_equal (customer, fetched);
      note_revision (trip, customer->number, "", revision);
    }
}

/* Lists by date and as whole orders: both must agree. */
static void
list_orders (Trip *self, const char *customer)
{
  g_autoptr (GHashTable) dated = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *page = NULL;
  do
    {
      TallListOptions options = { .limit = PAGE, .page = page };
      g_autoptr (TallOrderList) list =
          must (tall_front_list_orders (self->front, customer, &options, &error));
      for (guint i = 0; i < list->n_entries; i++)
        {
          const TallOrderEntry *entry = &list->entries[i];
          take_revision (self, customer, entry->order_number, entry->revision);
          g_hash_table_add (dated, g_strdup (entry->order_number));
        }
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);

  do
    {
      TallListOptions options = { .limit = PAGE, .page = page };
      g_autoptr (TallCustomerOrders) whole =
          must (tall_front_get_customer_orders (self->front, customer, &options, &error));
      for (guint i = 0; i < whole->n_orders; i++)
        {
          g_assert_no_error (whole->orders[i].error);
          g_assert_true (g_hash_table_remove (dated, whole->orders[i].order->order_number));
        }
      g_free (page);
      page = g_strdup (whole->next_page);
    }
  while (page != NULL);
  g_assert_cmpuint (g_hash_table_size (dated), ==, 0);
}

/* Walking through the customers and the orders of each reaches everything once. */
static void
list_all (Trip *self)
{
  g_autofree char *page = NULL;
  do
    {
      TallListOptions options = { .limit = PAGE, .page = page };
      g_autoptr (TallCustomerList) list =
          must (tall_front_list_customers (self->front, &options, &error));
      for (guint i = 0; i < list->n_entries; i++)
        {
          if (list->entries[i].revision > 0)
            take_revision (self, list->entries[i].number, "", list->entries[i].revision);
          list_orders (self, list->entries[i].number);
        }
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  g_assert_cmpuint (g_hash_table_size (self->revisions), ==, 0);
}

/**
 * tall_test_round_trip:
 * @table: an empty table
 * @n: number of random orders, and of random customers
 *
 * Makes a deployment; puts @n random orders and customers, gets each back and compares. Each order
 * is replaced by another one. Then the longest order, and the shortest in its place. At last all
 * listings: everything is there once.
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
  g_autoptr (GHashTable) revisions =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Trip self = { TALL_FRONT (store), revisions }, *trip = &self;

  round_trip_orders (trip, rand, n);
  round_trip_customers (trip, rand, n);
  g_autoptr (TallOrder) longest =
      tall_test_order_with_lines (TALL_TEST_CUSTOMER, TALL_TEST_ORDER, MOST_LINES);
  g_autoptr (TallOrder) shortest =
      tall_test_order_with_lines (TALL_TEST_CUSTOMER, TALL_TEST_ORDER, 1);
  put_and_get (trip, longest);
  put_and_get (trip, shortest);
  list_all (trip);
}
