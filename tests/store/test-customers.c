/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Deleting customers, listing them, and fetching one with all orders. */
#include "tall-broken-table.h"
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "tall-store-fixture.h"
#include "tall-test-orders.h"
#include "tall-must.h"

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
put_customer (TallStoreFixture *fixture, const char *number)
{
  g_autoptr (TallCustomer) customer = tall_test_plain_customer (number);
  must (tall_front_put_customer (fixture->front, customer, NULL, NULL, &error));
}

static void
put_order (TallStoreFixture *fixture, const char *customer, const char *number, guint n_lines)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines (customer, number, n_lines);
  tall_fixture_put (fixture, order, NULL);
}

static void
delete_order (TallStoreFixture *fixture, const char *customer, const char *number)
{
  must (tall_front_delete_order (fixture->front, customer, number, NULL, &error));
}

static gboolean
delete_customer (TallStoreFixture *fixture, const char *number, int expected)
{
  g_autoptr (GError) error = NULL;
  gboolean done = tall_front_delete_customer (fixture->front, number, NULL, &error);
  must_be (error, done ? 0 : expected);
  return done;
}

static void
test_delete (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_false (delete_customer (fixture, "VINET", TALL_ERROR_NOT_FOUND));
  put_order (fixture, "VINET", "1", 3);
  g_assert_false (delete_customer (fixture, "VINET", TALL_ERROR_NOT_FOUND));
  put_customer (fixture, "VINET");
  g_assert_false (delete_customer (fixture, "VINET", TALL_ERROR_CONFLICT));
  delete_order (fixture, "VINET", "1");
  for (guint i = 0; i < 20; i++) /* many that were deleted, and one at last that was not */
    {
      g_autofree char *number = g_strdup_printf ("d%u", i);
      put_order (fixture, "VINET", number, 1);
    }
  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *number = g_strdup_printf ("d%u", i);
      g_assert_false (delete_customer (fixture, "VINET", TALL_ERROR_CONFLICT));
      delete_order (fixture, "VINET", number);
    }
  put_order (fixture, "VINE", "1", 1);
  put_order (fixture, "VINETS", "1", 1);
  g_assert_true (delete_customer (fixture, "VINET", 0));
  must_fail (tall_front_get_customer (fixture->front, "VINET", NULL, &error), TALL_ERROR_NOT_FOUND);
  g_assert_false (delete_customer (fixture, "VINET", TALL_ERROR_NOT_FOUND));
  put_customer (fixture, "VINET");
  g_assert_true (delete_customer (fixture, "VINET", 0));
}

static char *
fetch_all (TallFront *front, guint limit)
{
  g_autoptr (GPtrArray) numbers = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *token = NULL;
  do
    {
      TallListOptions options = { .limit = limit, .page = token };
      g_autoptr (TallCustomerOrders) page =
          must (tall_front_get_customer_orders (front, "VINET", &options, &error));
      g_assert_nonnull (page->customer);
      g_assert_cmpint (page->revision, >, 0);
      g_assert_cmpuint (page->n_orders, <=, limit);
      g_assert_true (page->next_page == NULL || page->n_orders == limit);
      for (guint i = 0; i < page->n_orders; i++)
        {
          g_assert_no_error (page->orders[i].error);
          g_autoptr (TallOrder) alone =
              must (tall_front_get_order (front, "VINET", page->orders[i].order->order_number, NULL,
                                          &error));
          tall_test_assert_order_equal (alone, page->orders[i].order);
          g_ptr_array_add (numbers, g_strdup (alone->order_number));
        }
      g_free (token);
      token = g_strdup (page->next_page);
      g_assert_cmpuint (numbers->len, <, 100);
    }
  while (token != NULL);
  g_ptr_array_sort (numbers, compare_texts);
  g_ptr_array_add (numbers, NULL);
  return g_strjoinv (" ", (char **)numbers->pdata);
}

/* Whatever the size of pages and orders, all live orders come, once, whole. */
static void
test_orders (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  static const guint n_lines[] = { 1, 60, 0, 2, 5000, 0, 3, 30, 200, 1 };
  must_fail (tall_front_get_customer_orders (fixture->front, "VINET", NULL, &error),
             TALL_ERROR_NOT_FOUND);
  put_customer (fixture, "VINET");
  put_order (fixture, "VINE", "x", 1);
  put_order (fixture, "VINETS", "y", 1);
  g_autofree char *nothing = fetch_all (fixture->front, 3);
  g_assert_cmpstr (nothing, ==, "");

  for (guint i = 0; i < G_N_ELEMENTS (n_lines); i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (fixture, "VINET", number, 1);
      if (n_lines[i] > 0)
        put_order (fixture, "VINET", number, n_lines[i]);
      else
        delete_order (fixture, "VINET", number);
    }
  for (guint limit = 1; limit <= 10; limit += 3)
    {
      g_autofree char *all = fetch_all (fixture->front, limit);
      g_assert_cmpstr (all, ==, "0 1 3 4 6 7 8 9");
    }
}

