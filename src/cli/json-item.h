/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"
#include "tall-customer.h"
#include "tall-order.h"

G_BEGIN_DECLS

/**
 * TallJsonItem:
 *
 * One order or customer of a JSON file.
 */
typedef struct
{
  TallOrder *order;       /* owned; NULL if it is a customer, or bad */
  TallCustomer *customer; /* owned; NULL if it is an order, or bad */
  GError *error;          /* owned; why it is bad, with file and line; NULL: it is not */
  guint64 line;           /* of the file, where it begins */
} TallJsonItem;

void tall_json_item_clear (TallJsonItem *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallJsonItem, tall_json_item_clear)

typedef enum
{
  TALL_JSON_ORDERS,    /* what is not wrapped is an order */
  TALL_JSON_CUSTOMERS, /* … a customer */
} TallJsonKind;

TallSlice tall_json_strip (TallSlice text);
void tall_json_item_parse (TallJsonItem *self, TallSlice text, TallJsonKind kind);

G_END_DECLS
