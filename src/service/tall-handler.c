/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-handler.h"

#include <thrift/c_glib/thrift_application_exception.h>

#include "tall-idl.h"
#include "tall-error.h"
#include "tall-idl-failure.h"
#include "tall-struct-reader.h"
#include "tall-struct-writer.h"

/* One call from its first byte to its answer. */
typedef struct
{
  TallFront *front;
  const TallIdlCall *call;
  TallOrder *order;       /* owned: the argument of a put */
  TallCustomer *customer; /* likewise */
  TallArena *own_arena;   /* owned; NULL: the order's or customer's is used */
  TallArena *arena;       /* of arguments and result */
  TallIdlArgs args;
  TallIdlSuccess success;
  TallDescription *description; /* owned */
  TallIdlResult result;
} Request;

typedef gboolean (*RunFunc) (Request *self, GError **error);

static void
request_init (Request *self, TallFront *front, const TallIdlCall *call)
{
  *self = (Request){ .front = front, .call = call };

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

static void
request_clear (Request *self)
{
  tall_order_free (self->success.order);
  tall_customer_free (self->success.customer);
  tall_description_free (self->description);
  tall_order_free (self->order);
  tall_customer_free (self->customer);
  tall_arena_free (self->own_arena);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Request, request_clear)

static gboolean
run_put_order (Request *self, GError **error)
{
  TallWriteOptions options;

  self->result.success = &self->success;
  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_put_order (self->front, self->order, &options, &self->success.revision,
                                  error);
}

static gboolean
run_get_order (Request *self, GError **error)
{
  self->result.success = &self->success;
  self->success.order =
      tall_front_get_order (self->front, self->args.customer_number, self->args.order_number,
                            &self->success.revision, error);
  return self->success.order != NULL;
}

static gboolean
run_delete_order (Request *self, GError **error)
{
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_delete_order (self->front, self->args.customer_number,
                                     self->args.order_number, &options, error);
}

static gboolean
run_put_customer (Request *self, GError **error)
{
  TallWriteOptions options;

  self->result.success = &self->success;
  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_put_customer (self->front, self->customer, &options, &self->success.revision,
                                     error);
}

static gboolean
run_get_customer (Request *self, GError **error)
{
  self->result.success = &self->success;
  self->success.customer = tall_front_get_customer (self->front, self->args.customer_number,
                                                    &self->success.revision, error);
  return self->success.customer != NULL;
}

static gboolean
run_describe (Request *self, GError **error)
{
  self->description = tall_front_describe (self->front, error);
  self->result.success = self->description;
  return self->description != NULL;
}

static gboolean
run_ping (Request *self, GError **error)
{
  return tall_front_ping (self->front, error);
}

static const RunFunc run_functions[TALL_IDL_N_CALLS] = {
  [TALL_IDL_PUT_ORDER] = run_put_order,
  [TALL_IDL_GET_ORDER] = run_get_order,
  [TALL_IDL_DELETE_ORDER] = run_delete_order,
  [TALL_IDL_PUT_CUSTOMER] = run_put_customer,
  [TALL_IDL_GET_CUSTOMER] = run_get_customer,
  [TALL_IDL_DESCRIBE] = run_describe,
  [TALL_IDL_PING] = run_ping,
};

static gboolean
write_message (ThriftProtocol *out,
               const char *name,
               ThriftMessageType type,
               gint32 seqid,
               const TallStructType *struct_type,
               gconstpointer object,
               GError **error)
{
  return thrift_protocol_write_message_begin (out, name, type, seqid, error) >= 0
         && tall_struct_write (struct_type, object, out, error)
         && thrift_protocol_write_message_end (out, error) >= 0;
}

static gboolean
request_reply (Request *self, ThriftProtocol *out, gint32 seqid, GError *failure, GError **error)
{
  if (failure != NULL)
    {
      g_autofree char *operation = tall_idl_call_describe (self->call, &self->args);
      self->result.success = NULL;
      self->result.failure = tall_idl_failure_from_error (self->arena, operation, failure);
    }
  return write_message (out, self->call->name, T_REPLY, seqid, self->call->result, &self->result,
                        error);
}

/* A number that was not sent is refused as an empty one. */
static void
fill_absent (TallIdlArgs *args)
{
  static char empty[] = "";
  if (args->customer_number == NULL)
    args->customer_number = empty;
  if (args->order_number == NULL)
    args->order_number = empty;
}

static TallAnswer
answer_call (TallFront *front,
             const TallIdlCall *call,
             ThriftProtocol *in,
             ThriftProtocol *out,
             gint32 seqid,
             GError **error)
{
  g_auto (Request) request;
  TallStructReader reader;
  g_autoptr (GError) failure = NULL;

  request_init (&request, front, call);
  tall_struct_reader_init (&reader, in, request.arena);
  gboolean has_args = tall_struct_reader_read (&reader, call->args, &request.args, &failure);
  fill_absent (&request.args);
  if (!has_args && !reader.refused)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return TALL_ANSWER_NONE;
    }
  if (has_args)
    {
      if (!tall_struct_reader_finish (&reader, error))
        return TALL_ANSWER_NONE;
      (void)!run_functions[call->id](&request, &failure);
    }

  if (!request_reply (&request, out, seqid, failure, error))
    return TALL_ANSWER_NONE;
  return has_args ? TALL_ANSWER_GIVEN : TALL_ANSWER_RESET;
}

