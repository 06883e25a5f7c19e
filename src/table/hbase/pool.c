/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/pool-private.h"

#include "table/hbase/callers.h"
#include "table/hbase/choice.h"
#include "table/hbase/gateways.h"
#include "table/hbase/watch.h"

const TallHbaseOptions *
tall_hbase_pool_get_options (TallHbasePool *self)
{
  return &self->options;
}

/**
 * tall_hbase_pool_get_address:
 *
 * Returns: (transfer none): of the gateway of a connection; stays as long as the pool
 */
const char *
tall_hbase_pool_get_address (TallHbasePool *self, const TallHbaseLink *link)
{
  return self->gateways[link->gateway].address;
}

/**
 * tall_hbase_pool_count_alive:
 *
 * Returns: gateways that connections are lent to
 */
guint
tall_hbase_pool_count_alive (TallHbasePool *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return tall_hbase_gateways_count (self, TALL_HBASE_PHASE_ALIVE);
}

/* A connection is gone. There may be room now for the first in line; or nothing is left, and all in
 * line must fail. Called with the mutex held. */
static void
call_after_loss (TallHbasePool *self)
{
  tall_hbase_callers_call (self, tall_hbase_gateways_are_lost (self) ? G_MAXUINT : 1);
}

/**
 * tall_hbase_pool_set_overloaded:
 *
 * Sets the error of a caller that got no connection in time.
 */
void
tall_hbase_pool_set_overloaded (TallHbasePool *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  tall_hbase_gateways_set_none_free (self, error);
}

/* A caller that had a place keeps it, however long the line is by now. Called with the mutex held.
 */
static gboolean
check_line (const TallHbasePool *self, const TallHbaseWaiter *waiter, GError **error)
{
  if (tall_hbase_gateways_are_lost (self))
    tall_hbase_gateways_set_unavailable (self, error);
  else if (waiter->ticket == 0
           && g_queue_get_length ((GQueue *)&self->waiting) >= self->options.max_waiting)
    tall_hbase_gateways_set_overloaded (self, error);
  else
    return TRUE;
  return FALSE;
}

/* A connection; or NULL with *@room to be filled; or NULL if there is nothing, with @error unless
 * @lending only tries. */
static TallHbaseLink *
find_or_wait (TallHbasePool *self,
              TallHbaseLending lending,
              gint64 limit,
              TallHbaseGateway **room,
              GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gboolean others_first = !g_queue_is_empty (&self->waiting);
  TallHbaseWaiter waiter = { .ticket = 0 };
  for (;;)
    {
      TallHbaseLink *link = others_first ? NULL : tall_hbase_choice_find (self, room);
      if (link != NULL || *room != NULL || lending == TALL_HBASE_TRY)
        return link;

      if (!check_line (self, &waiter, error))
        return NULL;
      if (!tall_hbase_callers_wait (self, &waiter, limit))
        {
          tall_hbase_gateways_set_none_free (self, error);
          return NULL;
        }
      if (waiter.link != NULL)
        return waiter.link;
      others_first = FALSE;
    }
}

/* Opens a connection that is counted already. Called without the mutex. */
static TallHbaseLink *
fill_room (TallHbasePool *self, TallHbaseGateway *gateway, gint64 deadline, GError **error)
{
  TallHbaseLink *link = tall_hbase_watch_open (self, gateway, TRUE, deadline, error);
  if (link != NULL)
    return link;

  g_mutex_lock (&self->mutex);
  gateway->n_open--;
  tall_hbase_watch_note (self, gateway, TALL_HBASE_EVENT_UNCERTAIN, NULL);
  call_after_loss (self);
  g_mutex_unlock (&self->mutex);
  return NULL;
}

/**
 * tall_hbase_pool_take:
 *
 * Lends a connection. Gateways take turns; one that is not alive is passed over.
 *
 * Returns: (nullable) (transfer full): to be given back; NULL with @error set, or for
 *   %TALL_HBASE_TRY without. %TALL_ERROR_OVERLOADED: none was free in time, or too many wait
 *   already; %TALL_ERROR_TIMED_OUT: @deadline has passed; %TALL_ERROR_UNAVAILABLE and others: why
 * no gateway can be used
 */
