/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-gateway.h"

/* A gateway closes connections that were idle for 60 s. */
#define MAX_IDLE (45 * G_TIME_SPAN_SECOND)

/* Pauses between two attempts to reach a gateway. Short at first, because most failures are short,
 * then doubled each time. The longest is no load, and prolongs an outage only a little. */
#define FIRST_PAUSE (250 * G_TIME_SPAN_MILLISECOND)
#define LAST_PAUSE (5 * G_TIME_SPAN_SECOND)

void
tall_hbase_gateway_init (TallHbaseGateway *self, const char *address)
{
  *self = (TallHbaseGateway){ .address = g_strdup (address), .since = g_get_real_time () };
  g_queue_init (&self->idle);
}

void
tall_hbase_gateway_clear (TallHbaseGateway *self)
{
  tall_hbase_gateway_drop_idle (self);
  g_clear_error (&self->reason);
  g_clear_pointer (&self->address, g_free);
}

static void
drop (TallHbaseGateway *self, TallHbaseLink *link)
{
  self->n_open--;
  tall_hbase_link_free (link);
}

/**
 * tall_hbase_gateway_drop_idle:
 *
 * Closes all connections that are not lent.
 */
void
tall_hbase_gateway_drop_idle (TallHbaseGateway *self)
{
  TallHbaseLink *link;
  while ((link = g_queue_pop_head (&self->idle)) != NULL)
    drop (self, link);
}

static gboolean
is_old (const TallHbaseLink *link)
{
  return g_get_monotonic_time () - link->idle_since >= MAX_IDLE;
}

/**
 * tall_hbase_gateway_take:
 *
 * Returns: (nullable) (transfer full): a kept connection that is fit for use
 */
TallHbaseLink *
tall_hbase_gateway_take (TallHbaseGateway *self)
{
  TallHbaseLink *link;
  if (self->suspect || self->refused)
    return NULL;
  while ((link = g_queue_pop_head (&self->idle)) != NULL)
    {
      if (!is_old (link) && tall_connection_is_fit (link->connection))
        return link;
      drop (self, link);
    }
  return NULL;
}

/**
 * tall_hbase_gateway_keep:
 * @link: (transfer full):
 *
 * Keeps a connection for the next call, and closes those that were idle for long.
 */
void
tall_hbase_gateway_keep (TallHbaseGateway *self, TallHbaseLink *link)
{
  link->idle_since = g_get_monotonic_time ();
  g_queue_push_head (&self->idle, link);
  while (is_old (g_queue_peek_tail (&self->idle)))
    drop (self, g_queue_pop_tail (&self->idle));
}

gboolean
tall_hbase_gateway_has_room (const TallHbaseGateway *self)
{
  return self->state == TALL_HBASE_GATEWAY_ALIVE && !self->refused
         && self->n_open < TALL_HBASE_MAX_CONNECTIONS;
}

static void
set_state (TallHbaseGateway *self, TallHbaseGatewayState state)
{
  if (self->state != state)
    self->since = g_get_real_time ();
  self->state = state;
}

/**
 * tall_hbase_gateway_doubt:
 *
 * Notes that something failed: the gateway must answer before it is used again.
 */
void
tall_hbase_gateway_doubt (TallHbaseGateway *self)
{
  set_state (self, TALL_HBASE_GATEWAY_ASKED);
}

void
tall_hbase_gateway_set_alive (TallHbaseGateway *self)
{
  set_state (self, TALL_HBASE_GATEWAY_ALIVE);
  self->known = TRUE;
  self->suspect = FALSE;
  if (!self->stalled)
    self->pause = 0;
  g_clear_error (&self->reason);
}

static void
prolong_pause (TallHbaseGateway *self)
{
  self->pause = self->pause == 0 ? FIRST_PAUSE : MIN (2 * self->pause, LAST_PAUSE);
}

/**
 * tall_hbase_gateway_set_reaching:
 * @reaching: HBase answers through it
 *
 * Says whether a gateway on which calls had no answer gets calls again.
 */
void
tall_hbase_gateway_set_reaching (TallHbaseGateway *self, gboolean reaching)
{
  self->stalled = !reaching;
  self->pause = reaching ? 0 : self->pause;
  if (!reaching)
    prolong_pause (self);
}

/**
 * tall_hbase_gateway_is_to_be_asked:
 *
 * Returns: whether the gateway has to be asked, or is to open a connection.
 */
gboolean
tall_hbase_gateway_is_to_be_asked (const TallHbaseGateway *self)
{
  return self->state != TALL_HBASE_GATEWAY_ALIVE || self->stalled || self->wanted;
}

/**
 * tall_hbase_gateway_set_aside:
 *
 * Sets a gateway aside that did not answer as it should. A full gateway answers on no new
 * connection while its existing ones go on working, so these are only closed if a call failed as
 * well.
 */
void
tall_hbase_gateway_set_aside (TallHbaseGateway *self, const GError *reason)
{
  set_state (self, TALL_HBASE_GATEWAY_ASIDE);
  if (self->suspect)
    tall_hbase_gateway_drop_idle (self);
  self->suspect = FALSE;
  prolong_pause (self);
  g_clear_error (&self->reason);
  self->reason = g_error_copy (reason);
}
