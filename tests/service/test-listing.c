/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Listings and customers with their orders, through client and server. */

#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-must.h"

typedef TallTestService Fixture;

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_service_start (f, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_service_stop (f);
}

static void
put (Fixture *f, TallOrder *order)
{
  must (tall_front_put_order (f->client, order, NULL, NULL, &error));
}

static TallOrder *
new_order (const char *customer, guint number)
{
  g_autofree char *text = g_strdup_printf ("%04u", number);
  return tall_test_order_with_lines (customer, text, number % 5);
}

/* Whatever limits it: the token of one listing is none of another's. */
static void
test_refused (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  TallListOptions one = { .limit = 1 };
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (TallOrder) order = new_order ("VINET", i);
      put (f, order);
    }
  g_autoptr (TallOrderList) list = must (tall_front_list_orders (f->client, "VINET", &one, &error));
  one.page = list->next_page;
  g_assert_null (tall_front_list_orders (f->client, "OTHER", &one, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, "page");
  g_clear_error (&error);
  must_fail (tall_front_list_customers (f->client, &one, &error), TALL_ERROR_INVALID);
  must_fail (tall_front_get_customer_orders (f->client, "VINET", &one, &error), TALL_ERROR_INVALID);

  tall_test_front_fail_next (f->test_front, g_error_new_literal (TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                                                                 "no index here"));
  must_fail (tall_front_list_orders (f->client, "VINET", NULL, &error), TALL_ERROR_UNSUPPORTED);
  must_fail (tall_front_get_customer_orders (f->client, "NOBODY", NULL, &error),
             TALL_ERROR_NOT_FOUND);
}

/* Walks all pages; fails the test if an order is not as it was stored. */
static guint
walk_customer (Fixture *f, const char *number, guint limit, guint *n_pages)
{
  g_autofree char *token = NULL;
  guint n = 0;

  *n_pages = 0;
  do
    {
      TallListOptions options = { .limit = limit, .page = token };
      g_autoptr (TallCustomerOrders) page =
          must (tall_front_get_customer_orders (f->client, number, &options, &error));
      g_assert_cmpuint (page->n_orders, <=, limit);
      for (guint i = 0; i < page->n_orders; i++, n++)
        {
          g_autofree char *expected = g_strdup_printf ("%04u", n);
          g_assert_no_error (page->orders[i].error);
          g_assert_cmpint (page->orders[i].revision, >, 0);
          g_assert_cmpstr (page->orders[i].order->order_number, ==, expected);
        }
      (*n_pages)++;
      g_free (token);
      token = g_strdup (page->next_page);
    }
  while (token != NULL);
  return n;
}

static void
test_customer_orders (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  guint n_pages = 0;
  for (guint i = 0; i < 100; i++)
    {
      g_autoptr (TallOrder) order = new_order ("VINET", i);
      put (f, order);
    }

  /* Only orders; several of the server's own fetches in a page; and the last page exact. */
  g_assert_cmpuint (walk_customer (f, "VINET", 75, &n_pages), ==, 100);
  g_assert_cmpuint (n_pages, ==, 2);
  g_assert_cmpuint (walk_customer (f, "VINET", 1000, &n_pages), ==, 100);
  g_assert_cmpuint (n_pages, ==, 1);
  g_assert_cmpuint (walk_customer (f, "VINET", 50, &n_pages), ==, 100);
  g_assert_cmpuint (n_pages, ==, 2);
  g_autoptr (TallCustomerOrders) none =
      must (tall_front_get_customer_orders (f->client, "VINET", NULL, &error));
  g_assert_null (none->customer);
  g_assert_cmpint (none->revision, ==, 0);
  g_assert_cmpuint (none->n_orders, ==, TALL_DEFAULT_PAGE);

  gint64 revision = 0;
  g_autoptr (TallCustomer) customer = tall_test_plain_customer ("VINET");
  must (tall_front_put_customer (f->client, customer, NULL, &revision, &error));
  g_autoptr (TallCustomerOrders) page =
      must (tall_front_get_customer_orders (f->client, "VINET", NULL, &error));
  tall_test_assert_customer_equal (customer, page->customer);
  g_assert_cmpint (page->revision, ==, revision);
}

/* A page ends early rather than becoming too large, and nothing is lost by that. */
static void
test_large_orders (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *text = g_strnfill (1000 * 1024, 'x');
  guint n_pages = 0;

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (TallOrder) order = new_order ("LARGE", i);
      order->currency = tall_arena_strdup (tall_order_get_arena (order), text);
      put (f, order);
    }
  g_assert_cmpuint (walk_customer (f, "LARGE", 1000, &n_pages), ==, 20);
  g_assert_cmpuint (n_pages, ==, 3);

  /* Long currencies make a listing large in the same way. */
  g_autoptr (TallOrderList) list = must (tall_front_list_orders (f->client, "LARGE", NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, 8);
  g_assert_nonnull (list->next_page);
}

