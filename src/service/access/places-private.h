/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/access/origins.h"
#include "service/access/places.h"
#include "service/server/unread.h"

G_BEGIN_DECLS

struct _TallPlaces
{
  gatomicrefcount ref_count; /* one of the server, and one of each place */
  TallPlacesLimits limits;

  GMutex mutex; /* of what follows */
  GCond changed;
  gboolean closed;
  TallOrigins origins;
  GHashTable *open; /* of TallPlace, not owned: their sockets may be shut */
  guint n_served;   /* places, until they are left */
  guint n_refused;  /* likewise, of those over a limit */
  guint n_evicted;  /* served ones that make room, until they are left */
  TallPlacesTotals totals;
};

struct _TallPlace
{
  TallPlaces *places;  /* owned */
  GSocket *socket;     /* owned; NULL after tall_place_let_go() */
  const char *refusal; /* static; NULL: served */
  gint state;          /* atomic: TallPlaceState */
  gint since;          /* atomic: milliseconds, see get_now() */
  guint64 n_calls;

  /* With the mutex of all. */
  TallOrigin *origin; /* NULL: not counted */
  gint evicted;       /* atomic; changed with the mutex */
  gboolean cut;       /* evicted, and its reply with it */
  TallUnread unread;  /* of its reply */
};

/* These with the mutex. */
void tall_place_set_evicted (TallPlace *self, gboolean evicted);
gboolean tall_places_is_address_full (TallPlaces *self, const TallOrigin *origin);
gboolean tall_places_make_room (TallPlaces *self, const TallOrigin *origin);

gint tall_places_get_now (void);

G_END_DECLS
