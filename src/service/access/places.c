/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/places-private.h"

#include "wire/socket.h"

/* Connections over a limit that get an answer at the same time, and those of one address among
 * them; the others are closed. */
#define MAX_REFUSALS 8
#define MAX_REFUSALS_OF_ADDRESS 2

/* At the end: milliseconds without a byte taken after which a client is not waited for, between two
 * looks at that, and until connections have ended that were cut. */
#define UNREAD_TIME 1000
#define LOOK_TIME 100
#define CUT_TIME 1000

/**
 * tall_places_new:
 * @limits: copied
 *
 * Returns: (transfer full):
 */
TallPlaces *
tall_places_new (const TallPlacesLimits *limits)
{
  TallPlaces *self = g_new0 (TallPlaces, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->limits = *limits;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  tall_origins_init (&self->origins, limits->trusted);
  self->open = g_hash_table_new (NULL, NULL);
  return self;
}

void
tall_places_unref (TallPlaces *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  tall_origins_clear (&self->origins);
  g_hash_table_unref (self->open);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* Whether a refused connection gets a place for its answer. */
static gboolean
may_be_told (TallPlaces *self, const TallOrigin *origin)
{
  return self->n_refused < MAX_REFUSALS
         && (origin == NULL || origin->n_refused < MAX_REFUSALS_OF_ADDRESS);
}

static void
count (TallPlace *self, guint by)
{
  TallPlaces *places = self->places;
  gboolean refused = self->refusal != NULL;

  *(refused ? &places->n_refused : &places->n_served) += by;
  if (self->origin != NULL)
    *(refused ? &self->origin->n_refused : &self->origin->n_served) += by;
}

static TallPlace *
give_place (TallPlaces *self, GSocket *socket, TallOrigin *origin, const char *refusal)
{
  TallPlace *place = g_new0 (TallPlace, 1);

  g_atomic_ref_count_inc (&self->ref_count);
  place->places = self;
  place->socket = g_object_ref (socket);
  place->refusal = refusal;
  place->origin = origin;
  tall_place_enter (place, TALL_PLACE_WAITING);
  g_hash_table_add (self->open, place);
  count (place, 1);
  self->totals.n_connections++;
  if (refusal != NULL)
    self->totals.n_told++;
  return place;
}

/**
 * tall_places_take:
 * @socket: of a client that has just come; a reference is taken
 *
 * If there is no place left, or none for the client's address, then the connection that is silent
 * for the longest is closed for it, if any is for long enough. This takes a moment; only one thread
 * at a time may call it.
 *
 * Returns: (transfer full) (nullable): to be left with tall_place_leave(); NULL: the connection
 *   is to be closed
 */
TallPlace *
tall_places_take (TallPlaces *self, GSocket *socket)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  TallOrigin *origin = tall_origins_use (&self->origins, socket);
  const char *refusal = NULL;

  if (!tall_places_make_room (self, origin))
    refusal = tall_places_is_address_full (self, origin)
                  ? "Your address has as many connections as the server takes from one; nothing "
                    "was done, close some or try again later"
                  : "The server has as many connections as it takes; nothing was done, try again "
                    "later";
  if (!self->closed && (refusal == NULL || may_be_told (self, origin)))
    return give_place (self, socket, origin, refusal);
  tall_origins_release (&self->origins, origin);
  self->totals.n_closed++;
  return NULL;
}

/**
 * tall_places_count:
 *
 * Returns: the connections that are served now, those over a limit not counted
 */
guint
tall_places_count (TallPlaces *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->n_served;
}

/**
 * tall_places_is_empty:
 *
 * Returns: whether every place is left, so that no thread of theirs uses anything but this
 */
gboolean
tall_places_is_empty (TallPlaces *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->n_served + self->n_refused == 0;
}

/**
 * tall_places_get_totals:
 * @totals: (out caller-allocates):
 */
void
tall_places_get_totals (TallPlaces *self, TallPlacesTotals *totals)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  *totals = self->totals;
}

/* With the mutex. Nothing more is read from any client; what runs can still answer, unless
 * @also_writing is set. */
static void
shut_all (TallPlaces *self, gboolean also_writing)
{
  GHashTableIter iter;
  gpointer place;

  g_hash_table_iter_init (&iter, self->open);
  while (g_hash_table_iter_next (&iter, &place, NULL))
    tall_socket_shut (((TallPlace *)place)->socket, also_writing);
}

/* Whether a client has taken nothing of its reply since @before. */
static gboolean
takes_nothing (TallPlace *self, gint64 now)
{
  if (g_atomic_int_get (&self->state) != TALL_PLACE_REPLYING)
    {
      self->unread = (TallUnread){ 0 };
      return FALSE;
    }
  return tall_unread_look (&self->unread, self->socket, now)
         >= UNREAD_TIME * G_TIME_SPAN_MILLISECOND;
}

