/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/places.h"

#include "tall-bytes.h"
#include "tall-error.h"
#include "wire/socket.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define V4_SIZE 4
#define V6_SIZE 16
#define MAPPED_BITS 96

/* Above all IPv6 networks that an address can come from. */
#define V4_ORIGINS ((guint64)G_MAXUINT32 << 32)

/* What an IPv6 socket puts before the address of an IPv4 client. */
static const guint8 mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* Returns: (nullable): the four bytes of an IPv4 address, however it came */
static const guint8 *
get_v4 (GInetAddress *address)
{
  const guint8 *bytes = g_inet_address_to_bytes (address);

  if (g_inet_address_get_native_size (address) == V4_SIZE)
    return bytes;
  if (memcmp (bytes, mapped, sizeof mapped) == 0)
    return bytes + sizeof mapped;
  return NULL;
}

/**
 * tall_networks_get_plain:
 *
 * Returns: (transfer full): the same address, and an IPv4 one as such if it came as an IPv6 socket
 *   gives it
 */
GInetAddress *
tall_networks_get_plain (GInetAddress *address)
{
  const guint8 *v4 = get_v4 (address);
  return v4 == NULL ? g_object_ref (address)
                    : g_inet_address_new_from_bytes (v4, G_SOCKET_FAMILY_IPV4);
}

/* Returns: (transfer full): @mask has no bits beyond its length, so a mapped one has at least those
 * of all mapped addresses */
static GInetAddressMask *
get_plain_mask (GInetAddressMask *mask)
{
  GInetAddress *address = g_inet_address_mask_get_address (mask);
  g_autoptr (GInetAddress) plain = tall_networks_get_plain (address);
  guint length = g_inet_address_mask_get_length (mask);

  if (g_inet_address_get_family (plain) == g_inet_address_get_family (address))
    return g_object_ref (mask);
  return g_inet_address_mask_new (plain, length - MAPPED_BITS, NULL);
}

/**
 * tall_networks_parse:
 * @text: addresses and networks such as `10.0.0.7,fd00::/8`; spaces do not count; empty: none. IPv4
 *   ones may also be written as an IPv6 socket gives them.
 *
 * Returns: (transfer full) (element-type GInetAddressMask): NULL with %TALL_ERROR_INVALID if one is
 *   none
 */
GPtrArray *
tall_networks_parse (const char *text, GError **error)
{
  g_autoptr (GPtrArray) networks = g_ptr_array_new_with_free_func (g_object_unref);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      const char *part = g_strstrip (parts[i]);
      g_autoptr (GInetAddressMask) mask = g_inet_address_mask_new_from_string (part, NULL);
      if (mask == NULL)
        {
          tall_error_set_invalid (error, "networks",
                                  "\"%s\" is not an address and not a network: write for example "
                                  "10.0.0.7, 10.0.0.0/8 or fd00::/8, with commas between several",
                                  part);
          return NULL;
        }
      g_ptr_array_add (networks, get_plain_mask (mask));
    }
  return g_steal_pointer (&networks);
}

/**
 * tall_networks_contain:
 * @networks: (nullable): from tall_networks_parse()
 * @address: an IPv4 one also as an IPv6 socket gives it
 */
gboolean
tall_networks_contain (GPtrArray *networks, GInetAddress *address)
{
  g_autoptr (GInetAddress) plain = tall_networks_get_plain (address);

  for (guint i = 0; networks != NULL && i < networks->len; i++)
    if (g_inet_address_mask_matches (networks->pdata[i], plain))
      return TRUE;
  return FALSE;
}

/**
 * tall_networks_is_local:
 * @proxies: (nullable): addresses that speak for others, from tall_networks_parse()
 * @address: an IPv4 one also as an IPv6 socket gives it
 *
 * Returns: whether a client of that address is on this machine, and speaks for itself
 */
gboolean
tall_networks_is_local (GPtrArray *proxies, GInetAddress *address)
{
  g_autoptr (GInetAddress) plain = tall_networks_get_plain (address);
  return g_inet_address_get_is_loopback (plain) && !tall_networks_contain (proxies, plain);
}

/**
 * tall_networks_get_origin:
 *
 * Returns: a number that is the same for all that one client can easily come from: one IPv4
 *   address, or one IPv6 network of 64 bits, which each subscriber has for itself
 */
