/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-places-private.h"

#include "tall-error.h"
#include "tall-listen.h"
#include "tall-test-wire.h"

/* Milliseconds: one that is over soon, and one that is never over. */
#define SHORT 2
#define LONG (1000 * 1000)

/* Seconds; a test that waits so long has failed. */
#define PATIENCE 60

/* Milliseconds: less than anybody waits for one that is about to leave. */
#define NO_WAIT 900

/* One place, and the client in it. */
typedef struct
{
  GSocketConnection *client; /* NULL: left */
  TallPlace *place;          /* NULL: closed instead */
} Seat;

typedef struct
{
  GSocketListener *listener;
  char *address;
  TallPlaces *places;
} Fixture;

static void
set_up (Fixture *f, const TallPlacesLimits *limits)
{
  g_autoptr (GError) error = NULL;
  gboolean is_reachable;
  f->listener = tall_listen ("127.0.0.1:0", &f->address, &is_reachable, &error);
  g_assert_no_error (error);
  f->places = tall_places_new (limits);
}

static void
tear_down (Fixture *f)
{
  g_assert_true (tall_places_is_empty (f->places));
  g_assert_cmpuint (g_hash_table_size (f->places->origins.table), ==, 0);
  tall_places_unref (f->places);
  g_object_unref (f->listener);
  g_free (f->address);
}

static Seat
come (Fixture *f, const char *from)
{
  g_autoptr (GError) error = NULL;
  Seat seat = { tall_test_connect_from (f->address, from), NULL };
  g_autoptr (GSocket) socket = g_socket_listener_accept_socket (f->listener, NULL, NULL, &error);
  g_assert_no_error (error);
  seat.place = tall_places_take (f->places, socket);
  return seat;
}

static void
leave (Seat *seat)
{
  if (seat->place != NULL)
    tall_place_leave (g_steal_pointer (&seat->place));
  g_clear_object (&seat->client);
}

/* Lets the clock go on, so that what was before is older than what comes. */
static void
let_time_pass (void)
{
  for (gint64 begin = g_get_monotonic_time (); g_get_monotonic_time () < begin + 4 * SHORT * 1000;)
    g_thread_yield ();
}

static Seat
come_later (Fixture *f, const char *from, TallPlaceState state)
{
  Seat seat = come (f, from);
  g_assert_nonnull (seat.place);
  g_assert_null (tall_place_get_refusal (seat.place));
  tall_place_enter (seat.place, state);
  let_time_pass ();
  return seat;
}

static void
yield_until (gint64 deadline)
{
  g_assert_cmpint (g_get_monotonic_time (), <, deadline);
  g_thread_yield ();
}

/* Waits for the end of a thread, which sets @done as its last act. */
static void
join (GThread *thread, const gint *done)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE * G_TIME_SPAN_SECOND;
  while (!g_atomic_int_get (done))
    yield_until (deadline);
  g_thread_join (thread);
}

/* One that comes on a thread of its own: taking a place may have to wait. */
typedef struct
{
  Fixture *f;
  const char *from;
  Seat seat;
  GThread *thread;
  gint done; /* atomic */
} Coming;

static gpointer
run_coming (gpointer data)
{
  Coming *coming = data;
  coming->seat = come (coming->f, coming->from);
  g_atomic_int_set (&coming->done, TRUE);
  return NULL;
}

static gboolean
is_shut (Seat *seat)
{
  GSocket *socket = tall_place_get_socket (seat->place);
  return (g_socket_condition_check (socket, G_IO_IN) & G_IO_IN) != 0;
}

static void
wait_until_shut (Seat *seat)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE * G_TIME_SPAN_SECOND;
  while (!is_shut (seat))
    yield_until (deadline);
}

/* Begins to come, and waits until @victim is shut for it. */
static void
begin_coming (Coming *self, Fixture *f, const char *from, Seat *victim)
{
  *self = (Coming){ .f = f, .from = from };
  self->thread = g_thread_new ("coming", run_coming, self);
  wait_until_shut (victim);
}