static TallAnswer
answer_unknown (ThriftProtocol *out, const char *name, gint32 seqid, GError **error)
{
  g_autofree char *message = g_strdup_printf ("There is no call \"%s\" here", name);
  TallIdlApplicationError answer = { .message = message,
                                     .type = THRIFT_APPLICATION_EXCEPTION_ERROR_UNKNOWN_METHOD };

  if (!write_message (out, name, T_EXCEPTION, seqid, &tall_idl_application_error_type, &answer,
                      error))
    return TALL_ANSWER_NONE;
  return TALL_ANSWER_RESET;
}

/**
 * tall_handler_answer:
 * @front: what keeps the orders; called on this thread
 * @in: where a call stands
 * @out: takes the reply; it is not flushed
 *
 * Reads one call, runs it and writes its reply. A call that is malformed anywhere has no effect. A
 * value that we do not take is answered with a TallError that names the field.
 *
 * Returns: what to do with the connection now; %TALL_ANSWER_NONE with @error set
 */
TallAnswer
tall_handler_answer (TallFront *front, ThriftProtocol *in, ThriftProtocol *out, GError **error)
{
  g_autofree gchar *name = NULL;
  ThriftMessageType type = T_CALL;
  gint32 seqid = 0;

  if (thrift_protocol_read_message_begin (in, &name, &type, &seqid, error) < 0)
    return TALL_ANSWER_NONE;
  if (name == NULL || type != T_CALL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                   "a message of type %d, where only calls with an answer are taken", type);
      return TALL_ANSWER_NONE;
    }

  const TallIdlCall *call = tall_idl_call_find (name);
  if (call == NULL)
    return answer_unknown (out, name, seqid, error);
  return answer_call (front, call, in, out, seqid, error);
}

/**
 * tall_handler_refuse:
 *
 * As tall_handler_answer(), but every call is answered with %TALL_ERROR_OVERLOADED.
 */
TallAnswer
tall_handler_refuse (ThriftProtocol *in, ThriftProtocol *out, GError **error)
{
  static char message[] = "The server has as many connections as it takes; nothing was done, try "
                          "again later";
  g_autofree gchar *name = NULL;
  ThriftMessageType type = T_CALL;
  gint32 seqid = 0;
  TallIdlFailure failure = { .code = TALL_ERROR_OVERLOADED, .message = message };
  TallIdlResult result = { .failure = &failure };

  if (thrift_protocol_read_message_begin (in, &name, &type, &seqid, error) < 0)
    return TALL_ANSWER_NONE;

  const TallIdlCall *call = tall_idl_call_find (name);
  if (call == NULL)
    return answer_unknown (out, name, seqid, error);
  if (!write_message (out, name, T_REPLY, seqid, call->result, &result, error))
    return TALL_ANSWER_NONE;
  return TALL_ANSWER_RESET;
}
