/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-idl.h"

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

/* A field of the C struct `Type` whose member has the IDL's name. */
#define AT(member) G_STRUCT_OFFSET (Type, member)
#define FIELD(id, kind, member, beside, type)                                                      \
  {                                                                                                \
#member, id, TALL_KIND_##kind, AT(member), beside, type                                        \
  }
#define ALWAYS(id, kind, member) FIELD (id, kind, member, TALL_STRUCT_ALWAYS, NULL)
#define OPTIONAL(id, kind, member) FIELD (id, kind, member, AT (has_##member), NULL)
#define STRUCT(id, member, type) FIELD (id, STRUCT, member, TALL_STRUCT_ALWAYS, &type)
#define STRUCTS(id, member, type) FIELD (id, STRUCTS, member, AT (n_##member), &type)
#define NAMED(id, kind, name, member)                                                              \
  {                                                                                                \
    name, id, TALL_KIND_##kind, AT (member), TALL_STRUCT_ALWAYS, NULL                              \
  }
#define TEXTS(id, member) FIELD (id, TEXTS, member, AT (n_##member), NULL)
/* TallAttributes: a map on the wire. */
#define ATTRIBUTES(id, member)                                                                     \
  {                                                                                                \
#member, id, TALL_KIND_PAIRS, AT(member.items), AT(member.n_items), NULL                       \
  }
G_STATIC_ASSERT (sizeof (TallStructPair) == sizeof (TallAttribute));
G_STATIC_ASSERT (offsetof (TallStructPair, value) == offsetof (TallAttribute, value));

/* Of which a list in a call has at most 1,000. */
#define TALL_ITEM_TYPE(identifier, shown_name, type)                                               \
  TALL_STRUCT_TYPE (identifier, shown_name, type, .max_elements = TALL_IDL_MANY_ITEMS)

/* Not shown in the paths of errors, which begin inside of it. */
#define OUTER(id, member, type)                                                                    \
  {                                                                                                \
    NULL, id, TALL_KIND_STRUCT, AT (member), TALL_STRUCT_ALWAYS, &type                             \
  }

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
static const TallStructField order_type_fields[] = {
  ALWAYS (1, TEXT, customer_number),
  ALWAYS (2, TEXT, order_number),
  OPTIONAL (3, I64, sales_date),
  ALWAYS (4, TEXT, currency),
  STRUCTS (5, shipping_locations, location_type),
  ATTRIBUTES (6, attributes),
};
static TALL_STRUCT_TYPE (order_type, "Order", Type, .create = create_order, .clear = clear_order);
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
static const TallStructField customer_type_fields[] = {
  ALWAYS (1, TEXT, number), ALWAYS (2, TEXT, name),  STRUCT (3, address, address_type),
  TEXTS (4, phones),        ALWAYS (5, TEXT, email), ATTRIBUTES (6, attributes),
};
static TALL_STRUCT_TYPE (
    customer_type, "Customer", Type, .create = create_customer, .clear = clear_customer);
#undef Type

#define Type TallIdlOptions
static const TallStructField options_type_fields[] = {
  OPTIONAL (1, I32, condition),
  OPTIONAL (2, I64, revision),
  ALWAYS (3, BYTES, token),
  OPTIONAL (4, I32, timeout_ms),
};
static TALL_STRUCT_TYPE (options_type, "WriteOptions", Type);
#undef Type

#define Type TallDescription
static const TallStructField description_type_fields[] = {
  ALWAYS (1, TEXT, name),
  ALWAYS (2, TEXT, layout),
  ALWAYS (3, TEXT, key_strategy),
  ALWAYS (4, TEXT, store),
  ALWAYS (5, I32, format),
  ALWAYS (6, I32, schema),
  ALWAYS (7, BOOL, read_only),
  ALWAYS (8, TEXT, version),
  ALWAYS (9, TEXT, index),
  ALWAYS (10, I64, ttl),
  ALWAYS (11, I32, regions),
  ALWAYS (12, TEXT, compression),
  ALWAYS (13, TEXT, bloom_filter),
  ALWAYS (14, TEXT, block_encoding),
  TEXTS (15, calls),
  TEXTS (16, protocols),
  ALWAYS (17, I32, newest_format),
};
static TALL_STRUCT_TYPE (description_type, "Description", Type);
#undef Type

