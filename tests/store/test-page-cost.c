/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A page costs what a page costs: the same calls and rows for a customer with thousands of orders
 * and for one with forty times as many, at the beginning of the listing and in its middle. */
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "tall-test-directory.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define N_FEW 5000
#define N_MORE 20000

/* Sanitizers make storing ten times slower, and have nothing to find in more of the same. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define N_MANY N_MORE
#endif
#endif
#if !defined(N_MANY) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define N_MANY N_MORE
#endif
#ifndef N_MANY
#define N_MANY 200000
#endif

#define N_AT_ONCE 1000
#define PAGE 30
#define MINUTE 60000 /* between two orders, in milliseconds */

typedef struct
{
  const TallLayout *layout;
  guint n_many; /* orders of the second customer */
} Kind;

typedef struct
{
  char *directory;
  TallTable *rocksdb;
  TallTable *counting;
  TallFront *front;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  const Kind *kind = data;
  self->directory = tall_test_directory_new ();
  self->rocksdb = tall_test_open_table (self->directory);
  tall_test_create (self->rocksdb, kind->layout->name, "hashed", 0);
  self->counting = tall_counting_table_new (self->rocksdb);
  self->front = TALL_FRONT (tall_test_open (self->counting, NULL));
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_clear_object (&self->front);
  g_clear_object (&self->counting);
  g_clear_object (&self->rocksdb);
  tall_test_directory_remove (self->directory);
  g_clear_pointer (&self->directory, g_free);
}

static void
put_thousand (TallFront *front, const char *customer, guint first)
{
  TallOrder *orders[N_AT_ONCE];
  TallOutcome outcomes[N_AT_ONCE] = { { 0 } };
  for (guint i = 0; i < N_AT_ONCE; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", first + i);
      orders[i] = tall_test_empty_order (customer, number, 0);
      orders[i]->has_sales_date = TRUE;
      orders[i]->sales_date = (gint64)(first + i) * MINUTE;
    }
  must (tall_front_put_orders (front, orders, NULL, N_AT_ONCE, outcomes, &error));
  for (guint i = 0; i < N_AT_ONCE; i++)
    {
      g_assert_no_error (outcomes[i].error);
      tall_outcome_clear (&outcomes[i]);
      tall_order_free (orders[i]);
    }
}

static TallOrderList *
list (TallFront *front, const char *customer, guint limit, const char *page)
{
  const TallListOptions options = { .limit = limit, .page = page };
  return must (tall_front_list_orders (front, customer, &options, &error));
}

/* Walks through all orders, each of which must come once, newest first.
 *
 * Returns: the token of the page that begins in the middle */
static char *
walk (TallFront *front, const char *customer, guint n_orders)
{
  g_autofree char *page = NULL;
  char *middle = NULL;
  guint n = 0;
  do
    {
      g_autoptr (TallOrderList) orders = list (front, customer, N_AT_ONCE, page);
      for (guint i = 0; i < orders->n_entries; i++, n++)
        g_assert_cmpint (orders->entries[i].sales_date, ==, (gint64)(n_orders - 1 - n) * MINUTE);
      g_free (page);
      page = g_strdup (orders->next_page);
      if (middle == NULL && n >= n_orders / 2)
        middle = g_strdup (page);
    }
  while (page != NULL);
  g_assert_cmpuint (n, ==, n_orders);
  return middle;
}

static void
measure_list (Fixture *fixture, const char *customer, const char *page, TallCost *cost)
{
  tall_counting_table_reset (TALL_COUNTING_TABLE (fixture->counting));
  g_autoptr (TallOrderList) orders = list (fixture->front, customer, PAGE, page);
  g_assert_cmpuint (orders->n_entries, ==, PAGE);
  g_assert_nonnull (orders->next_page);
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (fixture->counting), cost);
}

/* A page of whole orders, and the one after it. */
static void
measure_whole (Fixture *fixture, const char *customer, TallCost costs[2])
{
  g_autofree char *page = NULL;
  for (guint i = 0; i < 2; i++)
    {
      const TallListOptions options = { .limit = PAGE, .page = page };
      tall_counting_table_reset (TALL_COUNTING_TABLE (fixture->counting));
      g_autoptr (TallCustomerOrders) orders =
          must (tall_front_get_customer_orders (fixture->front, customer, &options, &error));
      g_assert_cmpuint (orders->n_orders, ==, PAGE);
      tall_counting_table_get_cost (TALL_COUNTING_TABLE (fixture->counting), &costs[i]);
      g_free (page);
      page = g_strdup (orders->next_page);
      g_assert_nonnull (page);
    }
}

static void
assert_same (const TallCost *a, const TallCost *b)
{
  g_assert_cmpuint (a->calls, ==, b->calls);
  g_assert_cmpuint (a->rows_read, ==, b->rows_read);
  g_assert_cmpuint (a->cells_read, ==, b->cells_read);
}

static void
test_cost (Fixture *fixture, gconstpointer data)
{
  const guint numbers[] = { N_FEW, ((const Kind *)data)->n_many };
  static const char *const customers[] = { "few", "many" };
  TallCost first[2], middle[2], whole[2][2];
  for (guint i = 0; i < 2; i++)
    {
      for (guint n = 0; n < numbers[i]; n += N_AT_ONCE)
        put_thousand (fixture->front, customers[i], n);
      g_autofree char *page = walk (fixture->front, customers[i], numbers[i]);
      measure_list (fixture, customers[i], NULL, &first[i]);
      measure_list (fixture, customers[i], page, &middle[i]);
      measure_whole (fixture, customers[i], whole[i]);
    }

  g_assert_cmpuint (first[0].calls, ==, 1);
  g_assert_cmpuint (first[0].rows_read, ==, PAGE + 1);
  assert_same (&first[0], &first[1]);
  assert_same (&middle[0], &first[0]);
  assert_same (&middle[1], &first[0]);
  assert_same (&whole[0][0], &whole[1][0]);
  assert_same (&whole[0][1], &whole[1][1]);
}

int
main (int argc, char *argv[])
{
  static const Kind blob = { &tall_layout_blob, N_MANY };
  static const Kind record_type = { &tall_layout_record_type, N_MORE };
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/page-cost/blob", Fixture, &blob, set_up, test_cost, tear_down);
  g_test_add ("/page-cost/record-type", Fixture, &record_type, set_up, test_cost, tear_down);
  return g_test_run ();
}
