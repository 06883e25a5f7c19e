/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/gateway.h"

/**
 * tall_hbase_link_open:
 * @wire: copied
 * @deadline: of connecting, and of the calls until another one is set
 *
 * Returns: (transfer full): a connection on which nothing was said yet; NULL with @error set
 */
TallHbaseLink *
tall_hbase_link_open (const char *address,
                      const TallWireOptions *wire,
                      gint64 deadline,
                      GError **error)
{
  TallConnection *connection = tall_connection_open (address, wire, deadline, error);
  if (connection == NULL)
    return NULL;

  tall_connection_set_deadline (connection, deadline);
  TallHbaseLink *self = g_new0 (TallHbaseLink, 1);
  self->connection = connection;
  return self;
}

/**
 * tall_hbase_link_free:
 *
 * Closes the connection.
 */
void
tall_hbase_link_free (TallHbaseLink *self)
{
  g_clear_object (&self->connection);
  g_free (self);
}

/**
 * tall_hbase_link_ask:
 * @question: a call that asks something of a table, such as whether it exists
 * @table: its short name
 *
 * Returns: FALSE with @error set if there was no answer, and without if HBase declared an error
 */
gboolean
tall_hbase_link_ask (TallHbaseLink *self,
                     TallHbaseMethodId question,
                     const TallHbaseNames *names,
                     const char *table,
                     gboolean *answer,
                     GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseArgs args = { .name = tall_hbase_names_get_table_name (names, table, arena) };
  TallHbaseReceiver receiver = { arena, NULL, NULL };
  TallHbaseResult result;
  if (!tall_hbase_exchange (tall_hbase_link_get_transport (self), question, &args, &receiver,
                            &result, error))
    return FALSE;
  *answer = result.yes;
  return TRUE;
}

/* A gateway closes connections that were idle for 60 s. */
#define MAX_IDLE (45 * G_TIME_SPAN_SECOND)

/* Pauses between two attempts to reach a gateway. Short at first, because most failures are short,
 * then doubled each time. The longest is not a load, and prolongs an outage only a little. */
#define FIRST_PAUSE (250 * G_TIME_SPAN_MILLISECOND)
#define LAST_PAUSE (5 * G_TIME_SPAN_SECOND)

void
tall_hbase_gateway_init (TallHbaseGateway *self, const char *address)
{
  *self = (TallHbaseGateway){ .address = g_strdup (address), .since = g_get_real_time () };
  tall_hbase_health_init (&self->health);
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
  if (!tall_hbase_health_may_lend (&self->health))
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
  return tall_hbase_health_get_phase (&self->health) == TALL_HBASE_PHASE_ALIVE
         && self->n_open < TALL_HBASE_MAX_CONNECTIONS;
}

/* A full gateway answers on no new connection while its existing ones go on working, so these are
 * only closed if a call failed as well. */
static void
act (TallHbaseGateway *self, TallHbaseActions actions)
{
  if (actions & TALL_HBASE_DROP_KEPT)
    tall_hbase_gateway_drop_idle (self);
  if (actions & TALL_HBASE_PAUSE)
    self->pause = self->pause == 0 ? FIRST_PAUSE : MIN (2 * self->pause, LAST_PAUSE);
}

static void
count_merged (TallTableMerged *self, guint n_rows)
{
  guint size = 0;
  while (size < TALL_TABLE_MERGED_SIZES - 1 && n_rows > 1u << size)
    size++;
  if (n_rows > 0)
    self->n[size]++;
  self->n_rows += n_rows;
}

/**
 * tall_hbase_gateway_count:
 * @link: comes back to the pool
 *
 * Adds what was done on a connection while it was lent.
 */
void
tall_hbase_gateway_count (TallHbaseGateway *self, TallHbaseLink *link)
{
  for (guint i = 0; i < TALL_TABLE_N_MERGED; i++)
    {
      count_merged (&self->merged[i], link->n_merged[i]);
      link->n_merged[i] = 0;
    }
  self->n_retries += link->n_retries;
  link->n_retries = 0;
}

/**
 * tall_hbase_gateway_note:
 * @reason: (nullable): why it is set aside, if it is
 *
 * Notes what happened to the gateway, and does what concerns its connections and its pause.
 *
 * Returns: what is to be done, of which the rest is the caller's
 */
TallHbaseActions
tall_hbase_gateway_note (TallHbaseGateway *self, TallHbaseEvent event, const GError *reason)
{
  TallHbasePhase before = tall_hbase_health_get_phase (&self->health);
  TallHbaseActions actions = tall_hbase_health_note (&self->health, event);
  TallHbasePhase after = tall_hbase_health_get_phase (&self->health);

  act (self, actions);
  if (event == TALL_HBASE_EVENT_CALL_DONE)
    self->n_done++;
  if (event == TALL_HBASE_EVENT_CALL_FAILED || event == TALL_HBASE_EVENT_CALL_LATE)
    self->n_failed++;
  if (after != before)
    self->since = g_get_real_time ();
  if (after == TALL_HBASE_PHASE_ALIVE)
    g_clear_error (&self->reason);
  if (after == TALL_HBASE_PHASE_ALIVE && !tall_hbase_health_is_stalled (&self->health))
    self->pause = 0;
  if (reason != NULL)
    {
      g_clear_error (&self->reason);
      self->reason = g_error_copy (reason);
    }
  return actions;
}
