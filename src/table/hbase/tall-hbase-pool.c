/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-pool.h"

#include "tall-hbase-probe.h"
#include "tall-socket.h"

/* A gateway serves 16 connections with its usual settings; more are accepted and never answered.
 * Other programs need some as well. */
#define MAX_CONNECTIONS 12

/* It closes connections that were idle for 60 s. */
#define MAX_IDLE (45 * G_TIME_SPAN_SECOND)

/* For so long a gateway that could not be reached is asked last. */
#define ASIDE (1 * G_TIME_SPAN_SECOND)

typedef struct
{
  char *address;
  GQueue idle;        /* of TallHbaseLink; the one used last is at the head */
  guint n_open;       /* lent, idle or being opened */
  gint64 aside_until; /* did not answer */
  gboolean probed;    /* speaks as we do */
} Gateway;

struct _TallHbasePool
{
  TallHbaseOptions options;
  TallWireOptions wire;
  GMutex mutex;
  GCond given_back;
  Gateway *gateways; /* n_gateways of them */
  guint n_gateways;
  guint next; /* whose turn it is */
};

static void
link_free (TallHbaseLink *link)
{
  g_clear_object (&link->client);
  g_clear_object (&link->connection);
  g_free (link);
}

const TallHbaseOptions *
tall_hbase_pool_get_options (TallHbasePool *self)
{
  return &self->options;
}

/* Called with the mutex held. */
static TallHbaseLink *
take_idle (Gateway *gateway)
{
  TallHbaseLink *link;
  while ((link = g_queue_pop_head (&gateway->idle)) != NULL)
    {
      if (g_get_monotonic_time () - link->idle_since < MAX_IDLE
          && tall_connection_is_fit (link->connection))
        return link;
      gateway->n_open--;
      link_free (link);
    }
  return NULL;
}

/* The @i-th gateway to ask: by turns, those set aside last. Called with the mutex held. */
static Gateway *
gateway_at (TallHbasePool *self, guint i, gboolean aside)
{
  Gateway *gateway = &self->gateways[(self->next + i) % self->n_gateways];
  return (gateway->aside_until > g_get_monotonic_time ()) == aside ? gateway : NULL;
}

/* An idle connection, or room for a new one at *@room. Called with the mutex held. */
static TallHbaseLink *
find (TallHbasePool *self, TallHbaseLending lending, guint skip, Gateway **room)
{
  *room = NULL;
  for (guint aside = 0; aside < 2; aside++)
    for (guint i = skip; i < self->n_gateways; i++)
      {
        Gateway *gateway = gateway_at (self, i, aside);
        if (gateway == NULL)
          continue;

        TallHbaseLink *link = take_idle (gateway);
        if (link != NULL && lending != TALL_HBASE_FRESH)
          return link;
        if (link != NULL)
          {
            gateway->n_open--;
            link_free (link);
          }
        if (gateway->n_open < MAX_CONNECTIONS)
          {
            *room = gateway;
            return NULL;
          }
      }
  return NULL;
}

static HbGatewayClient *
client_new (TallConnection *connection)
{
  ThriftProtocol *protocol = tall_connection_get_protocol (connection);
  return g_object_new (HB_TYPE_GATEWAY_CLIENT, "input_protocol", protocol, "output_protocol",
                       protocol, NULL);
}

static TallHbaseLink *
open_link (TallHbasePool *self, Gateway *gateway, gint64 deadline, GError **error)
{
  g_autoptr (GError) reason = NULL;
  gint64 limit = tall_hbase_probe_limit (&self->options, deadline);
  g_autoptr (TallConnection) connection =
      tall_connection_open (gateway->address, &self->wire, limit, &reason);
  if (connection == NULL)
    {
      g_set_error (error, TALL_ERROR, reason->code,
                   "no gateway at %s: start it or correct --store (%s)", gateway->address,
                   reason->message);
      return NULL;
    }

  g_autoptr (HbGatewayClient) client = client_new (connection);
  if (!gateway->probed
      && !tall_hbase_probe (connection, client, &self->options, &self->wire, deadline, error))
    return NULL;

  TallHbaseLink *link = g_new0 (TallHbaseLink, 1);
  link->connection = g_steal_pointer (&connection);
  link->client = g_steal_pointer (&client);
  link->gateway = (guint)(gateway - self->gateways);
  return link;
}

/* Opens a connection for which n_open has been counted already. Called without the mutex. */
static TallHbaseLink *
fill_room (TallHbasePool *self, Gateway *gateway, gint64 deadline, GError **error)
{
  TallHbaseLink *link = open_link (self, gateway, deadline, error);

  g_mutex_lock (&self->mutex);
  if (link == NULL)
    {
      gateway->n_open--;
      gateway->aside_until = g_get_monotonic_time () + ASIDE;
      g_cond_signal (&self->given_back);
    }
  else
    {
      gateway->probed = TRUE;
      gateway->aside_until = 0;
    }
  g_mutex_unlock (&self->mutex);
  return link;
}

