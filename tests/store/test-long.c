/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Where every order is long, pages are cut by their bytes, and listings still find everything, each
 * once. On RocksDB, which minds the bytes of its reads. */
#include "tall-error.h"
#include "tall-test-directory.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define N 7
#define LONG (700 * 1024)

typedef struct
{
  char *directory;
  TallFront *front;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  const TallLayout *layout = data;
  self->directory = tall_test_directory_new ();
  g_autoptr (TallTable) table = tall_test_open_table (self->directory);
  tall_test_create (table, layout->name, "hashed", 0);
  self->front = TALL_FRONT (tall_test_open (table, NULL));
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_object_unref (self->front);
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
}

static void
put_orders (Fixture *self)
{
  for (guint i = 0; i < N; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autofree char *text = g_strnfill (LONG, 'x');
      g_autoptr (TallOrder) order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, number, 200);
      order->currency = text;
      must (tall_front_put_order (self->front, order, NULL, NULL, &error));
    }
}

static void
test_orders (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *page = NULL;
  guint found = 0, n_pages = 0;
  put_orders (self);
  do
    {
      TallListOptions options = { .page = page };
      g_autoptr (TallCustomerOrders) orders =
          must (tall_front_get_customer_orders (self->front, TALL_TEST_CUSTOMER, &options, &error));
      for (guint i = 0; i < orders->n_orders; i++)
        {
          g_assert_no_error (orders->orders[i].error);
          found |= 1u << g_ascii_digit_value (orders->orders[i].order->order_number[0]);
        }
      g_free (page);
      page = g_strdup (orders->next_page);
      g_assert_cmpuint (++n_pages, <=, N);
    }
  while (page != NULL);
  g_assert_cmphex (found, ==, (1u << N) - 1);
}

static void
test_entries (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *page = NULL;
  guint found = 0, n = 0, n_pages = 0;
  put_orders (self);
  do
    {
      TallListOptions options = { .page = page };
      g_autoptr (TallOrderList) list =
          must (tall_front_list_orders (self->front, TALL_TEST_CUSTOMER, &options, &error));
      g_assert_cmpuint (list->n_entries, <, N);
      g_assert_cmpuint (list->n_unreadable, ==, 0);
      for (guint i = 0; i < list->n_entries; i++, n++)
        found |= 1u << g_ascii_digit_value (list->entries[i].order_number[0]);
      g_free (page);
      page = g_strdup (list->next_page);
      g_assert_cmpuint (++n_pages, <=, N);
    }
  while (page != NULL);
  g_assert_cmpuint (n, ==, N);
  g_assert_cmphex (found, ==, (1u << N) - 1);
}

static void
test_customers (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *page = NULL;
  guint found = 0, n = 0, n_pages = 0;
  put_orders (self); /* long ones, which are only jumped over */
  for (guint i = 0; i < N; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autofree char *text = g_strnfill (i % 2 == 0 ? LONG : 10, 'x');
      g_autoptr (TallCustomer) customer = tall_customer_new (number);
      customer->name = text;
      must (tall_front_put_customer (self->front, customer, NULL, NULL, &error));
    }
  do
    {
      TallListOptions options = { .page = page };
      g_autoptr (TallCustomerList) list =
          must (tall_front_list_customers (self->front, &options, &error));
      g_assert_cmpuint (list->n_entries, <, N);
      for (guint i = 0; i < list->n_entries; i++, n++)
        if (!g_str_equal (list->entries[i].number, TALL_TEST_CUSTOMER))
          found |= 1u << g_ascii_digit_value (list->entries[i].number[0]);
      g_free (page);
      page = g_strdup (list->next_page);
      g_assert_cmpuint (++n_pages, <=, N + 1);
    }
  while (page != NULL);
  g_assert_cmpuint (n, ==, N + 1);
  g_assert_cmphex (found, ==, (1u << N) - 1);
}

/* What some layouts would write for each line has a limit, the same in all of them. */
static void
test_repeated (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const guint bytes[] = { 5 * 1024, 6 * 1024 };
  for (guint i = 0; i < G_N_ELEMENTS (bytes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strnfill (bytes[i], 'x');
      g_autoptr (TallOrder) order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, "1", 9000);
      order->shipping_locations[0]->name = text;
      gboolean done = tall_front_put_order (self->front, order, NULL, NULL, &error);
      g_assert_cmpint (done, ==, i == 0);
      if (i > 0)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*run) (Fixture *, gconstpointer);
  } tests[] = { { "orders", test_orders },
                { "entries", test_entries },
                { "customers", test_customers } };
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n * G_N_ELEMENTS (tests); i++)
    {
      const TallLayout *layout = layouts[i / G_N_ELEMENTS (tests)];
      g_autofree char *path =
          g_strdup_printf ("/store/long/%s/%s", layout->name, tests[i % G_N_ELEMENTS (tests)].name);
      g_test_add (path, Fixture, layout, set_up, tests[i % G_N_ELEMENTS (tests)].run, tear_down);
    }
  g_test_add ("/store/long/repeated", Fixture, &tall_layout_blob, set_up, test_repeated, tear_down);
  return g_test_run ();
}
