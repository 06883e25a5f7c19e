/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "key/strategy.h"

G_BEGIN_DECLS

/**
 * TallOrderKey:
 *
 * The row key of one customer or order, in its two parts. A plain value; its slices point into
 * @bytes.
 */
typedef struct
{
  GByteArray *bytes;  /* owned: customer part + order part */
  TallSlice whole;    /* all of it */
  TallSlice customer; /* the customer part: prefix of everything that belongs to the customer */
  TallSlice order;    /* the order part; empty for a customer's key */
} TallOrderKey;

void tall_order_key_init (TallOrderKey *self,
                          const TallKeyStrategy *strategy,
                          const char *customer_number,
                          guint64 customer_id,
                          const char *order_number);
void tall_order_key_init_from_parts (TallOrderKey *self, TallSlice customer, TallSlice order);
void tall_order_key_set_order (TallOrderKey *self, TallSlice order);
void tall_order_key_clear (TallOrderKey *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallOrderKey, tall_order_key_clear)

G_END_DECLS
