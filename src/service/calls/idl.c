/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/idl-private.h"

#include "tall-limits.h"
#include "model/model-type.h"

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
G_STATIC_ASSERT (sizeof (TallStructPair) == sizeof (TallAttribute));
G_STATIC_ASSERT (offsetof (TallStructPair, value) == offsetof (TallAttribute, value));

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

/* The structs that are stored. The model has their fields, with the numbers of the IDL. */
static TallStructType address_type = { .name = "Address" };
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
  { &tall_model_address, &address_type },
  { &tall_model_line, &line_item_type },
  { &tall_model_location, &location_type },
  { &tall_model_order, &tall_idl_order_type },
  { &tall_model_customer, &tall_idl_customer_type },
};

/* @model: (nullable): */
static const TallStructType *
find_type (const TallModelType *model)
{
  for (guint i = 0; i < G_N_ELEMENTS (stored); i++)
    if (stored[i].model == model)
      return stored[i].type;
  return NULL;
}

static TallStructField
make_field (const TallModelField *field, gint16 id)
{
  static const TallStructKind kinds[] = {
    [TALL_MODEL_NUMBER] = TALL_KIND_TEXT,     [TALL_MODEL_POSITION] = TALL_KIND_I32,
    [TALL_MODEL_TEXT] = TALL_KIND_TEXT,       [TALL_MODEL_DATE] = TALL_KIND_I64,
    [TALL_MODEL_DECIMAL] = TALL_KIND_DECIMAL, [TALL_MODEL_RATE] = TALL_KIND_DECIMAL,
    [TALL_MODEL_STRUCT] = TALL_KIND_STRUCT,   [TALL_MODEL_LIST] = TALL_KIND_STRUCTS,
    [TALL_MODEL_TEXTS] = TALL_KIND_TEXTS,     [TALL_MODEL_ATTRIBUTES] = TALL_KIND_PAIRS,
  };
  TallStructField made = { field->name,        id,
                           kinds[field->kind], field->offset,
                           field->beside,      find_type (field->type) };
  if (field->kind == TALL_MODEL_ATTRIBUTES)
    {
      made.offset = field->offset + G_STRUCT_OFFSET (TallAttributes, items);
      made.beside = field->offset + G_STRUCT_OFFSET (TallAttributes, n_items);
    }
  else if (field->beside == 0)
    made.beside = TALL_STRUCT_ALWAYS;
  return made;
}

static void
make_type (TallStructType *type, const TallModelType *model)
{
  TallStructField *fields = g_new (TallStructField, model->n_fields);
  for (guint i = 0; i < model->n_fields; i++)
    fields[i] = make_field (&model->fields[i], (gint16)(i + 1));
  type->size = model->size;
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
