/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-json-private.h"

#define VALUE(type, kind, member)                                                                  \
  {                                                                                                \
#member, kind, offsetof(type, member), 0, NULL                                                 \
  }
#define OPTIONAL(type, kind, member)                                                               \
  {                                                                                                \
#member, kind, offsetof(type, member), offsetof(type, has_##member), NULL                      \
  }
#define LIST(type, kind, member, element)                                                          \
  {                                                                                                \
#member, kind, offsetof(type, member), offsetof(type, n_##member), element                     \
  }
#define TYPE(name, type, fields)                                                                   \
  {                                                                                                \
    name, sizeof (type), fields, G_N_ELEMENTS (fields)                                             \
  }

static const TallJsonField address_fields[] = {
  VALUE (TallAddress, TALL_JSON_TEXT, line1), VALUE (TallAddress, TALL_JSON_TEXT, line2),
  VALUE (TallAddress, TALL_JSON_TEXT, city),  VALUE (TallAddress, TALL_JSON_TEXT, state),
  VALUE (TallAddress, TALL_JSON_TEXT, zip),   VALUE (TallAddress, TALL_JSON_TEXT, country),
};

static const TallJsonType address = TYPE ("address", TallAddress, address_fields);

static const TallJsonField line_item_fields[] = {
  VALUE (TallLineItem, TALL_JSON_POSITION, number),
  VALUE (TallLineItem, TALL_JSON_TEXT, item_number),
  VALUE (TallLineItem, TALL_JSON_TEXT, description),
  OPTIONAL (TallLineItem, TALL_JSON_DECIMAL, quantity),
  OPTIONAL (TallLineItem, TALL_JSON_DECIMAL, price),
  OPTIONAL (TallLineItem, TALL_JSON_DECIMAL, discount),
};

static const TallJsonType line_item = TYPE ("line item", TallLineItem, line_item_fields);

static const TallJsonField location_fields[] = {
  VALUE (TallShippingLocation, TALL_JSON_POSITION, number),
  VALUE (TallShippingLocation, TALL_JSON_TEXT, name),
  { "address", TALL_JSON_OBJECT, offsetof (TallShippingLocation, address), 0, &address },
  OPTIONAL (TallShippingLocation, TALL_JSON_DATE, ship_date),
  LIST (TallShippingLocation, TALL_JSON_LIST, line_items, &line_item),
};

static const TallJsonType location =
    TYPE ("shipping location", TallShippingLocation, location_fields);

static const TallJsonField order_fields[] = {
  VALUE (TallOrder, TALL_JSON_NUMBER, customer_number),
  VALUE (TallOrder, TALL_JSON_NUMBER, order_number),
  OPTIONAL (TallOrder, TALL_JSON_DATE, sales_date),
  VALUE (TallOrder, TALL_JSON_TEXT, currency),
  LIST (TallOrder, TALL_JSON_LIST, shipping_locations, &location),
  VALUE (TallOrder, TALL_JSON_ATTRIBUTES, attributes),
  { "revision", TALL_JSON_REVISION, 0, 0, NULL },
};

const TallJsonType tall_json_order = TYPE ("order", TallOrder, order_fields);

static const TallJsonField customer_fields[] = {
  VALUE (TallCustomer, TALL_JSON_NUMBER, number),
  VALUE (TallCustomer, TALL_JSON_TEXT, name),
  { "address", TALL_JSON_OBJECT, offsetof (TallCustomer, address), 0, &address },
  LIST (TallCustomer, TALL_JSON_TEXTS, phones, NULL),
  VALUE (TallCustomer, TALL_JSON_TEXT, email),
  VALUE (TallCustomer, TALL_JSON_ATTRIBUTES, attributes),
  { "revision", TALL_JSON_REVISION, 0, 0, NULL },
};

const TallJsonType tall_json_customer = TYPE ("customer", TallCustomer, customer_fields);
