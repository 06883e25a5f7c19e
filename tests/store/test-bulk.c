/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "store/front.h"
#include "tall-store-fixture.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* Loads of many orders: by the store's own way, and by ordinary puts on any front. */

#define N_ORDERS 60

/* Whether a load goes by ordinary puts; each test runs both ways. */
static gboolean by_puts;

static TallBulk *
begin (TallFront *front, TallBulkExisting on_existing)
{
  const TallBulkOptions options = { .on_existing = on_existing, .name = "a test" };
  if (by_puts)
    return tall_front_bulk_new (front, &options);
  return must (tall_bulk_begin (front, &options, &error));
}

static void
end (TallBulk *bulk)
{
  must (tall_bulk_end (bulk, &error));
}

static void
clear_results (TallBulkResult *results, guint n)
{
  for (guint i = 0; i < n; i++)
    tall_bulk_result_clear (&results[i]);
  memset (results, 0, n * sizeof *results);
}

static void
put (TallBulk *bulk, GPtrArray *orders, TallBulkResult *results)
{
  must (
      tall_bulk_put_orders (bulk, (TallOrder *const *)orders->pdata, orders->len, results, &error));
}

/* Orders of a dozen customers, of 0 to 6 lines. @currency: NULL or three letters; it makes contents
 * differ. */
static GPtrArray *
make_orders (guint n, const char *currency)
{
  GPtrArray *orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  for (guint i = 0; i < n; i++)
    {
      char customer[16], number[16];
      g_snprintf (customer, sizeof customer, "C%u", i % 12);
      g_snprintf (number, sizeof number, "%u", i);
      TallOrder *order = tall_test_order_with_lines (customer, number, i % 7);
      if (currency != NULL)
        order->currency = tall_arena_strdup (tall_order_get_arena (order), currency);
      g_ptr_array_add (orders, order);
    }
  return orders;
}

static void
assert_outcome (const TallBulkResult *result, TallBulkOutcome outcome)
{
  if (outcome != TALL_BULK_REFUSED && outcome != TALL_BULK_OVERTAKEN)
    g_assert_no_error (result->error);
  g_assert_cmpint (result->outcome, ==, outcome);
}

static void
load (TallFront *front, GPtrArray *orders, TallBulkExisting on_existing, TallBulkOutcome outcome)
{
  g_autofree TallBulkResult *results = g_new0 (TallBulkResult, orders->len);
  g_autoptr (TallBulk) bulk = begin (front, on_existing);
  put (bulk, orders, results);
  for (guint i = 0; i < orders->len; i++)
    {
      assert_outcome (&results[i], outcome);
      if (outcome == TALL_BULK_REFUSED)
        g_assert_error (results[i].error, TALL_ERROR, TALL_ERROR_CONFLICT);
      else
        g_assert_cmpint (results[i].revision, >, 0);
    }
  clear_results (results, orders->len);
  end (bulk);
}

static void
assert_stored (TallFront *front, GPtrArray *orders)
{
  for (guint i = 0; i < orders->len; i++)
    {
      const TallOrder *order = g_ptr_array_index (orders, i);
      g_autoptr (TallOrder) got = must (
          tall_front_get_order (front, order->customer_number, order->order_number, NULL, &error));
      tall_test_assert_order_equal (got, order);
    }
}

static void
test_new (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) orders = make_orders (N_ORDERS, NULL);
  load (fixture->front, orders, TALL_BULK_REPORT, TALL_BULK_STORED);
  assert_stored (fixture->front, orders);

  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (fixture->front, "C5", NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, 5);
}

/* What was new is read back by its state cell alone. */
static void
test_reads (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (TallTable) counting = tall_counting_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (counting, &fixture->clock);
  g_autoptr (GPtrArray) orders = make_orders (N_ORDERS, NULL);
  TallCost cost;
  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  load (TALL_FRONT (store), orders, TALL_BULK_REPORT, TALL_BULK_STORED);
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), &cost);
  g_assert_cmpuint (cost.cells_read, <, 2 * N_ORDERS);
}

