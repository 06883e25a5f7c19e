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

/**
 * tall_order_add_adjustment:
 * @kind: it is copied
 * @unscaled: of the amount, with @scale
 *
 * Returns: (transfer none): an adjustment of the whole order, now the last one
 */
TallAdjustment *
tall_order_add_adjustment (TallOrder *self, const char *kind, gint64 unscaled, guint scale)
{
  TallArena *arena = tall_order_get_arena (self);
  TallAdjustment *adjustment = tall_model_new (&tall_model_adjustment, arena);
  adjustment->kind = tall_arena_strdup (arena, kind);
  adjustment->amount = tall_decimal_new (arena, unscaled, scale);
  tall_arena_append (arena, &self->adjustments, &self->n_adjustments, adjustment);
  return adjustment;
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

#define TOTAL_MIN_SCALE 2

__extension__ typedef __int128 Wide;

/* An exact value on the way to a total: unscaled × 10^-scale. */
typedef struct
{
  Wide unscaled;
  guint scale;
} Exact;

static gint64
pow10_of (guint exponent)
{
  gint64 power = 1;
  while (exponent-- > 0)
    power *= 10;
  return power;
}

/* Drops trailing zeros after the point: they would only cost room. */
static TallDecimal
trim (TallDecimal decimal)
{
  while (decimal.scale > 0 && decimal.unscaled % 10 == 0)
    {
      decimal.unscaled /= 10;
      decimal.scale--;
    }
  return decimal;
}

static gboolean
multiply_line (const TallLineItem *line, Exact *product)
{
  TallDecimal quantity = trim (*line->quantity);
  TallDecimal price = trim (*line->price);
  product->unscaled = (Wide)quantity.unscaled * price.unscaled;
  product->scale = quantity.scale + price.scale;
  if (line->discount == NULL || line->discount->unscaled == 0)
    return TRUE;

  TallDecimal kept = *line->discount;
  if (__builtin_sub_overflow (pow10_of (kept.scale), kept.unscaled, &kept.unscaled))
    return FALSE;
  kept = trim (kept);
  product->scale += kept.scale;
  return !__builtin_mul_overflow (product->unscaled, (Wide)kept.unscaled, &product->unscaled);
}

static gboolean
raise_scale (Exact *value, guint scale)
{
  if (value->unscaled == 0)
    value->scale = MAX (value->scale, scale);
  for (; value->scale < scale; value->scale++)
    if (__builtin_mul_overflow (value->unscaled, (Wide)10, &value->unscaled))
      return FALSE;
  return TRUE;
}

static gboolean
add_exact (Exact *sum, Exact value)
{
  return raise_scale (sum, value.scale) && raise_scale (&value, sum->scale)
         && !__builtin_add_overflow (sum->unscaled, value.unscaled, &sum->unscaled);
}

static gboolean
finish_total (Exact sum, TallDecimal *total)
{
  if (!raise_scale (&sum, TOTAL_MIN_SCALE))
    return FALSE;
  while (sum.scale > TOTAL_MIN_SCALE && sum.unscaled % 10 == 0)
    {
      sum.unscaled /= 10;
      sum.scale--;
    }
  if (sum.scale > TALL_DECIMAL_MAX_SCALE || sum.unscaled < G_MININT64 || sum.unscaled > G_MAXINT64)
    return FALSE;

  total->unscaled = (gint64)sum.unscaled;
  total->scale = sum.scale;
  return TRUE;
}

/* A line without quantity or price adds nothing; one without discount is not discounted. */
static gboolean
add_lines (const TallOrder *self, Exact *sum)
{
  for (guint i = 0; i < self->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = self->shipping_locations[i];
      for (guint k = 0; k < location->n_line_items; k++)
        {
          const TallLineItem *line = location->line_items[k];
          Exact product;
          if (line->quantity == NULL || line->price == NULL)
            continue;
          if (!multiply_line (line, &product) || !add_exact (sum, product))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
add_adjustments (const TallOrder *self, Exact *sum)
{
  for (guint i = 0; i < self->n_adjustments; i++)
    {
      const TallDecimal *amount = self->adjustments[i]->amount;
      if (!add_exact (sum, (Exact){ amount->unscaled, amount->scale }))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_order_compute_subtotal:
 * @self: a normalized order, or one whose digest may be forged
 * @subtotal: (out): the sum of quantity × price × (1 − discount) over all lines, exactly
 *
 * The scale of the result is the smallest one of at least 2 that holds it exactly: 440.00, 0.125.
 *
 * Returns: FALSE if the exact sum does not fit in a #TallDecimal of that scale, or a product or sum
 *   on the way to it does not fit in 128 bits
 */
gboolean
tall_order_compute_subtotal (const TallOrder *self, TallDecimal *subtotal)
{
  Exact sum = { 0, 0 };
  return add_lines (self, &sum) && finish_total (sum, subtotal);
}

/**
 * tall_order_compute_total:
 * @total: (out): the sum of all lines and of all adjustments
 *
 * Returns: FALSE as tall_order_compute_subtotal()
 */
gboolean
tall_order_compute_total (const TallOrder *self, TallDecimal *total)
{
  Exact sum = { 0, 0 };
  return add_lines (self, &sum) && add_adjustments (self, &sum) && finish_total (sum, total);
}
