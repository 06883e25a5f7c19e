/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/session.h"

#include "base/heap.h"
#include "wire/socket.h"

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
  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_INVALID,
                       "a frame that is neither in the binary nor in the compact protocol");
  return FALSE;
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
                          : tall_handler_refuse (&self->handler, refusal, transport, error);
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
  gsize order = tall_front_measure_order (session->handler.front);
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