/* It has a place now. */
static void
assert_has_come (Coming *self)
{
  join (self->thread, &self->done);
  g_assert_nonnull (self->seat.place);
  g_assert_null (tall_place_get_refusal (self->seat.place));
}

/* One more comes from @from, for which @victim, and none of the others, is shut and leaves. */
static void
assert_makes_room (Fixture *f, const char *from, Seat *victim, Seat *others, guint n_others)
{
  Coming coming;
  begin_coming (&coming, f, from, victim);
  for (guint i = 0; i < n_others; i++)
    g_assert_false (is_shut (&others[i]));
  g_assert_true (tall_place_let_go (victim->place));
  leave (victim);
  assert_has_come (&coming);
  leave (&coming.seat);
}

static void
leave_all (Seat *seats, guint n)
{
  for (guint i = 0; i < n; i++)
    leave (&seats[i]);
}

static void
assert_refused (Fixture *f, const char *from, const char *word)
{
  Seat seat = come (f, from);
  g_assert_nonnull (seat.place);
  g_assert_nonnull (strstr (tall_place_get_refusal (seat.place), word));
  leave (&seat);
}

static void
assert_refused_at_once (Fixture *f, const char *from, const char *word)
{
  gint64 begin = g_get_monotonic_time ();
  assert_refused (f, from, word);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, NO_WAIT * G_TIME_SPAN_MILLISECOND);
}

static void
test_longest_idle (void)
{
  Fixture f;
  TallPlacesLimits limits = {
    .max_connections = 3, .max_per_address = 3, .idle_grace = SHORT, .receiving_grace = SHORT
  };
  set_up (&f, &limits);
  Seat seats[] = {
    come_later (&f, "127.0.0.2", TALL_PLACE_RECEIVING),
    come_later (&f, "127.0.0.2", TALL_PLACE_WAITING),
    come_later (&f, "127.0.0.2", TALL_PLACE_WAITING),
  };

  /* What it does counts, not when it came. */
  tall_place_enter (seats[1].place, TALL_PLACE_WAITING);
  let_time_pass ();
  assert_makes_room (&f, "127.0.0.3", &seats[2], seats, 2);
  seats[2] = come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  assert_makes_room (&f, "127.0.0.3", &seats[1], (Seat[]){ seats[0], seats[2] }, 2);
  seats[1] = come_later (&f, "127.0.0.2", TALL_PLACE_REPLYING);

  /* Last, a request that is too slow. */
  assert_makes_room (&f, "127.0.0.3", &seats[0], &seats[1], 2);
  seats[0] = come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  assert_refused (&f, "127.0.0.3", "The server has as many");
  for (guint i = 0; i < G_N_ELEMENTS (seats); i++)
    {
      g_assert_false (is_shut (&seats[i]));
      leave (&seats[i]);
    }
  tear_down (&f);
}

/* What is idle for a moment only stays, and so does a request that has only begun. */
static void
test_grace (void)
{
  Fixture f;
  TallPlacesLimits limits = {
    .max_connections = 2, .max_per_address = 2, .idle_grace = LONG, .receiving_grace = SHORT
  };
  set_up (&f, &limits);
  Seat idle = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  Seat slow = come_later (&f, "127.0.0.2", TALL_PLACE_RECEIVING);
  assert_makes_room (&f, "127.0.0.3", &slow, &idle, 1);
  leave (&idle);
  tear_down (&f);

  limits.idle_grace = SHORT;
  limits.receiving_grace = LONG;
  set_up (&f, &limits);
  idle = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  slow = come_later (&f, "127.0.0.2", TALL_PLACE_RECEIVING);
  assert_makes_room (&f, "127.0.0.3", &idle, &slow, 1);
  idle = come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  assert_refused (&f, "127.0.0.3", "The server has as many");
  leave (&idle);
  leave (&slow);
  tear_down (&f);
}

/* A request that has come and is not looked at yet is not idleness. */
static void
test_unseen_request (void)
{
  Fixture f;
  TallPlacesLimits limits = { .max_connections = 2, .max_per_address = 2, .idle_grace = SHORT };
  set_up (&f, &limits);
  Seat busy = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  Seat idle = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  tall_test_send (busy.client, tall_slice ("x", 1));
  wait_until_shut (&busy);
  assert_makes_room (&f, "127.0.0.3", &idle, NULL, 0);
  g_assert_false (tall_place_let_go (busy.place));
  leave (&busy);
  tear_down (&f);
}

