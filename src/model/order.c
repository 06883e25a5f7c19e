/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-order.h"
#include "model/model-type.h"
#include "model/order.h"

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
      n += tall_model_measure_texts (&tall_model_location, location) * location->n_line_items;
    }
  return n;
}

/**
 * tall_order_equal:
 *
 * Both must be normalized. Absent and empty are different, and so are 1.5 and 1.50.
 */
gboolean
tall_order_equal (const TallOrder *a, const TallOrder *b)
{
  return tall_model_equal (&tall_model_order, a, b);
}