TallHbaseLink *
tall_hbase_pool_take (TallHbasePool *self,
                      TallHbaseLending lending,
                      gint64 deadline,
                      GError **error)
{
  g_autoptr (GError) reason = NULL;
  gint64 limit = tall_hbase_limit (self->options.wait_timeout * G_TIME_SPAN_MILLISECOND, deadline);

  if (g_get_monotonic_time () >= deadline)
    {
      g_set_error_literal (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                           "no time is left to ask HBase's gateways");
      return NULL;
    }

  /* A gateway that could not be reached is in doubt and is not found again, so the loop ends. */
  for (guint attempt = 0; attempt <= self->n_gateways; attempt++)
    {
      TallHbaseGateway *room = NULL;
      g_clear_error (&reason);
      TallHbaseLink *link = find_or_wait (self, lending, limit, &room, &reason);
      if (link == NULL && room != NULL)
        link = fill_room (self, room, deadline, &reason);
      if (link != NULL)
        return link;
      if (room == NULL || lending == TALL_HBASE_TRY || g_get_monotonic_time () >= deadline)
        break;
    }

  if (lending != TALL_HBASE_TRY)
    g_propagate_error (error, g_steal_pointer (&reason));
  return NULL;
}

/* A caller that takes a kept connection checks by itself whether it is still open. */
static gboolean
is_fit_for_next (TallHbasePool *self, TallHbaseLink *link)
{
  return g_queue_is_empty (&self->waiting) ? !tall_connection_is_broken (link->connection)
                                           : tall_connection_is_fit (link->connection);
}

/* Called with the mutex held. */
static void
keep_or_hand_over (TallHbasePool *self, TallHbaseGateway *gateway, TallHbaseLink *link)
{
  TallHbaseWaiter *waiter =
      tall_hbase_health_may_lend (&gateway->health) ? g_queue_peek_head (&self->waiting) : NULL;
  if (waiter == NULL)
    {
      tall_hbase_gateway_keep (gateway, link);
      return;
    }
  waiter->link = link;
  tall_hbase_callers_call (self, 1);
}

/* On a broken connection. */
static TallHbaseEvent
what_happened (const TallHbaseLink *link)
{
  if (link->hurried)
    return TALL_HBASE_EVENT_UNCERTAIN;
  return link->late ? TALL_HBASE_EVENT_CALL_LATE : TALL_HBASE_EVENT_CALL_FAILED;
}

/**
 * tall_hbase_pool_give_back:
 * @link: (transfer full): is closed if it is broken or its gateway was refused
 *
 * The first in line gets it. If something failed on it, its gateway must answer before any other
 * connection to it is used. If only its caller's time was over, the gateway must answer before a
 * new connection is opened: one caller's haste must not take a gateway from all others.
 */
void
tall_hbase_pool_give_back (TallHbasePool *self, TallHbaseLink *link)
{
  g_mutex_lock (&self->mutex);
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  tall_transport_take_traffic (tall_hbase_link_get_transport (link), &self->n_sent,
                               &self->n_received);
  tall_hbase_gateway_count (gateway, link);
  gboolean fit = !tall_hbase_health_is_refused (&gateway->health) && is_fit_for_next (self, link);
  if (fit)
    {
      tall_hbase_watch_note (self, gateway, TALL_HBASE_EVENT_CALL_DONE, NULL);
      keep_or_hand_over (self, gateway, link);
    }
  else
    {
      gateway->n_open--;
      if (tall_connection_is_broken (link->connection))
        tall_hbase_watch_note (self, gateway, what_happened (link), NULL);
      call_after_loss (self);
    }
  g_mutex_unlock (&self->mutex);
  if (!fit)
    tall_hbase_link_free (link);
}

