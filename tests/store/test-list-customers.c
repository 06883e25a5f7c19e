/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The list of customers: who is on it, in which order, page by page, and what it costs. */
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "tall-store-fixture.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define N_NUMBERS 60

/* Two texts with the same MD5 (M. Stevens, 2024). */
#define COLLIDING_A "TEXTCOLLBYfGiJUETHQ4hAcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
#define COLLIDING_B "TEXTCOLLBYfGiJUETHQ4hEcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"

static void
put_customer (TallFront *front, const char *number)
{
  gint64 revision;
  g_autoptr (TallCustomer) customer = tall_customer_new (number);
  customer->name = tall_arena_strdup (tall_customer_get_arena (customer), number);
  must (tall_front_put_customer (front, customer, NULL, &revision, &error));
}

static void
put_order (TallFront *front, const char *customer, const char *number)
{
  gint64 revision;
  g_autoptr (TallOrder) order = tall_test_order_with_lines (customer, number, 2);
  must (tall_front_put_order (front, order, NULL, &revision, &error));
}

static void
delete_order (TallFront *front, const char *customer, const char *number)
{
  must (tall_front_delete_order (front, customer, number, NULL, &error));
}

static TallCustomerList *
fetch (TallFront *front, guint limit, const char *page)
{
  TallListOptions options = { .limit = limit, .page = page };
  return must (tall_front_list_customers (front, &options, &error));
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* All pages; each number with what is known of it: number → entry as text. */
static GHashTable *
list_all (TallFront *front, guint limit, GString *order)
{
  g_autofree char *page = NULL;
  GHashTable *listed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  do
    {
      g_autoptr (TallCustomerList) list = fetch (front, limit, page);
      g_assert_cmpuint (list->n_entries, <=, limit);
      for (guint i = 0; i < list->n_entries; i++)
        {
          const TallCustomerEntry *entry = &list->entries[i];
          g_string_append_printf (order, "%s ", entry->number);
          g_assert_true (
              g_hash_table_insert (listed, g_strdup (entry->number),
                                   g_strdup_printf ("%s %d", entry->name, entry->revision != 0)));
        }
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  return listed;
}

/* Every fourth number has a customer alone, orders alone, both, or what was deleted. */
static GHashTable *
put_many (TallFront *front)
{
  GHashTable *expected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < N_NUMBERS; i++)
    {
      g_autofree char *number = g_strdup_printf ("%s%u", i % 3 == 0 ? "K" : "customer ", i);
      if (i % 4 == 0 || i % 4 == 2)
        put_customer (front, number);
      for (guint j = 0; i % 4 != 0 && j < 1 + i % 7; j++)
        {
          g_autofree char *order = g_strdup_printf ("%u", j);
          put_order (front, number, order);
          if (i % 4 == 3)
            delete_order (front, number, order);
        }
      if (i % 4 != 3)
        g_hash_table_insert (expected, g_strdup (number),
                             i % 4 == 1 ? g_strdup ("(null) 0") : g_strdup_printf ("%s 1", number));
    }
  return expected;
}

static void
assert_same (GHashTable *listed, GHashTable *expected)
{
  GHashTableIter iter;
  gpointer number, entry;
  g_hash_table_iter_init (&iter, expected);
  while (g_hash_table_iter_next (&iter, &number, &entry))
    g_assert_cmpstr (g_hash_table_lookup (listed, number), ==, entry);
  g_assert_cmpuint (g_hash_table_size (listed), ==, g_hash_table_size (expected));
}

/* In the order of the row keys, which is that of the numbers where the keys are the numbers. */
static void
test_order (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  put_order (fixture->front, "B", "1");
  put_customer (fixture->front, "A");
  put_customer (fixture->front, "C");
  put_order (fixture->front, "AA", "1");
  if (kind->key_strategy != &tall_key_raw)
    return g_test_skip ("the keys of this strategy have another order");
  g_autoptr (GString) order = g_string_new (NULL);
  g_autoptr (GHashTable) listed = list_all (fixture->front, 2, order);
  g_assert_cmpstr (order->str, ==, "A AA B C ");
}

static void
test_empty (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallCustomerList) list = fetch (fixture->front, 0, NULL);
  g_assert_cmpuint (list->n_entries, ==, 0);
  g_assert_null (list->next_page);
}

