/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/places-private.h"

#include "wire/socket.h"

/* Milliseconds that the one which makes room has to leave, before another one is chosen, and before
 * there is no room. */
#define LEAVING_TIME 100
#define ROOM_TIME 1000

/* The grace of a request that arrives from an address with many connections is so much shorter. */
#define CROWDED_PART 10

/* More than any age. */
#define BETTER ((guint64)G_MAXUINT32 + 2)

/* Milliseconds that wrap: only differences count. */
gint
tall_places_get_now (void)
{
  return (gint)(guint)(g_get_monotonic_time () / 1000);
}

gboolean
tall_places_is_address_full (TallPlaces *self, const TallOrigin *origin)
{
  return origin != NULL && origin->n_served >= self->limits.max_per_address;
}

static gboolean
is_full (TallPlaces *self, const TallOrigin *origin)
{
  return self->n_served >= self->limits.max_connections
         || tall_places_is_address_full (self, origin);
}

/* Whether a place of @place's address is to go to @origin, which has less than half as many.
 * Without that, an address that wants more than it may have, and replaces its own connections all
 * the time, would have none that is silent for long. */
static gboolean
is_crowded (const TallPlace *place, const TallOrigin *origin)
{
  return place->origin != NULL && origin != NULL
         && place->origin->n_served > 2 * (origin->n_served + 1);
}

/* Whether a reply of @age lies there for its client. An address with many connections has no more
 * than the grace for a reply, or it would keep all its places by taking a few bytes now and then.
 */
static gboolean
is_left_lying (const TallPlaces *self, TallPlace *place, guint age, gboolean crowded)
{
  guint grace = self->limits.replying_grace;
  if (grace == 0 || age < grace)
    return FALSE;
  return crowded
         || tall_unread_look (&place->unread, place->socket, g_get_monotonic_time ())
                >= grace * G_TIME_SPAN_MILLISECOND;
}

/* For how long a connection has done nothing that would be lost with it, and is thus a candidate to
 * make room: at best, in its handshake, which takes a moment if it is meant; or else between two
 * calls; or else its request takes too long to arrive; at worst,
 * its client does not take its reply. What runs is never one. 0: none. */
static guint64
rate (const TallPlaces *self, TallPlace *place, const TallOrigin *origin)
{
  gint state = g_atomic_int_get (&place->state);
  guint since = (guint)g_atomic_int_get (&place->since);
  guint age = (guint)tall_places_get_now () - since; /* a clock read earlier may be behind it */
  gboolean crowded = is_crowded (place, origin);

  if (state == TALL_PLACE_ENTERING && age >= self->limits.idle_grace / (crowded ? CROWDED_PART : 1))
    return 3 * BETTER + age;
  if (state == TALL_PLACE_WAITING && (crowded || age >= self->limits.idle_grace))
    return 2 * BETTER + age;
  if (state == TALL_PLACE_RECEIVING
      && age >= self->limits.receiving_grace / (crowded ? CROWDED_PART : 1))
    return BETTER + age;
  if (state == TALL_PLACE_REPLYING && is_left_lying (self, place, age, crowded))
    return (guint64)age + 1;
  return 0;
}

/* A request that has arrived, and which the connection's thread has not seen yet, is not idle. */
static gboolean
has_request (TallPlace *place)
{
  return g_atomic_int_get (&place->state) == TALL_PLACE_WAITING
         && tall_socket_has_input (place->socket);
}

/**
 * tall_place_is_evicted:
 *
 * Returns: whether the connection is to end, after the call under way, to make room for another.
 *   Its socket is shut, but what a client sends nevertheless may still be received.
 */
gboolean
tall_place_is_evicted (TallPlace *self)
{
  return g_atomic_int_get (&self->evicted) != 0;
}

static TallPlace *
find_victim (TallPlaces *self, const TallOrigin *origin, guint64 *best_rate)
{
  const TallOrigin *among = tall_places_is_address_full (self, origin) ? origin : NULL;
  TallPlace *best = NULL;
  GHashTableIter iter;
  gpointer key;

  *best_rate = 0;
  g_hash_table_iter_init (&iter, self->open);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      TallPlace *place = key;
      if (tall_place_is_evicted (place) || place->refusal != NULL
          || (among != NULL && place->origin != among))
        continue;
      guint64 its_rate = rate (self, place, origin);
      /* A request that its thread has taken from the socket since has changed the rate before. */
      if (its_rate <= *best_rate || has_request (place) || rate (self, place, origin) == 0)
        continue;
      best = place;
      *best_rate = its_rate;
    }
  return best;
}

void
tall_place_set_evicted (TallPlace *self, gboolean evicted)
{
  guint by = (guint)evicted - (guint)tall_place_is_evicted (self);

  self->places->n_evicted += by;
  if (self->origin != NULL)
    self->origin->n_evicted += by;
  g_atomic_int_set (&self->evicted, evicted);
}

/* A reply that lies there goes with its connection. */
static void
evict (TallPlace *place, guint64 its_rate)
{
  place->cut = its_rate < BETTER;
  place->places->totals.n_evicted++;
  tall_place_set_evicted (place, TRUE);
  tall_socket_shut (place->socket, place->cut);
}

/* Whether a connection has a call to answer before it ends. */
static gboolean
is_busy (TallPlace *place)
{
  gint state = g_atomic_int_get (&place->state);
  return !place->cut && (state == TALL_PLACE_WORKING || state == TALL_PLACE_REPLYING);
}

/* Whether a place is about to be left that makes room for @origin. Those whose clients decide when
 * that is are not. */
static gboolean
is_any_leaving (TallPlaces *self, const TallOrigin *origin)
{
  const TallOrigin *among = tall_places_is_address_full (self, origin) ? origin : NULL;
  guint n = among != NULL ? among->n_evicted : self->n_evicted;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->open);
  while (n > 0 && g_hash_table_iter_next (&iter, &key, NULL))
    {
      TallPlace *place = key;
      if (tall_place_is_evicted (place) && (among == NULL || place->origin == among))
        n -= is_busy (place) ? 1 : 0;
    }
  return n > 0;
}

/* Has the connection that can best be spared closed, until there is room. Should a call have come
 * at the last moment, then it is answered before the connection ends, and another one is looked
 * for. All other clients wait meanwhile. */
gboolean
tall_places_make_room (TallPlaces *self, const TallOrigin *origin)
{
  gint64 now = g_get_monotonic_time ();
  gint64 until = now + ROOM_TIME * G_TIME_SPAN_MILLISECOND;

  while (is_full (self, origin) && !self->closed && now < until)
    {
      guint64 its_rate;
      TallPlace *victim = find_victim (self, origin, &its_rate);
      if (victim != NULL)
        evict (victim, its_rate);
      else if (!is_any_leaving (self, origin))
        return FALSE;
      gint64 step = MIN (until, now + LEAVING_TIME * G_TIME_SPAN_MILLISECOND);
      while (is_full (self, origin) && !self->closed && is_any_leaving (self, origin)
             && g_cond_wait_until (&self->changed, &self->mutex, step))
        continue;
      now = g_get_monotonic_time ();
    }
  return !is_full (self, origin);
}
