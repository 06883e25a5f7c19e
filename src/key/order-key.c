/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/order-key.h"

static void
cut (TallOrderKey *self, gsize customer_len)
{
  self->whole = tall_slice_array (self->bytes);
  self->customer = tall_slice (self->whole.data, customer_len);
  self->order = tall_slice (self->whole.data + customer_len, self->whole.len - customer_len);
}

/**
 * tall_order_key_init:
 * @customer_id: the substituted id if the strategy needs one, else 0
 * @order_number: (nullable): NULL makes the key of a customer
 */
void
tall_order_key_init (TallOrderKey *self,
                     const TallKeyStrategy *strategy,
                     const char *customer_number,
                     guint64 customer_id,
                     const char *order_number)
{
  self->bytes = g_byte_array_sized_new (64);
  strategy->append_customer (customer_number, customer_id, self->bytes);
  gsize customer_len = self->bytes->len;
  if (order_number != NULL)
    strategy->append_order (order_number, self->bytes);
  cut (self, customer_len);
}

/**
 * tall_order_key_init_from_parts:
 * @customer: a customer part, as it was stored
 * @order: an order part, or the empty slice for the key of a customer
 */
void
tall_order_key_init_from_parts (TallOrderKey *self, TallSlice customer, TallSlice order)
{
  self->bytes = g_byte_array_sized_new ((guint)(customer.len + order.len));
  tall_bytes_append (self->bytes, customer);
  tall_bytes_append (self->bytes, order);
  cut (self, customer.len);
}

/**
 * tall_order_key_set_order:
 * @order: not of @self
 *
 * Makes @self the key of another order of the same customer.
 */
void
tall_order_key_set_order (TallOrderKey *self, TallSlice order)
{
  gsize customer_len = self->customer.len;
  g_byte_array_set_size (self->bytes, (guint)customer_len);
  tall_bytes_append (self->bytes, order);
  cut (self, customer_len);
}

void
tall_order_key_clear (TallOrderKey *self)
{
  g_clear_pointer (&self->bytes, g_byte_array_unref);
}
