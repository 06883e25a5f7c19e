/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-customer.h"
#include "tall-order.h"

G_BEGIN_DECLS

/**
 * TallModelKind:
 * @TALL_MODEL_NUMBER: `char *` that must be there: a customer or order number
 * @TALL_MODEL_POSITION: `gint32` from 1 that must be there: the number of a location or line
 * @TALL_MODEL_TEXT: `char *`, NULL if absent
 * @TALL_MODEL_DATE: `gint64` with a `gboolean`: milliseconds since the epoch, UTC
 * @TALL_MODEL_DECIMAL: #TallDecimal with a `gboolean`
 * @TALL_MODEL_RATE: the same, from 0 to 1
 * @TALL_MODEL_STRUCT: pointer to a struct of texts, NULL if absent
 * @TALL_MODEL_LIST: array of structs with a count, sorted by their first field, a position
 * @TALL_MODEL_TEXTS: array of `char *` with a count
 * @TALL_MODEL_ATTRIBUTES: #TallAttributes
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
  TALL_MODEL_TEXTS,
  TALL_MODEL_ATTRIBUTES,
} TallModelKind;

typedef struct _TallModelType TallModelType;

/**
 * TallModelField:
 *
 * One field of a struct, and where its value lies in memory.
 */
typedef struct
{
  const char *name; /* as in `proto/` and `idl/` */
  TallModelKind kind;
  guint16 offset;            /* bytes from the start of the struct to the value */
  guint16 beside;            /* … to its `has_…` flag or its count; 0: it has none */
  const TallModelType *type; /* of the struct, or of the list's elements; else NULL */
} TallModelField;

/**
 * TallModelType:
 *
 * A struct of the model. All its forms follow it: canonical form, JSON, columns, Thrift and CSV.
 * Field i has the number i + 1 in `proto/` and in `idl/`. Fields that must be there come first.
 */
struct _TallModelType
{
  const char *name; /* for people: `order` */
  gsize size;       /* bytes of the struct */
  guint n_fields;
  const TallModelField *fields; /* n_fields of them */
};

extern const TallModelType tall_model_address;  /* TallAddress */
extern const TallModelType tall_model_line;     /* TallLineItem */
extern const TallModelType tall_model_location; /* TallShippingLocation */
extern const TallModelType tall_model_order;    /* TallOrder */
extern const TallModelType tall_model_customer; /* TallCustomer */

static inline gboolean
tall_model_field_is_required (const TallModelField *self)
{
  return self->kind == TALL_MODEL_NUMBER || self->kind == TALL_MODEL_POSITION;
}

/* Whether it may come again and again in one message. */
static inline gboolean
tall_model_field_is_list (const TallModelField *self)
{
  return self->kind == TALL_MODEL_LIST || self->kind == TALL_MODEL_TEXTS
         || self->kind == TALL_MODEL_ATTRIBUTES;
}

/* A pointer of any type: text, struct or array. */
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

/* The `has_…` flag of a date or decimal. */
static inline gboolean *
tall_model_flag (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (gboolean, base, self->beside);
}

/* The number of elements of a list. */
static inline guint *
tall_model_count (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (guint, base, self->beside);
}

static inline gint32 *
tall_model_position (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (gint32, base, self->offset);
}

static inline gint64 *
tall_model_date (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (gint64, base, self->offset);
}

static inline TallDecimal *
tall_model_decimal (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (TallDecimal, base, self->offset);
}

static inline TallAttributes *
tall_model_attributes (const TallModelField *self, gconstpointer base)
{
  return &G_STRUCT_MEMBER (TallAttributes, base, self->offset);
}

gboolean tall_model_equal (const TallModelType *self, gconstpointer a, gconstpointer b);
gsize tall_model_measure_texts (const TallModelType *self, gconstpointer base);

G_END_DECLS
