/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-idl-private.h"

#include "tall-limits.h"

/* In the canonical form a text takes a tag and a length at least; an attribute is two texts and
 * takes such a pair of its own. */
#define MIN_TEXT_BYTES 2
#define MIN_ATTRIBUTE_BYTES 6

const TallStructLimits tall_idl_limits = {
  .n_structs = TALL_MAX_LINES_AND_LOCATIONS,
  .shown_structs = TALL_MAX_LINES_AND_LOCATIONS,
  .structs = "lines and locations in one order",
  .n_bytes = TALL_MAX_CANONICAL_BYTES,
  .bytes = "bytes, which is the most that an order or customer may have",
  .text_bytes = MIN_TEXT_BYTES,
  .pair_bytes = MIN_ATTRIBUTE_BYTES,
};

const TallStructLimits tall_idl_many_limits = {
  .n_structs = TALL_IDL_MANY_LINES + TALL_IDL_MANY_ITEMS,
  .shown_structs = TALL_IDL_MANY_LINES,
  .structs = "lines and locations in one call",
  .n_bytes = TALL_IDL_MANY_BYTES,
  .bytes = "bytes of text, which is the most that one call may have",
  .text_bytes = MIN_TEXT_BYTES,
  .pair_bytes = MIN_ATTRIBUTE_BYTES,
};

/* TallAttributes: a map on the wire. */
#define ATTRIBUTES(id, member)                                                                     \
  {                                                                                                \
#member, id, TALL_KIND_PAIRS, AT(member.items), AT(member.n_items), NULL                       \
  }
G_STATIC_ASSERT (sizeof (TallStructPair) == sizeof (TallAttribute));
G_STATIC_ASSERT (offsetof (TallStructPair, value) == offsetof (TallAttribute, value));

#define Type TallAddress
static const TallStructField address_type_fields[] = {
  ALWAYS (1, TEXT, line1), ALWAYS (2, TEXT, line2), ALWAYS (3, TEXT, city),
  ALWAYS (4, TEXT, state), ALWAYS (5, TEXT, zip),   ALWAYS (6, TEXT, country),
};
static TALL_STRUCT_TYPE (address_type, "Address", Type);
#undef Type

#define Type TallLineItem
static const TallStructField line_item_type_fields[] = {
  ALWAYS (1, I32, number),         ALWAYS (2, TEXT, item_number), ALWAYS (3, TEXT, description),
  OPTIONAL (4, DECIMAL, quantity), OPTIONAL (5, DECIMAL, price),  OPTIONAL (6, DECIMAL, discount),
};
static TALL_STRUCT_TYPE (line_item_type, "LineItem", Type);
#undef Type

#define Type TallShippingLocation
static const TallStructField location_type_fields[] = {
  ALWAYS (1, I32, number),
  ALWAYS (2, TEXT, name),
  STRUCT (3, address, address_type),
  OPTIONAL (4, I64, ship_date),
  STRUCTS (5, line_items, line_item_type),
};
static TALL_STRUCT_TYPE (location_type, "ShippingLocation", Type);
#undef Type

static gpointer
create_order (TallArena **arena)
{
  TallOrder *order = tall_order_new ("", "");
  *arena = order->arena;
  return order;
}

static void
clear_order (gpointer pointer)
{
  g_clear_pointer ((TallOrder **)pointer, tall_order_free);
}

#define Type TallOrder
static const TallStructField tall_idl_order_type_fields[] = {
  ALWAYS (1, TEXT, customer_number),
  ALWAYS (2, TEXT, order_number),
  OPTIONAL (3, I64, sales_date),
  ALWAYS (4, TEXT, currency),
  STRUCTS (5, shipping_locations, location_type),
  ATTRIBUTES (6, attributes),
};
TALL_STRUCT_TYPE (tall_idl_order_type, "Order", Type, .create = create_order, .clear = clear_order);
#undef Type

static gpointer
create_customer (TallArena **arena)
{
  TallCustomer *customer = tall_customer_new ("");
  *arena = customer->arena;
  return customer;
}

static void
clear_customer (gpointer pointer)
{
  g_clear_pointer ((TallCustomer **)pointer, tall_customer_free);
}

#define Type TallCustomer
static const TallStructField tall_idl_customer_type_fields[] = {
  ALWAYS (1, TEXT, number), ALWAYS (2, TEXT, name),  STRUCT (3, address, address_type),
  TEXTS (4, phones),        ALWAYS (5, TEXT, email), ATTRIBUTES (6, attributes),
};
TALL_STRUCT_TYPE (
    tall_idl_customer_type, "Customer", Type, .create = create_customer, .clear = clear_customer);
#undef Type

#define Type TallIdlOptions
static const TallStructField tall_idl_options_type_fields[] = {
  OPTIONAL (1, I32, condition),
  OPTIONAL (2, I64, revision),
  ALWAYS (3, BYTES, token),
  OPTIONAL (4, I32, timeout_ms),
};
TALL_STRUCT_TYPE (tall_idl_options_type, "WriteOptions", Type);
#undef Type

#define Type TallIdlFailure
static const TallStructField tall_idl_failure_type_fields[] = {
  ALWAYS (1, I32, code),
  ALWAYS (2, TEXT, message),
  ALWAYS (3, TEXT, field),
  OPTIONAL (4, I64, revision),
};
TALL_STRUCT_TYPE (tall_idl_failure_type, "TallError", Type);
#undef Type

#define Type TallIdlApplicationError
static const TallStructField tall_idl_application_error_type_fields[] = {
  ALWAYS (1, TEXT, message),
  ALWAYS (2, I32, type),
};
TALL_STRUCT_TYPE (tall_idl_application_error_type, "TApplicationException", Type);
#undef Type
