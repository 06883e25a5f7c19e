/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-canonical-private.h"
#include "tall-check-private.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "tall-order-private.h"

#include "customer.pb-c.h"
#include "order.pb-c.h"

static void *
alloc_in_arena (void *arena, size_t size)
{
  return tall_arena_alloc (arena, size);
}

static void
free_with_arena (void *arena G_GNUC_UNUSED, void *pointer G_GNUC_UNUSED)
{
}

static gboolean
set_damaged (GError **error, const char *what, const char *why)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "stored %s: %s", what, why);
  return FALSE;
}

/* Texts are C strings, so a NUL inside one would silently cut it. All that such a cut, a repeated
 * field or a number written longer than need be have in common is that the message packs to fewer
 * bytes than it was unpacked from: one sum finds them all. (Fields that we do not know are kept by
 * protobuf-c and counted.) */
static gboolean
check_packed_size (const ProtobufCMessage *message,
                   TallSlice bytes,
                   const char *what,
                   GError **error)
{
  if (protobuf_c_message_get_packed_size (message) != bytes.len)
    return set_damaged (error, what, "not in canonical form, or a text holds a NUL");
  return TRUE;
}

/* Makes the structs of protobuf-c in @arena. Texts of the model then point into them. */
static gpointer
unpack (const ProtobufCMessageDescriptor *type,
        TallSlice bytes,
        TallArena *arena,
        const char *what,
        GError **error)
{
  ProtobufCAllocator allocator = { alloc_in_arena, free_with_arena, arena };
  ProtobufCMessage *message = NULL;
  if (bytes.len <= TALL_MAX_CANONICAL_BYTES)
    message = protobuf_c_message_unpack (type, &allocator, bytes.len, bytes.data);
  if (message == NULL)
    set_damaged (error, what, "not a protobuf message of this kind");
  else if (!check_packed_size (message, bytes, what, error))
    return NULL;
  return message;
}

/* What the model refuses is damage where it was stored. */
static gboolean
translate_invalid (gboolean valid, GError *invalid, const char *what, GError **error)
{
  if (!valid)
    set_damaged (error, what, invalid->message);
  g_clear_error (&invalid);
  return valid;
}

/* An impossible scale is kept impossible in the narrower type, and is refused by the check. */
static gboolean
unwrap_decimal (const TallPb__Decimal *pb, TallDecimal *decimal)
{
  if (pb == NULL)
    return FALSE;

  decimal->unscaled = pb->unscaled;
  decimal->scale = MIN (pb->scale, G_MAXUINT8);
  return TRUE;
}

static TallAddress *
unwrap_address (TallArena *arena, const TallPb__Address *pb)
{
  if (pb == NULL)
    return NULL;

  TallAddress *address = tall_arena_alloc (arena, sizeof *address);
  address->line1 = pb->line1;
  address->line2 = pb->line2;
  address->city = pb->city;
  address->state = pb->state;
  address->zip = pb->zip;
  address->country = pb->country;
  return address;
}

static gboolean
unwrap_attributes (TallArena *arena,
                   TallPb__Attribute *const *pb,
                   gsize n,
                   TallAttributes *attributes)
{
  attributes->n_items = n;
  attributes->items = n == 0 ? NULL : tall_arena_newa0 (arena, TallAttribute, n);
  for (gsize i = 0; i < n; i++)
    {
      attributes->items[i].key = pb[i]->key;
      attributes->items[i].value = pb[i]->value;
      if (i > 0 && strcmp (pb[i - 1]->key, pb[i]->key) >= 0)
        return FALSE;
    }
  return TRUE;
}

static void
unwrap_line (const TallPb__LineItem *pb, TallLineItem *line)
{
  line->number = pb->number;
  line->item_number = pb->item_number;
  line->description = pb->description;
  line->has_quantity = unwrap_decimal (pb->quantity, &line->quantity);
  line->has_price = unwrap_decimal (pb->price, &line->price);
  line->has_discount = unwrap_decimal (pb->discount, &line->discount);
}

/* Returns: FALSE if the lines are not sorted */
static gboolean
unwrap_location (TallArena *arena,
                 const TallPb__ShippingLocation *pb,
                 TallShippingLocation *location)
{
  location->number = pb->number;
  location->name = pb->name;
  location->address = unwrap_address (arena, pb->address);
  location->has_ship_date = pb->has_ship_date;
  location->ship_date = pb->ship_date;
  location->n_line_items = pb->n_line_items;
  location->line_items = tall_arena_newa0 (arena, TallLineItem, pb->n_line_items);
  for (gsize i = 0; i < pb->n_line_items; i++)
    {
      unwrap_line (pb->line_items[i], &location->line_items[i]);
      if (i > 0 && pb->line_items[i - 1]->number >= pb->line_items[i]->number)
        return FALSE;
    }
  return TRUE;
}

