/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/watch.h"

#include "table/hbase/callers.h"
#include "table/hbase/gateways.h"
#include "table/hbase/probe.h"
#include "table/hbase/self-test.h"
#include "table/hbase/turn.h"

#define LOOK "look at the master and the region servers (hbase shell: status)"

/* Sets why there is no connection. If the caller's own time was over, the gateway is not to
 * blame. */
static void
set_error (const TallHbaseGateway *gateway, gint64 deadline, const GError *reason, GError **error)
{
  if (g_get_monotonic_time () < deadline || reason->code == TALL_ERROR_UNSUPPORTED)
    g_propagate_error (error, g_error_copy (reason));
  else
    tall_error_set_detailed (
        error, TALL_ERROR_TIMED_OUT, gateway->address,
        "the time was over before the gateway had answered on a new connection");
}

/**
 * tall_hbase_watch_open:
 * @known: the gateway was alive before
 *
 * Opens a connection and waits until the gateway has answered on it. Called without the mutex.
 */
TallHbaseLink *
tall_hbase_watch_open (TallHbasePool *self,
                       const TallHbaseGateway *gateway,
                       gboolean known,
                       gint64 deadline,
                       GError **error)
{
  g_autoptr (GError) reason = NULL;
  gint64 limit =
      tall_hbase_limit (self->options.connect_timeout * G_TIME_SPAN_MILLISECOND, deadline);
  g_autoptr (TallHbaseLink) link =
      tall_hbase_link_open (gateway->address, &self->wire, limit, &reason);
  if (link == NULL)
    {
      g_autoptr (GError) absent = NULL;
      tall_error_set_detailed (&absent, TALL_ERROR_UNAVAILABLE, reason->message,
                               "no gateway: start it or correct --store");
      set_error (gateway, deadline, absent, error);
      return NULL;
    }
  if (!tall_hbase_probe (link, &self->wire, known, deadline, &reason))
    {
      set_error (gateway, deadline, reason, error);
      return NULL;
    }
  link->gateway = (guint)(gateway - self->gateways);
  return g_steal_pointer (&link);
}

/* Whether HBase answers through a gateway on which calls had no answer. The answer itself does not
 * matter: only HBase, not the gateway, can give it. */
static gboolean
reaches_hbase (TallHbasePool *self, TallHbaseLink *link)
{
  g_autoptr (GError) reason = NULL;
  gboolean exists;
  gint64 timeout = self->options.call_timeout * G_TIME_SPAN_MILLISECOND;
  tall_connection_set_deadline (link->connection, tall_hbase_limit (timeout, TALL_NO_DEADLINE));
  if (tall_hbase_link_ask (link, TALL_HBASE_TABLE_EXISTS, &self->names, TALL_HBASE_SELF_TEST_TABLE,
                           &exists, &reason))
    return TRUE;
  if (reason != NULL)
    tall_connection_break (link->connection);
  return FALSE;
}

/* Tests a gateway that was refused once more, by a connection that is not lent. */
static gboolean
passes_test (TallHbasePool *self, TallHbaseLink *link, GError **error)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  g_autoptr (GError) reason = NULL;
  TallHbaseTurn turn = TALL_HBASE_TURN_LOST;
  while (turn == TALL_HBASE_TURN_LOST)
    turn = tall_hbase_turn_wait (self, gateway, TALL_NO_DEADLINE, error);
  if (turn != TALL_HBASE_TURN_OWN)
    return turn == TALL_HBASE_TURN_PASSED;

  gboolean passed = tall_hbase_turn_test (self, link, TALL_NO_DEADLINE, &reason);
  if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    {
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
      tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_TEST_FAILED, reason);
    }
  tall_hbase_turn_end (self, gateway, passed);
  if (!passed)
    g_propagate_error (error, g_steal_pointer (&reason));
  return passed;
}

/* Called without the mutex. */
static TallHbaseLink *
ask (TallHbasePool *self,
     const TallHbaseGateway *gateway,
     TallHbaseQuestion question,
     GError **error)
{
  g_autoptr (TallHbaseLink) link =
      tall_hbase_watch_open (self, gateway, question.known, TALL_NO_DEADLINE, error);
  if (link == NULL || (question.test && !passes_test (self, link, error)))
    return NULL;
  return g_steal_pointer (&link);
}

/* Logs one line when a gateway is lost, and one when it is back. Called without the mutex, by the
 * thread that watches it. */
static void
log_change (TallHbaseGateway *gateway, gboolean known, const GError *reason)
{
  if (reason != NULL && gateway->lost == 0)
    {
      g_autofree char *why = tall_error_describe (reason);
      gateway->lost = g_get_monotonic_time ();
      if (known)
        g_warning ("Gateway %s is lost: %s", gateway->address, why);
      else
        g_info ("Gateway %s cannot be used: %s", gateway->address, why);
    }
  else if (reason == NULL && gateway->lost != 0)
    {
      double seconds = (double)(g_get_monotonic_time () - gateway->lost) / G_TIME_SPAN_SECOND;
      gateway->lost = 0;
      if (known)
        g_message ("Gateway %s is back after %.1f s", gateway->address, seconds);
      else
        g_info ("Gateway %s can be used after %.1f s", gateway->address, seconds);
    }
}

/* Callers may have opened all connections that are allowed meanwhile. Called with the mutex
 * held. */
static void
keep_new (TallHbaseGateway *gateway, TallHbaseLink *link)
{
  if (tall_hbase_gateway_has_room (gateway))
    {
      gateway->n_open++;
      tall_hbase_gateway_keep (gateway, link);
    }
  else
    tall_hbase_link_free (link);
}

