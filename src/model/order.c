/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-order.h"
#include "model/canonical.h"

/**
 * tall_order_new:
 *
 * Returns: (transfer full): an order without locations; the numbers are copied and not yet checked
 */
TallOrder *
tall_order_new (const char *customer_number, const char *order_number)
{
  TallArena *arena = tall_arena_new (2048);
  TallOrder *self = tall_model_new_owner (&tall_model_order, arena);
  self->customer_number = tall_arena_strdup (arena, customer_number);
  self->order_number = tall_arena_strdup (arena, order_number);
  return self;
}

void
tall_order_free (TallOrder *self)
{
  if (self != NULL)
    tall_arena_free (tall_order_get_arena (self));
}

/**
 * tall_order_get_arena:
 * @self: an order that a function has returned, not a struct of the caller's own
 *
 * Returns: (transfer none): where all that belongs to the order lies
 */
TallArena *
tall_order_get_arena (const TallOrder *self)
{
  return tall_model_get_owner (self);
}

/**
 * tall_order_add_location:
 *
 * Returns: (transfer none): a location without lines, now the last one of the order
 */
TallShippingLocation *
tall_order_add_location (TallOrder *self, gint32 number)
{
  TallArena *arena = tall_order_get_arena (self);
  TallShippingLocation *location = tall_model_new (&tall_model_location, arena);
  location->number = number;
  tall_arena_append (arena, &self->shipping_locations, &self->n_shipping_locations, location);
  return location;
}

/**
 * tall_location_add_line:
 * @arena: of the order
 *
 * Returns: (transfer none): a line that has only its number, now the last one of the location
 */
TallLineItem *
tall_location_add_line (TallShippingLocation *self, TallArena *arena, gint32 number)
{
  TallLineItem *line = tall_model_new (&tall_model_line, arena);
  line->number = number;
  tall_arena_append (arena, &self->line_items, &self->n_line_items, line);
  return line;
}

/* The texts are copied. */
void
tall_order_add_attribute (TallOrder *self, const char *key, const char *value)
{
  TallArena *arena = tall_order_get_arena (self);
  tall_arena_append (arena, &self->attributes, &self->n_attributes,
                     tall_attribute_new (arena, key, value));
}

guint
tall_order_count_lines (const TallOrder *self)
{
  guint n = 0;
  for (guint i = 0; i < self->n_shipping_locations; i++)
    n += self->shipping_locations[i]->n_line_items;
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
      const TallShippingLocation *location = self->shipping_locations[i];
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
  return tall_model_equal ((const ProtobufCMessage *)a, (const ProtobufCMessage *)b);
}
