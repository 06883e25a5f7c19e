/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/access/places.h"

G_BEGIN_DECLS

/* One IPv4 address, or one IPv6 network of 64 bits, that clients are connected from. */
typedef struct
{
  guint64 number; /* of tall_networks_get_origin() */
  guint n_served; /* places, until they are left */
  TallMemoryShare share;
} TallOrigin;

struct _TallPlaces
{
  gatomicrefcount ref_count; /* one of the server, and one of each place */
  TallPlacesLimits limits;   /* owns a reference of the trusted */
  gint64 room_time;          /* microseconds that a new client waits for a place, at most */

  GMutex mutex; /* of what follows */
  GCond changed;
  gboolean closed;
  GHashTable *all; /* of TallPlace, not owned, until they are left */
  guint n_served;  /* of them, those that are not over a limit */
  TallPlacesTotals totals;
};

struct _TallPlace
{
  TallPlaces *places;  /* owned */
  const char *refusal; /* static; NULL: served */
  gint state;          /* atomic: TallPlaceState */
  gint since;          /* atomic: milliseconds that wrap */
  gint evicted;        /* atomic; changed with the mutex: makes room for another */
  guint64 n_calls;

  /* With the mutex of all. */
  GSocket *socket;     /* owned; NULL after tall_place_let_go() */
  TallOrigin *origin;  /* a reference; NULL: has no limit */
  gboolean cut;        /* evicted, and its reply with it */
  guint64 acked;       /* bytes that its client has taken ever, … */
  gint64 acked_before; /* … when it had taken fewer, as far as looks show; 0: not looked yet */
};

G_END_DECLS
