/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-request.h"

typedef gboolean (*RunFunc) (TallRequest *self, GError **error);

void
tall_request_init (TallRequest *self,
                   TallFront *front,
                   TallCallMemory *memory,
                   const TallIdlCall *call)
{
  *self = (TallRequest){ .front = front, .memory = memory, .call = call };

  if (call->id == TALL_IDL_PUT_ORDER)
    {
      self->order = self->args.order = tall_order_new ("", "");
      self->arena = self->order->arena;
    }
  else if (call->id == TALL_IDL_PUT_CUSTOMER)
    {
      self->customer = self->args.customer = tall_customer_new ("");
      self->arena = self->customer->arena;
    }
  else
    self->arena = self->own_arena = tall_arena_new (0);
}

void
tall_request_clear (TallRequest *self)
{
  tall_order_free (self->success.order);
  tall_customer_free (self->success.customer);
  tall_description_free (self->description);
  tall_order_free (self->order);
  tall_customer_free (self->customer);
  tall_arena_free (self->own_arena);
}

/**
 * tall_request_fill_absent:
 *
 * A number that was not sent is refused as an empty one; a struct that was not sent has no fields.
 */
void
tall_request_fill_absent (TallRequest *self)
{
  static char empty[] = "";
  TallIdlArgs *args = &self->args;

  if (args->customer_number == NULL)
    args->customer_number = empty;
  if (args->order_number == NULL)
    args->order_number = empty;
  if (args->many == NULL)
    args->many = tall_arena_new0 (self->arena, TallIdlMany);
  if (args->listing == NULL)
    args->listing = tall_arena_new0 (self->arena, TallIdlListing);
  if (args->listing->customer_number == NULL)
    args->listing->customer_number = empty;
}

static gboolean
run_put_order (TallRequest *self, GError **error)
{
  TallWriteOptions options;

  self->result.success = &self->success;
  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_put_order (self->front, self->order, &options, &self->success.revision,
                                  error);
}

static gboolean
run_get_order (TallRequest *self, GError **error)
{
  self->result.success = &self->success;
  self->success.order =
      tall_front_get_order (self->front, self->args.customer_number, self->args.order_number,
                            &self->success.revision, error);
  return self->success.order != NULL;
}

static gboolean
run_delete_order (TallRequest *self, GError **error)
{
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_delete_order (self->front, self->args.customer_number,
                                     self->args.order_number, &options, error);
}

static gboolean
run_put_customer (TallRequest *self, GError **error)
{
  TallWriteOptions options;

  self->result.success = &self->success;
  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_put_customer (self->front, self->customer, &options, &self->success.revision,
                                     error);
}

static gboolean
run_get_customer (TallRequest *self, GError **error)
{
  self->result.success = &self->success;
  self->success.customer = tall_front_get_customer (self->front, self->args.customer_number,
                                                    &self->success.revision, error);
  return self->success.customer != NULL;
}

static gboolean
run_delete_customer (TallRequest *self, GError **error)
{
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_delete_customer (self->front, self->args.customer_number, &options, error);
}

static gboolean
run_describe (TallRequest *self, GError **error)
{
  static const char *const protocols[] = { "binary", "compact", NULL };
  TallDescription *description = tall_front_describe (self->front, error);

  self->description = description;
  self->result.success = description;
  if (description == NULL)
    return FALSE;
  description->calls = tall_idl_call_list_names ();
  description->n_calls = g_strv_length (description->calls);
  description->protocols = g_strdupv ((char **)protocols);
  description->n_protocols = g_strv_length (description->protocols);
  return TRUE;
}

static gboolean
run_ping (TallRequest *self, GError **error)
{
  return tall_front_ping (self->front, error);
}

static const RunFunc run_functions[TALL_IDL_N_CALLS] = {
  [TALL_IDL_PUT_ORDER] = run_put_order,
  [TALL_IDL_GET_ORDER] = run_get_order,
  [TALL_IDL_DELETE_ORDER] = run_delete_order,
  [TALL_IDL_PUT_CUSTOMER] = run_put_customer,
  [TALL_IDL_GET_CUSTOMER] = run_get_customer,
  [TALL_IDL_DELETE_CUSTOMER] = run_delete_customer,
  [TALL_IDL_GET_ORDERS] = tall_request_get_orders,
  [TALL_IDL_PUT_ORDERS] = tall_request_put_orders,
  [TALL_IDL_LIST_ORDERS] = tall_request_list_orders,
  [TALL_IDL_LIST_CUSTOMERS] = tall_request_list_customers,
  [TALL_IDL_GET_CUSTOMER_ORDERS] = tall_request_get_customer_orders,
  [TALL_IDL_DESCRIBE] = run_describe,
  [TALL_IDL_PING] = run_ping,
};

/**
 * tall_request_run:
 *
 * Runs a call whose arguments are there, with memory for one order or one page of a listing. Calls
 * on many orders take themselves what they need.
 */
gboolean
tall_request_run (TallRequest *self, GError **error)
{
  gboolean chooses = self->call->id == TALL_IDL_GET_ORDERS || self->call->id == TALL_IDL_PUT_ORDERS
                     || self->call->id == TALL_IDL_GET_CUSTOMER_ORDERS;
  gboolean stores_nothing = self->call->id == TALL_IDL_DESCRIBE || self->call->id == TALL_IDL_PING;
  gsize work = chooses || stores_nothing ? 0 : tall_call_memory_get_order (self->memory);
  return tall_call_memory_work (self->memory, work, error)
         && run_functions[self->call->id](self, error);
}