/* The calls that listing four customers takes. */
static guint64
count_calls (TallStoreFixture *fixture)
{
  TallCost cost;
  TallCountingTable *counting = TALL_COUNTING_TABLE (fixture->table);
  tall_counting_table_reset (counting);
  g_autoptr (TallCustomerList) list = fetch (fixture->front, 10, NULL);
  g_assert_cmpuint (list->n_entries, ==, 4);
  tall_counting_table_get_cost (counting, &cost);
  return cost.calls;
}

/* A customer's orders are jumped over, however many they are. */
static void
test_calls (TallStoreFixture *fixture, gconstpointer data)
{
  g_autoptr (TallTable) memory = g_object_ref (fixture->table);
  tall_store_fixture_reset (fixture, data, tall_counting_table_new (memory));
  for (guint i = 0; i < 100; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (fixture->front, "A", number);
    }
  put_order (fixture->front, "B", "1");
  put_customer (fixture->front, "C");
  put_order (fixture->front, "D", "1");
  guint64 n_few = count_calls (fixture);
  for (guint i = 100; i < 500; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (fixture->front, "A", number);
    }
  g_assert_cmpuint (count_calls (fixture), <=, n_few + 2);
}

static void
let_a_second_pass (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  if (call->kind == TALL_CALL_READ)
    ((TallTestClock *)data)->monotonic += G_USEC_PER_SEC;
}

/* Walking through what a customer has deleted takes longer than any call may: pages end early, also
 * in the midst of that customer, and together they are the whole, with everybody once. */
static void
test_early_end (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  static const guint limits[] = { 1, 2, 1000 };
  g_autoptr (GHashTable) expected = put_many (fixture->front);
  for (guint i = 0; i < 700; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (fixture->front, "A", number);
      if (i != 650)
        delete_order (fixture->front, "A", number);
    }
  g_hash_table_insert (expected, g_strdup ("A"), g_strdup ("(null) 0"));
  g_autoptr (TallTable) slow = tall_failing_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (slow, &fixture->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (slow), NULL, let_a_second_pass,
                                &fixture->clock);
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autoptr (GString) order = g_string_new (NULL);
      g_autoptr (GHashTable) listed = list_all (TALL_FRONT (store), limits[i], order);
      assert_same (listed, expected);
    }
  delete_order (fixture->front, "A", "650");
  g_hash_table_remove (expected, "A");
  g_autoptr (GString) order = g_string_new (NULL);
  g_autoptr (GHashTable) listed = list_all (TALL_FRONT (store), 7, order);
  assert_same (listed, expected);
}

/* All pages of that size, sorted: numbers with "*" if the customer is there; in brackets the
 * numbers, if known, and codes of what cannot be read. */
