/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-places.h"

#include "tall-error.h"
#include "tall-test-wire.h"

static void
test_longest_idle (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 3,
                              .max_per_address = 3,
                              .idle_grace = TALL_TEST_SHORT,
                              .receiving_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat seats[] = {
    tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_RECEIVING),
    tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING),
    tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING),
  };

  /* What it does counts, not when it came. */
  tall_place_enter (seats[1].place, TALL_PLACE_WAITING);
  tall_test_places_let_time_pass ();
  tall_test_places_assert_makes_room (&f, "127.0.0.3", &seats[2], seats, 2);
  seats[2] = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  tall_test_places_assert_makes_room (&f, "127.0.0.3", &seats[1],
                                      (TallTestSeat[]){ seats[0], seats[2] }, 2);
  seats[1] = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_REPLYING);

  /* Last, a request that is too slow. */
  tall_test_places_assert_makes_room (&f, "127.0.0.3", &seats[0], &seats[1], 2);
  seats[0] = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  tall_test_places_assert_refused (&f, "127.0.0.3", "The server has as many");
  for (guint i = 0; i < G_N_ELEMENTS (seats); i++)
    {
      g_assert_false (tall_test_places_is_shut (&seats[i]));
      tall_test_places_leave (&seats[i]);
    }
  tall_test_places_tear_down (&f);
}

/* What is idle for a moment only stays, and so does a request that has only begun. */
static void
test_grace (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 2,
                              .max_per_address = 2,
                              .idle_grace = TALL_TEST_LONG,
                              .receiving_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat idle = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestSeat slow = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_RECEIVING);
  tall_test_places_assert_makes_room (&f, "127.0.0.3", &slow, &idle, 1);
  tall_test_places_leave (&idle);
  tall_test_places_tear_down (&f);

  limits.idle_grace = TALL_TEST_SHORT;
  limits.receiving_grace = TALL_TEST_LONG;
  tall_test_places_set_up (&f, &limits);
  idle = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  slow = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_RECEIVING);
  tall_test_places_assert_makes_room (&f, "127.0.0.3", &idle, &slow, 1);
  idle = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  tall_test_places_assert_refused (&f, "127.0.0.3", "The server has as many");
  tall_test_places_leave (&idle);
  tall_test_places_leave (&slow);
  tall_test_places_tear_down (&f);
}

/* A request that has come and is not looked at yet is not idleness. */
static void
test_unseen_request (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 2,
                              .max_per_address = 2,
                              .idle_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat busy = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestSeat idle = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  tall_test_send (busy.client, tall_slice ("x", 1));
  tall_test_places_wait_until_shut (&busy);
  tall_test_places_assert_makes_room (&f, "127.0.0.3", &idle, NULL, 0);
  g_assert_false (tall_place_let_go (busy.place));
  tall_test_places_leave (&busy);
  tall_test_places_tear_down (&f);
}

/* One that was to make room has a call to answer first: then another one has to. */
static void
test_late_call (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 2,
                              .max_per_address = 2,
                              .idle_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat first = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestSeat second = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestComing coming;
  tall_test_places_begin_coming (&coming, &f, "127.0.0.3", &first);
  tall_place_enter (first.place, TALL_PLACE_WORKING);
  g_autoptr (GError) error = NULL;
  g_assert_cmpint (g_socket_send (tall_place_get_socket (first.place), "a", 1, NULL, &error), ==,
                   1);
  tall_test_places_wait_until_shut (&second);
  tall_test_places_leave (&second);
  tall_test_places_assert_has_come (&coming);
  tall_test_places_leave (&coming.seat);
  tall_test_places_leave (&first);
  tall_test_places_tear_down (&f);
}

/* Each that is to make room has a call to answer first: nobody waits for any of them. */
static void
test_late_calls (void)
{
  TallTestPlaces f;
  TallTestSeat seats[12];
  guint n = G_N_ELEMENTS (seats);
  TallPlacesLimits limits = { .max_connections = n,
                              .max_per_address = n,
                              .idle_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  for (guint i = 0; i < n; i++)
    seats[i] = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  gint64 begin = g_get_monotonic_time (), room_time = f.places->room_time;
  f.places->room_time = TALL_TEST_ROOM_TIME;
  TallTestComing coming;
  tall_test_places_begin_coming (&coming, &f, "127.0.0.2", &seats[0]);
  for (guint i = 0; i < n; i++)
    {
      tall_test_places_wait_until_shut (&seats[i]);
      tall_place_enter (seats[i].place, TALL_PLACE_WORKING);
    }
  tall_test_places_join (coming.thread, &coming.done);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, TALL_TEST_NO_WAIT);
  f.places->room_time = room_time;
  g_assert_nonnull (tall_place_get_refusal (coming.seat.place));
  tall_test_places_leave (&coming.seat);
  tall_place_enter (seats[0].place, TALL_PLACE_REPLYING);
  tall_test_places_assert_refused_at_once (&f, "127.0.0.2", "Your address");
  tall_test_places_leave_all (seats, n);
  tall_test_places_tear_down (&f);
}

