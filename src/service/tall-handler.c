/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-handler.h"

#include <thrift/c_glib/thrift_application_exception.h>

#include "tall-calls.h"
#include "tall-error.h"
#include "tall-idl-failure.h"
#include "tall-request.h"
#include "tall-struct-reader.h"
#include "tall-struct-writer.h"

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
request_reply (
    TallRequest *self, ThriftProtocol *out, gint32 seqid, GError *failure, GError **error)
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

static gboolean
spend_memory (gpointer memory, gsize bytes, GError **error)
{
  if (tall_call_memory_decode (memory, bytes))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
               "the server has no memory left for so large a request; nothing was done, try again "
               "later, or with less in one call");
  return FALSE;
}

static TallAnswer
answer_call (TallFront *front,
             TallCallMemory *memory,
             const TallIdlCall *call,
             ThriftProtocol *in,
             ThriftProtocol *out,
             gint32 seqid,
             GError **error)
{
  g_auto (TallRequest) request;
  TallStructReader reader;
  g_autoptr (GError) failure = NULL;

  tall_request_init (&request, front, memory, call);
  tall_struct_reader_init (&reader, in, request.arena, tall_idl_call_get_limits (call));
  reader.spend = spend_memory;
  reader.memory = memory;
  gboolean has_args = tall_struct_reader_read (&reader, call->args, &request.args, &failure);
  tall_request_fill_absent (&request);
  if (!has_args && !reader.refused)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return TALL_ANSWER_NONE;
    }
  if (has_args)
    {
      if (!tall_struct_reader_finish (&reader, error))
        return TALL_ANSWER_NONE;
      tall_call_memory_end_decoding (memory);
      (void)!tall_request_run (&request, &failure);
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

/* A message that wants no answer must not get one: its sender would take it for that of its next
 * call. */
static gboolean
read_header (ThriftProtocol *in, gchar **name, gint32 *seqid, GError **error)
{
  ThriftMessageType type = T_CALL;

  if (thrift_protocol_read_message_begin (in, name, &type, seqid, error) < 0)
    return FALSE;
  if (*name != NULL && type == T_CALL)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
               "a message of type %d, where only calls with an answer are taken", type);
  return FALSE;
}

/**
 * tall_handler_answer:
 * @front: what keeps the orders; called on this thread
 * @memory: begun for this call; takes from it what reading, running and replying need
 * @in: where a call stands
 * @out: takes the reply; it is not flushed
 *
 * Reads one call, runs it and writes its reply. A call that is malformed anywhere has no effect. A
 * value that we do not take is answered with a TallError that names the field.
 *
 * Returns: what to do with the connection now; %TALL_ANSWER_NONE with @error set
 */
TallAnswer
tall_handler_answer (TallFront *front,
                     TallCallMemory *memory,
                     ThriftProtocol *in,
                     ThriftProtocol *out,
                     GError **error)
{
  g_autofree gchar *name = NULL;
  gint32 seqid = 0;

  if (!read_header (in, &name, &seqid, error))
    return TALL_ANSWER_NONE;

  const TallIdlCall *call = tall_calls_find (name);
  if (call == NULL)
    return answer_unknown (out, name, seqid, error);
  return answer_call (front, memory, call, in, out, seqid, error);
}

/**
 * tall_handler_refuse:
 * @reason: for the caller
 *
 * As tall_handler_answer(), but every call is answered with %TALL_ERROR_OVERLOADED.
 */
TallAnswer
tall_handler_refuse (const char *reason, ThriftProtocol *in, ThriftProtocol *out, GError **error)
{
  g_autofree gchar *name = NULL;
  gint32 seqid = 0;
  TallIdlFailure failure = { .code = TALL_ERROR_OVERLOADED, .message = (char *)reason };
  TallIdlResult result = { .failure = &failure };

  if (!read_header (in, &name, &seqid, error))
    return TALL_ANSWER_NONE;

  const TallIdlCall *call = tall_calls_find (name);
  if (call == NULL)
    return answer_unknown (out, name, seqid, error);
  if (!write_message (out, name, T_REPLY, seqid, call->result, &result, error))
    return TALL_ANSWER_NONE;
  return TALL_ANSWER_RESET;
}