#define Type TallIdlFailure
static const TallStructField failure_type_fields[] = {
  ALWAYS (1, I32, code),
  ALWAYS (2, TEXT, message),
  ALWAYS (3, TEXT, field),
  OPTIONAL (4, I64, revision),
};
static TALL_STRUCT_TYPE (failure_type, "TallError", Type);
#undef Type

#define Type TallIdlApplicationError
static const TallStructField tall_idl_application_error_type_fields[] = {
  ALWAYS (1, TEXT, message),
  ALWAYS (2, I32, type),
};
TALL_STRUCT_TYPE (tall_idl_application_error_type, "TApplicationException", Type);
#undef Type

#define Type TallIdlSuccess
static const TallStructField put_success_type_fields[] = { ALWAYS (1, I64, revision) };
static TALL_STRUCT_TYPE (put_success_type, "PutResult", Type);
static const TallStructField order_success_type_fields[] = { OUTER (1, order, order_type),
                                                             ALWAYS (2, I64, revision) };
static TALL_STRUCT_TYPE (order_success_type, "OrderResult", Type);
static const TallStructField customer_success_type_fields[] = { OUTER (1, customer, customer_type),
                                                                ALWAYS (2, I64, revision) };
static TALL_STRUCT_TYPE (customer_success_type, "CustomerResult", Type);
#undef Type

#define Type TallIdlOutcome
static const TallStructField order_outcome_type_fields[] = { STRUCT (1, result, order_success_type),
                                                             STRUCT (2, failure, failure_type) };
static TALL_ITEM_TYPE (order_outcome_type, "OrderOutcome", Type);
static const TallStructField put_outcome_type_fields[] = { STRUCT (1, result, put_success_type),
                                                           STRUCT (2, failure, failure_type) };
static TALL_ITEM_TYPE (put_outcome_type, "PutOutcome", Type);
#undef Type

#define Type TallIdlOutcomes
static const TallStructField get_orders_success_type_fields[] = {
  STRUCTS (1, outcomes, order_outcome_type)
};
static TALL_STRUCT_TYPE (get_orders_success_type, "GetOrdersResult", Type);
static const TallStructField put_orders_success_type_fields[] = {
  STRUCTS (1, outcomes, put_outcome_type)
};
static TALL_STRUCT_TYPE (put_orders_success_type, "PutOrdersResult", Type);
#undef Type

#define Type TallUnreadable
static const TallStructField unreadable_type_fields[] = { ALWAYS (1, TEXT, number),
                                                          ALWAYS (2, I32, code),
                                                          ALWAYS (3, TEXT, message) };
static TALL_ITEM_TYPE (unreadable_type, "Unreadable", Type);
#undef Type

#define Type TallOrderEntry
static const TallStructField order_entry_type_fields[] = {
  ALWAYS (1, TEXT, order_number),   ALWAYS (2, I64, revision),    OPTIONAL (3, I64, sales_date),
  NAMED (4, I32, "lines", n_lines), OPTIONAL (5, DECIMAL, total), ALWAYS (6, TEXT, currency),
};
static TALL_ITEM_TYPE (order_entry_type, "OrderEntry", Type);
#undef Type

#define Type TallOrderList
static const TallStructField order_list_type_fields[] = {
  STRUCTS (1, entries, order_entry_type), ALWAYS (2, TEXT, next_page),
  STRUCTS (3, unreadable, unreadable_type)
};
static TALL_STRUCT_TYPE (order_list_type, "OrderList", Type);
#undef Type

#define Type TallCustomerEntry
static const TallStructField customer_entry_type_fields[] = { ALWAYS (1, TEXT, number),
                                                              ALWAYS (2, TEXT, name),
                                                              ALWAYS (3, I64, revision) };
