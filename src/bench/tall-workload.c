/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-workload.h"

#define DAY G_GINT64_CONSTANT (86400000)
#define FIRST_DAY (G_GINT64_CONSTANT (19723) * DAY) /* 2024-01-01 */
#define N_DAYS 366

static TallAddress *
make_address (TallArena *arena, guint64 index)
{
  TallAddress *address = tall_arena_new0 (arena, TallAddress);
  address->line1 = tall_arena_printf (arena, "%" G_GUINT64_FORMAT " Station Road", 1 + index % 300);
  address->city = tall_arena_strdup (arena, "Springfield");
  address->zip = tall_arena_printf (arena, "%05" G_GUINT64_FORMAT, index % 100000);
  address->country = tall_arena_strdup (arena, "USA");
  return address;
}

static void
fill_line (TallArena *arena, guint64 index, guint i, TallLineItem *line)
{
  guint64 article = (index * 31 + i * 7) % 5000;
  line->number = (gint32)i + 1;
  line->item_number = tall_arena_printf (arena, "A%05" G_GUINT64_FORMAT, article);
  line->description = tall_arena_printf (arena, "Article number %" G_GUINT64_FORMAT, article);
  line->has_quantity = line->has_price = line->has_discount = TRUE;
  line->quantity = (TallDecimal){ 1 + (gint64)(article % 12), 0 };
  line->price = (TallDecimal){ 199 + (gint64)(article * 13 % 20000), 2 };
  line->discount = (TallDecimal){ i % 4 == 0 ? 5 : 0, 2 };
}

/**
 * tall_workload_make_order:
 *
 * Returns: (transfer full): the order of that index
 */
TallOrder *
tall_workload_make_order (const TallWorkload *self, guint64 index)
{
  g_autofree char *customer_number =
      g_strdup_printf ("C%08" G_GUINT64_FORMAT, index / TALL_WORKLOAD_ORDERS_A_CUSTOMER);
  g_autofree char *order_number = g_strdup_printf ("%s%010" G_GUINT64_FORMAT, self->prefix, index);
  TallOrder *order = tall_order_new (customer_number, order_number);
  TallArena *arena = order->arena;

  order->has_sales_date = TRUE;
  order->sales_date = FIRST_DAY + (gint64)(index % N_DAYS) * DAY;
  order->currency = tall_arena_strdup (arena, "USD");
  order->n_shipping_locations = 1;
  order->shipping_locations = tall_arena_new0 (arena, TallShippingLocation);

  TallShippingLocation *location = order->shipping_locations;
  location->number = 1;
  location->name = tall_arena_printf (arena, "Customer %s", customer_number);
  location->address = make_address (arena, index);
  location->has_ship_date = TRUE;
  location->ship_date = order->sales_date + 3 * DAY;
  location->n_line_items = self->n_lines;
  location->line_items = tall_arena_newa0 (arena, TallLineItem, self->n_lines);
  for (guint i = 0; i < self->n_lines; i++)
    fill_line (arena, index, i, &location->line_items[i]);
  return order;
}

/**
 * tall_workload_make_orders:
 *
 * Returns: (transfer full) (element-type TallOrder): @n orders from @first on
 */
GPtrArray *
tall_workload_make_orders (const TallWorkload *self, guint64 first, guint n)
{
  GPtrArray *orders = g_ptr_array_new_full (n, (GDestroyNotify)tall_order_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (orders, tall_workload_make_order (self, first + i));
  return orders;
}