static void
test_again (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) orders = make_orders (N_ORDERS, NULL);
  load (fixture->front, orders, TALL_BULK_REPORT, TALL_BULK_STORED);
  guint n_cells = tall_fixture_count_cells (fixture);
  load (fixture->front, orders, TALL_BULK_REPORT, TALL_BULK_UNCHANGED);
  load (fixture->front, orders, TALL_BULK_REPLACE, TALL_BULK_UNCHANGED);
  g_assert_cmpuint (tall_fixture_count_cells (fixture), ==, n_cells);
}

static void
test_existing (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) old = make_orders (20, NULL);
  g_autoptr (GPtrArray) new = make_orders (20, "EUR");
  load (fixture->front, old, TALL_BULK_REPORT, TALL_BULK_STORED);
  load (fixture->front, new, TALL_BULK_REPORT, TALL_BULK_REFUSED);
  load (fixture->front, new, TALL_BULK_SKIP, TALL_BULK_SKIPPED);
  assert_stored (fixture->front, old);
  load (fixture->front, new, TALL_BULK_REPLACE, TALL_BULK_REPLACED);
  assert_stored (fixture->front, new);
}

/* What puts have stored is met by loads, and the other way round. */
static void
test_beside_puts (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  const TallBulkOutcome revived = by_puts ? TALL_BULK_STORED : TALL_BULK_REVIVED;
  g_autoptr (GPtrArray) orders = make_orders (30, NULL);
  g_autofree TallBulkResult *results = g_new0 (TallBulkResult, 30);
  for (guint i = 0; i < 30; i += 3)
    tall_fixture_put (fixture, g_ptr_array_index (orders, i), NULL);
  must (tall_front_delete_order (fixture->front, "C3", "3", NULL, &error));

  g_autoptr (TallBulk) bulk = begin (fixture->front, TALL_BULK_REPORT);
  put (bulk, orders, results);
  for (guint i = 0; i < 30; i++)
    assert_outcome (&results[i], i == 3       ? revived
                                 : i % 3 == 0 ? TALL_BULK_UNCHANGED
                                              : TALL_BULK_STORED);
  clear_results (results, 30);
  end (bulk);
  assert_stored (fixture->front, orders);

  g_autoptr (GPtrArray) others = make_orders (30, "USD");
  for (guint i = 0; i < 30; i++)
    tall_fixture_put (fixture, g_ptr_array_index (others, i), NULL);
  assert_stored (fixture->front, others);
  for (guint i = 0; i < 30; i++)
    {
      const TallOrder *order = g_ptr_array_index (others, i);
      must (tall_front_delete_order (fixture->front, order->customer_number, order->order_number,
                                     NULL, &error));
    }
  load (fixture->front, orders, TALL_BULK_REPORT, revived);
  assert_stored (fixture->front, orders);
}

/* The same order several times in one call. */
static void
test_twice (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) orders = make_orders (10, NULL);
  TallBulkResult results[13] = { 0 };
  g_autoptr (TallOrder) same = tall_test_order_with_lines ("C2", "2", 2);
  g_autoptr (TallOrder) other = tall_test_order_with_lines ("C2", "2", 3);
  g_autoptr (TallOrder) last = tall_test_order_with_lines ("C4", "4", 1);
  g_autoptr (GPtrArray) all = g_ptr_array_copy (orders, NULL, NULL);
  g_ptr_array_set_free_func (all, NULL);
  g_ptr_array_insert (all, 5, same);
  g_ptr_array_add (all, other);
  g_ptr_array_add (all, last);

  g_autoptr (TallBulk) bulk = begin (fixture->front, TALL_BULK_SKIP);
  put (bulk, all, results);
  for (guint i = 0; i < 13; i++)
    assert_outcome (&results[i], i == 5    ? TALL_BULK_UNCHANGED
                                 : i >= 11 ? TALL_BULK_SKIPPED
                                           : TALL_BULK_STORED);
  clear_results (results, 13);
  assert_stored (fixture->front, orders);
  end (bulk);
}

