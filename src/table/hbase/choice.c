/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/choice.h"

#include "table/hbase/watch.h"

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

/**
 * tall_hbase_choice_find:
 * @room: (out): set to a gateway, or left NULL
 *
 * Chooses the gateway for a caller; they take turns. Called with the mutex held.
 *
 * Returns: (nullable): a kept connection; NULL if there is none. Then there is room for a new one
 *   at *@room, which is counted already; or nothing is free
 */
TallHbaseLink *
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
