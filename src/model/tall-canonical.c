/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-canonical-private.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "tall-order-private.h"

#include "customer.pb-c.h"
#include "order.pb-c.h"

/* Model → protobuf-c's structs, which live in a scratch arena and borrow the model's texts. */

static TallPb__Decimal *
wrap_decimal (TallArena *scratch, gboolean has, TallDecimal decimal)
{
  if (!has)
    return NULL;

  TallPb__Decimal *pb = tall_arena_alloc (scratch, sizeof *pb);
  *pb = (TallPb__Decimal)TALL_PB__DECIMAL__INIT;
  pb->unscaled = decimal.unscaled;
  pb->scale = decimal.scale;
  return pb;
}

static TallPb__Address *
wrap_address (TallArena *scratch, const TallAddress *address)
{
  if (address == NULL)
    return NULL;

  TallPb__Address *pb = tall_arena_alloc (scratch, sizeof *pb);
  *pb = (TallPb__Address)TALL_PB__ADDRESS__INIT;
  pb->line1 = address->line1;
  pb->line2 = address->line2;
  pb->city = address->city;
  pb->state = address->state;
  pb->zip = address->zip;
  pb->country = address->country;
  return pb;
}

static TallPb__Attribute **
wrap_attributes (TallArena *scratch, const TallAttributes *attributes)
{
  TallPb__Attribute **list = tall_arena_newa0 (scratch, TallPb__Attribute *, attributes->n_items);
  TallPb__Attribute *pb = tall_arena_newa0 (scratch, TallPb__Attribute, attributes->n_items);
  for (guint i = 0; i < attributes->n_items; i++)
    {
      pb[i] = (TallPb__Attribute)TALL_PB__ATTRIBUTE__INIT;
      pb[i].key = attributes->items[i].key;
      pb[i].value = attributes->items[i].value;
      list[i] = &pb[i];
    }
  return list;
}

static void
wrap_line (TallArena *scratch, const TallLineItem *line, TallPb__LineItem *pb)
{
  *pb = (TallPb__LineItem)TALL_PB__LINE_ITEM__INIT;
  pb->number = line->number;
  pb->item_number = line->item_number;
  pb->description = line->description;
  pb->quantity = wrap_decimal (scratch, line->has_quantity, line->quantity);
  pb->price = wrap_decimal (scratch, line->has_price, line->price);
  pb->discount = wrap_decimal (scratch, line->has_discount, line->discount);
}

static void
wrap_location_alone (TallArena *scratch,
                     const TallShippingLocation *location,
                     TallPb__ShippingLocation *pb)
{
  *pb = (TallPb__ShippingLocation)TALL_PB__SHIPPING_LOCATION__INIT;
  pb->number = location->number;
  pb->name = location->name;
  pb->address = wrap_address (scratch, location->address);
  pb->has_ship_date = location->has_ship_date;
  pb->ship_date = location->ship_date;
}

static void
wrap_location (TallArena *scratch,
               const TallShippingLocation *location,
               TallPb__ShippingLocation *pb)
{
  wrap_location_alone (scratch, location, pb);
  pb->n_line_items = location->n_line_items;
  pb->line_items = tall_arena_newa0 (scratch, TallPb__LineItem *, location->n_line_items);

  TallPb__LineItem *lines = tall_arena_newa0 (scratch, TallPb__LineItem, location->n_line_items);
  for (guint i = 0; i < location->n_line_items; i++)
    {
      wrap_line (scratch, &location->line_items[i], &lines[i]);
      pb->line_items[i] = &lines[i];
    }
}

static void
wrap_order (TallArena *scratch, const TallOrder *order, TallPb__Order *pb)
{
  guint n = order->n_shipping_locations;
  *pb = (TallPb__Order)TALL_PB__ORDER__INIT;
  pb->customer_number = order->customer_number;
  pb->order_number = order->order_number;
  pb->has_sales_date = order->has_sales_date;
  pb->sales_date = order->sales_date;
  pb->currency = order->currency;
  pb->n_attributes = order->attributes.n_items;
  pb->attributes = wrap_attributes (scratch, &order->attributes);
  pb->n_shipping_locations = n;
  pb->shipping_locations = tall_arena_newa0 (scratch, TallPb__ShippingLocation *, n);

  TallPb__ShippingLocation *locations = tall_arena_newa0 (scratch, TallPb__ShippingLocation, n);
  for (guint i = 0; i < n; i++)
    {
      wrap_location (scratch, &order->shipping_locations[i], &locations[i]);
      pb->shipping_locations[i] = &locations[i];
    }
}