static void
cut_unread (TallPlaces *self)
{
  gint64 now = g_get_monotonic_time ();
  GHashTableIter iter;
  gpointer place;

  g_hash_table_iter_init (&iter, self->open);
  while (g_hash_table_iter_next (&iter, &place, NULL))
    if (takes_nothing (place, now))
      tall_socket_shut (((TallPlace *)place)->socket, TRUE);
}

static gboolean
wait_until_empty (TallPlaces *self, guint milliseconds)
{
  gint64 now = g_get_monotonic_time ();
  gint64 until = now + (gint64)milliseconds * G_TIME_SPAN_MILLISECOND;

  while (self->n_served + self->n_refused > 0 && now < until)
    {
      cut_unread (self);
      g_cond_wait_until (&self->changed, &self->mutex,
                         MIN (until, now + LOOK_TIME * G_TIME_SPAN_MILLISECOND));
      now = g_get_monotonic_time ();
    }
  return self->n_served + self->n_refused == 0;
}

/**
 * tall_places_close:
 *
 * Gives no place to anybody from now on.
 */
void
tall_places_close (TallPlaces *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->closed = TRUE;
  g_cond_broadcast (&self->changed);
}

/**
 * tall_places_end:
 * @milliseconds: that calls which run get to finish and to answer; a client that takes nothing of
 *   its answer for a second is not waited for
 *
 * Ends all connections, and waits until every place is left. Comes after tall_places_close().
 *
 * Returns: FALSE if that took too long
 */
gboolean
tall_places_end (TallPlaces *self, guint milliseconds)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  shut_all (self, FALSE);
  if (wait_until_empty (self, milliseconds))
    return TRUE;
  shut_all (self, TRUE);
  return wait_until_empty (self, CUT_TIME);
}

/**
 * tall_place_get_socket:
 *
 * Returns: (transfer none):
 */
GSocket *
tall_place_get_socket (TallPlace *self)
{
  return self->socket;
}

/**
 * tall_place_get_share:
 *
 * Returns: (transfer none) (nullable): what the calls of its address hold of the server's memory;
 *   NULL if they may hold all of it
 */
TallMemoryShare *
tall_place_get_share (TallPlace *self)
{
  return self->origin != NULL ? &self->origin->share : NULL;
}

/**
 * tall_place_get_refusal:
 *
 * Returns: (nullable): the message for the client, because it is one too many; NULL if it is served
 */
const char *
tall_place_get_refusal (TallPlace *self)
{
  return self->refusal;
}

/**
 * tall_place_enter:
 *
 * Says what the connection does from now on.
 */
void
tall_place_enter (TallPlace *self, TallPlaceState state)
{
  if (state == TALL_PLACE_REPLYING)
    self->n_calls++;
  g_atomic_int_set (&self->since, tall_places_get_now ());
  g_atomic_int_set (&self->state, (gint)state);
  if (state != TALL_PLACE_WORKING || !tall_place_is_evicted (self))
    return;
  /* A call has come at the last moment: nobody is to wait for this place any more. */
  g_mutex_lock (&self->places->mutex);
  g_cond_broadcast (&self->places->changed);
  g_mutex_unlock (&self->places->mutex);
}

/**
 * tall_place_let_go:
 *
 * Lets go of the socket, which is not shut by others from now on and may be closed.
 *
 * Returns: whether the connection was ended to make room for another
 */
gboolean
tall_place_let_go (TallPlace *self)
{
  g_mutex_lock (&self->places->mutex);
  g_hash_table_remove (self->places->open, self);
  gboolean evicted = tall_place_is_evicted (self);
  g_mutex_unlock (&self->places->mutex);
  g_clear_object (&self->socket);
  return evicted;
}

/**
 * tall_place_leave:
 * @self: (transfer full):
 *
 * The last thing that a thread does: as soon as the count is down, the server, and all that it
 * serves, may be taken down. Even the mutex is kept by the thread's own reference.
 */
void
tall_place_leave (TallPlace *self)
{
  TallPlaces *places = self->places;

  if (self->socket != NULL)
    tall_place_let_go (self);
  g_mutex_lock (&places->mutex);
  count (self, (guint)-1);
  tall_place_set_evicted (self, FALSE);
  places->totals.n_calls += self->n_calls;
  tall_origins_release (&places->origins, self->origin);
  g_cond_broadcast (&places->changed);
  g_mutex_unlock (&places->mutex);
  g_free (self);
  tall_places_unref (places);
}
