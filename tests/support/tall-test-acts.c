/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-acts.h"

#include "tall-bulk.h"
#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define N_LINES 3

/* What there is before: VINET with the orders 1, 2 and 3, and LILAS without. */
static const char *const numbers[] = { "1", "2", "3" };

static TallOrder *
make_order (const char *order_number, guint writer)
{
  return tall_test_marked_order (order_number, writer, 1, N_LINES);
}

guint
tall_test_get_writer (TallFront *front, const char *order_number)
{
  g_autoptr (GError) error = NULL;
  guint writer, sequence;
  g_autoptr (TallOrder) order =
      tall_front_get_order (front, TALL_TEST_CUSTOMER, order_number, NULL, &error);
  if (order == NULL)
    {
      g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
      return 0;
    }
  tall_test_read_mark (order, &writer, &sequence);
  return writer;
}

gint64
tall_test_put_writer (TallFront *front, const char *order_number, guint writer)
{
  gint64 revision = 0;
  g_autoptr (TallOrder) order = make_order (order_number, writer);
  must (tall_front_put_order (front, order, NULL, &revision, &error));
  return revision;
}

void
tall_test_acts_prepare (TallFront *front)
{
  g_autoptr (TallCustomer) vinet = tall_test_plain_customer (TALL_TEST_CUSTOMER);
  g_autoptr (TallCustomer) lilas = tall_test_plain_customer ("LILAS");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    tall_test_put_writer (front, numbers[i], 1);
  must (tall_front_put_customer (front, vinet, NULL, NULL, &error));
  must (tall_front_put_customer (front, lilas, NULL, NULL, &error));
}

static GError *
put_with (TallFront *front, const char *order_number, const TallWriteOptions *options)
{
  GError *error = NULL;
  gint64 revision = 0;
  g_autoptr (TallOrder) order = make_order (order_number, 2);
  gboolean done = tall_front_put_order (front, order, options, &revision, &error);
  g_assert_true (done == (error == NULL));
  g_assert_true (!done || revision > 0);
  return error;
}

static GError *
put_new (TallFront *front)
{
  return put_with (front, "9", NULL);
}

static GError *
put_absent (TallFront *front)
{
  const TallWriteOptions options = { .condition = TALL_IF_ABSENT };
  return put_with (front, "9", &options);
}

static GError *
put_over (TallFront *front)
{
  return put_with (front, "1", NULL);
}

/* The revision that a reader has seen stays what it is. */
static GError *
put_revision (TallFront *front)
{
  GError *error = NULL;
  TallWriteOptions options = { .condition = TALL_IF_REVISION };
  g_autoptr (TallOrder) seen =
      tall_front_get_order (front, TALL_TEST_CUSTOMER, "1", &options.revision, &error);
  return seen != NULL ? put_with (front, "1", &options) : error;
}

/* A request that is sent again is stored once. */
static GError *
put_token (TallFront *front)
{
  g_autoptr (TallOrder) order = make_order ("9", 2);
  TallWriteOptions options = { .has_token = TRUE };
  gint64 first = 0, second = 0;
  GError *error = NULL;
  memset (options.token, 7, sizeof options.token);
  if (tall_front_put_order (front, order, &options, &first, &error)
      && tall_front_put_order (front, order, &options, &second, &error))
    g_assert_cmpint (first, ==, second);
  return error;
}

static void
check_new (TallFront *front)
{
  g_assert_cmpuint (tall_test_get_writer (front, "9"), ==, 2);
  g_assert_cmpuint (tall_test_get_writer (front, "1"), ==, 1);
}

static void
check_over (TallFront *front)
{
  g_assert_cmpuint (tall_test_get_writer (front, "1"), ==, 2);
  g_assert_cmpuint (tall_test_get_writer (front, "2"), ==, 1);
}

static GError *delete (TallFront *front)
{
  GError *error = NULL;
  gboolean done = tall_front_delete_order (front, TALL_TEST_CUSTOMER, "2", NULL, &error);
  g_assert_true (done == (error == NULL));
  return error;
}

static void
check_deleted (TallFront *front)
{
  g_assert_cmpuint (tall_test_get_writer (front, "1"), ==, 1);
  g_assert_cmpuint (tall_test_get_writer (front, "2"), ==, 0);
}