/* Short orders: one round of scans for a whole page; record-type: one scan, the customer included.
 */
static void
test_calls (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallTable) counting = tall_counting_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (counting, &fixture->clock);
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallCost cost;
  tall_order_key_init (&key, kind->key_strategy, "VINET", 1, "1");
  kind->layout->plan_order (&key, plan);
  put_customer (fixture, "VINET");
  for (guint i = 0; i < 40; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (fixture, "VINET", number, 3);
    }
  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  g_autoptr (TallCustomerOrders) page =
      must (tall_front_get_customer_orders (TALL_FRONT (store), "VINET", NULL, &error));
  g_assert_cmpuint (page->n_orders, ==, 30);
  g_assert_nonnull (page->next_page);
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), &cost);
  gboolean one_table = g_str_equal (kind->layout->name, "record-type");
  g_assert_cmpuint (cost.calls, ==, plan->reads->len + !one_table + kind->key_strategy->needs_id);
}

/* What cannot be read, customer or order, has its own error; the others come. */
static void
test_unreadable (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  guint n_read = 0;
  put_customer (fixture, "VINET");
  put_customer (fixture, "ALONE");
  for (guint i = 0; i < 5; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (fixture, "VINET", number, 2);
    }
  tall_fixture_write_state_cell (fixture, "VINET", NULL, tall_slice ("\x02new", 4));
  tall_fixture_write_state_cell (fixture, "ALONE", NULL, tall_slice ("\x01xy", 3));
  tall_fixture_write_state_cell (fixture, "VINET", "3", tall_slice ("\x01xy", 3));

  g_autoptr (TallCustomerOrders) page =
      must (tall_front_get_customer_orders (fixture->front, "VINET", NULL, &error));
  g_assert_null (page->customer);
  g_assert_cmpint (page->revision, ==, 0);
  g_assert_error (page->customer_error, TALL_ERROR, TALL_ERROR_NEWER_VERSION);
  tall_fixture_assert_prefix (page->customer_error, "Fetching customer VINET: ");
  g_assert_cmpuint (page->n_orders, ==, 5);
  for (guint i = 0; i < page->n_orders; i++)
    if (page->orders[i].order != NULL)
      n_read++;
    else
      g_assert_error (page->orders[i].error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_cmpuint (n_read, ==, 4);

  g_autoptr (TallCustomerOrders) alone =
      must (tall_front_get_customer_orders (fixture->front, "ALONE", NULL, &error));
  g_assert_error (alone->customer_error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_cmpuint (alone->n_orders, ==, 0);
}

/* Fails one read. */
static TallFailure
fail_read (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  guint *n_left = data;
  return call->kind == TALL_CALL_READ && (*n_left)-- == 0 ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

/* A failure that passes is not an order's own: it ends the page before that order, or fails the
 * call if there is nothing before. */
static void
test_passing_failure (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  if (kind->layout->single_row || kind->key_strategy != &tall_key_raw)
    return g_test_skip ("no order is fetched by itself, or the order of the keys is another");
  guint n_left;
  put_order (fixture, "VINET", "a", 1);
  put_order (fixture, "VINET", "b", 400);
  g_autoptr (TallTable) failing = tall_failing_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (failing, &fixture->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), fail_read, NULL, &n_left);

  TallListOptions options = { .limit = 2 };
  g_autofree char *token = NULL;
  for (guint i = 1; i <= 2; i++) /* the scan that begins with b, and the fetch of b */
    {
      n_left = i;
      g_autoptr (TallCustomerOrders) page =
          must (tall_front_get_customer_orders (TALL_FRONT (store), "VINET", &options, &error));
      g_assert_cmpuint (page->n_orders, ==, 1);
      g_assert_no_error (page->orders[0].error);
      g_assert_cmpstr (page->orders[0].order->order_number, ==, "a");
      g_free (token);
      token = g_strdup (page->next_page);
      g_assert_nonnull (token);
    }

  n_left = 1;
  options.page = token;
  must_fail (tall_front_get_customer_orders (TALL_FRONT (store), "VINET", &options, &error),
             TALL_ERROR_UNAVAILABLE);

  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), NULL, NULL, NULL);
  g_autoptr (TallCustomerOrders) rest =
      must (tall_front_get_customer_orders (TALL_FRONT (store), "VINET", &options, &error));
  g_assert_cmpuint (rest->n_orders, ==, 1);
  g_assert_no_error (rest->orders[0].error);
  g_assert_null (rest->next_page);
}

