/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-orders.h"

#include "tall-error.h"

static void
customer_free (TallBenchCustomer *self)
{
  g_ptr_array_unref (self->by_date);
  g_hash_table_unref (self->by_number);
  g_free (self);
}

/* The newest first, those without a date last. */
static int
compare_dates (gconstpointer a, gconstpointer b)
{
  const TallOrder *x = *(const TallOrder *const *)a;
  const TallOrder *y = *(const TallOrder *const *)b;
  if (x->has_sales_date != y->has_sales_date)
    return x->has_sales_date ? -1 : 1;
  if (!x->has_sales_date)
    return 0;
  return (x->sales_date < y->sales_date) - (x->sales_date > y->sales_date);
}

/* The customer of an order, made if it is its first. */
static TallBenchCustomer *
find_customer (TallBenchOrders *self, GHashTable *customers, const TallOrder *order)
{
  TallBenchCustomer *customer = g_hash_table_lookup (customers, order->customer_number);
  if (customer != NULL)
    return customer;
  customer = g_new (TallBenchCustomer, 1);
  customer->number = order->customer_number;
  customer->by_date = g_ptr_array_new ();
  customer->by_number = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (customers, order->customer_number, customer);
  g_ptr_array_add (self->customers, customer);
  return customer;
}

/**
 * tall_bench_orders_new:
 * @orders: (transfer full) (element-type TallOrder): at least one, each another
 */
TallBenchOrders *
tall_bench_orders_new (GPtrArray *orders)
{
  TallBenchOrders *self = g_new (TallBenchOrders, 1);
  g_autoptr (GHashTable) customers = g_hash_table_new (g_str_hash, g_str_equal);
  self->orders = orders;
  self->customers = g_ptr_array_new_with_free_func ((GDestroyNotify)customer_free);
  for (guint i = 0; i < orders->len; i++)
    {
      TallOrder *order = g_ptr_array_index (orders, i);
      TallBenchCustomer *customer = find_customer (self, customers, order);
      g_ptr_array_add (customer->by_date, order);
      g_hash_table_insert (customer->by_number, order->order_number, order);
    }
  for (guint i = 0; i < self->customers->len; i++)
    {
      const TallBenchCustomer *customer = g_ptr_array_index (self->customers, i);
      g_ptr_array_sort (customer->by_date, compare_dates);
    }
  return self;
}

void
tall_bench_orders_free (TallBenchOrders *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->customers);
  g_ptr_array_unref (self->orders);
  g_free (self);
}

static TallLineItem *
find_line (const TallOrder *order)
{
  for (guint i = 0; i < order->n_shipping_locations; i++)
    if (order->shipping_locations[i].n_line_items > 0)
      return &order->shipping_locations[i].line_items[0];
  return NULL;
}

/**
 * tall_bench_change_order:
 *
 * Makes another content of the same size, or nearly so, to replace what is stored: the quantity of
 * the first line changes, or, without lines, the currency. The dates stay.
 */
void
tall_bench_change_order (TallOrder *order)
{
  static char first[] = "EUR", second[] = "USD";
  TallLineItem *line = find_line (order);
  if (line == NULL)
    {
      order->currency = g_strcmp0 (order->currency, first) == 0 ? second : first;
      return;
    }
  line->has_quantity = TRUE;
  line->quantity.unscaled ^= 1;
}

static gboolean
check_entry (const TallBenchCustomer *customer, const TallOrderEntry *entry, guint place)
{
  const TallOrder *order = g_hash_table_lookup (customer->by_number, entry->order_number);
  const TallOrder *placed = g_ptr_array_index (customer->by_date, place);
  TallDecimal total;
  if (order == NULL || order->has_sales_date != entry->has_sales_date
      || compare_dates (&order, &placed) != 0)
    return FALSE;
  return (!order->has_sales_date || order->sales_date == entry->sales_date)
         && entry->n_lines == tall_order_count_lines (order)
         && g_strcmp0 (entry->currency, order->currency) == 0
         && entry->has_total == tall_order_compute_total (order, &total)
         && (!entry->has_total || tall_decimal_identical (entry->total, total));
}

/**
 * tall_bench_check_list:
 * @list: the first page, of @limit entries at most
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if it differs from the stored orders
 */
gboolean
tall_bench_check_list (const TallBenchCustomer *customer,
                       const TallOrderList *list,
                       guint limit,
                       GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  guint wanted = MIN (limit, customer->by_date->len);
  for (guint i = 0; i < MIN (list->n_entries, wanted); i++)
    if (!check_entry (customer, &list->entries[i], i)
        || !g_hash_table_add (seen, list->entries[i].order_number))
      {
        g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
                     "Entry %u of the orders of %s by date, order %s, is not what was stored: a "
                     "defect of this version",
                     i + 1, customer->number, list->entries[i].order_number);
        return FALSE;
      }
  if (list->n_entries == wanted)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The orders of %s by date have %u entries on their first page, but %u were stored: "
               "a defect of this version",
               customer->number, list->n_entries, customer->by_date->len);
  return FALSE;
}