/**
 * tall_hbase_pool_get_traffic:
 *
 * Bytes that went to all gateways and came from them, by connections that are not lent.
 */
void
tall_hbase_pool_get_traffic (TallHbasePool *self, guint64 *n_sent, guint64 *n_received)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  *n_sent = self->n_sent;
  *n_received = self->n_received;
}

/**
 * tall_hbase_pool_wait_until_alive:
 *
 * Returns: TRUE as soon as one of the gateways is alive; FALSE if all were asked and none is, with
 *   %TALL_ERROR_UNAVAILABLE or %TALL_ERROR_UNSUPPORTED (it cannot be used) and what to do
 */
gboolean
tall_hbase_pool_wait_until_alive (TallHbasePool *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (tall_hbase_gateways_count (self, TALL_HBASE_PHASE_ALIVE) == 0)
    {
      if (tall_hbase_gateways_count (self, TALL_HBASE_PHASE_ASKED) == 0)
        {
          tall_hbase_gateways_set_unavailable (self, error);
          return FALSE;
        }
      g_cond_wait (&self->changed, &self->mutex);
    }
  return TRUE;
}

static TallTableServer *
describe (const TallHbaseGateway *gateway)
{
  static const char *const phases[] = { "asked", "alive", "aside" };
  TallTableServer *server = g_new0 (TallTableServer, 1);
  server->address = g_strdup (gateway->address);
  server->state = g_strdup (phases[tall_hbase_health_get_phase (&gateway->health)]);
  server->reason = gateway->reason == NULL ? NULL : g_strdup (gateway->reason->message);
  server->since = gateway->since;
  server->connections = gateway->n_open;
  server->n_done = gateway->n_done;
  server->n_failed = gateway->n_failed;
  server->n_retries = gateway->n_retries;
  memcpy (server->merged, gateway->merged, sizeof server->merged);
  return server;
}

/**
 * tall_hbase_pool_describe:
 *
 * @deadline: until when gateways are waited for that are just being asked; a little at most
 *
 * Returns: (transfer full): of #TallTableServer
 */
GPtrArray *
tall_hbase_pool_describe (TallHbasePool *self, gint64 deadline)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gint64 limit =
      tall_hbase_limit (2 * self->options.connect_timeout * G_TIME_SPAN_MILLISECOND, deadline);
  while (tall_hbase_gateways_count (self, TALL_HBASE_PHASE_ASKED) > 0
         && g_cond_wait_until (&self->changed, &self->mutex, limit))
    ;

  GPtrArray *servers = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_table_server_free);
  for (guint i = 0; i < self->n_gateways; i++)
    g_ptr_array_add (servers, describe (&self->gateways[i]));
  return servers;
}

/**
 * tall_hbase_pool_new:
 * @options: @gateways is copied; @name is not kept
 *
 * Returns: (transfer full): a pool that has begun to ask its gateways; NULL with
 *   %TALL_ERROR_INVALID if an address is malformed
 */
TallHbasePool *
tall_hbase_pool_new (const TallHbaseOptions *options, GError **error)
{
  TallHbasePool *self = tall_hbase_gateways_new (options, error);
  if (self == NULL)
    return NULL;

  g_mutex_lock (&self->mutex);
  for (guint i = 0; i < self->n_gateways; i++)
    tall_hbase_watch_note (self, &self->gateways[i], TALL_HBASE_EVENT_WANTED, NULL);
  g_mutex_unlock (&self->mutex);
  return self;
}

/**
 * tall_hbase_pool_close:
 * @self: (transfer full):
 *
 * Closes all connections. None may be lent. Does not wait for gateways that are just being asked.
 */
void
tall_hbase_pool_close (TallHbasePool *self)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->mutex);
  self->closed = TRUE;
  for (guint i = 0; i < self->n_gateways; i++)
    tall_hbase_gateway_drop_idle (&self->gateways[i]);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->mutex);
  tall_hbase_gateways_leave (self);
}