/* One that was to make room has a call to answer first: then another one has to. */
static void
test_late_call (void)
{
  Fixture f;
  TallPlacesLimits limits = { .max_connections = 2, .max_per_address = 2, .idle_grace = SHORT };
  set_up (&f, &limits);
  Seat first = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  Seat second = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  Coming coming;
  begin_coming (&coming, &f, "127.0.0.3", &first);
  tall_place_enter (first.place, TALL_PLACE_WORKING);
  g_autoptr (GError) error = NULL;
  g_assert_cmpint (g_socket_send (tall_place_get_socket (first.place), "a", 1, NULL, &error), ==,
                   1);
  wait_until_shut (&second);
  leave (&second);
  assert_has_come (&coming);
  leave (&coming.seat);
  leave (&first);
  tear_down (&f);
}

/* Each that is to make room has a call to answer first: nobody waits for any of them. */
static void
test_late_calls (void)
{
  Fixture f;
  Seat seats[12];
  guint n = G_N_ELEMENTS (seats);
  TallPlacesLimits limits = { .max_connections = n, .max_per_address = n, .idle_grace = SHORT };
  set_up (&f, &limits);
  for (guint i = 0; i < n; i++)
    seats[i] = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  gint64 begin = g_get_monotonic_time ();
  Coming coming;
  begin_coming (&coming, &f, "127.0.0.2", &seats[0]);
  for (guint i = 0; i < n; i++)
    {
      wait_until_shut (&seats[i]);
      tall_place_enter (seats[i].place, TALL_PLACE_WORKING);
    }
  join (coming.thread, &coming.done);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, NO_WAIT * G_TIME_SPAN_MILLISECOND);
  g_assert_nonnull (tall_place_get_refusal (coming.seat.place));
  leave (&coming.seat);
  tall_place_enter (seats[0].place, TALL_PLACE_REPLYING);
  assert_refused_at_once (&f, "127.0.0.2", "Your address");
  leave_all (seats, n);
  tear_down (&f);
}

/* A connection that makes room at one address, and takes its time, makes none at another. */
static void
test_elsewhere (void)
{
  Fixture f;
  TallPlacesLimits limits = { .max_connections = 4, .max_per_address = 1, .idle_grace = SHORT };
  set_up (&f, &limits);
  Seat evicted = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  Seat working = come_later (&f, "127.0.0.3", TALL_PLACE_WORKING);
  Coming coming;
  begin_coming (&coming, &f, "127.0.0.2", &evicted);
  tall_place_enter (evicted.place, TALL_PLACE_WORKING);
  join (coming.thread, &coming.done);
  leave (&coming.seat);
  tall_place_enter (evicted.place, TALL_PLACE_WAITING);
  assert_refused_at_once (&f, "127.0.0.3", "Your address");

  /* Nor does its call keep them from what leaves there. */
  tall_place_enter (evicted.place, TALL_PLACE_WORKING);
  tall_place_enter (working.place, TALL_PLACE_WAITING);
  let_time_pass ();
  assert_makes_room (&f, "127.0.0.3", &working, NULL, 0);
  leave (&evicted);
  tear_down (&f);
}

/* The only one that can make room takes its time to leave: it is waited for, and once it has left,
 * nobody is. */
static void
test_slow_to_leave (void)
{
  Fixture f;
  TallPlacesLimits limits = { .max_connections = 1, .max_per_address = 1, .idle_grace = SHORT };
  set_up (&f, &limits);
  Seat seat = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  Coming coming;
  begin_coming (&coming, &f, "127.0.0.3", &seat);
  for (gint64 begin = g_get_monotonic_time (); g_get_monotonic_time () < begin + 250 * 1000;)
    g_thread_yield ();
  leave (&seat);
  assert_has_come (&coming);

  tall_place_enter (coming.seat.place, TALL_PLACE_WORKING);
  assert_refused_at_once (&f, "127.0.0.4", "The server");
  leave (&coming.seat);
  tear_down (&f);
}

