/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A load through client and server. */

#include "tall-bulk.h"
#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-must.h"

#define N_ORDERS 300 /* several calls of the service */

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

static GPtrArray *
make_orders (const char *currency)
{
  GPtrArray *orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      TallOrder *order = tall_test_order_with_lines ("VINET", number, i % 7);
      order->currency = tall_arena_strdup (tall_order_get_arena (order), currency);
      g_ptr_array_add (orders, order);
    }
  return orders;
}

static TallBulk *
begin (Fixture *f, TallBulkExisting on_existing)
{
  const TallBulkOptions options = { .on_existing = on_existing, .name = "a test" };
  return must (tall_bulk_begin (f->client, &options, &error));
}

static void
expect_stored (Fixture *f, GPtrArray *orders)
{
  for (guint i = 0; i < orders->len; i++)
    {
      const TallOrder *order = g_ptr_array_index (orders, i);
      g_autoptr (TallOrder) got = must (tall_front_get_order (f->front, order->customer_number,
                                                              order->order_number, NULL, &error));
      tall_test_assert_order_equal (got, order);
    }
}

/* Each order must come to this. @code: of its error; 0: it has none */
static void
load (
    Fixture *f, GPtrArray *orders, TallBulkExisting on_existing, TallBulkOutcome outcome, gint code)
{
  g_autofree TallBulkResult *results = g_new0 (TallBulkResult, orders->len);
  g_autoptr (TallBulk) bulk = begin (f, on_existing);
  must (
      tall_bulk_put_orders (bulk, (TallOrder *const *)orders->pdata, orders->len, results, &error));
  for (guint i = 0; i < orders->len; i++)
    {
      g_assert_cmpint (results[i].outcome, ==, outcome);
      must_be (results[i].error, code);
      tall_bulk_result_clear (&results[i]);
    }
  must (tall_bulk_end (bulk, &error));
}

static void
test_orders (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) orders = make_orders ("EUR");
  g_autoptr (GPtrArray) others = make_orders ("USD");
  load (f, orders, TALL_BULK_REPORT, TALL_BULK_STORED, 0);
  load (f, orders, TALL_BULK_REPORT, TALL_BULK_UNCHANGED, 0);
  load (f, others, TALL_BULK_REPORT, TALL_BULK_REFUSED, TALL_ERROR_CONFLICT);
  load (f, others, TALL_BULK_SKIP, TALL_BULK_SKIPPED, 0);
  expect_stored (f, orders);
  load (f, others, TALL_BULK_REPLACE, TALL_BULK_REPLACED, 0);
  expect_stored (f, others);
}

/* Without the server each order has its own passing error, and can be put again. */
static void
test_lost (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) orders = make_orders ("EUR");
  g_autofree TallBulkResult *results = g_new0 (TallBulkResult, orders->len);
  load (f, orders, TALL_BULK_REPORT, TALL_BULK_STORED, 0);
  g_autoptr (TallBulk) bulk = begin (f, TALL_BULK_REPORT);
  g_assert_true (tall_server_stop (f->server));
  must (
      tall_bulk_put_orders (bulk, (TallOrder *const *)orders->pdata, orders->len, results, &error));
  for (guint i = 0; i < orders->len; i++)
    {
      g_assert_cmpint (results[i].outcome, ==, TALL_BULK_REFUSED);
      g_assert_true (tall_error_is_passing (results[i].error)
                     || g_error_matches (results[i].error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN));
      tall_bulk_result_clear (&results[i]);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/service/bulk/orders", Fixture, NULL, set_up, test_orders, tear_down);
  g_test_add ("/service/bulk/lost", Fixture, NULL, set_up, test_lost, tear_down);
  return g_test_run ();
}
