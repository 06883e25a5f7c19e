/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-idl.h"

#include "tall-error.h"

#define MAX_TIMEOUT_MS 3600000

/* A field of the C struct `Type` whose member has the IDL's name. */
#define AT(member) G_STRUCT_OFFSET (Type, member)
#define FIELD(id, kind, member, beside, type)                                                      \
  {                                                                                                \
#member, id, TALL_FIELD_##kind, AT(member), beside, type                                       \
  }
#define ALWAYS(id, kind, member) FIELD (id, kind, member, TALL_FIELD_ALWAYS, NULL)
#define OPTIONAL(id, kind, member) FIELD (id, kind, member, AT (has_##member), NULL)
#define STRUCT(id, member, type) FIELD (id, STRUCT, member, TALL_FIELD_ALWAYS, &type)
#define STRUCTS(id, member, type) FIELD (id, STRUCTS, member, AT (n_##member), &type)
#define TEXTS(id, member) FIELD (id, TEXTS, member, AT (n_##member), NULL)
/* Not shown in the paths of errors, which begin inside of it. */
#define OUTER(id, member, type)                                                                    \
  {                                                                                                \
    NULL, id, TALL_FIELD_STRUCT, AT (member), TALL_FIELD_ALWAYS, &type                             \
  }

#define Type TallAddress
static const TallField address_type_fields[] = {
  ALWAYS (1, TEXT, line1), ALWAYS (2, TEXT, line2), ALWAYS (3, TEXT, city),
  ALWAYS (4, TEXT, state), ALWAYS (5, TEXT, zip),   ALWAYS (6, TEXT, country),
};
static TALL_STRUCT_TYPE (address_type, "Address", Type);
#undef Type

#define Type TallLineItem
static const TallField line_item_type_fields[] = {
  ALWAYS (1, I32, number),         ALWAYS (2, TEXT, item_number), ALWAYS (3, TEXT, description),
  OPTIONAL (4, DECIMAL, quantity), OPTIONAL (5, DECIMAL, price),  OPTIONAL (6, DECIMAL, discount),
};
static TALL_STRUCT_TYPE (line_item_type, "LineItem", Type);
#undef Type

#define Type TallShippingLocation
static const TallField location_type_fields[] = {
  ALWAYS (1, I32, number),
  ALWAYS (2, TEXT, name),
  STRUCT (3, address, address_type),
  OPTIONAL (4, I64, ship_date),
  STRUCTS (5, line_items, line_item_type),
};
static TALL_STRUCT_TYPE (location_type, "ShippingLocation", Type);
#undef Type

#define Type TallOrder
static const TallField order_type_fields[] = {
  ALWAYS (1, TEXT, customer_number),
  ALWAYS (2, TEXT, order_number),
  OPTIONAL (3, I64, sales_date),
  ALWAYS (4, TEXT, currency),
  STRUCTS (5, shipping_locations, location_type),
  ALWAYS (6, ATTRIBUTES, attributes),
};
static TALL_STRUCT_TYPE (order_type, "Order", Type);
#undef Type

#define Type TallCustomer
static const TallField customer_type_fields[] = {
  ALWAYS (1, TEXT, number), ALWAYS (2, TEXT, name),  STRUCT (3, address, address_type),
  TEXTS (4, phones),        ALWAYS (5, TEXT, email), ALWAYS (6, ATTRIBUTES, attributes),
};
static TALL_STRUCT_TYPE (customer_type, "Customer", Type);
#undef Type

#define Type TallIdlOptions
static const TallField options_type_fields[] = {
  OPTIONAL (1, I32, condition),
  OPTIONAL (2, I64, revision),
  ALWAYS (3, BYTES, token),
  OPTIONAL (4, I32, timeout_ms),
};
static TALL_STRUCT_TYPE (options_type, "WriteOptions", Type);
#undef Type

#define Type TallDescription
static const TallField description_type_fields[] = {
  ALWAYS (1, TEXT, name),      ALWAYS (2, TEXT, layout),  ALWAYS (3, TEXT, key_strategy),
  ALWAYS (4, TEXT, store),     ALWAYS (5, I32, format),   ALWAYS (6, I32, schema),
  ALWAYS (7, BOOL, read_only), ALWAYS (8, TEXT, version),
};
static TALL_STRUCT_TYPE (description_type, "Description", Type);
#undef Type

