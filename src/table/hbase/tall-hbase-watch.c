/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-watch.h"

#include "tall-hbase-pool-private.h"
#include "tall-hbase-probe.h"
#include "tall-hbase-trial.h"

/* Why there is no connection. Whose own time was over is not told that the gateway is at fault. */
static void
set_error (const TallHbaseGateway *gateway, gint64 deadline, const GError *reason, GError **error)
{
  if (g_get_monotonic_time () < deadline || reason->code == TALL_ERROR_UNSUPPORTED)
    g_propagate_error (error, g_error_copy (reason));
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                 "the time was over before the gateway at %s had answered on a new connection",
                 gateway->address);
}

/**
 * tall_hbase_watch_open:
 * @known: the gateway was alive before
 *
 * Opens a connection and has the gateway answer on it. Called without the mutex.
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
      g_prefix_error (&reason, "no gateway at %s: start it or correct --store: ", gateway->address);
      reason->code = TALL_ERROR_UNAVAILABLE;
      set_error (gateway, deadline, reason, error);
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

/* @refused: it did not do what writes rely on. Called without the mutex. */
static TallHbaseLink *
ask (TallHbasePool *self,
     const TallHbaseGateway *gateway,
     gboolean known,
     gboolean refused,
     GError **error)
{
  g_autoptr (TallHbaseLink) link =
      tall_hbase_watch_open (self, gateway, known, TALL_NO_DEADLINE, error);
  if (link == NULL || (refused && !tall_hbase_trial_try (self, link, TALL_NO_DEADLINE, error)))
    return NULL;
  return g_steal_pointer (&link);
}

/* Asks a gateway once. Called with the mutex held, which is let go meanwhile. */
static void
check (TallHbasePool *self, TallHbaseGateway *gateway)
{
  g_autoptr (GError) reason = NULL;
  gboolean known = gateway->known;
  gboolean refused = gateway->refused;

  g_mutex_unlock (&self->mutex);
  TallHbaseLink *link = ask (self, gateway, known, refused, &reason);
  g_mutex_lock (&self->mutex);

  if (link == NULL)
    {
      tall_hbase_gateway_set_aside (gateway, reason);
      tall_hbase_pool_call_waiting (self, G_MAXUINT);
    }
  else
    {
      gateway->n_open++;
      tall_hbase_gateway_set_alive (gateway);
      tall_hbase_gateway_keep (gateway, link);
      tall_hbase_pool_call_waiting (self, TALL_HBASE_MAX_CONNECTIONS);
    }
  g_cond_broadcast (&self->changed);
}

typedef struct
{
  TallHbasePool *pool;
  TallHbaseGateway *gateway;
} Watch;

/* A thread for each gateway that is not known to be alive: nobody's call waits for a dead one. */
static gpointer
watch (gpointer data)
{
  g_autofree Watch *watch = data;
  TallHbasePool *self = watch->pool;
  TallHbaseGateway *gateway = watch->gateway;

  g_mutex_lock (&self->mutex);
  while (!self->closed && gateway->state != TALL_HBASE_GATEWAY_ALIVE)
    {
      gint64 again = g_get_monotonic_time () + gateway->pause;
      while (!self->closed && gateway->state == TALL_HBASE_GATEWAY_ASIDE
             && g_cond_wait_until (&self->changed, &self->mutex, again))
        ;
      if (!self->closed)
        check (self, gateway);
    }
  g_mutex_unlock (&self->mutex);
  tall_hbase_pool_leave (self);
  return NULL;
}

/**
 * tall_hbase_watch_start:
 *
 * Asks a gateway that is not alive until it is, in a thread. Called with the mutex held.
 */
void
tall_hbase_watch_start (TallHbasePool *self, TallHbaseGateway *gateway)
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
  /* Whoever uses the gateway will find out. */
  tall_hbase_gateway_set_alive (gateway);
  g_atomic_int_add (&self->n_users, -1);
}

/**
 * tall_hbase_watch_doubt:
 *
 * Something failed: the gateway has to show that it is there. Called with the mutex held.
 */
void
tall_hbase_watch_doubt (TallHbasePool *self, TallHbaseGateway *gateway)
{
  if (gateway->state != TALL_HBASE_GATEWAY_ALIVE || self->closed)
    return;
  tall_hbase_gateway_doubt (gateway);
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
  if (gateway->state != TALL_HBASE_GATEWAY_ALIVE || self->closed)
    return;
  gateway->suspect = TRUE;
  tall_hbase_gateway_set_aside (gateway, reason);
  tall_hbase_watch_start (self, gateway);
}