static TALL_ITEM_TYPE (customer_entry_type, "CustomerEntry", Type);
#undef Type

#define Type TallCustomerList
static const TallStructField customer_list_type_fields[] = {
  STRUCTS (1, entries, customer_entry_type), ALWAYS (2, TEXT, next_page),
  STRUCTS (3, unreadable, unreadable_type)
};
static TALL_STRUCT_TYPE (customer_list_type, "CustomerList", Type);
#undef Type

#define Type TallIdlCustomerOrders
static const TallStructField customer_orders_type_fields[] = {
  STRUCT (1, customer, customer_type),     ALWAYS (2, I64, revision),
  STRUCTS (3, orders, order_outcome_type), ALWAYS (4, TEXT, next_page),
  STRUCT (5, failure, failure_type),       TEXTS (6, others)
};
static TALL_STRUCT_TYPE (customer_orders_type, "CustomerOrders", Type);
#undef Type

#define Type TallOrderId
static const TallStructField order_id_type_fields[] = { ALWAYS (1, TEXT, customer_number),
                                                        ALWAYS (2, TEXT, order_number) };
static TALL_ITEM_TYPE (order_id_type, "OrderId", Type);
#undef Type

#define Type TallIdlPut
static const TallStructField order_put_type_fields[] = { STRUCT (1, order, order_type),
                                                         STRUCT (2, options, options_type) };
static TALL_ITEM_TYPE (order_put_type, "OrderPut", Type);
#undef Type

#define Type TallIdlMany
static const TallStructField get_orders_request_type_fields[] = { STRUCTS (1, ids, order_id_type) };
static TALL_STRUCT_TYPE (get_orders_request_type, "GetOrdersRequest", Type);
static const TallStructField put_orders_request_type_fields[] = {
  STRUCTS (1, puts, order_put_type)
};
static TALL_STRUCT_TYPE (put_orders_request_type, "PutOrdersRequest", Type);
#undef Type

#define Type TallIdlListing
static const TallStructField list_orders_request_type_fields[] = {
  ALWAYS (1, TEXT, customer_number), OPTIONAL (2, I64, from_date), OPTIONAL (3, I64, to_date),
  OPTIONAL (4, I32, limit),          ALWAYS (5, TEXT, page),
};
static TALL_STRUCT_TYPE (list_orders_request_type, "ListOrdersRequest", Type);
static const TallStructField list_customers_request_type_fields[] = { OPTIONAL (1, I32, limit),
                                                                      ALWAYS (2, TEXT, page) };
static TALL_STRUCT_TYPE (list_customers_request_type, "ListCustomersRequest", Type);
static const TallStructField customer_orders_request_type_fields[] = {
  ALWAYS (1, TEXT, customer_number), OPTIONAL (2, I32, limit), ALWAYS (3, TEXT, page)
};
static TALL_STRUCT_TYPE (customer_orders_request_type, "CustomerOrdersRequest", Type);
#undef Type

#define Type TallIdlArgs
static const TallStructField put_order_type_fields[] = { OUTER (1, order, order_type),
                                                         STRUCT (2, options, options_type) };
static TALL_STRUCT_TYPE (put_order_type, "putOrder_args", Type);
static const TallStructField get_order_type_fields[] = { ALWAYS (1, TEXT, customer_number),
                                                         ALWAYS (2, TEXT, order_number) };
static TALL_STRUCT_TYPE (get_order_type, "getOrder_args", Type);
static const TallStructField delete_order_type_fields[] = { ALWAYS (1, TEXT, customer_number),
                                                            ALWAYS (2, TEXT, order_number),
                                                            STRUCT (3, options, options_type) };
static TALL_STRUCT_TYPE (delete_order_type, "deleteOrder_args", Type);
static const TallStructField put_customer_type_fields[] = { OUTER (1, customer, customer_type),
                                                            STRUCT (2, options, options_type) };