/* An address that has all it may have makes room among its own; others are not touched. */
static void
test_address (void)
{
  Fixture f;
  TallPlacesLimits limits = { .max_connections = 4, .max_per_address = 2, .idle_grace = SHORT };
  set_up (&f, &limits);
  Seat other = come_later (&f, "127.0.0.3", TALL_PLACE_WAITING);
  Seat old = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  Seat working = come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  assert_makes_room (&f, "127.0.0.2", &old, (Seat[]){ other, working }, 2);
  old = come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  assert_refused (&f, "127.0.0.2", "Your address");
  Seat third = come_later (&f, "127.0.0.4", TALL_PLACE_WORKING);
  g_assert_cmpuint (tall_places_count (f.places), ==, 4);
  assert_makes_room (&f, "127.0.0.4", &other, (Seat[]){ old, working, third }, 3);
  leave (&old);
  leave (&working);
  leave (&third);
  tear_down (&f);
}

/* An address that has many places makes room for one that has few, however short it is silent. */
static void
test_crowded (void)
{
  Fixture f;
  TallPlacesLimits limits = {
    .max_connections = 4, .max_per_address = 4, .idle_grace = LONG, .receiving_grace = 10 * SHORT
  };
  set_up (&f, &limits);
  Seat seats[] = {
    come_later (&f, "127.0.0.2", TALL_PLACE_RECEIVING),
    come_later (&f, "127.0.0.2", TALL_PLACE_WORKING),
    come_later (&f, "127.0.0.2", TALL_PLACE_WAITING),
    come_later (&f, "127.0.0.3", TALL_PLACE_WAITING),
  };
  tall_place_enter (seats[2].place, TALL_PLACE_WAITING);
  assert_makes_room (&f, "127.0.0.4", &seats[2], (Seat[]){ seats[0], seats[1], seats[3] }, 3);
  seats[2] = come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  tall_place_enter (seats[0].place, TALL_PLACE_RECEIVING);
  assert_refused (&f, "127.0.0.3", "The server");
  let_time_pass ();
  assert_makes_room (&f, "127.0.0.4", &seats[0], &seats[1], 3);
  seats[0] = come_later (&f, "127.0.0.5", TALL_PLACE_WAITING);
  assert_refused (&f, "127.0.0.4", "The server");
  leave_all (seats, G_N_ELEMENTS (seats));
  tear_down (&f);
}

static void
test_trusted (void)
{
  Fixture f;
  g_autoptr (GError) error = NULL;
  g_autoptr (GInetAddressMask) mask = g_inet_address_mask_new_from_string ("127.0.0.2", &error);
  g_autoptr (GPtrArray) trusted = g_ptr_array_new ();
  g_ptr_array_add (trusted, mask);
  TallPlacesLimits limits = {
    .max_connections = 4, .max_per_address = 1, .trusted = trusted, .idle_grace = LONG
  };
  set_up (&f, &limits);
  Seat seats[4];
  for (guint i = 0; i < 3; i++)
    seats[i] = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  seats[3] = come_later (&f, "127.0.0.3", TALL_PLACE_WAITING);
  assert_refused (&f, "127.0.0.3", "Your address");
  assert_refused (&f, "127.0.0.2", "The server");
  leave_all (seats, 4);
  tear_down (&f);
}

/* Some get the error that there is no place, and few of one address; the others are closed. */
static void
test_told (void)
{
  Fixture f;
  TallPlacesLimits limits = { .max_connections = 1, .max_per_address = 1, .idle_grace = LONG };
  set_up (&f, &limits);
  Seat seat = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  Seat told[8];
  for (guint i = 0; i < 8; i++)
    {
      g_autofree char *from = g_strdup_printf ("127.0.1.%u", 1 + i / 2);
      told[i] = come (&f, from);
      g_assert_nonnull (told[i].place);
      Seat third = come (&f, "127.0.1.1");
      g_assert_true ((third.place == NULL) == (i >= 1));
      leave (&third);
    }
  Seat over = come (&f, "127.0.2.1");
  g_assert_null (over.place);
  g_assert_cmpuint (tall_places_count (f.places), ==, 1);
  leave (&over);
  leave_all (told, 8);
  leave (&seat);
  tear_down (&f);
}

