/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/session.h"

#include "base/heap.h"
#include "service/calls/calls.h"
#include "service/calls/idl-failure.h"
#include "service/server/log.h"
#include "service/server/request.h"
#include "base/fail.h"
#include "wire/connection.h"
#include "wire/socket.h"

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
  return tall_error_fail (error, TALL_ERROR_OVERLOADED,
                          "the server has no memory left for so large a request; nothing was done, "
                          "try again later, or with less in one call");
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
  return tall_error_fail (error, TALL_ERROR_INVALID,
                          "a message of type %d, where only calls with an answer are taken",
                          (int)message->type);
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

/* @reason: for the caller
 *
 * As tall_handler_answer(), but every call is answered with %TALL_ERROR_OVERLOADED. */
static TallAnswer
handler_refuse (const TallHandler *self,
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

#define MAX_DEPTH 32

/* A request that holds memory may be behind what makes it arrive in time by this part of that time:
 * 2 s of the usual 30. */
#define GRACE_PART 15

/* Nothing may be taken of a reply that holds memory for this part of that time: 5 s. */
#define STALL_PART 6

/* The pace of such a request is looked at in so many steps at least, so that one that stands still
 * is soon noticed. */
#define MIN_STEPS 32

/* Bytes of replies that the system keeps to send later, beside what the client has room for: so of
 * a client that sends calls and takes no answers few of them run, not as many as some megabytes
 * hold.
 */
#define MAX_UNSENT (128 * 1024)

/* Of a request that is refused only the name of the call is wanted. */
#define REFUSED_START 1024

typedef struct
{
  const TallSession *session;
  TallHandler handler;
  TallVisitor visitor;
  TallCallMemory memory; /* of the call under way */
} Running;

static gint64
deadline_after (guint milliseconds)
{
  return g_get_monotonic_time () + (gint64)milliseconds * 1000;
}

/* Each frame says by its first bytes in which protocol it is written; the reply is in the same. */
static gboolean
choose_protocol (TallTransport *transport, GError **error)
{
  TallRecognized recognized = tall_transport_recognize (transport);
  tall_transport_set_compact (transport, recognized == TALL_RECOGNIZED_COMPACT);
  if (recognized != TALL_RECOGNIZED_NOTHING)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_INVALID,
                          "a frame that is neither in the binary nor in the compact protocol");
}

/* Why the next request cannot be taken; NULL if it can. */
static const char *
find_refusal (Running *self, gsize len)
{
  if (self->session->refusal != NULL)
    return self->session->refusal;
  if (tall_call_memory_begin (&self->memory, len))
    return NULL;
  return "The server has as much in work as its memory is meant for; nothing was done, try again "
         "later";
}