static TALL_STRUCT_TYPE (put_customer_type, "putCustomer_args", Type);
static const TallStructField get_customer_type_fields[] = {
  { "number", 1, TALL_KIND_TEXT, AT (customer_number), TALL_STRUCT_ALWAYS, NULL }
};
static TALL_STRUCT_TYPE (get_customer_type, "getCustomer_args", Type);
static const TallStructField delete_customer_type_fields[] = {
  { "number", 1, TALL_KIND_TEXT, AT (customer_number), TALL_STRUCT_ALWAYS, NULL },
  STRUCT (2, options, options_type),
};
static TALL_STRUCT_TYPE (delete_customer_type, "deleteCustomer_args", Type);
static const TallStructField get_orders_type_fields[] = {
  OUTER (1, many, get_orders_request_type)
};
static TALL_STRUCT_TYPE (get_orders_type, "getOrders_args", Type);
static const TallStructField put_orders_type_fields[] = {
  OUTER (1, many, put_orders_request_type)
};
static TALL_STRUCT_TYPE (put_orders_type, "putOrders_args", Type);
static const TallStructField list_orders_type_fields[] = {
  OUTER (1, listing, list_orders_request_type)
};
static TALL_STRUCT_TYPE (list_orders_type, "listOrders_args", Type);
static const TallStructField list_customers_type_fields[] = {
  OUTER (1, listing, list_customers_request_type)
};
static TALL_STRUCT_TYPE (list_customers_type, "listCustomers_args", Type);
static const TallStructField customer_orders_args_type_fields[] = {
  OUTER (1, listing, customer_orders_request_type)
};
static TALL_STRUCT_TYPE (customer_orders_args_type, "getCustomerOrders_args", Type);
static const TallStructType no_args_type = { .name = "args", .size = sizeof (Type) };
#undef Type

#define Type TallIdlResult
#define RESULT(identifier, success_type)                                                           \
  static const TallStructField identifier##_fields[] = { OUTER (0, success, success_type),         \
                                                         OUTER (1, failure, failure_type) };       \
  static TALL_STRUCT_TYPE (identifier, "result", Type)
RESULT (put_result_type, put_success_type);
RESULT (order_result_type, order_success_type);
RESULT (customer_result_type, customer_success_type);
RESULT (describe_result_type, description_type);
RESULT (get_orders_result_type, get_orders_success_type);
RESULT (put_orders_result_type, put_orders_success_type);
RESULT (order_list_result_type, order_list_type);
RESULT (customer_list_result_type, customer_list_type);
RESULT (customer_orders_result_type, customer_orders_type);
#undef RESULT
static const TallStructField void_result_type_fields[] = { OUTER (1, failure, failure_type) };
static TALL_STRUCT_TYPE (void_result_type, "result", Type);
#undef Type

static const TallIdlCall calls[TALL_IDL_N_CALLS] = {
  { "putOrder", TALL_IDL_PUT_ORDER, &put_order_type, &put_result_type, &put_success_type },
  { "getOrder", TALL_IDL_GET_ORDER, &get_order_type, &order_result_type, &order_success_type },
  { "deleteOrder", TALL_IDL_DELETE_ORDER, &delete_order_type, &void_result_type, NULL },
  { "putCustomer", TALL_IDL_PUT_CUSTOMER, &put_customer_type, &put_result_type, &put_success_type },
  { "getCustomer", TALL_IDL_GET_CUSTOMER, &get_customer_type, &customer_result_type,
    &customer_success_type },
  { "deleteCustomer", TALL_IDL_DELETE_CUSTOMER, &delete_customer_type, &void_result_type, NULL },
  { "getOrders", TALL_IDL_GET_ORDERS, &get_orders_type, &get_orders_result_type,
    &get_orders_success_type, &order_outcome_type, &order_id_type },
  { "putOrders", TALL_IDL_PUT_ORDERS, &put_orders_type, &put_orders_result_type,
    &put_orders_success_type, &put_outcome_type, &order_put_type },
  { "listOrders", TALL_IDL_LIST_ORDERS, &list_orders_type, &order_list_result_type,
    &order_list_type, &order_entry_type },
  { "listCustomers", TALL_IDL_LIST_CUSTOMERS, &list_customers_type, &customer_list_result_type,
    &customer_list_type, &customer_entry_type },
  { "getCustomerOrders", TALL_IDL_GET_CUSTOMER_ORDERS, &customer_orders_args_type,
    &customer_orders_result_type, &customer_orders_type, &order_outcome_type },
  { "describe", TALL_IDL_DESCRIBE, &no_args_type, &describe_result_type, &description_type },
  { "ping", TALL_IDL_PING, &no_args_type, &void_result_type, NULL },
};