#define Type TallIdlFailure
static const TallField failure_type_fields[] = {
  ALWAYS (1, I32, code),
  ALWAYS (2, TEXT, message),
  ALWAYS (3, TEXT, field),
  OPTIONAL (4, I64, revision),
};
static TALL_STRUCT_TYPE (failure_type, "TallError", Type);
#undef Type

#define Type TallIdlApplicationError
static const TallField tall_idl_application_error_type_fields[] = {
  ALWAYS (1, TEXT, message),
  ALWAYS (2, I32, type),
};
TALL_STRUCT_TYPE (tall_idl_application_error_type, "TApplicationException", Type);
#undef Type

#define Type TallIdlSuccess
static const TallField put_success_type_fields[] = { ALWAYS (1, I64, revision) };
static TALL_STRUCT_TYPE (put_success_type, "PutResult", Type);
static const TallField order_success_type_fields[] = { OUTER (1, order, order_type),
                                                       ALWAYS (2, I64, revision) };
static TALL_STRUCT_TYPE (order_success_type, "OrderResult", Type);
static const TallField customer_success_type_fields[] = { OUTER (1, customer, customer_type),
                                                          ALWAYS (2, I64, revision) };
static TALL_STRUCT_TYPE (customer_success_type, "CustomerResult", Type);
#undef Type

#define Type TallIdlArgs
static const TallField put_order_type_fields[] = { OUTER (1, order, order_type),
                                                   STRUCT (2, options, options_type) };
static TALL_STRUCT_TYPE (put_order_type, "putOrder_args", Type);
static const TallField get_order_type_fields[] = { ALWAYS (1, TEXT, customer_number),
                                                   ALWAYS (2, TEXT, order_number) };
static TALL_STRUCT_TYPE (get_order_type, "getOrder_args", Type);
static const TallField delete_order_type_fields[] = { ALWAYS (1, TEXT, customer_number),
                                                      ALWAYS (2, TEXT, order_number),
                                                      STRUCT (3, options, options_type) };
static TALL_STRUCT_TYPE (delete_order_type, "deleteOrder_args", Type);
static const TallField put_customer_type_fields[] = { OUTER (1, customer, customer_type),
                                                      STRUCT (2, options, options_type) };
static TALL_STRUCT_TYPE (put_customer_type, "putCustomer_args", Type);
static const TallField get_customer_type_fields[] = {
  { "number", 1, TALL_FIELD_TEXT, AT (customer_number), TALL_FIELD_ALWAYS, NULL }
};
static TALL_STRUCT_TYPE (get_customer_type, "getCustomer_args", Type);
static const TallStructType no_args_type = { .name = "args", .size = sizeof (Type) };
#undef Type

#define Type TallIdlResult
static const TallField put_result_type_fields[] = { OUTER (0, success, put_success_type),
                                                    OUTER (1, failure, failure_type) };
static TALL_STRUCT_TYPE (put_result_type, "result", Type);
static const TallField order_result_type_fields[] = { OUTER (0, success, order_success_type),
                                                      OUTER (1, failure, failure_type) };
static TALL_STRUCT_TYPE (order_result_type, "result", Type);
static const TallField customer_result_type_fields[] = { OUTER (0, success, customer_success_type),
                                                         OUTER (1, failure, failure_type) };
static TALL_STRUCT_TYPE (customer_result_type, "result", Type);
static const TallField describe_result_type_fields[] = { OUTER (0, success, description_type),
                                                         OUTER (1, failure, failure_type) };
static TALL_STRUCT_TYPE (describe_result_type, "result", Type);
static const TallField void_result_type_fields[] = { OUTER (1, failure, failure_type) };
static TALL_STRUCT_TYPE (void_result_type, "result", Type);
#undef Type

