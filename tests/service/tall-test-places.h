/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/access/places.h"

G_BEGIN_DECLS

/* Milliseconds: one that is over soon, and one that is never over. */
#define TALL_TEST_SHORT 2
#define TALL_TEST_LONG (1000 * 1000)

/* Seconds; a test that waits so long has failed. */
#define TALL_TEST_PATIENCE 60

/* Microseconds that a client then waits for one that is about to leave, and less than that. */
#define TALL_TEST_ROOM_TIME (2 * TALL_TEST_PATIENCE * G_TIME_SPAN_SECOND)
#define TALL_TEST_NO_WAIT (TALL_TEST_PATIENCE * G_TIME_SPAN_SECOND)

/* One place, and the client in it. */
typedef struct
{
  GSocketConnection *client; /* NULL: left */
  TallPlace *place;          /* NULL: closed instead */
} TallTestSeat;

typedef struct
{
  GSocketListener *listener;
  char *address;
  TallPlaces *places;
} TallTestPlaces;

/* One that comes on a thread of its own: taking a place may have to wait. */
typedef struct
{
  TallTestPlaces *f;
  const char *from;
  TallTestSeat seat;
  GThread *thread;
  gint done; /* atomic */
} TallTestComing;

void tall_test_places_set_up (TallTestPlaces *f, const TallPlacesLimits *limits);
void tall_test_places_tear_down (TallTestPlaces *f);
TallTestSeat tall_test_places_come (TallTestPlaces *f, const char *from);
void tall_test_places_leave (TallTestSeat *seat);
void tall_test_places_let_time_pass (void);
TallTestSeat
tall_test_places_come_later (TallTestPlaces *f, const char *from, TallPlaceState state);
void tall_test_places_join (GThread *thread, const gint *done);
gboolean tall_test_places_is_shut (TallTestSeat *seat);
void tall_test_places_wait_until_shut (TallTestSeat *seat);
void tall_test_places_begin_coming (TallTestComing *self,
                                    TallTestPlaces *f,
                                    const char *from,
                                    TallTestSeat *victim);
void tall_test_places_assert_has_come (TallTestComing *self);
void tall_test_places_assert_makes_room (TallTestPlaces *f,
                                         const char *from,
                                         TallTestSeat *victim,
                                         TallTestSeat *others,
                                         guint n_others);
void tall_test_places_leave_all (TallTestSeat *seats, guint n);
void tall_test_places_assert_refused (TallTestPlaces *f, const char *from, const char *word);
void
tall_test_places_assert_refused_at_once (TallTestPlaces *f, const char *from, const char *word);

G_END_DECLS