/* A client that waits for room when the server ends gets none, at once. */
static void
test_close (void)
{
  Fixture f;
  TallPlacesLimits limits = { .max_connections = 1, .max_per_address = 1, .idle_grace = SHORT };
  set_up (&f, &limits);
  Seat seat = come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  Coming coming;
  begin_coming (&coming, &f, "127.0.0.3", &seat);
  tall_places_close (f.places);
  join (coming.thread, &coming.done);
  g_assert_null (coming.seat.place);
  leave (&coming.seat);
  leave (&seat);
  Seat late = come (&f, "127.0.0.3");
  g_assert_null (late.place);
  leave (&late);
  tear_down (&f);
}

typedef struct
{
  TallPlaces *places;
  gboolean ok;
  gint done; /* atomic */
} Ending;

static gpointer
end (gpointer data)
{
  Ending *ending = data;
  ending->ok = tall_places_end (ending->places, LONG);
  g_atomic_int_set (&ending->done, TRUE);
  return NULL;
}

/* One that takes nothing of its answer is cut, one that takes some is not, nor is one that runs. */
static void
test_end (void)
{
  Fixture f;
  TallPlacesLimits limits = { .max_connections = 3, .max_per_address = 3 };
  static const guint8 reply[64 * 1024];
  set_up (&f, &limits);
  Seat stuck = come_later (&f, "127.0.0.2", TALL_PLACE_REPLYING);
  Seat taking = come_later (&f, "127.0.0.2", TALL_PLACE_REPLYING);
  Seat working = come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  tall_places_close (f.places);
  Ending ending = { .places = f.places };
  GThread *thread = g_thread_new ("end", end, &ending);
  gint64 deadline = g_get_monotonic_time () + PATIENCE * G_TIME_SPAN_SECOND;

  while ((g_socket_condition_check (tall_place_get_socket (stuck.place), G_IO_HUP) & G_IO_HUP) == 0)
    {
      g_autoptr (GError) error = NULL;
      guint8 bytes[sizeof reply];
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      gssize n = g_socket_send (tall_place_get_socket (taking.place), (const char *)reply,
                                sizeof reply, NULL, &error);
      g_assert_no_error (error);
      g_input_stream_read (g_io_stream_get_input_stream (G_IO_STREAM (taking.client)), bytes,
                           (gsize)n, NULL, &error);
      g_assert_no_error (error);
    }
  GIOCondition writable = G_IO_OUT | G_IO_HUP;
  g_assert_true (g_socket_condition_check (tall_place_get_socket (taking.place), writable)
                 == G_IO_OUT);
  g_assert_true (g_socket_condition_check (tall_place_get_socket (working.place), writable)
                 == G_IO_OUT);
  leave (&stuck);
  leave (&taking);
  leave (&working);
  join (thread, &ending.done);
  g_assert_true (ending.ok);
  guint64 n_connections, n_calls;
  tall_places_get_totals (f.places, &n_connections, &n_calls);
  g_assert_cmpuint (n_connections, ==, 3);
  g_assert_cmpuint (n_calls, ==, 2);
  tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/places/longest-idle", test_longest_idle);
  g_test_add_func ("/service/places/grace", test_grace);
  g_test_add_func ("/service/places/unseen-request", test_unseen_request);
  g_test_add_func ("/service/places/late-call", test_late_call);
  g_test_add_func ("/service/places/late-calls", test_late_calls);
  g_test_add_func ("/service/places/elsewhere", test_elsewhere);
  g_test_add_func ("/service/places/slow-to-leave", test_slow_to_leave);
  g_test_add_func ("/service/places/address", test_address);
  g_test_add_func ("/service/places/crowded", test_crowded);
  g_test_add_func ("/service/places/trusted", test_trusted);
  g_test_add_func ("/service/places/told", test_told);
  g_test_add_func ("/service/places/close", test_close);
  g_test_add_func ("/service/places/end", test_end);
  return g_test_run ();
}