/* A connection that makes room at one address, and takes its time, makes none at another. */
static void
test_elsewhere (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 4,
                              .max_per_address = 1,
                              .idle_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat evicted = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestSeat working = tall_test_places_come_later (&f, "127.0.0.3", TALL_PLACE_WORKING);
  TallTestComing coming;
  tall_test_places_begin_coming (&coming, &f, "127.0.0.2", &evicted);
  tall_place_enter (evicted.place, TALL_PLACE_WORKING);
  tall_test_places_join (coming.thread, &coming.done);
  tall_test_places_leave (&coming.seat);
  tall_place_enter (evicted.place, TALL_PLACE_WAITING);
  tall_test_places_assert_refused_at_once (&f, "127.0.0.3", "Your address");

  /* Nor does its call keep them from what leaves there. */
  tall_place_enter (evicted.place, TALL_PLACE_WORKING);
  tall_place_enter (working.place, TALL_PLACE_WAITING);
  tall_test_places_let_time_pass ();
  tall_test_places_assert_makes_room (&f, "127.0.0.3", &working, NULL, 0);
  tall_test_places_leave (&evicted);
  tall_test_places_tear_down (&f);
}

/* The only one that can make room takes its time to leave: it is waited for, and once it has left,
 * nobody is. */
static void
test_slow_to_leave (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 1,
                              .max_per_address = 1,
                              .idle_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat seat = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestComing coming;
  tall_test_places_begin_coming (&coming, &f, "127.0.0.3", &seat);
  for (gint64 begin = g_get_monotonic_time (); g_get_monotonic_time () < begin + 250 * 1000;)
    g_thread_yield ();
  tall_test_places_leave (&seat);
  tall_test_places_assert_has_come (&coming);

  tall_place_enter (coming.seat.place, TALL_PLACE_WORKING);
  tall_test_places_assert_refused_at_once (&f, "127.0.0.4", "The server");
  tall_test_places_leave (&coming.seat);
  tall_test_places_tear_down (&f);
}

/* An address that has all it may have makes room among its own; others are not touched. */
static void
test_address (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 4,
                              .max_per_address = 2,
                              .idle_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat other = tall_test_places_come_later (&f, "127.0.0.3", TALL_PLACE_WAITING);
  TallTestSeat old = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestSeat working = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  tall_test_places_assert_makes_room (&f, "127.0.0.2", &old, (TallTestSeat[]){ other, working }, 2);
  old = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  tall_test_places_assert_refused (&f, "127.0.0.2", "Your address");
  TallTestSeat third = tall_test_places_come_later (&f, "127.0.0.4", TALL_PLACE_WORKING);
  g_assert_cmpuint (tall_places_count (f.places), ==, 4);
  tall_test_places_assert_makes_room (&f, "127.0.0.4", &other,
                                      (TallTestSeat[]){ old, working, third }, 3);
  tall_test_places_leave (&old);
  tall_test_places_leave (&working);
  tall_test_places_leave (&third);
  tall_test_places_tear_down (&f);
}

/* An address that has many places makes room for one that has few, however short it is silent. */
static void
test_crowded (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 4,
                              .max_per_address = 4,
                              .idle_grace = TALL_TEST_LONG,
                              .receiving_grace = 10 * TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat seats[] = {
    tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_RECEIVING),
    tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING),
    tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING),
    tall_test_places_come_later (&f, "127.0.0.3", TALL_PLACE_WAITING),
  };
  tall_place_enter (seats[2].place, TALL_PLACE_WAITING);
  tall_test_places_assert_makes_room (&f, "127.0.0.4", &seats[2],
                                      (TallTestSeat[]){ seats[0], seats[1], seats[3] }, 3);
  seats[2] = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  tall_place_enter (seats[0].place, TALL_PLACE_RECEIVING);
  tall_test_places_assert_refused (&f, "127.0.0.3", "The server");
  tall_test_places_let_time_pass ();
  tall_test_places_assert_makes_room (&f, "127.0.0.4", &seats[0], &seats[1], 3);
  seats[0] = tall_test_places_come_later (&f, "127.0.0.5", TALL_PLACE_WAITING);
  tall_test_places_assert_refused (&f, "127.0.0.4", "The server");
  tall_test_places_leave_all (seats, G_N_ELEMENTS (seats));
  tall_test_places_tear_down (&f);
}

