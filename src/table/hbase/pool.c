/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/pool.h"

#include "table/hbase/watch.h"
#include "wire/socket.h"

/**
 * tall_hbase_callers_call:
 *
 * Lets the first @n in line look again. Called with the mutex held.
 */
void
tall_hbase_callers_call (TallHbasePool *self, guint n)
{
  for (; n > 0 && !g_queue_is_empty (&self->waiting); n--)
    {
      TallHbaseWaiter *waiter = g_queue_pop_head (&self->waiting);
      waiter->is_called = TRUE;
      g_cond_signal (&waiter->called);
    }
}

static int
compare_tickets (gconstpointer a, gconstpointer b, gpointer unused G_GNUC_UNUSED)
{
  const TallHbaseWaiter *first = a;
  const TallHbaseWaiter *second = b;
  return first->ticket < second->ticket ? -1 : first->ticket > second->ticket;
}

/* @waiter: one that wakes without a connection gets its old place when it waits again
 *
 * Stands in line. Called with the mutex held, which is released meanwhile.
 *
 * Returns: FALSE once @limit has passed */
static gboolean
tall_hbase_callers_wait (TallHbasePool *self, TallHbaseWaiter *waiter, gint64 limit)
{
  gboolean in_time = TRUE;
  waiter->is_called = FALSE;
  g_cond_init (&waiter->called);
  if (waiter->ticket == 0)
    {
      waiter->ticket = ++self->last_ticket;
      g_queue_push_tail (&self->waiting, waiter);
    }
  else
    g_queue_insert_sorted (&self->waiting, waiter, compare_tickets, NULL);
  while (!waiter->is_called && in_time)
    in_time = g_cond_wait_until (&waiter->called, &self->mutex, limit);
  if (!waiter->is_called)
    g_queue_remove (&self->waiting, waiter);
  g_cond_clear (&waiter->called);
  return waiter->is_called;
}

static gboolean
is_alive (const TallHbaseGateway *gateway)
{
  return tall_hbase_health_get_phase (&gateway->health) == TALL_HBASE_PHASE_ALIVE;
}

/* A gateway on which calls had no answer is better than none: if calls at the others have none
 * either, HBase may be slow. */
static gboolean
may_be_stalled (const TallHbasePool *self)
{
  for (guint i = 0; i < self->n_gateways; i++)
    if (is_alive (&self->gateways[i]) && !tall_hbase_health_is_stalled (&self->gateways[i].health))
      return FALSE;
  return TRUE;
}

/* A kept connection, or NULL and *@room, where a new one may be opened; gateways take turns. No
 * caller has to open one while a gateway that is alive has one to lend: the gateway may be dead
 * without our knowing, and finding that out takes seconds. Called with the mutex held. */
static TallHbaseLink *
look (TallHbasePool *self, TallHbaseGateway **room)
{
  gboolean any = may_be_stalled (self);
  self->next = (self->next + 1) % self->n_gateways;
  for (guint i = 0; i < self->n_gateways; i++)
    {
      TallHbaseGateway *gateway = &self->gateways[(self->next + i) % self->n_gateways];
      gboolean stalled = tall_hbase_health_is_stalled (&gateway->health);
      if ((stalled && !any) || (*room != NULL && !is_alive (gateway)))
        continue;
      TallHbaseLink *link = tall_hbase_gateway_take (gateway);
      if (link != NULL)
        return link;
      if (*room == NULL && tall_hbase_gateway_has_room (gateway))
        *room = gateway;
    }
  return NULL;
}

/* Starts the threads that could not be started before. Called with the mutex held. */
static void
watch_all (TallHbasePool *self)
{
  for (guint i = 0; i < self->n_gateways; i++)
    {
      TallHbaseGateway *gateway = &self->gateways[i];
      if (tall_hbase_health_must_be_asked (&gateway->health)
          && !tall_hbase_health_is_watched (&gateway->health))
        tall_hbase_watch_note (self, gateway, TALL_HBASE_EVENT_WANTED, NULL);
    }
}

/* @room: (out): set to a gateway, or left NULL
 *
 * Chooses the gateway for a caller; they take turns. Called with the mutex held.
 *
 * Returns: (nullable): a kept connection; NULL if there is none. Then there is room for a new one
 *   at *@room, which is counted already; or nothing is free */
static TallHbaseLink *
tall_hbase_choice_find (TallHbasePool *self, TallHbaseGateway **room)
{
  TallHbaseGateway *turn = NULL;
  watch_all (self);
  TallHbaseLink *link = look (self, &turn);
  if (turn == NULL)
    return link;
  if (link == NULL)
    {
      turn->n_open++;
      *room = turn;
    }
  else if (!tall_hbase_health_is_watched (&turn->health))
    /* One at a time, so that the gateway gets its share of the calls, or is found to be lost. */
    tall_hbase_watch_note (self, turn, TALL_HBASE_EVENT_WANTED, NULL);
  return link;
}