/* One order that cannot be read does not hide the others. */
static void
test_damaged_order (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  static const char *const numbers[] = { "1", "damaged", "z" };

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", numbers[i], 1);
      put (f, order);
    }
  g_test_expect_message ("tallorder", G_LOG_LEVEL_WARNING, "damaged: *as its name says");
  g_autoptr (TallCustomerOrders) page =
      tall_front_get_customer_orders (f->client, "VINET", NULL, &error);
  g_test_assert_expected_messages ();
  g_assert_no_error (error);
  g_assert_cmpuint (page->n_orders, ==, 3);
  g_assert_no_error (page->orders[0].error);
  g_assert_error (page->orders[1].error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_null (page->orders[1].order);
  g_assert_no_error (page->orders[2].error);
}

/* Returns: how many were found, each once and in their order, from @first on */
static guint
walk_found (Fixture *f, TallFindOptions *options, guint first, guint *n_pages)
{
  g_autofree char *token = NULL;
  guint n = 0;

  *n_pages = 0;
  do
    {
      options->page = token;
      g_autoptr (TallFound) found = must (tall_front_find_orders (f->client, options, &error));
      g_assert_cmpstr (found->index, ==, "by-customer");
      for (guint i = 0; i < found->n_orders; i++, n++)
        {
          const TallOutcome *outcome = &found->orders[i];
          g_autofree char *expected = g_strdup_printf ("%04u", first + n);
          g_assert_no_error (outcome->error);
          g_assert_cmpint (outcome->revision, >, 0);
          g_assert_cmpstr (outcome->order->order_number, ==, expected);
          g_assert_cmpint (outcome->entry != NULL, ==, options->part.kind == TALL_PART_SUMMARY);
          guint n_lines = outcome->entry != NULL ? outcome->entry->n_lines
                                                 : tall_order_count_lines (outcome->order);
          g_assert_cmpuint (n_lines, ==, (first + n) % 5);
        }
      (*n_pages)++;
      g_free (token);
      token = g_strdup (found->next_page);
    }
  while (token != NULL);
  return n;
}

/* All options arrive, several of the server's own fetches make a page, and parts are parts. */
static void
test_find (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const value[] = { "VINET" }, *const field[] = { "customer_number=VINET" };
  TallFindOptions options = { .index = "by-customer", .values = value, .n_values = 1 };
  guint n_pages = 0;
  for (guint i = 0; i < 100; i++)
    {
      g_autoptr (TallOrder) order = new_order ("VINET", i);
      put (f, order);
    }

  options.limit = 75;
  g_assert_cmpuint (walk_found (f, &options, 0, &n_pages), ==, 100);
  g_assert_cmpuint (n_pages, ==, 2);
  options.limit = 0;
  g_assert_cmpuint (walk_found (f, &options, 0, &n_pages), ==, 100);
  g_assert_cmpuint (n_pages, ==, 4);
  options = (TallFindOptions){ .values = field, .n_values = 1, .limit = 1000, .from = "0007" };
  options.part.kind = TALL_PART_SUMMARY;
  g_assert_cmpuint (walk_found (f, &options, 7, &n_pages), ==, 93);
  g_assert_cmpuint (n_pages, ==, 1);
  g_assert_cmpint (tall_test_front_get_part (f->test_front).kind, ==, TALL_PART_SUMMARY);
  options.to = "0011";
  g_assert_cmpuint (walk_found (f, &options, 7, &n_pages), ==, 4);
}

/* A page ends early rather than becoming too large, and nothing is lost by that. */
static void
test_find_large (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const value[] = { "LARGE" };
  g_autofree char *text = g_strnfill (1000 * 1024, 'x');
  TallFindOptions options = {
    .index = "by-customer", .values = value, .n_values = 1, .limit = 1000
  };
  guint n_pages = 0;
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (TallOrder) order = new_order ("LARGE", i);
      order->currency = tall_arena_strdup (tall_order_get_arena (order), text);
      put (f, order);
    }
  g_assert_cmpuint (walk_found (f, &options, 0, &n_pages), ==, 20);
  g_assert_cmpuint (n_pages, ==, 3);
  options.part.kind = TALL_PART_SUMMARY; /* which has its currency twice */
  g_assert_cmpuint (walk_found (f, &options, 0, &n_pages), ==, 20);
  g_assert_cmpuint (n_pages, ==, 5);
}

