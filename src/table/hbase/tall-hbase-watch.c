/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-watch.h"

#include "tall-hbase-pool-private.h"
#include "tall-hbase-probe.h"
#include "tall-hbase-self-test.h"
#include "tall-hbase-trial.h"

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
  g_autoptr (HbTTableName) name =
      tall_hbase_names_get_table_name (&self->names, TALL_HBASE_SELF_TEST_TABLE);
  g_autoptr (HbTIOError) io = NULL;
  gboolean exists;
  gint64 timeout = self->options.call_timeout * G_TIME_SPAN_MILLISECOND;
  tall_connection_set_deadline (link->connection, tall_hbase_limit (timeout, TALL_NO_DEADLINE));
  if (hb_gateway_client_table_exists (tall_hbase_link_get_client (link), &exists, name, &io, NULL))
    return TRUE;
  if (io == NULL)
    tall_connection_break (link->connection);
  return FALSE;
}

/* @refused: its HBase did not do what writes rely on. Called without the mutex. */
static TallHbaseLink *
ask (TallHbasePool *self,
     const TallHbaseGateway *gateway,
     gboolean known,
     gboolean refused,
     GError **error)
{
  g_autoptr (TallHbaseLink) link =
      tall_hbase_watch_open (self, gateway, known, TALL_NO_DEADLINE, error);
  if (link == NULL || (refused && !tall_hbase_trial_try (self, link, error)))
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
  if (gateway->mute)
    g_prefix_error (reason, "HBase behind the gateway did not answer: " LOOK "; now ");
  tall_hbase_gateway_set_aside (gateway, *reason);
  tall_hbase_pool_call_waiting (self, G_MAXUINT);
}

/* Called with the mutex held. */
static void
note_answer (TallHbasePool *self, TallHbaseGateway *gateway, TallHbaseLink *link)
{
  tall_hbase_gateway_set_alive (gateway);
  keep_new (gateway, link);
  tall_hbase_pool_call_waiting (self, TALL_HBASE_MAX_CONNECTIONS);
}

/* Asks a gateway once. Called with the mutex held, which is released meanwhile. */
static void
check (TallHbasePool *self, TallHbaseGateway *gateway)
{
  g_autoptr (GError) reason = NULL;
  gboolean known = gateway->known;
  gboolean refused = gateway->refused;
  gboolean alive = gateway->state == TALL_HBASE_GATEWAY_ALIVE;
  gboolean stalled = gateway->stalled && alive;

  gateway->wanted = FALSE;
  g_mutex_unlock (&self->mutex);
  TallHbaseLink *link = ask (self, gateway, known, refused, &reason);
  log_change (gateway, known, reason);
  gboolean reaching = stalled && link != NULL && reaches_hbase (self, link);
  g_mutex_lock (&self->mutex);

  gateway->mute = !reaching && (gateway->mute || (gateway->stalled && link != NULL));
  if (link == NULL)
    note_silence (self, gateway, &reason);
  else if (gateway->refused || (alive && gateway->state != TALL_HBASE_GATEWAY_ALIVE))
    tall_hbase_link_free (link); /* it was refused or fell in doubt meanwhile, and is asked again */
  else
    {
      if (stalled)
        tall_hbase_gateway_set_reaching (gateway, reaching);
      note_answer (self, gateway, link);
    }
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
  return !self->closed && gateway->pause > 0 && gateway->state != TALL_HBASE_GATEWAY_ASKED
         && tall_hbase_gateway_is_to_be_asked (gateway);
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
  while (!self->closed && tall_hbase_gateway_is_to_be_asked (gateway))
    {
      gint64 again = g_get_monotonic_time () + gateway->pause;
      while (may_pause (self, gateway) && g_cond_wait_until (&self->changed, &self->mutex, again))
        ;
      if (!self->closed)
        check (self, gateway);
    }
  gateway->watched = FALSE;
  g_mutex_unlock (&self->mutex);
  tall_hbase_pool_leave (self);
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
    if (self->gateways[i].mute)
      {
        g_clear_error (reason);
        tall_error_set_detailed (reason, TALL_ERROR_UNAVAILABLE, self->gateways[i].address,
                                 "the gateway answers, but HBase behind it does not: " LOOK);
        return;
      }
}

/**
 * tall_hbase_watch_start:
 *
 * Asks a gateway in a thread, until it is alive and has the wanted connection. Called with the
 * mutex held.
 */
void
tall_hbase_watch_start (TallHbasePool *self, TallHbaseGateway *gateway)
{
  g_autofree Watch *data = g_new (Watch, 1);
  *data = (Watch){ self, gateway };
  g_atomic_int_inc (&self->n_users);
  gateway->watched = TRUE;
  GThread *thread = g_thread_try_new ("tall-gateway", watch, data, NULL);
  if (thread != NULL)
    {
      g_steal_pointer (&data);
      g_thread_unref (thread);
      return;
    }
  /* The next caller that uses the gateway finds out. */
  gateway->watched = FALSE;
  gateway->stalled = FALSE;
  gateway->wanted = FALSE;
  tall_hbase_gateway_set_alive (gateway);
  g_atomic_int_add (&self->n_users, -1);
}

/* It may be watched already, if it is alive and HBase does not answer through it. */
static void
start_or_wake (TallHbasePool *self, TallHbaseGateway *gateway)
{
  if (gateway->watched)
    g_cond_broadcast (&self->changed);
  else
    tall_hbase_watch_start (self, gateway);
}

/**
 * tall_hbase_watch_doubt:
 *
 * Something failed: the gateway must answer before it is used again. Called with the mutex held.
 */
void
tall_hbase_watch_doubt (TallHbasePool *self, TallHbaseGateway *gateway)
{
  if (gateway->state != TALL_HBASE_GATEWAY_ALIVE || self->closed)
    return;
  tall_hbase_gateway_doubt (gateway);
  start_or_wake (self, gateway);
}

/**
 * tall_hbase_watch_want:
 *
 * Lets the gateway's thread open a connection, without a caller that waits for it: one at a time
 * for each gateway, so that the gateway gets its share of the calls, or is found to be lost. Called
 * with the mutex held.
 */
void
tall_hbase_watch_want (TallHbasePool *self, TallHbaseGateway *gateway)
{
  if (gateway->watched || self->closed)
    return;
  gateway->wanted = TRUE;
  tall_hbase_watch_start (self, gateway);
}

/**
 * tall_hbase_watch_refuse:
 *
 * The gateway answers, but must not be used. Called with the mutex held.
 */
void
tall_hbase_watch_refuse (TallHbasePool *self, TallHbaseGateway *gateway, const GError *reason)
{
  if (self->closed)
    return;
  gateway->suspect = TRUE;
  tall_hbase_gateway_set_aside (gateway, reason);
  start_or_wake (self, gateway);
}
