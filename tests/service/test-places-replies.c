/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-places.h"

/* Replies that nobody takes make room in the end. */

/* The client finds its connection at an end. */
static void
assert_ended (TallTestSeat *seat)
{
  g_autoptr (GError) error = NULL;
  char byte;
  GSocket *socket = g_socket_connection_get_socket (seat->client);
  g_assert_cmpint (g_socket_receive (socket, &byte, 1, NULL, &error), ==, 0);
  g_assert_no_error (error);
}

/* One more comes from @from, for which the reply of @victim is cut off, whose thread then leaves.
 */
static void
assert_cuts_reply (TallTestPlaces *f, const char *from, TallTestSeat *victim)
{
  TallTestComing coming;
  tall_test_places_begin_coming (&coming, f, from, victim);
  assert_ended (victim);
  g_assert_true (tall_place_is_evicted (victim->place));
  tall_test_places_leave (victim);
  tall_test_places_assert_has_come (&coming);
  tall_test_places_leave (&coming.seat);
}

/* A client that takes nothing of its reply keeps its place no longer than a silent one. */
static void
test_untaken_reply (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 2,
                              .max_per_address = 2,
                              .idle_grace = TALL_TEST_LONG,
                              .replying_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat taking = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_REPLYING);
  TallTestSeat lying = tall_test_places_come_later (&f, "127.0.0.3", TALL_PLACE_REPLYING);

  /* Only the second look shows whether something was taken since the first. */
  tall_test_places_assert_refused_at_once (&f, "127.0.0.4", "The server has as many");
  g_autoptr (GError) error = NULL;
  GSocket *socket = tall_place_get_socket (taking.place);
  char byte;
  g_assert_cmpint (g_socket_send (socket, "a", 1, NULL, &error), ==, 1);
  g_assert_cmpint (g_socket_receive (g_socket_connection_get_socket (taking.client), &byte, 1, NULL,
                                     &error),
                   ==, 1);
  tall_test_places_let_time_pass ();
  assert_cuts_reply (&f, "127.0.0.4", &lying);
  g_assert_false (tall_test_places_is_shut (&taking));

  /* What is silent, or a request that does not arrive, is cut before a reply. */
  lying = tall_test_places_come_later (&f, "127.0.0.3", TALL_PLACE_RECEIVING);
  tall_test_places_assert_makes_room (&f, "127.0.0.4", &lying, &taking, 1);
  tall_test_places_leave (&taking);
  tall_test_places_tear_down (&f);
}

/* A reply that has only begun is not cut off, and none is without such a limit. */
static void
test_reply_grace (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 3,
                              .max_per_address = 3,
                              .idle_grace = TALL_TEST_LONG,
                              .replying_grace = TALL_TEST_LONG };
  for (guint i = 0; i < 2; i++, limits.replying_grace = 0)
    {
      TallTestSeat seats[3];
      tall_test_places_set_up (&f, &limits);
      for (guint j = 0; j < G_N_ELEMENTS (seats); j++)
        seats[j] = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_REPLYING);
      tall_test_places_assert_refused (&f, "127.0.0.3", "The server has as many");
      tall_test_places_let_time_pass ();
      tall_test_places_assert_refused (&f, "127.0.0.3", "The server has as many");
      for (guint j = 0; j < G_N_ELEMENTS (seats); j++)
        g_assert_false (tall_test_places_is_shut (&seats[j]));
      tall_test_places_leave_all (seats, G_N_ELEMENTS (seats));
      tall_test_places_tear_down (&f);
    }
}

/* An address with more than twice as many places cannot keep them by taking a byte now and then. */
static void
test_crowded_replies (void)
{
  TallTestPlaces f;
  TallTestSeat seats[3];
  TallPlacesLimits limits = { .max_connections = 3,
                              .max_per_address = 3,
                              .idle_grace = TALL_TEST_LONG,
                              .replying_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  for (guint i = 0; i < G_N_ELEMENTS (seats); i++)
    seats[i] = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_REPLYING);
  tall_test_places_assert_refused (&f, "127.0.0.2", "Your address");
  assert_cuts_reply (&f, "127.0.0.3", &seats[0]);
  tall_test_places_leave_all (seats, G_N_ELEMENTS (seats));
  tall_test_places_tear_down (&f);
}

/* A call of a silent connection that makes room is answered, even if its reply begins just then. */
static void
test_late_reply (void)
{
  TallTestPlaces f;
  TallPlacesLimits limits = { .max_connections = 1,
                              .max_per_address = 1,
                              .idle_grace = TALL_TEST_SHORT,
                              .replying_grace = TALL_TEST_SHORT };
  tall_test_places_set_up (&f, &limits);
  TallTestSeat only = tall_test_places_come_later (&f, "127.0.0.2", TALL_PLACE_WAITING);
  TallTestComing coming;
  tall_test_places_begin_coming (&coming, &f, "127.0.0.3", &only);
  tall_place_enter (only.place, TALL_PLACE_REPLYING);
  g_autoptr (GError) error = NULL;
  char byte;
  g_assert_cmpint (g_socket_send (tall_place_get_socket (only.place), "a", 1, NULL, &error), ==, 1);
  g_assert_cmpint (g_socket_receive (g_socket_connection_get_socket (only.client), &byte, 1, NULL,
                                     &error),
                   ==, 1);
  tall_test_places_leave (&only);
  tall_test_places_join (coming.thread, &coming.done);
  tall_test_places_leave (&coming.seat);
  tall_test_places_tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/places-replies/untaken-reply", test_untaken_reply);
  g_test_add_func ("/service/places-replies/reply-grace", test_reply_grace);
  g_test_add_func ("/service/places-replies/crowded-replies", test_crowded_replies);
  g_test_add_func ("/service/places-replies/late-reply", test_late_reply);
  return g_test_run ();
}
