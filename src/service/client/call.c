/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/client.h"

#include "base/text.h"
#include "service/calls/idl-failure.h"
#include "tall-error.h"
#include "wire/connection.h"

/* More are closed when their calls are done. */
#define MAX_KEPT 16

TallClientPool *
tall_client_pool_new (const char *address)
{
  TallClientPool *self = g_new0 (TallClientPool, 1);
  self->address = g_strdup (address);
  g_mutex_init (&self->mutex);
  g_queue_init (&self->kept);
  return self;
}

void
tall_client_pool_free (TallClientPool *self)
{
  g_queue_clear_full (&self->kept, g_object_unref);
  g_mutex_clear (&self->mutex);
  g_clear_pointer (&self->tls, tall_tls_context_unref);
  g_free (self->address);
  g_free (self);
}

static TallTransport *
pop_kept (TallClientPool *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return g_queue_pop_head (&self->kept);
}

/* Returns: (transfer full) (nullable): a connection that looked open just now; NULL if none is kept
 */
static TallTransport *
client_pool_take_kept (TallClientPool *self)
{
  for (;;)
    {
      g_autoptr (TallTransport) connection = pop_kept (self);
      if (connection == NULL || tall_transport_is_fit (connection))
        return g_steal_pointer (&connection);
    }
}

/* @deadline: of connecting
 *
 * Returns: (transfer full): a new connection, for the caller's thread alone */
static TallTransport *
client_pool_open (TallClientPool *self, gint64 deadline, GError **error)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.tls = self->tls;
  return tall_connection_open (self->address, &options, deadline, error);
}

/* @connection: (transfer full): one whose call is done */
static void
client_pool_keep (TallClientPool *self, TallTransport *connection)
{
  g_autoptr (TallTransport) spare = connection;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (self->kept.length < MAX_KEPT)
    g_queue_push_head (&self->kept, g_steal_pointer (&spare));
}

/* How one try on one connection ended. */
typedef enum
{
  TRY_ANSWERED, /* the result is there */
  TRY_CLOSED,   /* the connection ended before an answer began */
  TRY_FAILED,   /* no answer in time, or one that makes no sense */
} TryEnd;

static gboolean
send_call (TallClientCall *self, TallTransport *transport, GError **error)
{
  return tall_message_write_call (self->call->name, transport, self->call->args, self->args, error)
         && tall_transport_flush (transport, error);
}

/* Thrift's own answer: the server does not know the call. */
static gboolean
read_application_error (TallClientCall *self, TallStructReader *reader, GError **error)
{
  TallMessageException answer = { 0 };
  TallIdlFailure *failure = tall_arena_new0 (self->arena, TallIdlFailure);

  if (!tall_struct_reader_read (reader, &tall_message_exception_type, &answer, error))
    return FALSE;
  g_autofree char *reason = answer.message != NULL ? tall_text_clean (answer.message) : NULL;
  failure->code = TALL_ERROR_UNSUPPORTED;
  failure->message =
      tall_arena_printf (self->arena,
                         "The server refuses the call \"%s\" (%s): is it an older version?",
                         self->call->name, reason != NULL ? reason : "no reason given");
  self->result.failure = failure;
  return TRUE;
}

static gboolean
read_result (TallClientCall *self, TallTransport *transport, ThriftMessageType type, GError **error)
{
  TallStructReader reader;

  self->result = (TallIdlResult){ .success = self->success };
  tall_struct_reader_init (&reader, transport, self->arena, tall_idl_call_get_limits (self->call));
  gboolean ok = type == T_EXCEPTION
                    ? read_application_error (self, &reader, error)
                    : tall_struct_reader_read (&reader, self->call->result, &self->result, error);
  return ok && tall_struct_reader_finish (&reader, error);
}

static TryEnd
try_call (TallClientCall *self, TallTransport *transport, GError **error)
{
  g_auto (TallMessage) message = { NULL };
  g_autoptr (GError) reason = NULL;

  tall_transport_set_deadline (transport, self->deadline);
  gboolean begun =
      send_call (self, transport, &reason) && tall_message_read (&message, transport, &reason);
  if (begun && read_result (self, transport, message.type, &reason))
    return TRY_ANSWERED;

  if (tall_transport_has_delivered (transport))
    self->maybe_done = TRUE;
  tall_transport_break (transport);
  gboolean closed = !begun && g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_propagate_error (error, g_steal_pointer (&reason));
  return closed ? TRY_CLOSED : TRY_FAILED;
}