const TallIdlCall *
tall_idl_call_get (TallIdlCallId id)
{
  g_assert (calls[id].id == id);
  return &calls[id];
}

/**
 * tall_idl_call_get_limits:
 *
 * Returns: how much a call of that kind, or its reply, may hold
 */
const TallStructLimits *
tall_idl_call_get_limits (const TallIdlCall *self)
{
  return self->item != NULL ? &tall_idl_many_limits : &tall_idl_limits;
}

/**
 * tall_idl_call_find:
 *
 * Returns: (nullable): the call of that name
 */
const TallIdlCall *
tall_idl_call_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (g_str_equal (calls[i].name, name))
      return &calls[i];
  return NULL;
}

/**
 * tall_idl_call_list_names:
 *
 * Returns: (transfer full): the names of all calls, NULL-terminated
 */
GStrv
tall_idl_call_list_names (void)
{
  GStrv names = g_new0 (char *, G_N_ELEMENTS (calls) + 1);
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    names[i] = g_strdup (calls[i].name);
  return names;
}

/**
 * tall_idl_call_describe:
 *
 * Returns: (transfer full): what the call does, as the beginning of messages, such as
 *   `Storing order 10248 of VINET`
 */
char *
tall_idl_call_describe (const TallIdlCall *self, const TallIdlArgs *args)
{
  const char *customer = args->customer_number, *order = args->order_number;

  switch (self->id)
    {
    case TALL_IDL_PUT_ORDER:
      return tall_idl_describe_put (args->order);
    case TALL_IDL_GET_ORDER:
      return g_strdup_printf ("Fetching order %s of %s", order, customer);
    case TALL_IDL_DELETE_ORDER:
      return g_strdup_printf ("Deleting order %s of %s", order, customer);
    case TALL_IDL_PUT_CUSTOMER:
      return g_strdup_printf ("Storing customer %s", args->customer->number);
    case TALL_IDL_GET_CUSTOMER:
      return g_strdup_printf ("Fetching customer %s", customer);
    case TALL_IDL_DELETE_CUSTOMER:
      return g_strdup_printf ("Deleting customer %s", customer);
    case TALL_IDL_GET_ORDERS:
      return g_strdup_printf ("Fetching %u orders", args->many->n_ids);
    case TALL_IDL_PUT_ORDERS:
      return g_strdup_printf ("Storing %u orders", args->many->n_puts);
    case TALL_IDL_LIST_ORDERS:
      return g_strdup_printf ("Listing the orders of %s", args->listing->customer_number);
    case TALL_IDL_LIST_CUSTOMERS:
      return g_strdup ("Listing the customers");
    case TALL_IDL_GET_CUSTOMER_ORDERS:
      return g_strdup_printf ("Fetching the orders of %s", args->listing->customer_number);
    case TALL_IDL_DESCRIBE:
      return g_strdup ("Describing the deployment");
    case TALL_IDL_PING:
      return g_strdup ("Pinging the store");
    case TALL_IDL_N_CALLS:
      break;
    }
  g_assert_not_reached ();
}

/**
 * tall_idl_describe_put:
 *
 * Returns: (transfer full): the beginning of messages about storing @order
 */
char *
tall_idl_describe_put (const TallOrder *order)
{
  return g_strdup_printf ("Storing order %s of %s", order->order_number, order->customer_number);
}
