/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/order-lines.h"

void
tall_order_lines_add_location (TallOrderLines *self, TallShippingLocation *location)
{
  TallOrder *order = self->order;
  tall_arena_append (tall_order_get_arena (order), &order->shipping_locations,
                     &order->n_shipping_locations, location);
}

/**
 * tall_order_lines_add:
 *
 * Adds the line to its location.
 *
 * Returns: FALSE if the order has no such location
 */
gboolean
tall_order_lines_add (TallOrderLines *self, TallLineItem *line, guint32 location_number)
{
  TallOrder *order = self->order;
  while (self->at < order->n_shipping_locations
         && (guint32)order->shipping_locations[self->at]->number < location_number)
    self->at++;
  if (self->at == order->n_shipping_locations
      || (guint32)order->shipping_locations[self->at]->number != location_number)
    return FALSE;

  TallShippingLocation *location = order->shipping_locations[self->at];
  tall_arena_append (tall_order_get_arena (order), &location->line_items, &location->n_line_items,
                     line);
  return TRUE;
}