static void
expect_find_invalid (Fixture *f, const TallFindOptions *options, const char *field)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (tall_front_find_orders (f->client, options, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, field);
}

/* What is wrong with a search is named as the interface has it; an order that cannot be read does
 * not hide the others. */
static void
test_find_wrong (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const values[] = { "VINET", "10248" }, *const numbers[] = { "1", "damaged",
                                                                                 "z" };
  TallFindOptions options = { .index = "by-customer", .values = values, .n_values = 1 };
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", numbers[i], 1);
      put (f, order);
    }

  g_test_expect_message ("tallorder", G_LOG_LEVEL_WARNING, "damaged: *as its name says");
  g_autoptr (TallFound) found = tall_front_find_orders (f->client, &options, &error);
  g_test_assert_expected_messages ();
  g_assert_no_error (error);
  g_assert_cmpuint (found->n_orders, ==, 3);
  g_assert_cmpstr (found->orders[0].order->order_number, ==, "1");
  g_assert_error (found->orders[1].error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_cmpstr (found->orders[2].order->order_number, ==, "z");

  TallFindOptions wrong = options;
  wrong.index = "other";
  expect_find_invalid (f, &wrong, "index");
  wrong = options;
  wrong.n_values = 2;
  expect_find_invalid (f, &wrong, "values");
  wrong = options;
  wrong.from = wrong.to = "7";
  expect_find_invalid (f, &wrong, "to_value");
  wrong = options;
  wrong.page = "mine";
  expect_find_invalid (f, &wrong, "page");
  wrong.page = NULL;
  wrong.limit = TALL_MAX_PAGE + 1;
  expect_find_invalid (f, &wrong, "limit");

  tall_test_front_fail_next (f->test_front, g_error_new_literal (TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                                                                 "no index here"));
  must_fail (tall_front_find_orders (f->client, &options, &error), TALL_ERROR_UNSUPPORTED);
}

/* Unreadable orders are reported, and the others come. */
static void
test_unreadable (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const numbers[] = { "1", "damaged-2", "z" };
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (TallCustomer) customer = tall_test_plain_customer (numbers[i]);
      g_autoptr (TallOrder) order = tall_test_order_with_lines ("damaged-2", numbers[i], 1);
      must (tall_front_put_customer (f->client, customer, NULL, NULL, &error));
      put (f, order);
    }

  g_autoptr (TallOrderList) orders =
      must (tall_front_list_orders (f->client, "damaged-2", NULL, &error));
  g_assert_cmpuint (orders->n_entries, ==, 2);
  g_assert_cmpstr (orders->entries[1].order_number, ==, "z");
  g_assert_cmpuint (orders->n_unreadable, ==, 1);
  g_assert_cmpstr (orders->unreadable[0].number, ==, "damaged-2");
  g_assert_cmpint (orders->unreadable[0].code, ==, TALL_ERROR_DAMAGED);
  g_assert_cmpstr (orders->unreadable[0].message, ==, "damaged-2: as its name says");

  g_autoptr (TallCustomerList) customers =
      must (tall_front_list_customers (f->client, NULL, &error));
  g_assert_cmpuint (customers->n_entries, ==, 2);
  g_assert_cmpuint (customers->n_unreadable, ==, 1);
  g_assert_null (customers->unreadable[0].number);

  g_test_expect_message ("tallorder", G_LOG_LEVEL_WARNING, "damaged: *as its name says");
  g_test_expect_message ("tallorder", G_LOG_LEVEL_WARNING, "newer version: *");
  g_autoptr (TallCustomerOrders) page =
      tall_front_get_customer_orders (f->client, "damaged-2", NULL, &error);
  g_test_assert_expected_messages ();
  g_assert_no_error (error);
  g_assert_null (page->customer);
  g_assert_error (page->customer_error, TALL_ERROR, TALL_ERROR_NEWER_VERSION);
  g_assert_cmpuint (page->n_orders, ==, 3);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/service/listing/refused", test_refused);
  ADD ("/service/listing/customer-orders", test_customer_orders);
  ADD ("/service/listing/find", test_find);
  ADD ("/service/listing/find-large", test_find_large);
  ADD ("/service/listing/find-wrong", test_find_wrong);
  ADD ("/service/listing/large-orders", test_large_orders);
  ADD ("/service/listing/damaged-order", test_damaged_order);
  ADD ("/service/listing/unreadable", test_unreadable);
  return g_test_run ();
}
