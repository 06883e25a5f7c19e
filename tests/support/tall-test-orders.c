/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-orders.h"
#include "tall-json.h"
#include "tall-must.h"

static void
normalize_order (TallOrder *order)
{
  must (tall_order_normalize (order, &error));
}

static TallAddress *
plain_address (TallArena *arena)
{
  TallAddress *address = tall_address_new (arena);
  address->line1 = tall_arena_strdup (arena, "59 rue de l’Abbaye");
  address->city = tall_arena_strdup (arena, "Reims");
  address->zip = tall_arena_strdup (arena, "51100");
  address->country = tall_arena_strdup (arena, "France");
  return address;
}

/**
 * tall_test_empty_order:
 *
 * Returns: (transfer full): an order that has only its numbers and @n_locations locations, which
 *   have only their numbers, from 1
 */
TallOrder *
tall_test_empty_order (const char *customer_number, const char *order_number, guint n_locations)
{
  TallOrder *order = tall_order_new (customer_number, order_number);
  for (guint i = 0; i < n_locations; i++)
    tall_order_add_location (order, (gint32)i + 1);
  return order;
}

/**
 * tall_test_add_lines:
 * @location: position of a location that has no lines yet
 *
 * Gives it @n_lines lines of nothing but their numbers, counted from @first_number.
 */
void
tall_test_add_lines (TallOrder *order, guint location, gint32 first_number, guint n_lines)
{
  for (guint i = 0; i < n_lines; i++)
    tall_location_add_line (order->shipping_locations[location], tall_order_get_arena (order),
                            first_number + (gint32)i);
}

/**
 * tall_test_order_with_lines:
 *
 * Returns: (transfer full): a normalized order as shops have them, with one location: about 160
 *   bytes and 45 a line in canonical form
 */
TallOrder *
tall_test_order_with_lines (const char *customer_number, const char *order_number, guint n_lines)
{
  TallOrder *order = tall_test_empty_order (customer_number, order_number, 1);
  TallArena *arena = tall_order_get_arena (order);
  order->has_sales_date = TRUE;
  order->sales_date = G_GINT64_CONSTANT (836438400000);
  order->currency = tall_arena_strdup (arena, "USD");

  TallShippingLocation *location = order->shipping_locations[0];
  location->name = tall_arena_strdup (arena, "Vins et alcools Chevalier");
  location->address = plain_address (arena);
  location->has_ship_date = TRUE;
  location->ship_date = G_GINT64_CONSTANT (837475200000);

  tall_test_add_lines (order, 0, 1, n_lines);
  for (guint i = 0; i < n_lines; i++)
    {
      TallLineItem *line = location->line_items[i];
      line->item_number = tall_arena_printf (arena, "%u", 11 + i % 77);
      line->description = tall_arena_printf (arena, "Queso Cabrales %u", i);
      line->quantity = tall_decimal_new (arena, 1 + i % 40, 0);
      line->price = tall_decimal_new (arena, 980 + i * 7 % 5000, 2);
      line->discount =
          i % 3 == 0 ? tall_decimal_new (arena, 15, 2) : tall_decimal_new (arena, 0, 0);
    }
  normalize_order (order);
  return order;
}

/**
 * tall_test_plain_customer:
 *
 * Returns: (transfer full): a normalized customer with every field, as shops have them
 */
TallCustomer *
tall_test_plain_customer (const char *number)
{
  TallCustomer *customer = tall_customer_new (number);
  TallArena *arena = tall_customer_get_arena (customer);
  customer->name = tall_arena_strdup (arena, "Vins et alcools Chevalier");
  customer->address = plain_address (arena);
  tall_customer_add_phone (customer, "26.47.15.10");
  tall_customer_add_phone (customer, "26.47.15.11");
  customer->email = tall_arena_strdup (arena, "paul.henriot@example.com");
  tall_customer_add_attribute (customer, "contact", "Paul Henriot");

  must (tall_customer_normalize (customer, &error));
  return customer;
}

void
tall_test_assert_order_equal (const TallOrder *a, const TallOrder *b)
{
  if (tall_order_equal (a, b))
    return;

  g_autofree char *left = tall_order_to_json (a, TRUE);
  g_autofree char *right = tall_order_to_json (b, TRUE);
  g_assert_cmpstr (left, ==, right);
  g_error ("the orders differ, but not in their JSON: %s", left);
}

void
tall_test_assert_customer_equal (const TallCustomer *a, const TallCustomer *b)
{
  if (tall_customer_equal (a, b))
    return;

  g_autofree char *left = tall_customer_to_json (a, TRUE);
  g_autofree char *right = tall_customer_to_json (b, TRUE);
  g_assert_cmpstr (left, ==, right);
  g_error ("the customers differ, but not in their JSON: %s", left);
}
