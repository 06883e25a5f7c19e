/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/idl-private.h"

#include "model/model-type.h"
#include "base/fail.h"
#include "tall-limits.h"

/* In the canonical form a text takes a tag and a length at least; an attribute is two texts and
 * takes such a pair of its own. */
#define MIN_TEXT_BYTES 2
#define MIN_ATTRIBUTE_BYTES 6

#define MAX_TIMEOUT_MS 3600000

const TallStructLimits tall_idl_limits = {
  .n_structs = TALL_MAX_LINES_AND_LOCATIONS,
  .shown_structs = TALL_MAX_LINES_AND_LOCATIONS,
  .structs = "lines, locations and adjustments in one order",
  .n_bytes = TALL_MAX_CANONICAL_BYTES,
  .bytes = "bytes, which is the most that an order or customer may have",
  .text_bytes = MIN_TEXT_BYTES,
  .pair_bytes = MIN_ATTRIBUTE_BYTES,
};

const TallStructLimits tall_idl_many_limits = {
  .n_structs = TALL_IDL_MANY_LINES + TALL_IDL_MANY_ITEMS,
  .shown_structs = TALL_IDL_MANY_LINES,
  .structs = "lines, locations and adjustments in one call",
  .n_bytes = TALL_IDL_MANY_BYTES,
  .bytes = "bytes of text, which is the most that one call may have",
  .text_bytes = MIN_TEXT_BYTES,
  .pair_bytes = MIN_ATTRIBUTE_BYTES,
};

static gpointer
create_order (TallArena **arena)
{
  TallOrder *order = tall_order_new ("", "");
  *arena = tall_order_get_arena (order);
  return order;
}

static void
clear_order (gpointer pointer)
{
  g_clear_pointer ((TallOrder **)pointer, tall_order_free);
}

static gpointer
create_customer (TallArena **arena)
{
  TallCustomer *customer = tall_customer_new ("");
  *arena = tall_customer_get_arena (customer);
  return customer;
}

static void
clear_customer (gpointer pointer)
{
  g_clear_pointer ((TallCustomer **)pointer, tall_customer_free);
}

/* The structs that are stored. The model has their fields, with the numbers of the IDL. */
static TallStructType decimal_type = {
  .name = "Decimal",
  .required = TALL_STRUCT_BIT (TALL_DECIMAL_UNSCALED_ID) | TALL_STRUCT_BIT (TALL_DECIMAL_SCALE_ID),
  .lacking = "a decimal needs both unscaled and scale",
};
static TallStructType attribute_type = { .name = "Attribute" };
static TallStructType address_type = { .name = "Address" };
static TallStructType adjustment_type = { .name = "Adjustment" };
static TallStructType line_item_type = { .name = "LineItem" };
static TallStructType location_type = { .name = "ShippingLocation" };
TallStructType tall_idl_order_type = {
  .name = "Order",
  .create = create_order,
  .clear = clear_order,
};
TallStructType tall_idl_customer_type = {
  .name = "Customer",
  .create = create_customer,
  .clear = clear_customer,
};

static const struct
{
  const TallModelType *model;
  TallStructType *type;
} stored[] = {
  { &tall_model_decimal, &decimal_type },      { &tall_model_attribute, &attribute_type },
  { &tall_model_address, &address_type },      { &tall_model_adjustment, &adjustment_type },
  { &tall_model_line, &line_item_type },       { &tall_model_location, &location_type },
  { &tall_model_order, &tall_idl_order_type }, { &tall_model_customer, &tall_idl_customer_type },
};

/* @model: (nullable): */
static const TallStructType *
find_type (gconstpointer model)
{
  for (guint i = 0; i < G_N_ELEMENTS (stored); i++)
    if (stored[i].model == model)
      return stored[i].type;
  return NULL;
}

static TallStructKind
get_kind (const TallModelField *field)
{
  switch (field->type)
    {
    case PROTOBUF_C_TYPE_STRING:
      return field->label == PROTOBUF_C_LABEL_REPEATED ? TALL_KIND_TEXTS : TALL_KIND_TEXT;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_UINT32:
      return TALL_KIND_I32;
    case PROTOBUF_C_TYPE_SINT64:
      return TALL_KIND_I64;
    case PROTOBUF_C_TYPE_MESSAGE:
      if (field->descriptor == &tall_model_attribute)
        return TALL_KIND_PAIRS;
      return field->label == PROTOBUF_C_LABEL_REPEATED ? TALL_KIND_OBJECTS : TALL_KIND_STRUCT;
    default:
      g_assert_not_reached ();
    }
}

/* What not every order has is sent only of those that have it. */
static TallStructField
make_field (const TallModelField *field)
{
  return (TallStructField){
    .name = field->name,
    .id = (gint16)field->id,
    .kind = get_kind (field),
    .offset = (guint16)field->offset,
    .beside = field->quantifier_offset > 0 ? (guint16)field->quantifier_offset : TALL_STRUCT_ALWAYS,
    .type = find_type (field->descriptor),
    .optional = field->descriptor == &tall_model_adjustment,
  };
}

static void
make_type (TallStructType *type, const TallModelType *model)
{
  TallStructField *fields = g_new (TallStructField, model->n_fields);
  for (guint i = 0; i < model->n_fields; i++)
    fields[i] = make_field (&model->fields[i]);
  type->size = model->sizeof_message;
  type->head = model;
  type->n_fields = model->n_fields;
  type->fields = fields;
}

/**
 * tall_idl_prepare:
 *
 * Makes the descriptions of the structs that are stored, once. Any thread may call it.
 */
