/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-places.h"

#include "service/server/listen.h"
#include "tall-test-wire.h"

void
tall_test_places_set_up (TallTestPlaces *f, const TallPlacesLimits *limits)
{
  g_autoptr (GError) error = NULL;
  gboolean is_reachable;
  f->listener = tall_listen ("127.0.0.1:0", &f->address, &is_reachable, &error);
  g_assert_no_error (error);
  f->places = tall_places_new (limits);
}

void
tall_test_places_tear_down (TallTestPlaces *f)
{
  g_assert_true (tall_places_is_empty (f->places));
  tall_places_unref (f->places);
  g_object_unref (f->listener);
  g_free (f->address);
}

TallTestSeat
tall_test_places_come (TallTestPlaces *f, const char *from)
{
  g_autoptr (GError) error = NULL;
  TallTestSeat seat = { tall_test_connect_from (f->address, from), NULL };
  g_autoptr (GSocket) socket = g_socket_listener_accept_socket (f->listener, NULL, NULL, &error);
  g_assert_no_error (error);
  seat.place = tall_places_take (f->places, socket);
  return seat;
}

void
tall_test_places_leave (TallTestSeat *seat)
{
  if (seat->place != NULL)
    tall_place_leave (g_steal_pointer (&seat->place));
  g_clear_object (&seat->client);
}

/* Lets the clock go on, so that what was before is older than what comes. */
void
tall_test_places_let_time_pass (void)
{
  for (gint64 begin = g_get_monotonic_time ();
       g_get_monotonic_time () < begin + 4 * TALL_TEST_SHORT * 1000;)
    g_thread_yield ();
}

TallTestSeat
tall_test_places_come_later (TallTestPlaces *f, const char *from, TallPlaceState state)
{
  TallTestSeat seat = tall_test_places_come (f, from);
  g_assert_nonnull (seat.place);
  g_assert_null (tall_place_get_refusal (seat.place));
  tall_place_enter (seat.place, state);
  tall_test_places_let_time_pass ();
  return seat;
}

static void
yield_until (gint64 deadline)
{
  g_assert_cmpint (g_get_monotonic_time (), <, deadline);
  g_thread_yield ();
}

/* Waits for the end of a thread, which sets @done as its last act. */
void
tall_test_places_join (GThread *thread, const gint *done)
{
  gint64 deadline = g_get_monotonic_time () + TALL_TEST_PATIENCE * G_TIME_SPAN_SECOND;
  while (!g_atomic_int_get (done))
    yield_until (deadline);
  g_thread_join (thread);
}

static gpointer
run_coming (gpointer data)
{
  TallTestComing *coming = data;
  coming->seat = tall_test_places_come (coming->f, coming->from);
  g_atomic_int_set (&coming->done, TRUE);
  return NULL;
}

gboolean
tall_test_places_is_shut (TallTestSeat *seat)
{
  GSocket *socket = tall_place_get_socket (seat->place);
  return (g_socket_condition_check (socket, G_IO_IN) & G_IO_IN) != 0;
}

void
tall_test_places_wait_until_shut (TallTestSeat *seat)
{
  gint64 deadline = g_get_monotonic_time () + TALL_TEST_PATIENCE * G_TIME_SPAN_SECOND;
  while (!tall_test_places_is_shut (seat))
    yield_until (deadline);
}

/* Begins to come, and waits until @victim is shut for it. */
void
tall_test_places_begin_coming (TallTestComing *self,
                               TallTestPlaces *f,
                               const char *from,
                               TallTestSeat *victim)
{
  *self = (TallTestComing){ .f = f, .from = from };
  self->thread = g_thread_new ("coming", run_coming, self);
  tall_test_places_wait_until_shut (victim);
}

/* It has a place now. */
void
tall_test_places_assert_has_come (TallTestComing *self)
{
  tall_test_places_join (self->thread, &self->done);
  g_assert_nonnull (self->seat.place);
  g_assert_null (tall_place_get_refusal (self->seat.place));
}

/* One more comes from @from, for which @victim, and none of the others, is shut and leaves. */
void
tall_test_places_assert_makes_room (
    TallTestPlaces *f, const char *from, TallTestSeat *victim, TallTestSeat *others, guint n_others)
{
  TallTestComing coming;
  tall_test_places_begin_coming (&coming, f, from, victim);
  for (guint i = 0; i < n_others; i++)
    g_assert_false (tall_test_places_is_shut (&others[i]));
  g_assert_true (tall_place_let_go (victim->place));
  tall_test_places_leave (victim);
  tall_test_places_assert_has_come (&coming);
  tall_test_places_leave (&coming.seat);
}

void
tall_test_places_leave_all (TallTestSeat *seats, guint n)
{
  for (guint i = 0; i < n; i++)
    tall_test_places_leave (&seats[i]);
}

void
tall_test_places_assert_refused (TallTestPlaces *f, const char *from, const char *word)
{
  TallTestSeat seat = tall_test_places_come (f, from);
  g_assert_nonnull (seat.place);
  g_assert_nonnull (strstr (tall_place_get_refusal (seat.place), word));
  tall_test_places_leave (&seat);
}

void
tall_test_places_assert_refused_at_once (TallTestPlaces *f, const char *from, const char *word)
{
  gint64 begin = g_get_monotonic_time (), room_time = f->places->room_time;
  f->places->room_time = TALL_TEST_ROOM_TIME;
  tall_test_places_assert_refused (f, from, word);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, TALL_TEST_NO_WAIT);
  f->places->room_time = room_time;
}
