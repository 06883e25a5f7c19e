/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-reference.h"

#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define DAY G_GINT64_CONSTANT (86400000)

static void
check_customer (TallReference *self, const TallExpected *record)
{
  g_autoptr (GError) error = NULL;
  gint64 revision;
  g_autoptr (TallCustomer) customer =
      tall_front_get_customer (self->front, record->customer_number, &revision, &error);
  if (!record->live)
    {
      g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpint (revision, ==, record->revision);
  tall_test_assert_customer_equal (customer, record->customer);
}

void
tall_reference_check_outcome (const TallOutcome *outcome, const TallExpected *record)
{
  if (!record->live)
    {
      g_assert_error (outcome->error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
      g_assert_null (outcome->order);
      return;
    }
  g_assert_no_error (outcome->error);
  g_assert_cmpint (outcome->revision, ==, record->revision);
  tall_test_assert_order_equal (outcome->order, record->order);
}

static void
check_order (TallReference *self, const TallExpected *record)
{
  TallOutcome outcome = { 0 };
  outcome.order = tall_front_get_order (self->front, record->customer_number, record->order_number,
                                        &outcome.revision, &outcome.error);
  tall_reference_check_outcome (&outcome, record);
  tall_outcome_clear (&outcome);
}

/* Some orders in one call, some of them twice. */
void
tall_reference_check_many (TallReference *self)
{
  TallOrderId ids[20];
  TallOutcome outcomes[20] = { 0 };
  const TallExpected *records[20];
  guint n = g_rand_int_range (self->rand, 1, 21);
  for (guint i = 0; i < n; i++)
    {
      records[i] = &self->orders[g_rand_int_range (self->rand, 0, TALL_REFERENCE_CUSTOMERS)]
                                [g_rand_int_range (self->rand, 0, TALL_REFERENCE_ORDERS)];
      ids[i] = (TallOrderId){ records[i]->customer_number, records[i]->order_number };
    }
  must (tall_front_get_orders (self->front, ids, n, outcomes, &error));
  for (guint i = 0; i < n; i++)
    {
      tall_reference_check_outcome (&outcomes[i], records[i]);
      tall_outcome_clear (&outcomes[i]);
    }
}

int
tall_reference_compare_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  const TallExpected *left = *(const TallExpected *const *)a,
                     *right = *(const TallExpected *const *)b;
  const TallReference *self = data;
  g_auto (TallOrderKey) one = { 0 };
  g_auto (TallOrderKey) other = { 0 };
  tall_order_key_init (&one, self->strategy, left->customer_number, 1, left->order_number);
  tall_order_key_init (&other, self->strategy, right->customer_number, 1, right->order_number);
  return tall_slice_compare (one.order, other.order);
}

static int
compare_dates (gconstpointer a, gconstpointer b, gpointer data)
{
  const TallOrder *left = (*(const TallExpected *const *)a)->order;
  const TallOrder *right = (*(const TallExpected *const *)b)->order;
  if (left->has_sales_date != right->has_sales_date)
    return left->has_sales_date ? -1 : 1;
  if (left->has_sales_date && left->sales_date != right->sales_date)
    return left->sales_date > right->sales_date ? -1 : 1;
  return tall_reference_compare_keys (a, b, data);
}

gboolean
tall_reference_is_in_range (const TallOrder *order, const TallListOptions *options)
{
  if (!options->has_from && !options->has_to)
    return TRUE;
  return order->has_sales_date && (!options->has_from || order->sales_date >= options->from)
         && (!options->has_to || order->sales_date < options->to);
}

static GPtrArray *
expect_orders (TallReference *self,
               guint customer,
               const TallListOptions *options,
               GCompareDataFunc compare)
{
  GPtrArray *expected = g_ptr_array_new ();
  for (guint i = 0; i < TALL_REFERENCE_ORDERS; i++)
    {
      TallExpected *record = &self->orders[customer][i];
      if (record->live && tall_reference_is_in_range (record->order, options))
        g_ptr_array_add (expected, record);
    }
  g_ptr_array_sort_with_data (expected, compare, self);
  return expected;
}

void
tall_reference_check_entry (const TallOrderEntry *entry, const TallExpected *record)
{
  g_assert_cmpstr (entry->order_number, ==, record->order_number);
  g_assert_cmpint (entry->revision, ==, record->revision);
  g_assert_cmpint (entry->has_sales_date, ==, record->order->has_sales_date);
  if (entry->has_sales_date)
    g_assert_cmpint (entry->sales_date, ==, record->order->sales_date);
  g_assert_cmpstr (entry->currency, ==, record->order->currency);
  g_assert_cmpuint (entry->n_lines, ==, tall_order_count_lines (record->order));
  TallDecimal total = { 0 };
  g_assert_cmpint (entry->has_total, ==, tall_order_compute_total (record->order, &total));
  if (!entry->has_total)
    return;
  g_assert_cmpint (entry->total.unscaled, ==, total.unscaled);
  g_assert_cmpuint (entry->total.scale, ==, total.scale);
}

void
tall_reference_choose_range (TallReference *self, TallListOptions *options)
{
  options->limit = g_rand_int_range (self->rand, 1, TALL_REFERENCE_ORDERS + 3);
  options->has_from = g_rand_int_range (self->rand, 0, 3) == 0;
  options->has_to = g_rand_int_range (self->rand, 0, 3) == 0;
  options->from = g_rand_int_range (self->rand, -4, 5) * DAY;
  options->to = options->has_from ? options->from + g_rand_int_range (self->rand, 1, 9) * DAY
                                  : g_rand_int_range (self->rand, -4, 5) * DAY;
}

void
tall_reference_check_list (TallReference *self, guint customer)
{
  TallListOptions options = { 0 };
  g_autofree char *page = NULL;
  guint n = 0;
  tall_reference_choose_range (self, &options);
  g_autoptr (GPtrArray) expected = expect_orders (self, customer, &options, compare_dates);
  do
    {
      options.page = page;
      g_autoptr (TallOrderList) list =
          must (tall_front_list_orders (self->front, self->customers[customer].customer_number,
                                        &options, &error));
      g_assert_true (list->n_entries == options.limit
                     || (list->n_entries < options.limit && list->next_page == NULL));
      g_assert_cmpuint (n + list->n_entries, <=, expected->len);
      for (guint i = 0; i < list->n_entries; i++)
        tall_reference_check_entry (&list->entries[i], g_ptr_array_index (expected, n++));
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  g_assert_cmpuint (n, ==, expected->len);
}

void
tall_reference_check_customer_orders (TallReference *self, guint customer)
{
  const TallExpected *record = &self->customers[customer];
  TallListOptions options = { .limit =
                                  g_rand_int_range (self->rand, 1, TALL_REFERENCE_ORDERS + 3) };
  g_autoptr (GPtrArray) expected =
      expect_orders (self, customer, &options, tall_reference_compare_keys);
  g_autofree char *page = NULL;
  guint n = 0;
  do
    {
      g_autoptr (GError) error = NULL;
      options.page = page;
      g_autoptr (TallCustomerOrders) got =
          tall_front_get_customer_orders (self->front, record->customer_number, &options, &error);
      if (!record->live && expected->len == 0)
        {
          g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
          return;
        }
      g_assert_no_error (error);
      g_assert_cmpint (got->revision, ==, record->live ? record->revision : 0);
      g_assert_cmpint (got->customer != NULL, ==, record->live);
      if (record->live)
        tall_test_assert_customer_equal (got->customer, record->customer);
      g_assert_cmpuint (n + got->n_orders, <=, expected->len);
      for (guint i = 0; i < got->n_orders; i++)
        tall_reference_check_outcome (&got->orders[i], g_ptr_array_index (expected, n++));
      g_free (page);
      page = g_strdup (got->next_page);
    }
  while (page != NULL);
  g_assert_cmpuint (n, ==, expected->len);
}

static void
check_list_entry (TallReference *self, const TallCustomerEntry *entry, gboolean *seen)
{
  for (guint i = 0; i < TALL_REFERENCE_CUSTOMERS; i++)
    if (g_str_equal (entry->number, self->customers[i].customer_number))
      {
        const TallExpected *record = &self->customers[i];
        g_assert_false (seen[i]);
        seen[i] = TRUE;
        g_assert_cmpint (entry->revision, ==, record->live ? record->revision : 0);
        g_assert_cmpstr (entry->name, ==, record->live ? record->customer->name : NULL);
        return;
      }
  g_error ("customer “%s” is listed, but was never stored", entry->number);
}

void
tall_reference_check_customers (TallReference *self)
{
  gboolean seen[TALL_REFERENCE_CUSTOMERS] = { 0 };
  TallListOptions options = { .limit =
                                  g_rand_int_range (self->rand, 1, TALL_REFERENCE_CUSTOMERS + 2) };
  g_autofree char *page = NULL;
  do
    {
      options.page = page;
      g_autoptr (TallCustomerList) list =
          must (tall_front_list_customers (self->front, &options, &error));
      for (guint i = 0; i < list->n_entries; i++)
        check_list_entry (self, &list->entries[i], seen);
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  for (guint i = 0; i < TALL_REFERENCE_CUSTOMERS; i++)
    g_assert_cmpint (seen[i], ==, self->customers[i].live || tall_reference_has_orders (self, i));
}

void
tall_reference_check_everything (TallReference *self)
{
  tall_reference_check_customers (self);
  for (guint i = 0; i < TALL_REFERENCE_CUSTOMERS; i++)
    {
      check_customer (self, &self->customers[i]);
      tall_reference_check_customer_orders (self, i);
      tall_reference_check_list (self, i);
      for (guint j = 0; j < TALL_REFERENCE_ORDERS; j++)
        check_order (self, &self->orders[i][j]);
    }
}