/* As tall_transport_flush(); the reason names who did not go on. */
static gboolean
send_reply (TallTransport *transport, gint64 deadline, GError **error)
{
  g_autoptr (GError) reason = NULL;
  tall_transport_set_deadline (transport, deadline);
  if (tall_transport_flush (transport, &reason))
    return TRUE;
  if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    g_set_error_literal (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                         "the client does not take its reply");
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

static gboolean
answer_next (Running *self, const char *refusal, GError **error)
{
  const TallSession *session = self->session;
  TallTransport *transport = session->transport;

  tall_transport_set_deadline (transport, deadline_after (session->transfer_timeout));
  if (refusal == NULL ? !tall_transport_read_frame (transport, error)
                      : !tall_transport_read_frame_start (transport, REFUSED_START, error))
    return FALSE;
  tall_place_enter (session->place, TALL_PLACE_WORKING);
  tall_memory_part_arrive (&self->memory.part);
  if (!choose_protocol (transport, error))
    return FALSE;

  TallAnswer answer = refusal == NULL
                          ? tall_handler_answer (&self->handler, &self->memory, transport, error)
                          : handler_refuse (&self->handler, refusal, transport, error);
  if (answer == TALL_ANSWER_NONE)
    return FALSE;
  if (answer == TALL_ANSWER_RESET)
    tall_transport_skip_message (transport);

  tall_call_memory_reply (&self->memory, tall_transport_get_output (transport).len);
  tall_place_enter (session->place, TALL_PLACE_REPLYING);
  return send_reply (transport, deadline_after (session->transfer_timeout), error);
}

/* Receives a request that memory is taken for. A client that only announces much and then stands
 * still would keep it from the others: so what comes must never be far behind the pace that the
 * whole needs to arrive in time. */
static gboolean
receive_large (const TallSession *session, gsize len, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  gint64 whole = (gint64)session->transfer_timeout * 1000;
  gint64 begin_grace = begin + whole / GRACE_PART;
  gsize step = MIN (TALL_CALL_SMALL_REQUEST, len / MIN_STEPS);

  for (gsize n = TALL_CALL_SMALL_REQUEST; n < len;)
    {
      n = MIN (n + step, len);
      gint64 due =
          begin_grace
          + (gint64)((gdouble)whole * (gdouble)(n - TALL_CALL_SMALL_REQUEST) / (gdouble)len);
      tall_transport_set_deadline (session->transport, MIN (due, begin + whole));
      if (!tall_transport_await_frame (session->transport, n, error))
        return FALSE;
    }
  return TRUE;
}

/* Memory is only taken for a large request that has begun to arrive. */
static gboolean
answer_frame (Running *self, GError **error)
{
  const TallSession *session = self->session;
  gsize len = 0;

  if (!tall_transport_peek_frame (session->transport, &len, error))
    return FALSE;
  if (session->refusal == NULL && len > TALL_CALL_SMALL_REQUEST
      && !tall_transport_await_frame (session->transport, TALL_CALL_SMALL_REQUEST, error))
    return FALSE;
  gsize order = tall_front_measure_order (session->handler.front, NULL);
  tall_memory_set_slot (session->memory, order, session->least_memory + order);
  tall_call_memory_init (&self->memory, session->memory, tall_place_get_share (session->place),
                         session->memory_wait);
  tall_place_enter (session->place, TALL_PLACE_WORKING);
  const char *refusal = find_refusal (self, len);
  tall_place_enter (session->place, TALL_PLACE_RECEIVING);
  gboolean ok =
      (refusal != NULL || len <= TALL_CALL_SMALL_REQUEST || receive_large (session, len, error))
      && answer_next (self, refusal, error);
  tall_call_memory_end (&self->memory);
  tall_heap_look ();
  return ok;
}

/* A thread that is woken by a call gets a processor only when one that works on has used up its
 * time, which takes milliseconds. The thread of a client that sends calls before it has their
 * answers never waits for one. So it lets the others go first after each of them. */
static void
give_way (TallTransport *transport)
{
  if (tall_transport_has_input (transport))
    g_thread_yield ();
}

static gboolean
answer_all (Running *self, GError **error)
{
  const TallSession *session = self->session;

  while (!g_atomic_int_get (session->stopping))
    {
      g_autoptr (GError) reason = NULL;
      /* A call that is here already has begun: it must not be lost with a place that seems idle. */
      if (!tall_transport_has_input (session->transport))
        tall_place_enter (session->place, TALL_PLACE_WAITING);
      if (!tall_transport_wait_for_input (session->transport,
                                          deadline_after (session->idle_timeout), &reason))
        {
          /* Silence, or a client that is gone, is nothing to complain about. */
          return g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT)
                 || g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
        }
      tall_place_enter (session->place, TALL_PLACE_RECEIVING);
      tall_transport_set_deadline (session->transport, deadline_after (session->transfer_timeout));
      if (!tall_transport_receive_input (session->transport, &reason))
        {
          if (reason == NULL)
            return TRUE;
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      if (!answer_frame (self, error))
        return FALSE;
      if (session->refusal != NULL || tall_place_is_evicted (session->place))
        return TRUE;
      give_way (session->transport);
    }
  return TRUE;
}

/**
 * tall_session_open:
 * Returns: (transfer full): the transport of a session, whose last reference closes @socket
 */
TallTransport *
tall_session_open (GSocket *socket, gsize max_request)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = TALL_WIRE_SERVER;
  options.max_message = max_request;
  options.max_depth = MAX_DEPTH;
  tall_socket_limit_unsent (socket, MAX_UNSENT);
  return tall_transport_new (socket, "the client", &options);
}

/**
 * tall_session_run:
 *
 * Serves a connection until the client closes it or is silent for too long, or the server stops.
 *
 * Returns: FALSE with @error set, for the log, if it ended because of what the client sent, or
 *   because it did not take its answer
 */
gboolean
tall_session_run (const TallSession *self, GError **error)
{
  Running running = { .session = self,
                      .handler = self->handler,
                      .visitor = { .is_local = self->is_local } };
  running.handler.visitor = &running.visitor;
  tall_transport_set_stall (self->transport, (gint64)self->transfer_timeout * 1000 / STALL_PART);
  tall_place_enter (self->place, TALL_PLACE_ENTERING);
  return tall_gate_admit (self->gate, &running.visitor, self->transport,
                          deadline_after (self->handshake_timeout), error)
         && answer_all (&running, error);
}