/* A wrong order is its own result's error; the others are stored. */
static void
test_wrong (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) orders = make_orders (10, NULL);
  TallBulkResult results[10] = { 0 };
  TallOrder *wrong = g_ptr_array_index (orders, 4);
  wrong->customer_number = tall_arena_strdup (tall_order_get_arena (wrong), "");
  g_autoptr (TallBulk) bulk = begin (fixture->front, TALL_BULK_REPORT);
  put (bulk, orders, results);
  for (guint i = 0; i < 10; i++)
    assert_outcome (&results[i], i == 4 ? TALL_BULK_REFUSED : TALL_BULK_STORED);
  g_assert_error (results[4].error, TALL_ERROR, TALL_ERROR_INVALID);
  clear_results (results, 10);

  must_fail (tall_bulk_put_orders (bulk, (TallOrder *const *)orders->pdata, TALL_BULK_MOST + 1,
                                   results, &error),
             TALL_ERROR_TOO_LARGE);
  end (bulk);
}

static void
test_customers (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  const TallBulkOutcome expected[] = { TALL_BULK_STORED, TALL_BULK_UNCHANGED, TALL_BULK_REPLACED };
  g_autoptr (TallBulk) bulk = begin (fixture->front, TALL_BULK_REPLACE);
  for (guint round = 0; round < G_N_ELEMENTS (expected); round++)
    {
      TallCustomer *customers[40];
      TallBulkResult results[40] = { 0 };
      for (guint i = 0; i < 40; i++)
        {
          g_autofree char *number = g_strdup_printf ("N%u", i);
          customers[i] = tall_customer_new (number);
          customers[i]->name = tall_arena_strdup (tall_customer_get_arena (customers[i]),
                                                  round < 2 ? "one" : "another");
        }
      must (tall_bulk_put_customers (bulk, customers, 40, results, &error));
      for (guint i = 0; i < 40; i++)
        {
          assert_outcome (&results[i], expected[round]);
          g_autoptr (TallCustomer) got =
              must (tall_front_get_customer (fixture->front, customers[i]->number, NULL, &error));
          g_assert_true (tall_customer_equal (got, customers[i]));
          tall_customer_free (customers[i]);
        }
      clear_results (results, 40);
    }
  must (tall_bulk_sync (bulk, &error));
  end (bulk);
}

/* The same by ordinary puts. */
#define BY_PUTS(test)                                                                              \
  static void test##_by_puts (TallStoreFixture *fixture, gconstpointer kind)                       \
  {                                                                                                \
    by_puts = TRUE;                                                                                \
    test (fixture, kind);                                                                          \
    by_puts = FALSE;                                                                               \
  }
BY_PUTS (test_new)
BY_PUTS (test_again)
BY_PUTS (test_existing)
BY_PUTS (test_beside_puts)
BY_PUTS (test_twice)
BY_PUTS (test_wrong)
BY_PUTS (test_customers)

int
main (int argc, char **argv)
{
  static const TallStoreTest tests[] = {
    { "new", test_new },
    { "reads", test_reads },
    { "again", test_again },
    { "existing", test_existing },
    { "beside-puts", test_beside_puts },
    { "twice", test_twice },
    { "wrong", test_wrong },
    { "customers", test_customers },
  };
  static const TallStoreTest everywhere[] = { { "existing", test_existing } };
  static const TallStoreTest by_puts_tests[] = {
    { "new", test_new_by_puts },
    { "again", test_again_by_puts },
    { "existing", test_existing_by_puts },
    { "beside-puts", test_beside_puts_by_puts },
    { "twice", test_twice_by_puts },
    { "wrong", test_wrong_by_puts },
    { "customers", test_customers_by_puts },
  };
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("store/bulk", tests, G_N_ELEMENTS (tests));
  tall_store_fixture_add_everywhere ("store/bulk/everywhere", everywhere,
                                     G_N_ELEMENTS (everywhere));
  tall_store_fixture_add ("store/bulk/by-puts", by_puts_tests, G_N_ELEMENTS (by_puts_tests));
  return g_test_run ();
}