/* Nor do its handshakes, which take a tenth of the usual time at most. */
static void
test_crowded_handshakes (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 3,
                              .max_per_address = 3,
                              .idle_grace = 10 * TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat seats[] = {
    tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_ENTERING),
    tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING),
    tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING),
  };
  tall_place_enter (seats[0].place, TALL_PLACE_ENTERING);
  tall_test_places_let_time_pass ();
  tall_test_places_assert_makes_room (&f, "127.0.0.3", &seats[0], &seats[1], 2);
  tall_test_places_leave_all (seats + 1, 2);
  tall_test_places_tear_down (&f);
}

static void
test_trusted (void)
{
  TallTestPlaces f;
  g_autoptr (GError) error = NULL;
  g_autoptr (GInetAddressMask) mask = g_inet_address_mask_new_from_string ("127.0.0.2", &error);
  g_autoptr (GPtrArray) trusted = g_ptr_array_new ();
  g_ptr_array_add (trusted, mask);
  TallPlacesLimits limits = {
    .max_connections = 4, .max_per_address = 1, .trusted = trusted, .idle_grace = TALL_TEST_LONG
  };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat seats[4];
  for (guint i = 0; i < 3; i++)
    seats[i] = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  seats[3] = tall_test_places_come_later (&f, "127.0.0.3", TALL_PLACE_WAITING);
  tall_test_places_assert_refused (&f, "127.0.0.3", "Your address");
  tall_test_places_assert_refused (&f, "127.0.0.2", "The server");
  tall_test_places_leave_all (seats, 4);
  tall_test_places_tear_down (&f);
}

/* Some get the error that there is no place, and few of one address; the others are closed. */
static void
test_told (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 1,
                              .max_per_address = 1,
                              .idle_grace = TALL_TEST_LONG };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat seat = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestSeat told[8];
  for (guint i = 0; i < 8; i++)
    {
      g_autofree char *from = g_strdup_printf ("127.0.1.%u", 1 + i / 2);
      told[i] = tall_test_places_come (&f, from);
      g_assert_nonnull (told[i].place);
      TallTestSeat third = tall_test_places_come (&f, "127.0.1.1");
      g_assert_true ((third.place == NULL) == (i >= 1));
      tall_test_places_leave (&third);
    }
  TallTestSeat over = tall_test_places_come (&f, "127.0.2.1");
  g_assert_null (over.place);
  g_assert_cmpuint (tall_places_count (f.places), ==, 1);
  tall_test_places_leave (&over);
  tall_test_places_leave_all (told, 8);
  tall_test_places_leave (&seat);
  tall_test_places_tear_down (&f);
}

/* A client that waits for room when the server ends gets none, at once. */
static void
test_close (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 1,
                              .max_per_address = 1,
                              .idle_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat seat = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestComing coming;
  tall_test_places_begin_coming (&coming, &f, "127.0.0.3", &seat);
  tall_places_close (f.places);
  tall_test_places_join (coming.thread, &coming.done);
  g_assert_null (coming.seat.place);
  tall_test_places_leave (&coming.seat);
  tall_test_places_leave (&seat);
  TallTestSeat late = tall_test_places_come (&f, "127.0.0.3");
  g_assert_null (late.place);
  tall_test_places_leave (&late);
  tall_test_places_tear_down (&f);
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
  ending->ok = tall_places_end (ending->places, TALL_TEST_LONG);
  g_atomic_int_set (&ending->done, TRUE);
  return NULL;
}

/* One that takes nothing of its answer is cut, one that takes some is not, nor is one that runs. */
static void
test_end (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 3, .max_per_address = 3 };
  static const guint8 reply[64 * 1024];
  tall_test_places_set_up (&f, &limits);
  TallTestSeat stuck = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_REPLYING);
  TallTestSeat taking = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_REPLYING);
  TallTestSeat working = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WORKING);
  tall_places_close (f.places);
  Ending ending = { .places = f.places };
  GThread *thread = g_thread_new ("end", end, &ending);
  gint64 deadline = g_get_monotonic_time () + TALL_TEST_PATIENCE * G_TIME_SPAN_SECOND;

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
  tall_test_places_leave (&stuck);
  tall_test_places_leave (&taking);
  tall_test_places_leave (&working);
  tall_test_places_join (thread, &ending.done);
  g_assert_true (ending.ok);
  TallPlacesTotals totals;
  tall_places_get_totals (f.places, &totals);
  g_assert_cmpuint (totals.n_connections, ==, 3);
  g_assert_cmpuint (totals.n_calls, ==, 2);
  tall_test_places_tear_down (&f);
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
  g_test_add_func ("/service/places/crowded-handshakes", test_crowded_handshakes);
  g_test_add_func ("/service/places/trusted", test_trusted);
  g_test_add_func ("/service/places/told", test_told);
  g_test_add_func ("/service/places/close", test_close);
  g_test_add_func ("/service/places/end", test_end);
  return g_test_run ();
}