static gboolean
check_addresses (const char *const *addresses, GError **error)
{
  if (addresses == NULL || addresses[0] == NULL)
    {
      tall_error_set_invalid (error, "gateways", "no gateway is named: write hbase://host:port");
      return FALSE;
    }
  for (guint i = 0; addresses[i] != NULL; i++)
    {
      g_autofree char *host = NULL;
      guint16 port;
      if (!tall_address_parse (addresses[i], &host, &port, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_hbase_gateways_new:
 *
 * Returns: (transfer full): a pool whose gateways were not asked yet, to be left with
 *   tall_hbase_gateways_leave(); NULL as tall_hbase_pool_new() says
 */
TallHbasePool *
tall_hbase_gateways_new (const TallHbaseOptions *options, GError **error)
{
  g_auto (TallHbaseNames) names = { NULL };
  if (!check_addresses (options->gateways, error)
      || !tall_hbase_names_init (&names, options->name, error))
    return NULL;

  TallHbasePool *self = g_new0 (TallHbasePool, 1);
  self->names = names;
  names = (TallHbaseNames){ NULL };
  self->options = *options;
  self->options.gateways = NULL;
  self->options.name = NULL;
  self->wire = (TallWireOptions)TALL_WIRE_OPTIONS_INIT;
  self->wire.framed = options->framed;
  self->wire.compact = options->compact;
  self->wire.max_message = 512 * 1024 * 1024;
  self->n_users = 1;
  self->owner = g_uuid_string_random ();
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  g_queue_init (&self->waiting);

  self->n_gateways = g_strv_length ((char **)options->gateways);
  self->gateways = g_new0 (TallHbaseGateway, self->n_gateways);
  for (guint i = 0; i < self->n_gateways; i++)
    tall_hbase_gateway_init (&self->gateways[i], options->gateways[i]);
  return self;
}

/**
 * tall_hbase_gateways_leave:
 *
 * Frees the pool when nothing uses it any more.
 */
void
tall_hbase_gateways_leave (TallHbasePool *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_users))
    return;

  for (guint i = 0; i < self->n_gateways; i++)
    tall_hbase_gateway_clear (&self->gateways[i]);
  g_free (self->gateways);
  g_free (self->owner);
  tall_hbase_names_clear (&self->names);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* Returns: gateways in that phase. Called with the mutex held */
static guint
tall_hbase_gateways_count (const TallHbasePool *self, TallHbasePhase phase)
{
  guint n = 0;
  for (guint i = 0; i < self->n_gateways; i++)
    n += tall_hbase_health_get_phase (&self->gateways[i].health) == phase;
  return n;
}

static guint
count_open (const TallHbasePool *self)
{
  guint n = 0;
  for (guint i = 0; i < self->n_gateways; i++)
    n += self->gateways[i].n_open;
  return n;
}

/* Returns: whether there is nothing to wait for. Called with the mutex held */
static gboolean
tall_hbase_gateways_are_lost (const TallHbasePool *self)
{
  return tall_hbase_gateways_count (self, TALL_HBASE_PHASE_ASIDE) == self->n_gateways
         && count_open (self) == 0;
}

/* Sets why no gateway can be used. Called with the mutex held. */
static void
tall_hbase_gateways_set_unavailable (const TallHbasePool *self, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) details = g_string_new (NULL);
  int code = 0;
  for (guint i = 0; i < self->n_gateways; i++)
    {
      const TallHbaseGateway *gateway = &self->gateways[i];
      /* The silence of a gateway that was asked says nothing about the caller's time. */
      int own = gateway->reason == NULL
                        || g_error_matches (gateway->reason, TALL_ERROR, TALL_ERROR_TIMED_OUT)
                    ? TALL_ERROR_UNAVAILABLE
                    : gateway->reason->code;
      code = code == 0 || code == own ? own : TALL_ERROR_UNAVAILABLE;
      const char *why =
          gateway->reason != NULL ? gateway->reason->message : "it has not answered yet";
      const char *detail = gateway->reason != NULL ? tall_error_get_detail (gateway->reason) : NULL;
      if (!g_str_has_suffix (text->str, why)) /* one reason of several gateways stands once */
        g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", why);
      g_string_append_printf (details, "%s%s", i > 0 ? "; " : "",
                              detail != NULL ? detail : gateway->address);
    }
  tall_error_set_detailed (error, code, details->str, "%s", text->str);
}

/* Called with the mutex held. */
static void
tall_hbase_gateways_set_overloaded (const TallHbasePool *self, GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
               "all the %u connections to HBase's gateways are busy: try again later, or add a "
               "gateway to --store",
               count_open (self));
}

/* Sets the error of a caller that got no connection in time. Called with the mutex held. */
static void
tall_hbase_gateways_set_none_free (const TallHbasePool *self, GError **error)
{
  if (tall_hbase_gateways_count (self, TALL_HBASE_PHASE_ALIVE) > 0)
    tall_hbase_gateways_set_overloaded (self, error);
  else
    tall_hbase_gateways_set_unavailable (self, error);
}

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
 * Lends a connection. Gateways take turns; one that is not alive is skipped.
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