/* FALSE once @deadline has passed. Called with the mutex held. */
static gboolean
wait_for_link (TallHbasePool *self, gint64 deadline)
{
  if (deadline != TALL_NO_DEADLINE)
    return g_cond_wait_until (&self->given_back, &self->mutex, deadline);
  g_cond_wait (&self->given_back, &self->mutex);
  return TRUE;
}

/* An idle connection, or NULL with *@room to be filled, or NULL if there is nothing. */
static TallHbaseLink *
find_or_wait (TallHbasePool *self, TallHbaseLending lending, gint64 deadline, Gateway **room)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->next = (self->next + 1) % self->n_gateways;
  for (;;)
    {
      TallHbaseLink *link = find (self, lending, 0, room);
      if (*room != NULL)
        (*room)->n_open++;
      if (link != NULL || *room != NULL || lending == TALL_HBASE_TRY
          || !wait_for_link (self, deadline))
        return link;
    }
}

/**
 * tall_hbase_pool_take:
 *
 * Lends a connection. Gateways have their turns; one that cannot be reached is passed over.
 *
 * Returns: (nullable) (transfer full): to be given back; NULL with @error set, or for
 *   %TALL_HBASE_TRY without. %TALL_ERROR_OVERLOADED: all were lent until @deadline
 */
TallHbaseLink *
tall_hbase_pool_take (TallHbasePool *self,
                      TallHbaseLending lending,
                      gint64 deadline,
                      GError **error)
{
  g_autoptr (GError) reason = NULL;

  for (guint attempt = 0; attempt < self->n_gateways; attempt++)
    {
      Gateway *room = NULL;
      TallHbaseLink *link = find_or_wait (self, lending, deadline, &room);
      if (link == NULL && room != NULL)
        {
          g_clear_error (&reason);
          link = fill_room (self, room, deadline, &reason);
        }
      if (link != NULL)
        return link;
      if (room == NULL || lending == TALL_HBASE_TRY)
        break;
    }

  if (lending == TALL_HBASE_TRY)
    return NULL;
  if (reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
                 "all %u connections to HBase's gateways were busy until the deadline",
                 MAX_CONNECTIONS * self->n_gateways);
  return NULL;
}

/**
 * tall_hbase_pool_give_back:
 * @link: (transfer full): is closed if it is broken
 */
void
tall_hbase_pool_give_back (TallHbasePool *self, TallHbaseLink *link)
{
  gboolean fit = tall_connection_is_fit (link->connection);
  link->idle_since = g_get_monotonic_time ();
  link->kept = TRUE;

  g_mutex_lock (&self->mutex);
  Gateway *gateway = &self->gateways[link->gateway];
  if (fit)
    g_queue_push_head (&gateway->idle, link);
  else
    gateway->n_open--;
  g_cond_signal (&self->given_back);
  g_mutex_unlock (&self->mutex);

  if (!fit)
    link_free (link);
}

static gboolean
check_addresses (const char *const *addresses, GError **error)
{
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
 * tall_hbase_pool_new:
 * @options: @gateways is copied; @name is not kept
 *
 * Returns: (transfer full): a pool without connections; NULL with %TALL_ERROR_INVALID if an address
 *   is none
 */
TallHbasePool *
tall_hbase_pool_new (const TallHbaseOptions *options, GError **error)
{
  if (options->gateways == NULL || options->gateways[0] == NULL)
    {
      tall_error_set_invalid (error, "gateways", "no gateway is named: write hbase://host:port");
      return NULL;
    }
  if (!check_addresses (options->gateways, error))
    return NULL;

  TallHbasePool *self = g_new0 (TallHbasePool, 1);
  self->options = *options;
  self->options.gateways = NULL;
  self->options.name = NULL;
  self->wire = (TallWireOptions)TALL_WIRE_OPTIONS_INIT;
  self->wire.framed = options->framed;
  self->wire.compact = options->compact;
  self->wire.max_message = 512 * 1024 * 1024;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->given_back);

  self->n_gateways = g_strv_length ((char **)options->gateways);
  self->gateways = g_new0 (Gateway, self->n_gateways);
  for (guint i = 0; i < self->n_gateways; i++)
    self->gateways[i].address = g_strdup (options->gateways[i]);
  return self;
}

/**
 * tall_hbase_pool_free:
 *
 * Closes all connections. None may be lent.
 */
void
tall_hbase_pool_free (TallHbasePool *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < self->n_gateways; i++)
    {
      g_queue_clear_full (&self->gateways[i].idle, (GDestroyNotify)link_free);
      g_free (self->gateways[i].address);
    }
  g_free (self->gateways);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->given_back);
  g_free (self);
}
