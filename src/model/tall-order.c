/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-order.h"
#include "tall-order-private.h"

/**
 * tall_order_new:
 *
 * Returns: (transfer full): an order without locations; the numbers are copied and not yet checked
 */
TallOrder *
tall_order_new (const char *customer_number, const char *order_number)
{
  TallOrder *self = tall_order_new_in (tall_arena_new (2048));
  self->customer_number = tall_arena_strdup (self->arena, customer_number);
  self->order_number = tall_arena_strdup (self->arena, order_number);
  return self;
}

/**
 * tall_order_new_in:
 * @arena: (transfer full): for everything below the order
 *
 * Returns: (transfer full): an order without anything, numbers included
 */
TallOrder *
tall_order_new_in (TallArena *arena)
{
  TallOrder *self = tall_arena_new0 (arena, TallOrder);
  self->arena = arena;
  return self;
}

void
tall_order_free (TallOrder *self)
{
  if (self != NULL)
    tall_arena_free (self->arena);
}

guint
tall_order_count_lines (const TallOrder *self)
{
  guint n = 0;
  for (guint i = 0; i < self->n_shipping_locations; i++)
    n += self->shipping_locations[i].n_line_items;
  return n;
}

static gsize
measure_text (const char *text)
{
  return text != NULL ? strlen (text) : 0;
}

/**
 * tall_order_count_repeated:
 *
 * Returns: bytes of the names and addresses of all locations, each as often as its location has
 *   lines
 */
gsize
tall_order_count_repeated (const TallOrder *self)
{
  gsize n = 0;
  for (guint i = 0; i < self->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = &self->shipping_locations[i];
      const TallAddress *address = location->address;
      gsize size = measure_text (location->name);
      if (address != NULL)
        size += measure_text (address->line1) + measure_text (address->line2)
                + measure_text (address->city) + measure_text (address->state)
                + measure_text (address->zip) + measure_text (address->country);
      n += size * location->n_line_items;
    }
  return n;
}

static gboolean
decimal_equal (gboolean has_a, TallDecimal a, gboolean has_b, TallDecimal b)
{
  return has_a == has_b && (!has_a || tall_decimal_identical (a, b));
}

static gboolean
line_equal (const TallLineItem *a, const TallLineItem *b)
{
  return a->number == b->number && g_strcmp0 (a->item_number, b->item_number) == 0
         && g_strcmp0 (a->description, b->description) == 0
         && decimal_equal (a->has_quantity, a->quantity, b->has_quantity, b->quantity)
         && decimal_equal (a->has_price, a->price, b->has_price, b->price)
         && decimal_equal (a->has_discount, a->discount, b->has_discount, b->discount);
}

static gboolean
location_equal (const TallShippingLocation *a, const TallShippingLocation *b)
{
  if (a->number != b->number || g_strcmp0 (a->name, b->name) != 0
      || !tall_address_equal (a->address, b->address) || a->has_ship_date != b->has_ship_date
      || (a->has_ship_date && a->ship_date != b->ship_date) || a->n_line_items != b->n_line_items)
    return FALSE;

  for (guint i = 0; i < a->n_line_items; i++)
    if (!line_equal (&a->line_items[i], &b->line_items[i]))
      return FALSE;
  return TRUE;
}

/**
 * tall_order_equal:
 *
 * Both must be normalized. Absent and empty are different, and so are 1.5 and 1.50.
 */
gboolean
tall_order_equal (const TallOrder *a, const TallOrder *b)
{
  if (strcmp (a->customer_number, b->customer_number) != 0
      || strcmp (a->order_number, b->order_number) != 0 || a->has_sales_date != b->has_sales_date
      || (a->has_sales_date && a->sales_date != b->sales_date)
      || g_strcmp0 (a->currency, b->currency) != 0
      || a->n_shipping_locations != b->n_shipping_locations
      || !tall_attributes_equal (&a->attributes, &b->attributes))
    return FALSE;

  for (guint i = 0; i < a->n_shipping_locations; i++)
    if (!location_equal (&a->shipping_locations[i], &b->shipping_locations[i]))
      return FALSE;
  return TRUE;
}