#define N_SPREAD 5 /* orders of one customer */

/* All pages of the customer's orders: each once, but one, instead of which there is a failure. */
static void
assert_all_but_one (TallFront *front, guint limit, const char *failed, gboolean customer_fails)
{
  g_autofree char *token = NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n_failed = 0, n_pages = 0, n_customers = 0, n_customer_errors = 0;
  do
    {
      TallListOptions options = { .limit = limit, .page = token };
      g_autoptr (TallCustomerOrders) page =
          must (tall_front_get_customer_orders (front, "VINET", &options, &error));
      g_assert_cmpuint (page->n_orders, <=, limit);
      n_customers += page->customer != NULL;
      n_customer_errors += page->customer_error != NULL;
      for (guint i = 0; i < page->n_orders; i++)
        if (page->orders[i].error != NULL)
          {
            g_assert_error (page->orders[i].error, TALL_ERROR, TALL_ERROR_DAMAGED);
            n_failed++;
          }
        else
          g_assert_true (g_hash_table_add (seen, g_strdup (page->orders[i].order->order_number)));
      g_free (token);
      token = g_strdup (page->next_page);
      g_assert_cmpuint (++n_pages, <=, 3 * N_SPREAD);
    }
  while (token != NULL);
  g_assert_cmpuint (g_hash_table_size (seen), ==, N_SPREAD - (failed != NULL));
  g_assert_cmpuint (n_failed, ==, failed != NULL);
  g_assert_false (failed != NULL && g_hash_table_contains (seen, failed));
  g_assert_cmpuint (n_customers > 0, ==, !customer_fails);
  g_assert_cmpuint (n_customer_errors > 0, ==, customer_fails);
}

static void
assert_with_broken (TallStoreFixture *fixture, TallSlice row, const char *failed, gboolean customer)
{
  static const guint limits[] = { 1, 2, 3, 30 };
  g_autoptr (TallTable) broken = tall_broken_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (broken, &fixture->clock);
  tall_broken_table_break (TALL_BROKEN_TABLE (broken), row, TALL_ERROR_DAMAGED);
  tall_broken_table_break_scans (TALL_BROKEN_TABLE (broken));
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    assert_all_but_one (TALL_FRONT (store), limits[i], failed, customer);
}

/* Whatever row the table itself cannot read: it hides one order, or the customer. */
static void
test_unreadable_rows (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  static const char *const numbers[N_SPREAD] = { "a", "b", "c", "d", "e" };
  g_autoptr (GByteArray) own = g_byte_array_new ();
  guint64 id;
  put_customer (fixture, "VINET");
  for (guint i = 0; i < N_SPREAD; i++)
    put_order (fixture, "VINET", numbers[i], i % 2 == 0 ? 3 : 200);
  must (tall_store_find_id (fixture->store, "VINET", &id, &error));
  for (guint i = 0; i < N_SPREAD; i++)
    {
      g_auto (TallOrderKey) key = { 0 };
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      tall_order_key_init (&key, kind->key_strategy, "VINET", id, numbers[i]);
      kind->layout->plan_order (&key, plan);
      g_autoptr (TallReadResult) found =
          must (tall_table_read (fixture->table, plan, TALL_NO_DEADLINE, &error));
      for (guint j = 0; j < found->n_results; j++)
        for (guint k = 0; k < found->results[j].n_rows; k += 1 + found->results[j].n_rows / 3)
          assert_with_broken (fixture, found->results[j].rows[k].key, numbers[i], FALSE);
      if (i == 0)
        kind->layout->locate_customer (&key, own);
    }
  assert_with_broken (fixture, tall_slice_array (own), NULL, TRUE);
}

static void
let_a_second_pass (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  if (call->kind == TALL_CALL_READ)
    ((TallTestClock *)data)->monotonic += G_USEC_PER_SEC;
}

/* Where orders that were deleted are many and each call takes a second, a page ends soon after
 * three, short or empty; all pages together are the whole nevertheless. */
