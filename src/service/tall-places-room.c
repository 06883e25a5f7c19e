/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-places-private.h"

/* Milliseconds that the one which makes room has to leave, before another one is chosen, and before
 * there is no room. */
#define LEAVING_TIME 100
#define ROOM_TIME 1000

/* The grace of a request that arrives from an address with many connections is so much shorter. */
#define CROWDED_PART 10

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

/* For how long a connection has done nothing that would be lost with it, and is thus a candidate to
 * make room: at best, between two calls; or else its request takes too long to arrive. What runs is
 * never one. 0: none. */
static guint64
rate (const TallPlaces *self, TallPlace *place, const TallOrigin *origin)
{
  gint state = g_atomic_int_get (&place->state);
  guint since = (guint)g_atomic_int_get (&place->since);
  guint age = (guint)tall_places_get_now () - since; /* a clock read earlier may be behind it */
  gboolean crowded = is_crowded (place, origin);

  if (state == TALL_PLACE_WAITING && (crowded || age >= self->limits.idle_grace))
    return (guint64)G_MAXUINT32 + 1 + age;
  if (state == TALL_PLACE_RECEIVING
      && age >= self->limits.receiving_grace / (crowded ? CROWDED_PART : 1))
    return (guint64)age + 1;
  return 0;
}

/* A request that has arrived, and which the connection's thread has not seen yet, is not idle. */
static gboolean
has_request (TallPlace *place)
{
  return g_atomic_int_get (&place->state) == TALL_PLACE_WAITING
         && (g_socket_condition_check (place->socket, G_IO_IN) & G_IO_IN) != 0;
}

static TallPlace *
find_victim (TallPlaces *self, const TallOrigin *origin)
{
  const TallOrigin *among = tall_places_is_address_full (self, origin) ? origin : NULL;
  TallPlace *best = NULL;
  guint64 best_rate = 0;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->open);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      TallPlace *place = key;
      if (place->evicted || place->refusal != NULL || (among != NULL && place->origin != among))
        continue;
      guint64 its_rate = rate (self, place, origin);
      if (its_rate <= best_rate || has_request (place))
        continue;
      best = place;
      best_rate = its_rate;
    }
  return best;
}

static void
evict (TallPlaces *self, TallPlace *place)
{
  place->evicted = TRUE;
  self->n_evicted++;
  g_socket_shutdown (place->socket, TRUE, FALSE, NULL);
}

/* Has the connection that can best be spared closed, until there is room. Nothing more is read from
 * it; should a call have come at the last moment, then it is answered before the connection ends,
 * and another one is looked for. */
gboolean
tall_places_make_room (TallPlaces *self, const TallOrigin *origin)
{
  gint64 now = g_get_monotonic_time ();
  gint64 until = now + ROOM_TIME * G_TIME_SPAN_MILLISECOND;

  while (is_full (self, origin) && !self->closed && now < until)
    {
      TallPlace *victim = find_victim (self, origin);
      if (victim != NULL)
        evict (self, victim);
      else if (self->n_evicted == 0)
        return FALSE;
      gint64 step = MIN (until, now + LEAVING_TIME * G_TIME_SPAN_MILLISECOND);
      while (is_full (self, origin) && !self->closed
             && g_cond_wait_until (&self->changed, &self->mutex, step))
        continue;
      now = g_get_monotonic_time ();
    }
  return !is_full (self, origin);
}