static const TallIdlCall calls[TALL_IDL_N_CALLS] = {
  { "putOrder", TALL_IDL_PUT_ORDER, &put_order_type, &put_result_type, &put_success_type },
  { "getOrder", TALL_IDL_GET_ORDER, &get_order_type, &order_result_type, &order_success_type },
  { "deleteOrder", TALL_IDL_DELETE_ORDER, &delete_order_type, &void_result_type, NULL },
  { "putCustomer", TALL_IDL_PUT_CUSTOMER, &put_customer_type, &put_result_type, &put_success_type },
  { "getCustomer", TALL_IDL_GET_CUSTOMER, &get_customer_type, &customer_result_type,
    &customer_success_type },
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
 * tall_idl_call_describe:
 *
 * Returns: (transfer full): what the call does, as the beginning of messages, such as
 *   `Storing order 10248 of VINET`
 */
char *
tall_idl_call_describe (const TallIdlCall *self, const TallIdlArgs *args)
{
  switch (self->id)
    {
    case TALL_IDL_PUT_ORDER:
      return g_strdup_printf ("Storing order %s of %s", args->order->order_number,
                              args->order->customer_number);
    case TALL_IDL_GET_ORDER:
      return g_strdup_printf ("Fetching order %s of %s", args->order_number, args->customer_number);
    case TALL_IDL_DELETE_ORDER:
      return g_strdup_printf ("Deleting order %s of %s", args->order_number, args->customer_number);
    case TALL_IDL_PUT_CUSTOMER:
      return g_strdup_printf ("Storing customer %s", args->customer->number);
    case TALL_IDL_GET_CUSTOMER:
      return g_strdup_printf ("Fetching customer %s", args->customer_number);
    case TALL_IDL_DESCRIBE:
      return g_strdup ("Describing the deployment");
    case TALL_IDL_PING:
      return g_strdup ("Pinging the store");
    case TALL_IDL_N_CALLS:
      break;
    }
  g_assert_not_reached ();
}

static gboolean
parse_condition (const TallIdlOptions *self, TallWriteOptions *options, GError **error)
{
  static const TallCondition conditions[] = { TALL_IF_ANY, TALL_IF_ABSENT, TALL_IF_REVISION };

  if (self->has_condition && (guint)self->condition >= G_N_ELEMENTS (conditions))
    {
      tall_error_set_invalid (error, "options.condition",
                              "options.condition: %d is not a WriteCondition", self->condition);
      return FALSE;
    }
  options->condition = self->has_condition ? conditions[self->condition] : TALL_IF_ANY;
  if (self->has_revision != (options->condition == TALL_IF_REVISION))
    {
      tall_error_set_invalid (error, "options.revision",
                              "options.revision: the condition REVISION needs it, and no other "
                              "condition takes it");
      return FALSE;
    }
  options->revision = self->revision;
  return TRUE;
}

/**
 * tall_idl_options_parse:
 * @self: (nullable): what came; NULL: nothing
 * @options: (out):
 */
gboolean
tall_idl_options_parse (const TallIdlOptions *self, TallWriteOptions *options, GError **error)
{
  *options = (TallWriteOptions){ 0 };
  if (self == NULL)
    return TRUE;
  if (!parse_condition (self, options, error))
    return FALSE;

  if (self->token.data != NULL && self->token.len != TALL_TOKEN_SIZE)
    {
      tall_error_set_invalid (error, "options.token",
                              "options.token: it has %d bytes, and not %" G_GSIZE_FORMAT,
                              TALL_TOKEN_SIZE, self->token.len);
      return FALSE;
    }
  options->has_token = self->token.data != NULL;
  if (options->has_token)
    memcpy (options->token, self->token.data, TALL_TOKEN_SIZE);

  if (self->has_timeout_ms && (self->timeout_ms < 1 || self->timeout_ms > MAX_TIMEOUT_MS))
    {
      tall_error_set_invalid (error, "options.timeout_ms",
                              "options.timeout_ms: it is 1 to %d milliseconds, and not %d",
                              MAX_TIMEOUT_MS, self->timeout_ms);
      return FALSE;
    }
  options->timeout = self->has_timeout_ms ? (guint)self->timeout_ms : 0;
  return TRUE;
}

/**
 * tall_idl_options_init:
 *
 * The way back; the token points into @options.
 */
void
tall_idl_options_init (TallIdlOptions *self, const TallWriteOptions *options)
{
  *self = (TallIdlOptions){
    .condition = options->condition,
    .has_condition = options->condition != TALL_IF_ANY,
    .revision = options->revision,
    .has_revision = options->condition == TALL_IF_REVISION,
    .timeout_ms = (gint32)MIN (options->timeout, (guint)MAX_TIMEOUT_MS),
    .has_timeout_ms = options->timeout > 0,
  };
  if (options->has_token)
    self->token = tall_slice (options->token, TALL_TOKEN_SIZE);
}