static void
test_early_end (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  guint n = kind->layout->single_row ? 100 : 1000, n_found = 0, n_pages = 0;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (fixture, "VINET", number, 0);
      if (i % (n / 3) != 0)
        delete_order (fixture, "VINET", number);
    }
  g_autoptr (TallTable) slow = tall_failing_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (slow, &fixture->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (slow), NULL, let_a_second_pass,
                                &fixture->clock);

  g_autofree char *token = NULL;
  do
    {
      gint64 begun = fixture->clock.monotonic;
      TallListOptions options = { .limit = 4, .page = token };
      g_autoptr (TallCustomerOrders) page =
          must (tall_front_get_customer_orders (TALL_FRONT (store), "VINET", &options, &error));
      g_assert_cmpint (fixture->clock.monotonic - begun, <=, 5 * G_USEC_PER_SEC);
      n_found += page->n_orders;
      g_free (token);
      token = g_strdup (page->next_page);
      g_assert_cmpuint (++n_pages, <, 100);
    }
  while (token != NULL);
  g_assert_cmpuint (n_found, ==, 4);
  g_assert_cmpuint (n_pages, >=, kind->layout->single_row ? 3 : 1);
}

/* Two texts with the same MD5 (M. Stevens, 2024). */
#define COLLIDING_A "TEXTCOLLBYfGiJUETHQ4hAcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
#define COLLIDING_B "TEXTCOLLBYfGiJUETHQ4hEcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"

/* All pages of @number's orders: how many there are; adds who else was met to @others. */
static guint
count_orders (TallFront *front, const char *number, GHashTable *others)
{
  g_autofree char *token = NULL;
  guint n = 0;
  do
    {
      TallListOptions options = { .limit = 7, .page = token };
      g_autoptr (TallCustomerOrders) page =
          must (tall_front_get_customer_orders (front, number, &options, &error));
      for (guint i = 0; i < page->n_orders; i++, n++)
        {
          g_assert_no_error (page->orders[i].error);
          g_assert_cmpstr (page->orders[i].order->customer_number, ==, number);
        }
      for (guint i = 0; page->others != NULL && page->others[i] != NULL; i++)
        g_hash_table_add (others, g_strdup (page->others[i]));
      g_free (token);
      token = g_strdup (page->next_page);
    }
  while (token != NULL);
  return n;
}

/* Whether both numbers make the same customer part of row keys. */
static gboolean
have_one_part (const TallKeyStrategy *strategy, const char *a, const char *b)
{
  g_autoptr (GByteArray) part_of_a = g_byte_array_new ();
  g_autoptr (GByteArray) part_of_b = g_byte_array_new ();
  strategy->append_customer (a, 1, part_of_a);
  strategy->append_customer (b, 2, part_of_b);
  return tall_slice_equal (tall_slice_array (part_of_a), tall_slice_array (part_of_b));
}

/* Orders of two customers whose numbers have one MD5, of whom one is stored: each has its own, and
 * names the other. */
static void
test_collision (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  guint n_others = have_one_part (kind->key_strategy, COLLIDING_A, COLLIDING_B) ? 1 : 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) of_a = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) of_b = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  put_customer (fixture, COLLIDING_A);
  for (guint i = 0; i < 30; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (fixture, i == 0 ? COLLIDING_B : COLLIDING_A, number, 2);
    }
  g_assert_cmpuint (count_orders (fixture->front, COLLIDING_A, of_a), ==, 29);
  g_assert_cmpuint (g_hash_table_size (of_a), ==, n_others);
  g_assert_cmpint (g_hash_table_contains (of_a, COLLIDING_B), ==, n_others);
  g_assert_cmpuint (count_orders (fixture->front, COLLIDING_B, of_b), ==, 1);
  g_assert_cmpint (g_hash_table_contains (of_b, COLLIDING_A), ==, n_others);

  /* Without orders, too, it cannot be told from the other. */
  delete_order (fixture, COLLIDING_B, "0");
  g_assert_null (tall_front_get_customer_orders (fixture->front, COLLIDING_B, NULL, &error));
  must_be (error, n_others > 0 ? TALL_ERROR_KEY_COLLISION : TALL_ERROR_NOT_FOUND);
}

static const TallStoreTest tests[] = {
  { "collision", test_collision },
  { "unreadable", test_unreadable },
  { "passing-failure", test_passing_failure },
  { "unreadable-rows", test_unreadable_rows },
  { "early-end", test_early_end },
  { "delete", test_delete },
  { "orders", test_orders },
  { "calls", test_calls },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("customers", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
