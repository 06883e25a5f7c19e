/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The store beside a plain map, under random operations of one client, who also writes between the
 * pages of listings: no difference is allowed but what the documentation of those allows. The seed
 * is that of the test program: it prints it, and --seed repeats a run. */
#include "service/server/server.h"
#include "tall-client.h"
#include "tall-error.h"
#include "tall-reference.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define N_ORDERS TALL_REFERENCE_ORDERS
#define N_CUSTOMERS TALL_REFERENCE_CUSTOMERS

/**
 * Watch:
 *
 * What became of an order, or a customer, while a listing was walked through.
 */
typedef struct
{
  gboolean steady; /* it was to be listed all the time, at the same place */
  gboolean dated;
  gint64 date;
  guint n_seen;
} Watch;

static gboolean
is_listed (const TallExpected *record, const TallListOptions *options)
{
  return record->live && tall_reference_is_in_range (record->order, options);
}

static void
begin_watch (Watch *self, const TallExpected *record, const TallListOptions *options)
{
  *self = (Watch){ .steady = is_listed (record, options) };
  self->dated = self->steady && record->order->has_sales_date;
  self->date = self->dated ? record->order->sales_date : 0;
}

static void
go_on_watching (Watch *self, const TallExpected *record, const TallListOptions *options)
{
  self->steady = self->steady && is_listed (record, options)
                 && record->order->has_sales_date == self->dated
                 && (!self->dated || record->order->sales_date == self->date);
}

/* Anything, of the customer who is being listed or of another one. */
static void
write_between_pages (TallReference *self, guint customer)
{
  guint n = (guint)g_rand_int_range (self->rand, 0, 4);
  for (guint i = 0; i < n; i++)
    tall_reference_write (self, g_rand_int_range (self->rand, 0, 3) > 0
                                    ? customer
                                    : (guint)g_rand_int_range (self->rand, 0, N_CUSTOMERS));
  if (g_rand_int_range (self->rand, 0, 4) == 0)
    tall_reference_put_many (self);
}

static guint
find_order (const TallReference *self, guint customer, const char *number)
{
  guint i = 0;
  while (i < N_ORDERS && strcmp (self->orders[customer][i].order_number, number) != 0)
    i++;
  g_assert_cmpuint (i, <, N_ORDERS);
  return i;
}

/* Newest first, those without a date last, the same date by key. */
static void
assert_after (TallReference *self,
              const Watch *before,
              const TallExpected *last,
              const TallExpected *now)
{
  const TallOrder *order = now->order;
  if (last == NULL)
    return;
  g_assert_true (before->dated || !order->has_sales_date);
  if (before->dated && order->has_sales_date)
    g_assert_cmpint (order->sales_date, <=, before->date);
  if (before->dated == order->has_sales_date
      && (!before->dated || before->date == order->sales_date))
    g_assert_cmpint (tall_reference_compare_keys (&last, &now, self), <, 0);
}

/* Every entry shows the order as it was when its page was fetched. The entries are sorted over all
 * pages. An order that belongs on the list all the time is listed once. An order whose date changed
 * may be missed, and may come twice. */
static void
list_while_writing (TallReference *self, guint customer)
{
  Watch watches[N_ORDERS], place = { 0 };
  const TallExpected *records = self->orders[customer], *last = NULL;
  TallListOptions options = { 0 };
  g_autofree char *page = NULL;
  tall_reference_choose_range (self, &options);
  options.limit = (guint)g_rand_int_range (self->rand, 1, 4);
  for (guint i = 0; i < N_ORDERS; i++)
    begin_watch (&watches[i], &records[i], &options);
  do
    {
      options.page = page;
      g_autoptr (TallOrderList) list =
          must (tall_front_list_orders (self->front, records->customer_number, &options, &error));
      g_assert_cmpuint (list->n_unreadable, ==, 0);
      for (guint i = 0; i < list->n_entries; i++)
        {
          guint at = find_order (self, customer, list->entries[i].order_number);
          g_assert_true (is_listed (&records[at], &options));
          tall_reference_check_entry (&list->entries[i], &records[at]);
          assert_after (self, &place, last, &records[at]);
          begin_watch (&place, &records[at], &options);
          last = &records[at];
          watches[at].n_seen++;
        }
      g_free (page);
      page = g_strdup (list->next_page);
      write_between_pages (self, customer);
      for (guint i = 0; i < N_ORDERS && page != NULL; i++)
        go_on_watching (&watches[i], &records[i], &options);
    }
  while (page != NULL);
  for (guint i = 0; i < N_ORDERS; i++)
    if (watches[i].steady)
      g_assert_cmpuint (watches[i].n_seen, ==, 1);
}

