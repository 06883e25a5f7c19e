/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request.h"

/* The argument of a put has an arena of its own; all of the call lies in that. Returns: its field;
 * NULL: the call has no such argument. */
static const TallStructField *
find_owner (const TallStructType *args)
{
  gboolean is_owner =
      args->n_fields > 0 && args->fields[0].type != NULL && args->fields[0].type->create != NULL;
  return is_owner ? &args->fields[0] : NULL;
}

void
tall_request_init (TallRequest *self,
                   TallFront *front,
                   TallCallMemory *memory,
                   const TallIdlCall *call)
{
  const TallStructField *owner = find_owner (call->args);

  *self = (TallRequest){ .front = front, .memory = memory, .call = call };
  if (owner != NULL)
    G_STRUCT_MEMBER (gpointer, &self->args, owner->offset) = owner->type->create (&self->arena);
  else
    self->arena = tall_arena_new (0);
}

void
tall_request_clear (TallRequest *self)
{
  const TallStructField *owner = find_owner (self->call->args);

  if (owner != NULL)
    owner->type->clear (G_STRUCT_MEMBER_P (&self->args, owner->offset));
  else
    tall_arena_free (self->arena);
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
  const TallStructType *type = self->call->args;

  if (args->customer_number == NULL)
    args->customer_number = empty;
  if (args->order_number == NULL)
    args->order_number = empty;
  if (type->n_fields > 0 && type->fields[0].offset == G_STRUCT_OFFSET (TallIdlArgs, request)
      && args->request == NULL)
    args->request = tall_arena_alloc0 (self->arena, type->fields[0].type->size);
}

/**
 * tall_request_own:
 * @data: (nullable) (transfer full): what the call has made for its result
 *
 * Frees it when the reply was written.
 *
 * Returns: whether there is something
 */
gboolean
tall_request_own (TallRequest *self, gpointer data, GDestroyNotify destroy)
{
  if (data != NULL)
    tall_arena_own (self->arena, data, destroy);
  return data != NULL;
}

/**
 * tall_request_run:
 *
 * Runs a call whose arguments are there.
 */
gboolean
tall_request_run (TallRequest *self, GError **error)
{
  gsize work = self->call->own_memory ? 0 : tall_call_memory_get_order (self->memory);
  return tall_call_memory_work (self->memory, work, error) && self->call->run (self, error);
}

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
tall_request_patch_order (TallRequest *self, GError **error)
{
  TallIdlPatch *patch = self->args.request;
  TallIdlSuccess *success = add_success (self);
  TallWriteOptions options;

  if (!tall_idl_options_parse (patch->options, &options, error))
    return FALSE;
  options.base = patch->has_base_revision ? patch->base_revision : 0;
  return tall_front_patch_order (self->front,
                                 patch->customer_number != NULL ? patch->customer_number : "",
                                 patch->order_number != NULL ? patch->order_number : "",
                                 (const char *const *)patch->changes, (guint)patch->n_changes,
                                 &options, &success->revision, error);
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