void
tall_idl_prepare (void)
{
  static gsize ready;
  if (!g_once_init_enter (&ready))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (stored); i++)
    make_type (stored[i].type, stored[i].model);
  g_once_init_leave (&ready, 1);
}

#define Type TallIdlOptions
IDL_SHARED_STRUCT (tall_idl_options_type,
                   "WriteOptions",
                   OPTIONAL (1, I32, condition),
                   OPTIONAL (2, I64, revision),
                   ALWAYS (3, BYTES, token),
                   OPTIONAL (4, I32, timeout_ms));
#undef Type

#define Type TallIdlFailure
IDL_SHARED_STRUCT (tall_idl_failure_type,
                   "TallError",
                   ALWAYS (1, I32, code),
                   ALWAYS (2, TEXT, message),
                   ALWAYS (3, TEXT, field),
                   OPTIONAL (4, I64, revision));
#undef Type

static gboolean
parse_condition (const TallIdlOptions *self, TallWriteOptions *options, GError **error)
{
  static const TallCondition conditions[] = { TALL_IF_ANY, TALL_IF_ABSENT, TALL_IF_REVISION };

  if (self->has_condition && (guint)self->condition >= G_N_ELEMENTS (conditions))
    return tall_error_fail_invalid (error, "options.condition",
                                    "options.condition: %d is not a WriteCondition",
                                    self->condition);
  options->condition = self->has_condition ? conditions[self->condition] : TALL_IF_ANY;
  if (self->has_revision != (options->condition == TALL_IF_REVISION))
    return tall_error_fail_invalid (
        error, "options.revision",
        "options.revision: the condition REVISION needs it, and no other condition takes it");
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
    return tall_error_fail_invalid (error, "options.token",
                                    "options.token: it has %d bytes, and not %" G_GSIZE_FORMAT,
                                    TALL_TOKEN_SIZE, self->token.len);
  options->has_token = self->token.data != NULL;
  if (options->has_token)
    memcpy (options->token, self->token.data, TALL_TOKEN_SIZE);

  if (self->has_timeout_ms && (self->timeout_ms < 1 || self->timeout_ms > MAX_TIMEOUT_MS))
    return tall_error_fail_invalid (error, "options.timeout_ms",
                                    "options.timeout_ms: it is 1 to %d milliseconds, and not %d",
                                    MAX_TIMEOUT_MS, self->timeout_ms);
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

/**
 * tall_idl_listing_parse:
 * @self: (nullable): what came; NULL: nothing
 * @options: (out): its page token points into @self
 */
gboolean
tall_idl_listing_parse (const TallIdlListing *self, TallListOptions *options, GError **error)
{
  *options = (TallListOptions){ 0 };
  if (self == NULL)
    return TRUE;

  if (self->has_limit && (self->limit < 1 || self->limit > TALL_MAX_PAGE))
    return tall_error_fail_invalid (error, "limit", "limit: a page has 1 to %d entries, and not %d",
                                    TALL_MAX_PAGE, self->limit);
  *options = (TallListOptions){
    .has_from = self->has_from_date,
    .has_to = self->has_to_date,
    .from = self->from_date,
    .to = self->to_date,
    .limit = self->has_limit ? (guint)self->limit : TALL_DEFAULT_PAGE,
    .page = self->page,
  };
  return TRUE;
}

/**
 * tall_idl_listing_init:
 * @options: (nullable):
 *
 * The way back; the texts are those of the arguments.
 */
void
tall_idl_listing_init (TallIdlListing *self,
                       const char *customer_number,
                       const TallListOptions *options)
{
  static const TallListOptions none = { 0 };

  if (options == NULL)
    options = &none;
  *self = (TallIdlListing){
    .customer_number = (char *)customer_number,
    .has_from_date = options->has_from,
    .has_to_date = options->has_to,
    .from_date = options->from,
    .to_date = options->to,
    .limit = (gint32)options->limit,
    .has_limit = options->limit > 0,
    .page = (char *)options->page,
  };
}

/* The buffer of the reply doubles when it is full. */
#define ENCODED_COPIES 2

void
tall_call_budget_init (TallCallBudget *self)
{
  const TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  *self = (TallCallBudget){
    .bytes = TALL_CALL_BYTES,
    .n_lines = TALL_CALL_LINES,
    .until = g_get_monotonic_time () + TALL_CALL_TIME * G_TIME_SPAN_MILLISECOND,
    .scale = tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options),
  };
}

void
tall_call_budget_clear (TallCallBudget *self)
{
  g_clear_object (&self->scale);
}

/**
 * tall_call_budget_take:
 * @item: of that type
 * @order: (nullable): the order in it
 *
 * Returns: FALSE if the item has no room any more; then nothing is taken but memory
 */
gboolean
tall_call_budget_take (TallCallBudget *self,
                       const TallStructType *type,
                       gconstpointer item,
                       const TallOrder *order)
{
  gsize encoded = tall_struct_measure (type, item, self->scale);
  guint lines = order != NULL ? order->n_shipping_locations + tall_order_count_lines (order) : 0;

  self->memory += ENCODED_COPIES * encoded;
  self->memory += order != NULL ? tall_arena_get_size (tall_order_get_arena (order)) : 0;
  if (self->n_items > 0 && (encoded > self->bytes || lines > self->n_lines))
    return FALSE;

  self->bytes -= MIN (self->bytes, encoded);
  self->n_lines -= MIN (self->n_lines, lines);
  self->n_items++;
  return TRUE;
}

gboolean
tall_call_budget_is_late (const TallCallBudget *self)
{
  return g_get_monotonic_time () >= self->until;
}
