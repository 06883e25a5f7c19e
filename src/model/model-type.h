/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-customer.h"
#include "tall-order.h"

/**
 * TallModelKind:
 * @TALL_MODEL_NUMBER: `char *` that must be there: a customer or order number, the kind of an
 *   adjustment
 * @TALL_MODEL_POSITION: `gint32` from 1: the number of a location or line; one that may be absent
 * has a `gboolean`
 * @TALL_MODEL_TEXT: `char *`, NULL if absent
 * @TALL_MODEL_DATE: `gint64` with a `gboolean`: milliseconds since the epoch, UTC
 * @TALL_MODEL_DECIMAL: pointer to a #TallDecimal, NULL if absent
 * @TALL_MODEL_RATE: the same, from 0 to 1
 * @TALL_MODEL_STRUCT: pointer to a struct of texts, NULL if absent
 * @TALL_MODEL_LIST: array of pointers to structs, sorted by their first field, a position
 * @TALL_MODEL_STRUCTS: array of pointers to structs of texts, decimals and positions
 * @TALL_MODEL_TEXTS: array of `char *`
 * @TALL_MODEL_ATTRIBUTES: array of pointers to #TallAttribute
 *
 * What a field is. A new kind needs its code in each form; a new field of a kind needs none.
 */
typedef enum
{
  TALL_MODEL_NUMBER,
  TALL_MODEL_POSITION,
  TALL_MODEL_TEXT,
  TALL_MODEL_DATE,
  TALL_MODEL_DECIMAL,
  TALL_MODEL_RATE,
  TALL_MODEL_STRUCT,
  TALL_MODEL_LIST,
  TALL_MODEL_STRUCTS,
  TALL_MODEL_TEXTS,
  TALL_MODEL_ATTRIBUTES,
} TallModelKind;

/* A struct of the model and its fields, as `proto/` describes them. All forms follow it: canonical
 * form, JSON, columns, Thrift and CSV. */
typedef ProtobufCFieldDescriptor TallModelField;
typedef ProtobufCMessageDescriptor TallModelType;

#define tall_model_decimal tall_pb__decimal__descriptor
#define tall_model_attribute tall_pb__attribute__descriptor
#define tall_model_address tall_pb__address__descriptor
#define tall_model_line tall_pb__line_item__descriptor
#define tall_model_location tall_pb__shipping_location__descriptor
#define tall_model_adjustment tall_pb__adjustment__descriptor
#define tall_model_order tall_pb__order__descriptor
#define tall_model_customer tall_pb__customer__descriptor

TallModelKind tall_model_kind (const TallModelField *self);

static inline gboolean
tall_model_field_is_required (const TallModelField *self)
{
  return self->label == PROTOBUF_C_LABEL_REQUIRED;
}

/* Returns: (nullable): of the struct, or of the elements of a list; NULL: the field holds none, or
 * decimals or attributes, which are values */
static inline const TallModelType *
tall_model_field_type (const TallModelField *self)
{
  gboolean is_value =
      self->descriptor == &tall_model_decimal || self->descriptor == &tall_model_attribute;
  return is_value ? NULL : self->descriptor;
}

/* A pointer of any type: text, decimal, struct or array. */
static inline gpointer
tall_model_get_pointer (const TallModelField *self, gconstpointer base)
{
  gpointer value;
  memcpy (&value, (const char *)base + self->offset, sizeof value);
  return value;
}

static inline void
tall_model_set_pointer (const TallModelField *self, gpointer base, gconstpointer value)
{
  memcpy ((char *)base + self->offset, &value, sizeof value);
}

/* The `has_…` flag of a date, or of a position that may be absent. */
static inline gboolean *
tall_model_flag (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (gboolean, base, self->quantifier_offset);
}

/* The number of elements of a list. */
static inline gsize *
tall_model_count (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (gsize, base, self->quantifier_offset);
}

static inline gint32 *
tall_model_position (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (gint32, base, self->offset);
}

static inline gboolean
tall_model_has_position (const TallModelField *self, gconstpointer base)
{
  return tall_model_field_is_required (self) || *tall_model_flag (self, base);
}

static inline gint64 *
tall_model_date (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (gint64, base, self->offset);
}

static inline void
tall_model_append (const TallModelField *self, gpointer base, TallArena *arena, gpointer element)
{
  tall_arena_append (arena, G_STRUCT_MEMBER_P (base, self->offset), tall_model_count (self, base),
                     element);
}

gpointer tall_model_new (const TallModelType *self, TallArena *arena);
gpointer tall_model_alloc_owner (TallArena *arena, gsize size);
TallArena *tall_model_get_owner (gconstpointer message);
gpointer tall_model_new_owner (const TallModelType *self, TallArena *arena);
TallAttribute *tall_attribute_new (TallArena *arena, const char *key, const char *value);
char *tall_model_describe (const TallModelType *self);
const TallModelField *tall_model_find_field (const TallModelType *self, const char *name);
char *tall_model_list_fields (const TallModelType *self);
gsize tall_model_measure_texts (const TallModelType *self, gconstpointer base);
