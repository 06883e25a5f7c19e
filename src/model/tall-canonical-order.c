/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-canonical-private.h"
#include "tall-limits.h"
#include "tall-order-private.h"

static gboolean
read_line (TallSlice message, TallArena *arena, TallLineItem *line)
{
  TallPbReader in = tall_pb_reader (message);
  guint64 number = 0;
  while (tall_pb_reader_next (&in, 0, 6))
    switch (in.field)
      {
      case 1:
        number = tall_pb_reader_number (&in);
        break;
      case 2:
        line->item_number = tall_pb_reader_text (&in, arena);
        break;
      case 3:
        line->description = tall_pb_reader_text (&in, arena);
        break;
      case 4:
        line->has_quantity = tall_pb_read_decimal (&in, &line->quantity);
        break;
      case 5:
        line->has_price = tall_pb_read_decimal (&in, &line->price);
        break;
      case 6:
        line->has_discount = tall_pb_read_decimal (&in, &line->discount);
        break;
      default:
        tall_pb_reader_skip (&in);
      }
  line->number = (gint32)MIN (number, G_MAXINT32);
  return !in.failed && number >= 1 && number <= G_MAXINT32;
}

/* Appends the present field to the location's lines, which are allocated at the first. */
static void
read_next_line (TallPbReader *outer, TallArena *arena, TallShippingLocation *location)
{
  if (location->line_items == NULL)
    {
      TallPbReader rest = *outer;
      tall_pb_reader_bytes (&rest);
      guint n = 1 + tall_pb_reader_count (rest, rest.field);
      location->line_items = tall_arena_newa0 (arena, TallLineItem, n);
    }

  TallLineItem *line = &location->line_items[location->n_line_items++];
  if (!read_line (tall_pb_reader_bytes (outer), arena, line)
      || (location->n_line_items > 1 && line[-1].number >= line->number))
    tall_pb_reader_fail (outer);
}

static gboolean
read_location (TallSlice message, TallArena *arena, TallShippingLocation *location)
{
  TallPbReader in = tall_pb_reader (message);
  guint64 number = 0;
  while (tall_pb_reader_next (&in, TALL_PB_LIST (5), 5))
    switch (in.field)
      {
      case 1:
        number = tall_pb_reader_number (&in);
        break;
      case 2:
        location->name = tall_pb_reader_text (&in, arena);
        break;
      case 3:
        location->address = tall_pb_read_address (&in, arena);
        break;
      case 4:
        location->ship_date = tall_pb_reader_signed (&in);
        location->has_ship_date = TRUE;
        break;
      case 5:
        read_next_line (&in, arena, location);
        break;
      default:
        tall_pb_reader_skip (&in);
      }
  location->number = (gint32)MIN (number, G_MAXINT32);
  return !in.failed && number >= 1 && number <= G_MAXINT32;
}

/* Appends the present field to the order's locations, which are allocated at the first. */
static void
read_next_location (TallPbReader *outer, TallOrder *order)
{
  if (order->shipping_locations == NULL)
    {
      TallPbReader rest = *outer;
      tall_pb_reader_bytes (&rest);
      guint n = 1 + tall_pb_reader_count (rest, rest.field);
      order->shipping_locations = tall_arena_newa0 (order->arena, TallShippingLocation, n);
    }

  TallShippingLocation *location = &order->shipping_locations[order->n_shipping_locations++];
  if (!read_location (tall_pb_reader_bytes (outer), order->arena, location)
      || (order->n_shipping_locations > 1 && location[-1].number >= location->number))
    tall_pb_reader_fail (outer);
}

static gboolean
read_order (TallSlice canonical, TallOrder *order)
{
  TallPbReader in = tall_pb_reader (canonical);
  while (tall_pb_reader_next (&in, TALL_PB_LIST (5) | TALL_PB_LIST (6), 6))
    switch (in.field)
      {
      case 1:
        order->customer_number = tall_pb_reader_text (&in, order->arena);
        break;
      case 2:
        order->order_number = tall_pb_reader_text (&in, order->arena);
        break;
      case 3:
        order->sales_date = tall_pb_reader_signed (&in);
        order->has_sales_date = TRUE;
        break;
      case 4:
        order->currency = tall_pb_reader_text (&in, order->arena);
        break;
      case 5:
        read_next_location (&in, order);
        break;
      case 6:
        tall_pb_read_attribute (&in, order->arena, &order->attributes);
        break;
      default:
        tall_pb_reader_skip (&in);
      }
  return !in.failed && order->customer_number != NULL && order->order_number != NULL;
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
  gsize size = MIN (canonical.len, TALL_MAX_CANONICAL_BYTES);
  g_autoptr (TallOrder) order = tall_order_new_in (tall_arena_new (1024 + 4 * size));
  if (canonical.len > size || !read_order (canonical, order))
    {
      tall_canonical_fail (error, "order", "not in canonical form");
      return NULL;
    }

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
  if (!read_location (canonical, arena, location))
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
  return read_line (canonical, arena, line)
         || tall_canonical_fail (error, "line", "not in canonical form");
}