guint64
tall_networks_get_origin (GInetAddress *address)
{
  const guint8 *v4 = get_v4 (address);
  TallReader reader =
      tall_reader (v4 != NULL ? tall_slice (v4, V4_SIZE)
                              : tall_slice (g_inet_address_to_bytes (address), V6_SIZE));

  return v4 != NULL ? V4_ORIGINS | tall_reader_u32 (&reader) : tall_reader_u64 (&reader);
}

/* Connections over a limit that get an answer at the same time, and those of one address among
 * them; the others are closed. */
#define MAX_TOLD 8
#define MAX_TOLD_OF_ADDRESS 2

/* Milliseconds that the one which makes room has to leave, before another one is chosen, and before
 * there is no room. */
#define LEAVING_TIME 100
#define ROOM_TIME 1000

/* The grace of an address with many connections is so much shorter. */
#define CROWDED_PART 10

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
  self->room_time = ROOM_TIME * G_TIME_SPAN_MILLISECOND;
  if (limits->trusted != NULL)
    g_ptr_array_ref (limits->trusted);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  return self;
}

void
tall_places_unref (TallPlaces *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->limits.trusted, g_ptr_array_unref);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* Returns: (transfer full) (nullable): NULL if the client is trusted, or gone already */
static TallOrigin *
find_origin (const TallPlaces *self, GSocket *socket)
{
  g_autoptr (GSocketAddress) address = g_socket_get_remote_address (socket, NULL);
  if (!G_IS_INET_SOCKET_ADDRESS (address))
    return NULL;
  GInetAddress *inet = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address));
  if (tall_networks_contain (self->limits.trusted, inet))
    return NULL;

  guint64 number = tall_networks_get_origin (inet);
  for (GList *l = self->all.head; l != NULL; l = l->next)
    {
      TallOrigin *origin = ((TallPlace *)l->data)->origin;
      if (origin != NULL && origin->number == number)
        return g_rc_box_acquire (origin);
    }
  TallOrigin *origin = g_rc_box_new0 (TallOrigin);
  origin->number = number;
  return origin;
}

static gboolean
is_address_full (const TallPlaces *self, const TallOrigin *origin)
{
  return origin != NULL && origin->count.n_served >= self->limits.max_per_address;
}

static gboolean
is_full (const TallPlaces *self, const TallOrigin *origin)
{
  return self->count.n_served >= self->limits.max_connections || is_address_full (self, origin);
}

/* Whether a place can make room for one of @origin: an address that is full has its own only. */
static gboolean
is_among (const TallPlace *place, const TallOrigin *origin)
{
  return !is_address_full (place->places, origin) || place->origin == origin;
}

/* Whether a place of @place's address is to go to @origin, which has less than half as many.
 * Without that, an address that wants more than it may have, and replaces its own connections all
 * the time, would have none that is silent for long. */
static gboolean
is_crowded (const TallPlace *place, const TallOrigin *origin)
{
  return place->origin != NULL && origin != NULL
         && place->origin->count.n_served > 2 * (origin->count.n_served + 1);
}

/* Milliseconds that wrap: only differences count. */
static gint
get_now (void)
{
  return (gint)(guint)(g_get_monotonic_time () / 1000);
}

/* For how many milliseconds the client has taken nothing of what is sent to it, as far as looks
 * show. How much is in the socket's buffer would not say: it is full before and after a part was
 * taken and replaced. Source: tcp_info of the kernel's linux/tcp.h. */
