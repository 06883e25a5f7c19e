/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/order-lines.h"

/**
 * tall_order_lines_allocate:
 *
 * Makes room in the order, which has none yet, for so many locations and lines.
 */
void
tall_order_lines_allocate (TallOrderLines *self, guint n_locations, guint n_lines)
{
  TallArena *arena = self->order->arena;
  self->order->shipping_locations = tall_arena_newa0 (arena, TallShippingLocation, n_locations);
  self->items = tall_arena_newa0 (arena, TallLineItem, n_lines);
}

/**
 * tall_order_lines_add:
 *
 * Adds the line at @n_items, which the caller has filled, to its location.
 *
 * Returns: FALSE if the order has no such location
 */
gboolean
tall_order_lines_add (TallOrderLines *self, guint32 location_number)
{
  TallOrder *order = self->order;
  while (self->at < order->n_shipping_locations
         && (guint32)order->shipping_locations[self->at].number < location_number)
    self->at++;
  if (self->at == order->n_shipping_locations
      || (guint32)order->shipping_locations[self->at].number != location_number)
    return FALSE;

  TallShippingLocation *location = &order->shipping_locations[self->at];
  if (location->n_line_items == 0)
    location->line_items = &self->items[self->n_items];
  location->n_line_items++;
  self->n_items++;
  return TRUE;
}
