/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/handler.h"

#include "service/calls/calls.h"
#include "tall-error.h"
#include "service/server/log.h"
#include "service/calls/idl-failure.h"
#include "wire/connection.h"
#include "service/server/request.h"

static gboolean
write_reply (TallTransport *transport,
             const TallMessage *call,
             ThriftMessageType message_type,
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
  return write_reply (transport, message, T_REPLY, self->call->result, &self->result, error);
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

/* As the caller gets it. */
static TallError
find_code (const GError *failure)
{
  if (failure == NULL)
    return 0;
  return failure->domain == TALL_ERROR ? (TallError)failure->code : TALL_ERROR_INTERNAL;
}

static void
log_if_slow (const TallHandler *self, const TallCallRecord *record, const TallRequest *request)
{
  gint64 now = g_get_monotonic_time ();
  if (self->slow == 0 || now - record->begin < self->slow)
    return;
  g_autofree char *operation = tall_idl_call_describe (record->call, &request->args);
  tall_slow_log_add (record, now, tall_trace_get (), operation);
}

static TallAnswer
answer_call (const TallHandler *self,
             TallCallMemory *memory,
             TallCallRecord *record,
             TallTransport *transport,
             const TallMessage *message,
             GError **error)
{
  const TallIdlCall *call = record->call;
  g_auto (TallRequest) request;
  TallStructReader reader;
  g_autoptr (GError) failure = NULL;

  tall_request_init (&request, self->front, memory, call);
  request.moves = self->moves;
  request.backups = self->backups;
  request.shows_details = tall_visitor_may_see_details (self->visitor, call);
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

  record->code = find_code (failure);
  log_if_slow (self, record, &request);
  if (!request_reply (&request, transport, message, failure, error))
    return TALL_ANSWER_NONE;
  return has_args ? TALL_ANSWER_GIVEN : TALL_ANSWER_RESET;
}

static TallAnswer
answer_unknown (TallCallRecord *record,
                TallTransport *transport,
                const TallMessage *message,
                GError **error)
{
  record->code = TALL_ERROR_UNSUPPORTED;
  g_autofree char *text = g_strdup_printf ("There is no call \"%s\" here", message->name);
  TallMessageException answer = { .message = text, .type = TALL_MESSAGE_UNKNOWN_METHOD };

  if (!write_reply (transport, message, T_EXCEPTION, &tall_message_exception_type, &answer, error))
    return TALL_ANSWER_NONE;
  return TALL_ANSWER_RESET;
}

/* The log names who tried what. */
static void
log_forbidden (const TallCallRecord *record, const GError *forbidden)
{
  g_autofree char *operation = g_strdup_printf ("\"%s\"", record->call->name);
  tall_failure_log_add (TALL_ERROR_FORBIDDEN, operation, forbidden);
}

/* Answers a call whose arguments nobody reads. */
static TallAnswer
answer_failure (const TallCallRecord *record,
                TallTransport *transport,
                const TallMessage *message,
                const char *reason,
                GError **error)
{
  TallIdlFailure failure = { .code = record->code, .message = (char *)reason };
  TallIdlResult result = { .failure = &failure };

  if (!write_reply (transport, message, T_REPLY, record->call->result, &result, error))
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
  if (message->type == T_CALL)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
               "a message of type %d, where only calls with an answer are taken",
               (int)message->type);
  return FALSE;
}

/* What cannot be answered ends the connection, which is counted as that. */
static TallAnswer
note (const TallHandler *self, const TallCallRecord *record, TallAnswer answer)
{
  if (self->stats != NULL && answer != TALL_ANSWER_NONE)
    tall_call_stats_add (self->stats, record, g_get_monotonic_time ());
  return answer;
}

static TallAnswer
answer (const TallHandler *self,
        TallCallMemory *memory,
        TallCallRecord *record,
        TallTransport *transport,
        const TallMessage *message,
        GError **error)
{
  g_autoptr (GError) forbidden = NULL;

  if (record->call == NULL)
    return answer_unknown (record, transport, message, error);
  if (tall_visitor_may_call (self->visitor, record->call, &forbidden))
    return answer_call (self, memory, record, transport, message, error);
  record->code = TALL_ERROR_FORBIDDEN;
  log_forbidden (record, forbidden);
  return answer_failure (record, transport, message, forbidden->message, error);
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
  TallCallRecord record = { .begin = g_get_monotonic_time () };

  if (!read_header (transport, &message, error))
    return TALL_ANSWER_NONE;
  record.call = tall_calls_find (message.name);
  tall_request_id_begin ();
  tall_trace_begin ();
  TallAnswer given = answer (self, memory, &record, transport, &message, error);
  tall_request_id_end ();
  return note (self, &record, given);
}

/**
 * tall_handler_refuse:
 * @reason: for the caller
 *
 * As tall_handler_answer(), but every call is answered with %TALL_ERROR_OVERLOADED.
 */
TallAnswer
tall_handler_refuse (const TallHandler *self,
                     const char *reason,
                     TallTransport *transport,
                     GError **error)
{
  g_auto (TallMessage) message = { NULL };
  TallCallRecord record = { .begin = g_get_monotonic_time (), .code = TALL_ERROR_OVERLOADED };

  if (!read_header (transport, &message, error))
    return TALL_ANSWER_NONE;
  record.call = tall_calls_find (message.name);
  return note (self, &record,
               record.call == NULL ? answer_unknown (&record, transport, &message, error)
                                   : answer_failure (&record, transport, &message, reason, error));
}