static gint64
look_at_unread (TallPlace *self)
{
  gint64 now = g_get_monotonic_time ();
  struct tcp_info info = { 0 };
  socklen_t len = sizeof info;
  if (getsockopt (g_socket_get_fd (self->socket), IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
    info.tcpi_bytes_acked = 0;
  if (self->acked_before == 0 || info.tcpi_bytes_acked != self->acked)
    {
      self->acked = info.tcpi_bytes_acked;
      self->acked_before = now;
    }
  return (now - self->acked_before) / G_TIME_SPAN_MILLISECOND;
}

/* The one rule for which connection is closed first: the earliest state, and in it the longest
 * time. A handshake takes a moment if it is meant; between two calls nothing is lost; then comes a
 * request that takes too long to arrive; at last, a reply of which the client takes nothing. A call
 * that runs is never closed, nor is one that has arrived and that the connection's thread has not
 * seen yet. A crowded address has less time: a few bytes that are taken of each reply now and then
 * do not keep all its places. 0: not to be closed. */
static guint64
rate (TallPlace *place, const TallOrigin *origin)
{
  const TallPlacesLimits *limits = &place->places->limits;
  guint part = is_crowded (place, origin) ? CROWDED_PART : 1;
  const guint graces[] = {
    [TALL_PLACE_ENTERING] = limits->idle_grace / part,
    [TALL_PLACE_WAITING] = part > 1 ? 0 : limits->idle_grace,
    [TALL_PLACE_RECEIVING] = limits->receiving_grace / part,
    [TALL_PLACE_REPLYING] = limits->replying_grace != 0 ? limits->replying_grace : G_MAXUINT,
    [TALL_PLACE_WORKING] = G_MAXUINT,
  };
  gint state = g_atomic_int_get (&place->state);
  guint since = (guint)g_atomic_int_get (&place->since);
  guint age = (guint)get_now () - since; /* a clock read earlier may be behind it */

  if (state == TALL_PLACE_WORKING || age < graces[state])
    return 0;
  if (state == TALL_PLACE_REPLYING && part == 1 && look_at_unread (place) < graces[state])
    return 0;
  if (state == TALL_PLACE_WAITING && tall_socket_has_input (place->socket))
    return 0;
  return ((guint64)(TALL_PLACE_WORKING - state) << 32) + age;
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

/* Has the connection closed that can best be spared for @origin. A reply that lies there goes with
 * it. FALSE: there is none. */
static gboolean
evict_one (TallPlaces *self, const TallOrigin *origin)
{
  TallPlace *best = NULL;
  guint64 best_rate = 0;

  for (GList *l = self->all.head; l != NULL; l = l->next)
    {
      TallPlace *place = l->data;
      if (tall_place_is_evicted (place) || place->refusal != NULL || place->socket == NULL
          || !is_among (place, origin))
        continue;
      guint64 its_rate = rate (place, origin);
      /* A request that its thread has taken from the socket since has changed the rate before. */
      if (its_rate <= best_rate || rate (place, origin) == 0)
        continue;
      best = place;
      best_rate = its_rate;
    }
  if (best == NULL)
    return FALSE;
  best->cut = best_rate >> 32 == TALL_PLACE_WORKING - TALL_PLACE_REPLYING;
  self->totals.n_evicted++;
  g_atomic_int_set (&best->evicted, TRUE);
  tall_socket_shut (best->socket, best->cut);
  return TRUE;
}

/* Whether a place is about to be left that makes room for @origin. One that has a call to answer
 * first is not: its client decides when that is. */
static gboolean
is_any_leaving (const TallPlaces *self, const TallOrigin *origin)
{
  for (GList *l = self->all.head; l != NULL; l = l->next)
    {
      TallPlace *place = l->data;
      gboolean busy = place->socket != NULL && !place->cut
                      && g_atomic_int_get (&place->state) >= TALL_PLACE_REPLYING;
      if (tall_place_is_evicted (place) && is_among (place, origin) && !busy)
        return TRUE;
    }
  return FALSE;
}

/* Has the connection that can best be spared closed, until there is room. Should a call have come
 * at the last moment, then it is answered before the connection ends, and another one is looked
 * for. All other clients wait meanwhile. */
static gboolean
make_room (TallPlaces *self, const TallOrigin *origin)
{
  gint64 now = g_get_monotonic_time ();
  gint64 until = now + self->room_time, next = now; /* when another one is chosen, too */

  for (; is_full (self, origin) && !self->closed && now < until; now = g_get_monotonic_time ())
    if (is_any_leaving (self, origin) && now < next)
      g_cond_wait_until (&self->changed, &self->mutex, MIN (until, next));
    else if (evict_one (self, origin) || is_any_leaving (self, origin))
      next = now + LEAVING_TIME * G_TIME_SPAN_MILLISECOND;
    else
      return FALSE;
  return !is_full (self, origin);
}

static void
count (TallPlace *self, guint by)
{
  TallPlacesCount *counts[] = { &self->places->count,
                                self->origin != NULL ? &self->origin->count : NULL };
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (counts[i] != NULL)
      *(self->refusal != NULL ? &counts[i]->n_told : &counts[i]->n_served) += by;
}

/* @origin: (transfer full) (nullable): */
static TallPlace *
give_place (TallPlaces *self, GSocket *socket, TallOrigin *origin, const char *refusal)
{
  TallPlace *place = g_new0 (TallPlace, 1);

  g_atomic_ref_count_inc (&self->ref_count);
  place->places = self;
  place->socket = g_object_ref (socket);
  place->refusal = refusal;
  place->origin = origin;
  place->link.data = place;
  tall_place_enter (place, TALL_PLACE_WAITING);
  g_queue_push_tail_link (&self->all, &place->link);
  count (place, 1);
  self->totals.n_connections++;
  self->totals.n_told += refusal != NULL ? 1 : 0;
  return place;
}

/**
 * tall_places_take:
 * @socket: of a client that has just come; a reference is taken
 *
 * If there is no place left, or none for the client's address, then the connection that can best be
 * spared is closed for it. This takes a moment; only one thread at a time may call it.
 *
 * Returns: (transfer full) (nullable): to be left with tall_place_leave(); NULL: the connection
 *   is to be closed
 */
TallPlace *
tall_places_take (TallPlaces *self, GSocket *socket)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  TallOrigin *origin = find_origin (self, socket);
  const char *refusal = NULL;

  if (!make_room (self, origin))
    refusal = is_address_full (self, origin)
                  ? "Your address has as many connections as the server takes from one; nothing "
                    "was done, close some or try again later"
                  : "The server has as many connections as it takes; nothing was done, try again "
                    "later";
  if (!self->closed
      && (refusal == NULL
          || (self->count.n_told < MAX_TOLD
              && (origin == NULL || origin->count.n_told < MAX_TOLD_OF_ADDRESS))))
    return give_place (self, socket, origin, refusal);
  g_clear_pointer (&origin, g_rc_box_release);
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
  return self->count.n_served;
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
  return g_queue_is_empty (&self->all);
}

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
  for (GList *l = self->all.head; l != NULL; l = l->next)
    if (((TallPlace *)l->data)->socket != NULL)
      tall_socket_shut (((TallPlace *)l->data)->socket, also_writing);
}

/* Cuts the replies of which the client has taken nothing for a while. */
static void
cut_unread (TallPlaces *self)
{
  for (GList *l = self->all.head; l != NULL; l = l->next)
    {
      TallPlace *place = l->data;
      if (g_atomic_int_get (&place->state) != TALL_PLACE_REPLYING)
        place->acked_before = 0;
      else if (place->socket != NULL && look_at_unread (place) >= UNREAD_TIME)
        tall_socket_shut (place->socket, TRUE);
    }
}

static gboolean
wait_until_empty (TallPlaces *self, guint milliseconds)
{
  gint64 now = g_get_monotonic_time ();
  gint64 until = now + (gint64)milliseconds * G_TIME_SPAN_MILLISECOND;

  for (; !g_queue_is_empty (&self->all) && now < until; now = g_get_monotonic_time ())
    {
      cut_unread (self);
      g_cond_wait_until (&self->changed, &self->mutex,
                         MIN (until, now + LOOK_TIME * G_TIME_SPAN_MILLISECOND));
    }
  return g_queue_is_empty (&self->all);
}

/* Gives no place to anybody from now on. */
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
 * tall_place_get_share:
 *
 * Returns: (nullable): what the calls of its address hold of the server's memory; NULL if they may
 *   hold all of it
 */
TallMemoryShare *
tall_place_get_share (TallPlace *self)
{
  return self->origin != NULL ? &self->origin->share : NULL;
}

/* Says what the connection does from now on. */
void
tall_place_enter (TallPlace *self, TallPlaceState state)
{
  if (state == TALL_PLACE_REPLYING)
    self->n_calls++;
  g_atomic_int_set (&self->since, get_now ());
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
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->places->mutex);
  g_clear_object (&self->socket);
  return tall_place_is_evicted (self);
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

  g_mutex_lock (&places->mutex);
  g_clear_object (&self->socket);
  g_queue_unlink (&places->all, &self->link);
  count (self, (guint)-1);
  places->totals.n_calls += self->n_calls;
  g_clear_pointer (&self->origin, g_rc_box_release);
  g_cond_broadcast (&places->changed);
  g_mutex_unlock (&places->mutex);
  g_free (self);
  tall_places_unref (places);
}
