/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-handler.h"

#include "tall-calls.h"
#include "tall-error.h"
#include "tall-idl-failure.h"
#include "tall-message.h"
#include "tall-request.h"

static gboolean
write_reply (TallTransport *transport,
             const TallMessage *call,
             TallMessageType message_type,
             const TallStructType *type,
             gconstpointer object,
             GError **error)
{
  TallMessage reply = { call->name, message_type, call->number };
  return tall_message_write (&reply, transport, type, object, error);
}

static gboolean
request_reply (TallRequest *self,
               TallTransport *transport,
               const TallMessage *message,
               GError *failure,
               GError **error)
{
  if (failure != NULL)
    {
      g_autofree char *operation = tall_idl_call_describe (self->call, &self->args);
      self->result.success = NULL;
      self->result.failure = tall_idl_failure_from_error (self->arena, operation, failure);
    }
  return write_reply (transport, message, TALL_MESSAGE_REPLY, self->call->result, &self->result,
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
answer_call (const TallHandler *self,
             TallCallMemory *memory,
             const TallIdlCall *call,
             TallTransport *transport,
             const TallMessage *message,
             GError **error)
{
  g_auto (TallRequest) request;
  TallStructReader reader;
  g_autoptr (GError) failure = NULL;

  tall_request_init (&request, self->front, memory, call);
  request.moves = self->moves;
  tall_struct_reader_init (&reader, transport, request.arena, tall_idl_call_get_limits (call));
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

  if (!request_reply (&request, transport, message, failure, error))
    return TALL_ANSWER_NONE;
  return has_args ? TALL_ANSWER_GIVEN : TALL_ANSWER_RESET;
}

static TallAnswer
answer_unknown (TallTransport *transport, const TallMessage *message, GError **error)
{
  g_autofree char *text = g_strdup_printf ("There is no call \"%s\" here", message->name);
  TallMessageException answer = { .message = text, .type = TALL_MESSAGE_UNKNOWN_METHOD };

  if (!write_reply (transport, message, TALL_MESSAGE_EXCEPTION, &tall_message_exception_type,
                    &answer, error))
    return TALL_ANSWER_NONE;
  return TALL_ANSWER_RESET;
}

/* Answers a call whose arguments nobody reads. */
static TallAnswer
answer_failure (const TallIdlCall *call,
                TallTransport *transport,
                const TallMessage *message,
                TallError code,
                const char *reason,
                GError **error)
{
  TallIdlFailure failure = { .code = code, .message = (char *)reason };
  TallIdlResult result = { .failure = &failure };

  if (!write_reply (transport, message, TALL_MESSAGE_REPLY, call->result, &result, error))
    return TALL_ANSWER_NONE;
  return TALL_ANSWER_RESET;
}

/* A message that wants no answer must not get one: its sender would take it for that of its next
 * call. */
static gboolean
read_header (TallTransport *transport, TallMessage *message, GError **error)
{
  if (!tall_message_read (message, transport, error))
    return FALSE;
  if (message->type == TALL_MESSAGE_CALL)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
               "a message of type %d, where only calls with an answer are taken",
               (int)message->type);
  return FALSE;
}

/**
 * tall_handler_answer:
 * @memory: begun for this call; takes from it what reading, running and replying need
 * @transport: where a call stands; takes the reply, which is not flushed
 *
 * Reads one call, runs it and writes its reply. A call that is malformed anywhere has no effect. A
 * value that we do not take is answered with a TallError that names the field.
 *
 * Returns: what to do with the connection now; %TALL_ANSWER_NONE with @error set
 */
TallAnswer
tall_handler_answer (const TallHandler *self,
                     TallCallMemory *memory,
                     TallTransport *transport,
                     GError **error)
{
  g_auto (TallMessage) message = { NULL };

  if (!read_header (transport, &message, error))
    return TALL_ANSWER_NONE;

  const TallIdlCall *call = tall_calls_find (message.name);
  if (call == NULL)
    return answer_unknown (transport, &message, error);
  g_autoptr (GError) forbidden = NULL;
  if (!tall_visitor_may_call (self->visitor, call, &forbidden))
    return answer_failure (call, transport, &message, TALL_ERROR_FORBIDDEN, forbidden->message,
                           error);
  return answer_call (self, memory, call, transport, &message, error);
}

/**
 * tall_handler_refuse:
 * @reason: for the caller
 *
 * As tall_handler_answer(), but every call is answered with %TALL_ERROR_OVERLOADED.
 */
TallAnswer
tall_handler_refuse (const char *reason, TallTransport *transport, GError **error)
{
  g_auto (TallMessage) message = { NULL };

  if (!read_header (transport, &message, error))
    return TALL_ANSWER_NONE;

  const TallIdlCall *call = tall_calls_find (message.name);
  if (call == NULL)
    return answer_unknown (transport, &message, error);
  return answer_failure (call, transport, &message, TALL_ERROR_OVERLOADED, reason, error);
}
