/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-places.h"

/* Connections over the limit that are told so, at the same time; the ones beyond are closed. */
#define MAX_REFUSALS 8

struct _TallPlaces
{
  gatomicrefcount ref_count; /* one of the server, and one of each place */
  guint max_connections;

  GMutex mutex; /* of what follows */
  GCond changed;
  gboolean closed;
  GHashTable *open; /* of TallPlace, not owned: their sockets may be shut */
  guint n_served;   /* places, until they are left */
  guint n_refused;  /* likewise, of those over the limit */
};

struct _TallPlace
{
  TallPlaces *places; /* owned */
  GSocket *socket;    /* owned; NULL after tall_place_let_go() */
  gboolean refused;
};

/**
 * tall_places_new:
 * @max_connections: at the same time
 *
 * Returns: (transfer full):
 */
TallPlaces *
tall_places_new (guint max_connections)
{
  TallPlaces *self = g_new0 (TallPlaces, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->max_connections = max_connections;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  self->open = g_hash_table_new (NULL, NULL);
  return self;
}

void
tall_places_unref (TallPlaces *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->open);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

/**
 * tall_places_take:
 * @socket: of a client that has just come; a reference is taken
 *
 * Returns: (transfer full) (nullable): to be left with tall_place_leave(); NULL: the connection
 *   is to be closed
 */
TallPlace *
tall_places_take (TallPlaces *self, GSocket *socket)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gboolean refused = self->n_served >= self->max_connections;

  if (self->closed || (refused && self->n_refused >= MAX_REFUSALS))
    return NULL;
  TallPlace *place = g_new0 (TallPlace, 1);
  g_atomic_ref_count_inc (&self->ref_count);
  place->places = self;
  place->socket = g_object_ref (socket);
  place->refused = refused;
  g_hash_table_add (self->open, place);
  *(refused ? &self->n_refused : &self->n_served) += 1;
  return place;
}

/**
 * tall_places_count:
 *
 * Returns: the connections that are served now, those over the limit not counted
 */
guint
tall_places_count (TallPlaces *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->n_served;
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
}

/**
 * tall_places_shut:
 *
 * Reads nothing more from any client. What runs can still answer, unless @also_writing is set.
 */
void
tall_places_shut (TallPlaces *self, gboolean also_writing)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GHashTableIter iter;
  gpointer place;

  g_hash_table_iter_init (&iter, self->open);
  while (g_hash_table_iter_next (&iter, &place, NULL))
    g_socket_shutdown (((TallPlace *)place)->socket, TRUE, also_writing, NULL);
}

/**
 * tall_places_wait_until_empty:
 *
 * Returns: TRUE once every place is left, so that no thread of theirs uses anything but this;
 *   FALSE if that took too long
 */
gboolean
tall_places_wait_until_empty (TallPlaces *self, guint milliseconds)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gint64 until = g_get_monotonic_time () + (gint64)milliseconds * 1000;
  gboolean in_time = TRUE;

  while (self->n_served + self->n_refused > 0 && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->mutex, until);
  return self->n_served + self->n_refused == 0;
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
 * tall_place_is_refused:
 *
 * Tells whether the connection is one too many: it is to be told so.
 */
gboolean
tall_place_is_refused (TallPlace *self)
{
  return self->refused;
}

/**
 * tall_place_let_go:
 *
 * Lets go of the socket, which is not shut by others from now on and may be closed.
 */
void
tall_place_let_go (TallPlace *self)
{
  g_mutex_lock (&self->places->mutex);
  g_hash_table_remove (self->places->open, self);
  g_mutex_unlock (&self->places->mutex);
  g_clear_object (&self->socket);
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
  *(self->refused ? &places->n_refused : &places->n_served) -= 1;
  g_cond_broadcast (&places->changed);
  g_mutex_unlock (&places->mutex);
  g_free (self);
  tall_places_unref (places);
}