/* By key: nobody comes twice, and who was there all the time is not missed. */
static void
fetch_while_writing (TallReference *self, guint customer)
{
  Watch watches[N_ORDERS];
  const TallExpected *records = self->orders[customer];
  TallListOptions options = { .limit = (guint)g_rand_int_range (self->rand, 1, 4) };
  g_autofree char *page = NULL;
  for (guint i = 0; i < N_ORDERS; i++)
    watches[i] = (Watch){ .steady = records[i].live };
  do
    {
      g_autoptr (GError) error = NULL;
      options.page = page;
      g_autoptr (TallCustomerOrders) got =
          tall_front_get_customer_orders (self->front, records->customer_number, &options, &error);
      if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
        break;
      g_assert_no_error (error);
      for (guint i = 0; i < got->n_orders; i++)
        {
          g_assert_no_error (got->orders[i].error);
          guint at = find_order (self, customer, got->orders[i].order->order_number);
          tall_reference_check_outcome (&got->orders[i], &records[at]);
          g_assert_cmpuint (watches[at].n_seen++, ==, 0);
        }
      g_free (page);
      page = g_strdup (got->next_page);
      write_between_pages (self, customer);
      for (guint i = 0; i < N_ORDERS && page != NULL; i++)
        watches[i].steady = watches[i].steady && records[i].live;
    }
  while (page != NULL);
  for (guint i = 0; i < N_ORDERS; i++)
    if (watches[i].steady)
      g_assert_cmpuint (watches[i].n_seen, ==, 1);
}

static gboolean
is_there (const TallReference *self, guint customer)
{
  return self->customers[customer].live || tall_reference_has_orders (self, customer);
}

static void
list_customers_while_writing (TallReference *self)
{
  Watch watches[N_CUSTOMERS];
  TallListOptions options = { .limit = 1 };
  g_autofree char *page = NULL;
  for (guint i = 0; i < N_CUSTOMERS; i++)
    watches[i] = (Watch){ .steady = is_there (self, i) };
  do
    {
      options.page = page;
      g_autoptr (TallCustomerList) list =
          must (tall_front_list_customers (self->front, &options, &error));
      for (guint i = 0; i < N_CUSTOMERS && list->n_entries > 0; i++)
        if (g_str_equal (list->entries[0].number, self->customers[i].customer_number))
          {
            g_assert_true (is_there (self, i));
            g_assert_cmpuint (watches[i].n_seen++, ==, 0);
          }
      g_free (page);
      page = g_strdup (list->next_page);
      write_between_pages (self, (guint)g_rand_int_range (self->rand, 0, N_CUSTOMERS));
      for (guint i = 0; i < N_CUSTOMERS && page != NULL; i++)
        watches[i].steady = watches[i].steady && is_there (self, i);
    }
  while (page != NULL);
  for (guint i = 0; i < N_CUSTOMERS; i++)
    if (watches[i].steady)
      g_assert_cmpuint (watches[i].n_seen, ==, 1);
}

static void
list_something (TallReference *self, guint customer)
{
  switch (g_rand_int_range (self->rand, 0, 6))
    {
    case 0:
      tall_reference_check_list (self, customer);
      break;
    case 1:
      tall_reference_check_customer_orders (self, customer);
      break;
    case 2:
      tall_reference_check_customers (self);
      break;
    case 3:
      list_while_writing (self, customer);
      break;
    case 4:
      fetch_while_writing (self, customer);
      break;
    default:
      list_customers_while_writing (self);
    }
}

static void
step (TallReference *self)
{
  guint customer = (guint)g_rand_int_range (self->rand, 0, N_CUSTOMERS);
  self->clock->now += g_rand_int_range (self->rand, -5, 8); /* clocks go back, too */
  switch (g_rand_int_range (self->rand, 0, 10))
    {
    case 0:
    case 1:
    case 2:
      list_something (self, customer);
      break;
    case 3:
      tall_reference_check_many (self);
      break;
    case 4:
      tall_reference_put_many (self);
      break;
    default:
      tall_reference_write (self, customer);
    }
}

static void
go_through (TallStoreFixture *fixture, const TallStoreKind *kind, TallFront *front)
{
  g_auto (TallReference) self = { 0 };
  guint n_steps = kind->rocksdb ? 200 : 500;
  tall_reference_init (&self, fixture, kind);
  self.front = front;
  for (guint i = 0; i < n_steps; i++)
    {
      step (&self);
      if (i % 50 == 49)
        tall_reference_check_everything (&self);
    }
}

static void
test_reference (TallStoreFixture *fixture, gconstpointer kind)
{
  go_through (fixture, kind, fixture->front);
}

/* The same for a client of a server of the store. */
static void
test_served (TallStoreFixture *fixture, gconstpointer kind)
{
  g_autoptr (TallServer) server =
      must (tall_server_new (fixture->front, "127.0.0.1:0", NULL, &error));
  g_autoptr (TallFront) client = must (tall_client_new (tall_server_get_address (server), &error));
  go_through (fixture, kind, client);
  g_assert_true (tall_server_stop (server));
}

static const TallStoreTest tests[] = {
  { "plain-map", test_reference },
  { "served", test_served },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("reference", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