/* A reason without the address that it begins with, where that is named already. */
static const char *
without_address (const char *reason, const char *address)
{
  g_autofree char *connecting = g_strdup_printf ("Connecting to %s: ", address);
  g_autofree char *plain = g_strdup_printf ("%s: ", address);

  if (g_str_has_prefix (reason, connecting))
    return reason + strlen (connecting);
  return g_str_has_prefix (reason, plain) ? reason + strlen (plain) : reason;
}

/* Sets the caller's error for a try that brought no answer. */
static void
explain_failure (const TallClientCall *self, const char *operation, GError *reason, GError **error)
{
  g_autoptr (GError) owned = reason;
  const char *address = self->pool->address;
  const char *why = without_address (reason->message, address);

  if (self->is_write && self->maybe_done)
    g_set_error (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
                 "%s: it was sent to the server at %s, but no answer came (%s); it may or may not "
                 "have been done: fetch it to find out",
                 operation, address, why);
  else if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                 "%s: %s (server %s); is it overloaded, or is it no tallorder server?", operation,
                 why, address);
  else if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_FORBIDDEN))
    g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN, "%s: %s (server %s)", operation, why,
                 address);
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                 "%s: no tallorder server answers at %s (%s); check the address, and that "
                 "\"tallorder serve\" runs there",
                 operation, address, why);
}

/**
 * tall_client_call_take_failure:
 * @operation: (nullable): what failed, such as `Storing order 10248 of VINET`; only of a write
 *
 * Makes an error of a failure in an answer, of the whole call or of one of many. After a try that
 * may have taken effect, whatever the answer says only speaks of the second try. (The token has
 * been looked for then: but others may have written since, and what they wrote may be what is
 * refused.)
 */
void
tall_client_call_take_failure (const TallClientCall *self,
                               const char *operation,
                               const TallIdlFailure *failure,
                               GError **error)
{
  g_autoptr (GError) reason = tall_idl_failure_to_error (failure);

  if (self->is_write && self->maybe_done)
    explain_failure (self, operation, g_steal_pointer (&reason), error);
  else
    g_propagate_error (error, g_steal_pointer (&reason));
}

static TryEnd
try_on (TallClientCall *self, TallTransport *connection, GError **error)
{
  TryEnd end = try_call (self, connection, error);

  if (end == TRY_ANSWERED)
    client_pool_keep (self->pool, connection);
  else
    g_object_unref (connection);
  return end;
}

static TryEnd
try_new_connection (TallClientCall *self, GError **error)
{
  TallTransport *connection = client_pool_open (self->pool, self->deadline, error);
  return connection == NULL ? TRY_FAILED : try_on (self, connection, error);
}

/* A kept connection that turns out closed tells nothing of the server: on a new one the call may
 * succeed. But a write that was perhaps done must not be done over what others wrote since. */
static gboolean
may_try_again (const TallClientCall *self, TryEnd end)
{
  return end == TRY_CLOSED && (!self->is_write || !self->maybe_done || self->repeatable);
}

/**
 * tall_client_call_run:
 *
 * Sends a call and reads its answer; see #TallClient for what is repeated.
 *
 * Returns: FALSE with what the server said, or why it said nothing
 */
gboolean
tall_client_call_run (TallClientCall *self, GError **error)
{
  g_autoptr (GError) reason = NULL;
  TallTransport *kept = client_pool_take_kept (self->pool);
  TryEnd end = TRY_CLOSED;

  if (kept != NULL)
    end = try_on (self, kept, &reason);
  if (may_try_again (self, end))
    {
      g_clear_error (&reason);
      end = try_new_connection (self, &reason);
    }

  if (end == TRY_ANSWERED && self->result.failure == NULL)
    return TRUE;
  g_autofree char *operation = self->operation != NULL
                                   ? g_strdup (self->operation)
                                   : tall_idl_call_describe (self->call, self->args);
  if (end != TRY_ANSWERED)
    explain_failure (self, operation, g_steal_pointer (&reason), error);
  else
    tall_client_call_take_failure (self, operation, self->result.failure, error);
  return FALSE;
}
