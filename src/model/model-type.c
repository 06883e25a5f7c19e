/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model-type.h"

#define AT(member) G_STRUCT_OFFSET (Type, member)
#define FIELD(kind, member, beside, type)                                                          \
  {                                                                                                \
#member, TALL_MODEL_##kind, AT(member), beside, type                                           \
  }
#define VALUE(kind, member) FIELD (kind, member, 0, NULL)
#define OPTIONAL(kind, member) FIELD (kind, member, AT (has_##member), NULL)
#define STRUCT(member, type) FIELD (STRUCT, member, 0, &type)
#define LIST(member, type) FIELD (LIST, member, AT (n_##member), &type)
#define TEXTS(member) FIELD (TEXTS, member, AT (n_##member), NULL)
#define TYPE(name, fields)                                                                         \
  {                                                                                                \
    name, sizeof (Type), G_N_ELEMENTS (fields), fields                                             \
  }

/* The lines of each table are in the order of the numbers in proto/ and idl/, from 1 without gaps;
 * the member's name is the field's. */

#define Type TallAddress
static const TallModelField address_fields[] = {
  VALUE (TEXT, line1), VALUE (TEXT, line2), VALUE (TEXT, city),
  VALUE (TEXT, state), VALUE (TEXT, zip),   VALUE (TEXT, country),
};
const TallModelType tall_model_address = TYPE ("address", address_fields);
#undef Type

#define Type TallLineItem
static const TallModelField line_fields[] = {
  VALUE (POSITION, number),     VALUE (TEXT, item_number), VALUE (TEXT, description),
  OPTIONAL (DECIMAL, quantity), OPTIONAL (DECIMAL, price), OPTIONAL (RATE, discount),
};
const TallModelType tall_model_line = TYPE ("line item", line_fields);
#undef Type

#define Type TallShippingLocation
static const TallModelField location_fields[] = {
  VALUE (POSITION, number),
  VALUE (TEXT, name),
  STRUCT (address, tall_model_address),
  OPTIONAL (DATE, ship_date),
  LIST (line_items, tall_model_line),
};
const TallModelType tall_model_location = TYPE ("shipping location", location_fields);
#undef Type

#define Type TallOrder
static const TallModelField order_fields[] = {
  VALUE (NUMBER, customer_number),
  VALUE (NUMBER, order_number),
  OPTIONAL (DATE, sales_date),
  VALUE (TEXT, currency),
  LIST (shipping_locations, tall_model_location),
  VALUE (ATTRIBUTES, attributes),
};
const TallModelType tall_model_order = TYPE ("order", order_fields);
#undef Type

#define Type TallCustomer
static const TallModelField customer_fields[] = {
  VALUE (NUMBER, number), VALUE (TEXT, name),  STRUCT (address, tall_model_address),
  TEXTS (phones),         VALUE (TEXT, email), VALUE (ATTRIBUTES, attributes),
};
const TallModelType tall_model_customer = TYPE ("customer", customer_fields);
#undef Type

static gboolean
texts_equal (const TallModelField *field, gconstpointer a, gconstpointer b)
{
  guint n = *tall_model_count (field, a);
  char *const *left = tall_model_get_pointer (field, a);
  char *const *right = tall_model_get_pointer (field, b);
  if (n != *tall_model_count (field, b))
    return FALSE;

  for (guint i = 0; i < n; i++)
    if (strcmp (left[i], right[i]) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
list_equal (const TallModelField *field, gconstpointer a, gconstpointer b)
{
  guint n = *tall_model_count (field, a);
  const char *left = tall_model_get_pointer (field, a);
  const char *right = tall_model_get_pointer (field, b);
  if (n != *tall_model_count (field, b))
    return FALSE;

  gsize size = field->type->size;
  for (guint i = 0; i < n; i++)
    if (!tall_model_equal (field->type, left + i * size, right + i * size))
      return FALSE;
  return TRUE;
}

/* TRUE if both dates or decimals are absent, or both are there and the same. */
static gboolean
optional_equal (const TallModelField *field, gconstpointer a, gconstpointer b)
{
  gboolean has = *tall_model_flag (field, a);
  if (has != *tall_model_flag (field, b))
    return FALSE;
  if (!has)
    return TRUE;
  if (field->kind == TALL_MODEL_DATE)
    return *tall_model_date (field, a) == *tall_model_date (field, b);
  return tall_decimal_identical (*tall_model_decimal (field, a), *tall_model_decimal (field, b));
}

/* Both are sorted. */
static gboolean
attributes_equal (const TallAttributes *a, const TallAttributes *b)
{
  if (a->n_items != b->n_items)
    return FALSE;

  for (guint i = 0; i < a->n_items; i++)
    if (strcmp (a->items[i].key, b->items[i].key) != 0
        || strcmp (a->items[i].value, b->items[i].value) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
field_equal (const TallModelField *field, gconstpointer a, gconstpointer b)
{
  switch (field->kind)
    {
    case TALL_MODEL_NUMBER:
    case TALL_MODEL_TEXT:
      return g_strcmp0 (tall_model_get_pointer (field, a), tall_model_get_pointer (field, b)) == 0;
    case TALL_MODEL_POSITION:
      return *tall_model_position (field, a) == *tall_model_position (field, b);
    case TALL_MODEL_DATE:
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      return optional_equal (field, a, b);
    case TALL_MODEL_STRUCT:
      return tall_model_equal (field->type, tall_model_get_pointer (field, a),
                               tall_model_get_pointer (field, b));
    case TALL_MODEL_LIST:
      return list_equal (field, a, b);
    case TALL_MODEL_TEXTS:
      return texts_equal (field, a, b);
    case TALL_MODEL_ATTRIBUTES:
      return attributes_equal (tall_model_attributes (field, a), tall_model_attributes (field, b));
    default:
      g_assert_not_reached ();
    }
}

/**
 * tall_model_equal:
 * @a: (nullable): a struct of that type, normalized
 * @b: (nullable): another
 *
 * Returns: TRUE if both are absent, or all their fields are equal; absent and empty are different,
 *   and so are 1.5 and 1.50
 */
gboolean
tall_model_equal (const TallModelType *self, gconstpointer a, gconstpointer b)
{
  if (a == NULL || b == NULL)
    return a == b;

  for (guint i = 0; i < self->n_fields; i++)
    if (!field_equal (&self->fields[i], a, b))
      return FALSE;
  return TRUE;
}

/**
 * tall_model_measure_texts:
 *
 * Returns: bytes of the texts in a struct and in the structs that it points to; not those of
 *   numbers, lists and attributes
 */
gsize
tall_model_measure_texts (const TallModelType *self, gconstpointer base)
{
  gsize size = 0;
  for (guint i = 0; i < self->n_fields; i++)
    {
      const TallModelField *field = &self->fields[i];
      if (field->kind != TALL_MODEL_TEXT && field->kind != TALL_MODEL_STRUCT)
        continue;
      gconstpointer value = tall_model_get_pointer (field, base);
      if (value != NULL)
        size +=
            field->type != NULL ? tall_model_measure_texts (field->type, value) : strlen (value);
    }
  return size;
}