static void
wrap_customer (TallArena *scratch, const TallCustomer *customer, TallPb__Customer *pb)
{
  *pb = (TallPb__Customer)TALL_PB__CUSTOMER__INIT;
  pb->number = customer->number;
  pb->name = customer->name;
  pb->address = wrap_address (scratch, customer->address);
  pb->n_phones = customer->n_phones;
  pb->phones = customer->phones;
  pb->email = customer->email;
  pb->n_attributes = customer->attributes.n_items;
  pb->attributes = wrap_attributes (scratch, &customer->attributes);
}

static TallSlice
pack (TallArena *arena, const ProtobufCMessage *message)
{
  gsize size = protobuf_c_message_get_packed_size (message);
  guint8 *bytes = tall_arena_alloc (arena, size);
  protobuf_c_message_pack (message, bytes);
  return tall_slice (bytes, size);
}

/**
 * tall_order_to_canonical:
 * @self: a normalized order
 *
 * Returns: (transfer none): its canonical form, in @arena
 */
TallSlice
tall_order_to_canonical (const TallOrder *self, TallArena *arena)
{
  g_autoptr (TallArena) scratch = tall_arena_new (4096);
  TallPb__Order pb;
  wrap_order (scratch, self, &pb);
  return pack (arena, &pb.base);
}

/**
 * tall_order_get_canonical_size:
 *
 * Returns: the bytes that tall_order_to_canonical() will give
 */
gsize
tall_order_get_canonical_size (const TallOrder *self)
{
  g_autoptr (TallArena) scratch = tall_arena_new (4096);
  TallPb__Order pb;
  wrap_order (scratch, self, &pb);
  return tall_pb__order__get_packed_size (&pb);
}

/**
 * tall_customer_to_canonical:
 * @self: a normalized customer
 *
 * Returns: (transfer none): its canonical form, in @arena
 */
TallSlice
tall_customer_to_canonical (const TallCustomer *self, TallArena *arena)
{
  g_autoptr (TallArena) scratch = tall_arena_new (1024);
  TallPb__Customer pb;
  wrap_customer (scratch, self, &pb);
  return pack (arena, &pb.base);
}

gsize
tall_customer_get_canonical_size (const TallCustomer *self)
{
  g_autoptr (TallArena) scratch = tall_arena_new (1024);
  TallPb__Customer pb;
  wrap_customer (scratch, self, &pb);
  return tall_pb__customer__get_packed_size (&pb);
}

/**
 * tall_attributes_to_canonical:
 *
 * Returns: (transfer none): the message `Attributes`, in @arena; empty for no attributes
 */
TallSlice
tall_attributes_to_canonical (const TallAttributes *self, TallArena *arena)
{
  g_autoptr (TallArena) scratch = tall_arena_new (1024);
  TallPb__Attributes pb = TALL_PB__ATTRIBUTES__INIT;
  pb.n_attributes = self->n_items;
  pb.attributes = wrap_attributes (scratch, self);
  return pack (arena, &pb.base);
}

/**
 * tall_location_to_canonical:
 *
 * Returns: (transfer none): the message `ShippingLocation` without its lines, in @arena
 */
TallSlice
tall_location_to_canonical (const TallShippingLocation *self, TallArena *arena)
{
  TallPb__ShippingLocation pb;
  wrap_location_alone (arena, self, &pb);
  return pack (arena, &pb.base);
}

/**
 * tall_line_to_canonical:
 *
 * Returns: (transfer none): the message `LineItem`, in @arena
 */
TallSlice
tall_line_to_canonical (const TallLineItem *self, TallArena *arena)
{
  TallPb__LineItem pb;
  wrap_line (arena, self, &pb);
  return pack (arena, &pb.base);
}

/**
 * tall_order_to_summary:
 * @self: a normalized order
 *
 * Returns: (transfer none): the message `OrderSummary`, in @arena
 */
TallSlice
tall_order_to_summary (const TallOrder *self, TallArena *arena)
{
  TallPb__Decimal total_pb = TALL_PB__DECIMAL__INIT;
  TallPb__OrderSummary pb = TALL_PB__ORDER_SUMMARY__INIT;
  TallDecimal total;
  pb.customer_number = self->customer_number;
  pb.order_number = self->order_number;
  pb.lines = tall_order_count_lines (self);
  pb.currency = self->currency;
  if (tall_order_compute_total (self, &total))
    {
      total_pb.unscaled = total.unscaled;
      total_pb.scale = total.scale;
      pb.total = &total_pb;
    }
  return pack (arena, &pb.base);
}

/**
 * tall_customer_to_summary:
 * @self: a normalized customer
 *
 * Returns: (transfer none): the message `CustomerSummary`, in @arena
 */
TallSlice
tall_customer_to_summary (const TallCustomer *self, TallArena *arena)
{
  TallPb__CustomerSummary pb = TALL_PB__CUSTOMER_SUMMARY__INIT;
  pb.number = self->number;
  pb.name = self->name;
  return pack (arena, &pb.base);
}
