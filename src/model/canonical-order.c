/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical-private.h"
#include "tall-limits.h"
#include "model/order.h"

/**
 * tall_order_from_proved:
 * @canonical: the canonical form of a normalized order, as its digest has shown; it is copied
 *
 * As tall_order_from_canonical(), but what the fields hold is not checked once more: that takes a
 * third of reading them.
 *
 * Returns: (transfer full) (nullable): the order; NULL with %TALL_ERROR_DAMAGED
 */
TallOrder *
tall_order_from_proved (TallSlice canonical, GError **error)
{
  gsize size = MIN (canonical.len, TALL_MAX_CANONICAL_BYTES);
  g_autoptr (TallOrder) order = tall_order_new_in (tall_arena_new (1024 + 4 * size));
  if (canonical.len <= size
      && tall_pb_read_message (&tall_model_order, canonical, order->arena, order))
    return g_steal_pointer (&order);
  tall_canonical_fail (error, "order", "not in canonical form");
  return NULL;
}

/**
 * tall_order_from_canonical:
 * @canonical: bytes from anywhere; they are copied
 *
 * Returns: (transfer full) (nullable): the order, normalized; NULL with %TALL_ERROR_DAMAGED if
 *   @canonical is not exactly what tall_order_to_canonical() writes. Fields that a newer schema
 *   added are skipped.
 */
TallOrder *
tall_order_from_canonical (TallSlice canonical, GError **error)
{
  g_autoptr (TallOrder) order = tall_order_from_proved (canonical, error);
  if (order == NULL)
    return NULL;

  GError *invalid = NULL;
  gboolean valid = tall_order_normalize (order, &invalid);
  if (!tall_canonical_finish (valid, invalid, "order", error))
    return NULL;
  return g_steal_pointer (&order);
}

/**
 * tall_location_from_canonical:
 * @canonical: the message `ShippingLocation` from anywhere; it is copied into @arena
 * @location: (out): zeroed
 *
 * Reads what tall_location_to_canonical() writes. What its fields hold is checked by
 * tall_order_normalize(), of the order that they go into.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_location_from_canonical (TallSlice canonical,
                              TallArena *arena,
                              TallShippingLocation *location,
                              GError **error)
{
  if (!tall_pb_read_message (&tall_model_location, canonical, arena, location))
    return tall_canonical_fail (error, "location", "not in canonical form");
  return location->n_line_items == 0 || tall_canonical_fail (error, "location", "has lines in it");
}

/**
 * tall_line_from_canonical:
 *
 * The same for the message `LineItem`.
 */
gboolean
tall_line_from_canonical (TallSlice canonical, TallArena *arena, TallLineItem *line, GError **error)
{
  return tall_pb_read_message (&tall_model_line, canonical, arena, line)
         || tall_canonical_fail (error, "line", "not in canonical form");
}