static GError *
get (TallFront *front)
{
  GError *error = NULL;
  guint writer, sequence;
  gint64 revision = 0;
  g_autoptr (TallOrder) order =
      tall_front_get_order (front, TALL_TEST_CUSTOMER, "1", &revision, &error);
  if (order != NULL)
    tall_test_read_mark (order, &writer, &sequence);
  g_assert_true (order == NULL || (writer == 1 && revision > 0));
  return error;
}

static void
check_nothing (TallFront *front)
{
  g_assert_cmpuint (tall_test_get_writer (front, "1"), ==, 1);
  g_assert_cmpuint (tall_test_get_writer (front, "9"), ==, 0);
}

static GError *
get_customer (TallFront *front)
{
  GError *error = NULL;
  g_autoptr (TallCustomer) customer =
      tall_front_get_customer (front, TALL_TEST_CUSTOMER, NULL, &error);
  g_assert_true (customer == NULL || g_str_equal (customer->number, TALL_TEST_CUSTOMER));
  return error;
}

static GError *
put_customer (TallFront *front)
{
  GError *error = NULL;
  g_autoptr (TallCustomer) customer = tall_test_plain_customer ("BERGS");
  gboolean done = tall_front_put_customer (front, customer, NULL, NULL, &error);
  g_assert_true (done == (error == NULL));
  return error;
}

static void
check_customer (TallFront *front)
{
  g_autoptr (TallCustomer) customer = must (tall_front_get_customer (front, "BERGS", NULL, &error));
}

static GError *
delete_customer (TallFront *front)
{
  GError *error = NULL;
  gboolean done = tall_front_delete_customer (front, "LILAS", NULL, &error);
  g_assert_true (done == (error == NULL));
  return error;
}

static void
check_no_customer (TallFront *front)
{
  must_fail (tall_front_get_customer (front, "LILAS", NULL, &error), TALL_ERROR_NOT_FOUND);
}