/* Called with the mutex held. */
static void
note_silence (TallHbasePool *self, TallHbaseGateway *gateway, GError **reason)
{
  /* Each call that waits for a silent HBase occupies one of the gateway's threads. */
  if (tall_hbase_health_is_mute (&gateway->health))
    g_prefix_error (reason, "HBase behind the gateway did not answer: " LOOK "; now ");
  tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_SILENT, *reason);
  tall_hbase_callers_call (self, G_MAXUINT);
}

/* Called with the mutex held. */
static void
note_answer (TallHbasePool *self,
             TallHbaseGateway *gateway,
             TallHbaseEvent event,
             TallHbaseLink *link)
{
  if (tall_hbase_gateway_note (gateway, event, NULL) & TALL_HBASE_DISCARD)
    {
      tall_hbase_link_free (link);
      return;
    }
  keep_new (gateway, link);
  tall_hbase_callers_call (self, TALL_HBASE_MAX_CONNECTIONS);
}

/* Asks a gateway once. Called with the mutex held, which is released meanwhile. */
static void
check (TallHbasePool *self, TallHbaseGateway *gateway)
{
  g_autoptr (GError) reason = NULL;
  TallHbaseQuestion question = tall_hbase_health_ask (&gateway->health);
  TallHbaseEvent event = question.alive ? TALL_HBASE_EVENT_CONFIRMED : TALL_HBASE_EVENT_ANSWERED;

  g_mutex_unlock (&self->mutex);
  TallHbaseLink *link = ask (self, gateway, question, &reason);
  log_change (gateway, question.known, reason);
  if (question.hbase && link != NULL && reaches_hbase (self, link))
    event = TALL_HBASE_EVENT_REACHED;
  g_mutex_lock (&self->mutex);

  if (link == NULL)
    note_silence (self, gateway, &reason);
  else
    note_answer (self, gateway, event, link);
  g_cond_broadcast (&self->changed);
}

typedef struct
{
  TallHbasePool *pool;
  TallHbaseGateway *gateway;
} Watch;

/* TRUE if it is set aside, or if it is alive and HBase does not answer: then the thread can
 * wait. */
static gboolean
may_pause (const TallHbasePool *self, const TallHbaseGateway *gateway)
{
  return !self->closed && gateway->pause > 0
         && tall_hbase_health_get_phase (&gateway->health) != TALL_HBASE_PHASE_ASKED
         && tall_hbase_health_must_be_asked (&gateway->health);
}

/* A thread for each gateway that is not known to be alive, so that no call waits for a dead one. It
 * also opens connections that are wanted. */
static gpointer
watch (gpointer data)
{
  g_autofree Watch *watch = data;
  TallHbasePool *self = watch->pool;
  TallHbaseGateway *gateway = watch->gateway;

  g_mutex_lock (&self->mutex);
  while (!self->closed && tall_hbase_health_must_be_asked (&gateway->health))
    {
      gint64 again = g_get_monotonic_time () + gateway->pause;
      while (may_pause (self, gateway) && g_cond_wait_until (&self->changed, &self->mutex, again))
        ;
      if (!self->closed)
        check (self, gateway);
    }
  tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_UNWATCHED, NULL);
  g_mutex_unlock (&self->mutex);
  tall_hbase_gateways_leave (self);
  return NULL;
}

/**
 * tall_hbase_watch_explain:
 * @reason: (inout) (nullable):
 *
 * Makes a time-out the error of HBase, if that is known: calls got no answer from a gateway that
 * itself answers. Called without the mutex.
 */
void
tall_hbase_watch_explain (TallHbasePool *self, GError **reason)
{
  if (!g_error_matches (*reason, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    return;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < self->n_gateways; i++)
    if (tall_hbase_health_is_mute (&self->gateways[i].health))
      {
        g_clear_error (reason);
        tall_error_set_detailed (reason, TALL_ERROR_UNAVAILABLE, self->gateways[i].address,
                                 "the gateway answers, but HBase behind it does not: " LOOK);
        return;
      }
}

/* Asks a gateway in a thread, until it is alive and has the wanted connection. Called with the
 * mutex held. */
static void
start (TallHbasePool *self, TallHbaseGateway *gateway)
{
  g_autofree Watch *data = g_new (Watch, 1);
  *data = (Watch){ self, gateway };
  g_atomic_int_inc (&self->n_users);
  GThread *thread = g_thread_try_new ("tall-gateway", watch, data, NULL);
  if (thread != NULL)
    {
      g_steal_pointer (&data);
      g_thread_unref (thread);
      return;
    }
  /* The next caller that uses the gateway finds out. */
  tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_UNWATCHABLE, NULL);
  g_atomic_int_add (&self->n_users, -1);
}

/**
 * tall_hbase_watch_note:
 * @reason: (nullable): why the gateway is set aside, if it is
 *
 * Notes what happened to a gateway, and has it asked if it must be. Called with the mutex held.
 */
void
tall_hbase_watch_note (TallHbasePool *self,
                       TallHbaseGateway *gateway,
                       TallHbaseEvent event,
                       const GError *reason)
{
  if (self->closed)
    return;
  TallHbaseActions actions = tall_hbase_gateway_note (gateway, event, reason);
  if (actions & TALL_HBASE_START)
    start (self, gateway);
  else if (actions & TALL_HBASE_WAKE)
    g_cond_broadcast (&self->changed);
}