/* Returns: FALSE if a list is not sorted */
static gboolean
unwrap_order (const TallPb__Order *pb, TallOrder *order)
{
  TallArena *arena = order->arena;
  order->customer_number = pb->customer_number;
  order->order_number = pb->order_number;
  order->has_sales_date = pb->has_sales_date;
  order->sales_date = pb->sales_date;
  order->currency = pb->currency;
  order->n_shipping_locations = pb->n_shipping_locations;
  order->shipping_locations =
      tall_arena_newa0 (arena, TallShippingLocation, pb->n_shipping_locations);
  for (gsize i = 0; i < pb->n_shipping_locations; i++)
    {
      if (!unwrap_location (arena, pb->shipping_locations[i], &order->shipping_locations[i]))
        return FALSE;
      if (i > 0 && pb->shipping_locations[i - 1]->number >= pb->shipping_locations[i]->number)
        return FALSE;
    }
  return unwrap_attributes (arena, pb->attributes, pb->n_attributes, &order->attributes);
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
  g_autoptr (TallOrder) order = tall_order_new_in (tall_arena_new (1024 + 8 * size));
  TallPb__Order *pb = unpack (&tall_pb__order__descriptor, canonical, order->arena, "order", error);
  if (pb == NULL)
    return NULL;
  if (!unwrap_order (pb, order))
    {
      set_damaged (error, "order", "a list is not sorted");
      return NULL;
    }

  GError *invalid = NULL;
  gboolean valid = tall_order_normalize (order, &invalid);
  if (!translate_invalid (valid, invalid, "order", error))
    return NULL;
  return g_steal_pointer (&order);
}

/**
 * tall_customer_from_canonical:
 * @canonical: bytes from anywhere; they are copied
 *
 * Returns: (transfer full) (nullable): the customer, normalized; NULL with %TALL_ERROR_DAMAGED, as
 *   tall_order_from_canonical()
 */
TallCustomer *
tall_customer_from_canonical (TallSlice canonical, GError **error)
{
  gsize size = MIN (canonical.len, TALL_MAX_CANONICAL_BYTES);
  g_autoptr (TallCustomer) customer = tall_customer_new_in (tall_arena_new (1024 + 4 * size));
  TallArena *arena = customer->arena;
  TallPb__Customer *pb =
      unpack (&tall_pb__customer__descriptor, canonical, arena, "customer", error);
  if (pb == NULL)
    return NULL;

  customer->number = pb->number;
  customer->name = pb->name;
  customer->address = unwrap_address (arena, pb->address);
  customer->phones = pb->phones;
  customer->n_phones = pb->n_phones;
  customer->email = pb->email;
  if (!unwrap_attributes (arena, pb->attributes, pb->n_attributes, &customer->attributes))
    {
      set_damaged (error, "customer", "the attributes are not sorted");
      return NULL;
    }

  GError *invalid = NULL;
  gboolean valid = tall_customer_normalize (customer, &invalid);
  if (!translate_invalid (valid, invalid, "customer", error))
    return NULL;
  return g_steal_pointer (&customer);
}

/**
 * tall_attributes_from_canonical:
 * @canonical: the message `Attributes`; it is copied into @arena
 * @attributes: (out): its memory belongs to @arena
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_attributes_from_canonical (TallSlice canonical,
                                TallArena *arena,
                                TallAttributes *attributes,
                                GError **error)
{
  TallPb__Attributes *pb =
      unpack (&tall_pb__attributes__descriptor, canonical, arena, "attributes", error);
  if (pb == NULL)
    return FALSE;
  if (!unwrap_attributes (arena, pb->attributes, pb->n_attributes, attributes))
    return set_damaged (error, "attributes", "not sorted");

  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_attributes (&check, attributes);
  return translate_invalid (valid, invalid, "attributes", error);
}

/**
 * tall_order_summary_parse:
 * @bytes: the message `OrderSummary`; it is copied into @arena
 * @summary: (out): its texts belong to @arena
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_order_summary_parse (TallSlice bytes,
                          TallArena *arena,
                          TallOrderSummary *summary,
                          GError **error)
{
  TallPb__OrderSummary *pb =
      unpack (&tall_pb__order_summary__descriptor, bytes, arena, "order summary", error);
  if (pb == NULL)
    return FALSE;

  *summary = (TallOrderSummary){ pb->customer_number, pb->order_number, pb->lines };
  summary->currency = pb->currency;
  summary->has_total = unwrap_decimal (pb->total, &summary->total);

  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_number (&check, "customer_number", summary->customer_number)
                   && tall_check_number (&check, "order_number", summary->order_number)
                   && tall_check_text (&check, "currency", summary->currency)
                   && (!summary->has_total || tall_check_decimal (&check, "total", summary->total));
  return translate_invalid (valid, invalid, "order summary", error);
}

/**
 * tall_customer_summary_parse:
 * @bytes: the message `CustomerSummary`; it is copied into @arena
 * @summary: (out): its texts belong to @arena
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_customer_summary_parse (TallSlice bytes,
                             TallArena *arena,
                             TallCustomerSummary *summary,
                             GError **error)
{
  TallPb__CustomerSummary *pb =
      unpack (&tall_pb__customer_summary__descriptor, bytes, arena, "customer summary", error);
  if (pb == NULL)
    return FALSE;

  *summary = (TallCustomerSummary){ pb->number, pb->name };

  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_number (&check, "number", summary->number)
                   && tall_check_text (&check, "name", summary->name);
  return translate_invalid (valid, invalid, "customer summary", error);
}