static char *
list_with_unreadable (TallFront *front, guint limit)
{
  g_autofree char *page = NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  do
    {
      g_autoptr (TallCustomerList) list = fetch (front, limit, page);
      g_assert_cmpuint (list->n_entries, <=, limit);
      g_assert_cmpuint (list->n_unreadable, <=, limit);
      for (guint i = 0; i < list->n_entries; i++)
        {
          const TallCustomerEntry *entry = &list->entries[i];
          g_autofree char *text = g_strconcat (entry->number, entry->revision ? "*" : "", NULL);
          g_strv_builder_add (builder, text);
        }
      for (guint i = 0; i < list->n_unreadable; i++)
        {
          const TallUnreadable *unreadable = &list->unreadable[i];
          g_autofree char *text = g_strdup_printf ("(%s %d)", unreadable->number, unreadable->code);
          g_assert_nonnull (strstr (unreadable->message, "its state cell has "));
          g_strv_builder_add (builder, text);
        }
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  g_auto (GStrv) all = g_strv_builder_end (builder);
  qsort (all, g_strv_length (all), sizeof *all, compare_texts);
  return g_strjoinv (" ", all);
}

/* Unreadable customers are reported, if possible with the number from an order, and all others are
 * listed. */
static void
test_unreadable (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  static const guint limits[] = { 1, 2, 3, 4, 5, 6, 1000 };
  TallSlice damaged = tall_slice ("\x01xy", 3);
  TallSlice newer = tall_slice ("\x02new", 4);
  put_customer (fixture->front, "A"); /* alone, and unreadable */
  put_customer (fixture->front, "B"); /* unreadable, but has an order */
  put_order (fixture->front, "B", "1");
  put_customer (fixture->front, "C"); /* whole, with an order that is unreadable */
  put_order (fixture->front, "C", "1");
  put_order (fixture->front, "D", "1"); /* only orders, one of them unreadable */
  put_order (fixture->front, "D", "2");
  put_order (fixture->front, "E", "1"); /* only orders, all of them unreadable */
  put_order (fixture->front, "E", "2");
  put_customer (fixture->front, "F");
  tall_fixture_write_state_cell (fixture, "A", NULL, damaged);
  tall_fixture_write_state_cell (fixture, "B", NULL, newer);
  tall_fixture_write_state_cell (fixture, "C", "1", damaged);
  tall_fixture_write_state_cell (fixture, "D", "1", damaged);
  tall_fixture_write_state_cell (fixture, "E", "1", damaged);
  tall_fixture_write_state_cell (fixture, "E", "2", damaged);

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autofree char *all = list_with_unreadable (fixture->front, limits[i]);
      g_assert_cmpstr (all, ==, "((null) 11) ((null) 11) (B 12) B C* D F*");
    }
}

/* The last of all has no row after it that shows that it is to be given up. */
static void
test_unreadable_last (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  put_customer (fixture->front, "A");
  tall_fixture_write_state_cell (fixture, "A", NULL, tall_slice ("\x01xy", 3));
  g_autofree char *all = list_with_unreadable (fixture->front, 10);
  g_assert_cmpstr (all, ==, "((null) 11)");
}

/* Two numbers with one MD5 are two customers, on whichever pages they come. */
static void
test_collision (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  static const guint limits[] = { 1, 2, 3, 1000 };
  g_autoptr (GString) order = g_string_new (NULL);
  g_autoptr (GHashTable) expected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < 8; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (fixture->front, i % 2 ? COLLIDING_A : COLLIDING_B, number);
      put_order (fixture->front, number, number);
      g_hash_table_insert (expected, g_steal_pointer (&number), g_strdup ("(null) 0"));
    }
  g_hash_table_insert (expected, g_strdup (COLLIDING_A), g_strdup ("(null) 0"));
  g_hash_table_insert (expected, g_strdup (COLLIDING_B), g_strdup ("(null) 0"));
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autoptr (GHashTable) listed = list_all (fixture->front, limits[i], order);
      assert_same (listed, expected);
    }

  put_customer (fixture->front, COLLIDING_B);
  g_hash_table_insert (expected, g_strdup (COLLIDING_B), g_strdup (COLLIDING_B " 1"));
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autoptr (GHashTable) listed = list_all (fixture->front, limits[i], order);
      assert_same (listed, expected);
    }
}

static const TallStoreTest tests[] = {
  { "collision", test_collision },
  { "unreadable", test_unreadable },
  { "unreadable-last", test_unreadable_last },
  { "order", test_order },
  { "empty", test_empty },
  { "calls", test_calls },
  { "early-end", test_early_end },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("list-customers", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
