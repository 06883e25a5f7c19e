/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request.h"

/* Calls on one order or one customer. */

static TallIdlSuccess *
add_success (TallRequest *self)
{
  TallIdlSuccess *success = tall_arena_new0 (self->arena, TallIdlSuccess);
  self->result.success = success;
  return success;
}

gboolean
tall_request_put_order (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_put_order (self->front, self->args.order, &options, &success->revision,
                                  error);
}

gboolean
tall_request_get_order (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);

  success->order = tall_front_get_order (self->front, self->args.customer_number,
                                         self->args.order_number, &success->revision, error);
  return tall_request_own (self, success->order, (GDestroyNotify)tall_order_free);
}

gboolean
tall_request_delete_order (TallRequest *self, GError **error)
{
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_delete_order (self->front, self->args.customer_number,
                                     self->args.order_number, &options, error);
}

gboolean
tall_request_put_customer (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_put_customer (self->front, self->args.customer, &options, &success->revision,
                                     error);
}

gboolean
tall_request_get_customer (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);

  success->customer =
      tall_front_get_customer (self->front, self->args.customer_number, &success->revision, error);
  return tall_request_own (self, success->customer, (GDestroyNotify)tall_customer_free);
}

gboolean
tall_request_delete_customer (TallRequest *self, GError **error)
{
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_delete_customer (self->front, self->args.customer_number, &options, error);
}