/* The first error but "not found", which one of them is to have. */
static GError *
take_errors (TallOutcome *outcomes, guint n)
{
  GError *first = NULL;
  for (guint i = 0; i < n; i++)
    {
      GError *error = outcomes[i].error;
      if (first == NULL && error != NULL
          && !g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
        first = g_error_copy (error);
      tall_outcome_clear (&outcomes[i]);
    }
  return first;
}

static GError *
get_many (TallFront *front)
{
  GError *error = NULL;
  const TallOrderId ids[] = { { TALL_TEST_CUSTOMER, "1" },
                              { TALL_TEST_CUSTOMER, "8" },
                              { TALL_TEST_CUSTOMER, "2" } };
  TallOutcome outcomes[G_N_ELEMENTS (ids)] = { 0 };
  if (!tall_front_get_orders (front, ids, G_N_ELEMENTS (ids), outcomes, &error))
    return error;
  gboolean found = outcomes[0].order != NULL && outcomes[2].order != NULL;
  g_assert_true (outcomes[1].error != NULL);
  error = take_errors (outcomes, G_N_ELEMENTS (ids));
  g_assert_true (found || error != NULL);
  return error;
}

static GError *
put_many (TallFront *front)
{
  GError *error = NULL;
  g_autoptr (TallOrder) over = make_order ("1", 2);
  g_autoptr (TallOrder) new = make_order ("9", 2);
  g_autoptr (TallOrder) again = make_order ("1", 2);
  TallOrder *const orders[] = { over, new, again };
  TallOutcome outcomes[G_N_ELEMENTS (orders)] = { 0 };
  if (!tall_front_put_orders (front, orders, NULL, G_N_ELEMENTS (orders), outcomes, &error))
    return error;
  return take_errors (outcomes, G_N_ELEMENTS (orders));
}

/* In one step, where the table can. */
static GError *
put_many_new (TallFront *front)
{
  GError *error = NULL;
  g_autoptr (TallOrder) new = make_order ("9", 2);
  g_autoptr (TallOrder) newer = make_order ("10", 2);
  TallOrder *const orders[] = { new, newer };
  TallOutcome outcomes[G_N_ELEMENTS (orders)] = { 0 };
  if (!tall_front_put_orders (front, orders, NULL, G_N_ELEMENTS (orders), outcomes, &error))
    return error;
  return take_errors (outcomes, G_N_ELEMENTS (orders));
}

static void
check_many_new (TallFront *front)
{
  g_assert_cmpuint (tall_test_get_writer (front, "9"), ==, 2);
  g_assert_cmpuint (tall_test_get_writer (front, "10"), ==, 2);
}

static void
check_many (TallFront *front)
{
  g_assert_cmpuint (tall_test_get_writer (front, "1"), ==, 2);
  g_assert_cmpuint (tall_test_get_writer (front, "9"), ==, 2);
}

static GError *
list (TallFront *front)
{
  GError *error = NULL;
  g_autoptr (TallOrderList) page = tall_front_list_orders (front, TALL_TEST_CUSTOMER, NULL, &error);
  if (page != NULL)
    g_assert_cmpuint (page->n_entries, ==, G_N_ELEMENTS (numbers));
  return error;
}

static GError *
list_customers (TallFront *front)
{
  GError *error = NULL;
  g_autoptr (TallCustomerList) page = tall_front_list_customers (front, NULL, &error);
  if (page != NULL)
    g_assert_cmpuint (page->n_entries, ==, 2);
  return error;
}

static GError *
get_customer_orders (TallFront *front)
{
  GError *error = NULL;
  g_autoptr (TallCustomerOrders) page =
      tall_front_get_customer_orders (front, TALL_TEST_CUSTOMER, NULL, &error);
  if (page == NULL)
    return error;
  g_assert_nonnull (page->customer);
  g_assert_cmpuint (page->n_orders, ==, G_N_ELEMENTS (numbers));
  for (guint i = 0; i < page->n_orders; i++)
    g_assert_no_error (page->orders[i].error);
  return NULL;
}

/* Orders 8 and 9, and, unless they are promised to be new, 1. */
static GError *
load (TallFront *front, gboolean assume_new)
{
  GError *error = NULL;
  const TallBulkOptions options = { .assume_new = assume_new, .on_existing = TALL_BULK_REPLACE };
  g_autoptr (TallBulk) bulk = tall_bulk_begin (front, &options, &error);
  g_autoptr (TallOrder) eight = make_order ("8", 2);
  g_autoptr (TallOrder) nine = make_order ("9", 2);
  g_autoptr (TallOrder) one = make_order ("1", 2);
  TallOrder *const orders[] = { eight, nine, one };
  TallBulkResult results[G_N_ELEMENTS (orders)] = { 0 };
  guint n = assume_new ? 2 : 3;
  g_assert_nonnull (bulk);
  if (!tall_bulk_put_orders (bulk, orders, n, results, &error))
    return error;
  for (guint i = 0; i < n; i++)
    {
      if (error == NULL && results[i].error != NULL)
        error = g_error_copy (results[i].error);
      else if (error == NULL
               && results[i].outcome != (i < 2 ? TALL_BULK_STORED : TALL_BULK_REPLACED))
        error = g_error_new (TALL_ERROR, TALL_ERROR_INTERNAL, "outcome %d", results[i].outcome);
      tall_bulk_result_clear (&results[i]);
    }
  return error != NULL || tall_bulk_end (bulk, &error) ? error : error;
}

static GError *
load_any (TallFront *front)
{
  return load (front, FALSE);
}

static GError *
load_new (TallFront *front)
{
  return load (front, TRUE);
}

static void
check_loaded_new (TallFront *front)
{
  g_assert_cmpuint (tall_test_get_writer (front, "8"), ==, 2);
  g_assert_cmpuint (tall_test_get_writer (front, "9"), ==, 2);
}

static void
check_loaded (TallFront *front)
{
  check_loaded_new (front);
  g_assert_cmpuint (tall_test_get_writer (front, "1"), ==, 2);
}

/**
 * tall_test_acts:
 *
 * Returns: every kind of call that a front has for orders and customers
 */
const TallTestAct *
tall_test_acts (guint *n)
{
  static const TallTestAct acts[] = {
    { "put-new", put_new, check_new },
    { "put-absent", put_absent, check_new },
    { "put-over", put_over, check_over },
    { "put-revision", put_revision, check_over },
    { "put-token", put_token, check_new },
    { "delete", delete, check_deleted },
    { "get", get, check_nothing },
    { "get-customer", get_customer, check_nothing },
    { "put-customer", put_customer, check_customer },
    { "delete-customer", delete_customer, check_no_customer },
    { "get-many", get_many, check_nothing },
    { "put-many", put_many, check_many },
    { "put-many-new", put_many_new, check_many_new },
    { "list", list, check_nothing },
    { "list-customers", list_customers, check_nothing },
    { "customer-orders", get_customer_orders, check_nothing },
    { "load", load_any, check_loaded },
    { "load-new", load_new, check_loaded_new },
  };
  *n = G_N_ELEMENTS (acts);
  return acts;
}
