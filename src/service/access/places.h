/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/access/memory.h"

#include <gio/gio.h>

GPtrArray *tall_networks_parse (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GInetAddress *tall_networks_get_plain (GInetAddress *address);
gboolean tall_networks_contain (GPtrArray *networks, GInetAddress *address);
gboolean tall_networks_is_local (GPtrArray *proxies, GInetAddress *address);
guint64 tall_networks_get_origin (GInetAddress *address);

typedef struct
{
  guint max_connections;
  guint max_per_address; /* of one IPv4 address, or one IPv6 network of 64 bits */
  GPtrArray *trusted;    /* (nullable) of GInetAddressMask: addresses without such a limit */
  guint idle_grace; /* milliseconds between calls before a connection may be closed for another */
  guint receiving_grace; /* milliseconds that a request may take to arrive before the same */
  guint replying_grace;  /* milliseconds that a reply may lie there before the same; 0: no bound */
} TallPlacesLimits;

/**
 * TallPlaceState:
 * @TALL_PLACE_ENTERING: its TLS handshake is under way
 * @TALL_PLACE_WAITING: between two calls
 * @TALL_PLACE_RECEIVING: a request has begun to arrive
 * @TALL_PLACE_REPLYING: its reply is sent
 * @TALL_PLACE_WORKING: a call runs, or waits until it may
 *
 * What comes earlier here is closed earlier, when another connection finds no place.
 */
typedef enum
{
  TALL_PLACE_ENTERING,
  TALL_PLACE_WAITING,
  TALL_PLACE_RECEIVING,
  TALL_PLACE_REPLYING,
  TALL_PLACE_WORKING,
} TallPlaceState;

/* What a server has seen of connections since it began. */
typedef struct
{
  guint64 n_connections; /* that had a place, those over a limit included */
  guint64 n_calls;       /* answered on those that have left */
  guint64 n_told;        /* over a limit, and told so */
  guint64 n_closed;      /* over a limit, and closed without a word */
  guint64 n_evicted;     /* that made room for others */
} TallPlacesTotals;

/* Places of connections: those that are served, and those that only get the answer that there is no
 * place. */
typedef struct
{
  guint n_served, n_told;
} TallPlacesCount;

/* One IPv4 address, or one IPv6 network of 64 bits, that clients are connected from. */
typedef struct
{
  guint64 number; /* of tall_networks_get_origin() */
  TallPlacesCount count;
  TallMemoryShare share;
} TallOrigin;

/**
 * TallPlaces:
 *
 * The connections that a server has, each in a place of its own, and how many it may have. Any
 * thread may use it.
 */
typedef struct
{
  gatomicrefcount ref_count; /* one of the server, and one of each place */
  TallPlacesLimits limits;   /* owns a reference of the trusted */
  gint64 room_time;          /* microseconds that a new client waits for a place, at most */

  GMutex mutex; /* of what follows */
  GCond changed;
  gboolean closed;
  GQueue all; /* of TallPlace, not owned, until they are left */
  TallPlacesCount count;
  TallPlacesTotals totals;
} TallPlaces;

/* The place of one connection. It belongs to the thread that serves it. */
typedef struct
{
  TallPlaces *places;  /* owned */
  const char *refusal; /* static: the message for the client, because it is one too many; NULL: it
                        * is served */
  gint state;          /* atomic: TallPlaceState */
  gint since;          /* atomic: milliseconds that wrap */
  gint evicted;        /* atomic; changed with the mutex: makes room for another */
  guint64 n_calls;

  /* With the mutex of all. */
  GList link;          /* in all */
  GSocket *socket;     /* owned; NULL after tall_place_let_go() */
  TallOrigin *origin;  /* a reference; NULL: has no limit */
  gboolean cut;        /* evicted, and its reply with it */
  guint64 acked;       /* bytes that its client has taken ever, … */
  gint64 acked_before; /* … when it had taken fewer, as far as looks show; 0: not looked yet */
} TallPlace;

TallPlaces *tall_places_new (const TallPlacesLimits *limits);
void tall_places_unref (TallPlaces *self);
TallPlace *tall_places_take (TallPlaces *self, GSocket *socket) G_GNUC_WARN_UNUSED_RESULT;
guint tall_places_count (TallPlaces *self);
gboolean tall_places_is_empty (TallPlaces *self);
void tall_places_get_totals (TallPlaces *self, TallPlacesTotals *totals);
void tall_places_close (TallPlaces *self);
gboolean tall_places_end (TallPlaces *self, guint milliseconds) G_GNUC_WARN_UNUSED_RESULT;

TallMemoryShare *tall_place_get_share (TallPlace *self);
void tall_place_enter (TallPlace *self, TallPlaceState state);
gboolean tall_place_is_evicted (TallPlace *self);
gboolean tall_place_let_go (TallPlace *self);
void tall_place_leave (TallPlace *self);
