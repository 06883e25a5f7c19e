/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/session.h"

#include "service/server/listen.h"
#include "service/access/places.h"
#include "tall-test-front.h"
#include "tall-test-wire.h"
#include "tall-must.h"

#include <sched.h>
#include <sys/socket.h>
#include <time.h>

/* Milliseconds: what is never over. */
#define LONG (1000 * 1000)

#define N_CALLS 20

/* One session, which is served on a thread of its own, and all that it needs. */
typedef struct
{
  GSocketListener *listener;
  char *address;
  TallFront *front; /* a TallTestFront */
  TallPlaces *places;
  TallMemory memory;
  GSocketConnection *client;
  TallPlace *place;
  TallTransport *transport;
  GThread *thread;
  gboolean ok;
} Fixture;

/* How often a thread has let the others go first. The program's own function comes before that of
 * the library. */
static gint n_yields;

void
g_thread_yield (void)
{
  g_atomic_int_inc (&n_yields);
  sched_yield ();
}

/* The session that the present thread serves, and how often another thread could have found that
 * its place is idle although a call is here. */
static __thread Fixture *own;
static gint n_exposed;

/* The clock is ahead, in microseconds: atomic. */
static gint64 ahead;

gint64
g_get_monotonic_time (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  if (own != NULL && g_atomic_int_get (&own->place->state) == TALL_PLACE_WAITING
      && tall_transport_has_input (own->transport))
    g_atomic_int_inc (&n_exposed);
  return __atomic_load_n (&ahead, __ATOMIC_SEQ_CST) + now.tv_sec * G_TIME_SPAN_SECOND
         + now.tv_nsec / 1000;
}

static GSocketConnection *
come (Fixture *f, const char *from, TallPlace **place)
{
  GSocketConnection *client = tall_test_connect_from (f->address, from);
  g_autoptr (GSocket) socket =
      must (g_socket_listener_accept_socket (f->listener, NULL, NULL, &error));
  *place = tall_places_take (f->places, socket);
  g_assert_nonnull (*place);
  return client;
}

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  gboolean is_reachable;
  TallPlacesLimits limits = { .max_connections = 1, .max_per_address = 1, .idle_grace = LONG };
  f->listener = must (tall_listen ("127.0.0.1:0", &f->address, &is_reachable, &error));
  f->front = tall_test_front_new ();
  f->places = tall_places_new (&limits);
  tall_memory_init (&f->memory, LONG, LONG);
  f->client = come (f, "127.0.0.2", &f->place);
  f->transport = tall_session_open (f->place->socket, 1024);
  g_atomic_int_set (&n_yields, 0);
  g_atomic_int_set (&n_exposed, 0);
}

static gpointer
run (gpointer data)
{
  Fixture *f = data;
  gint stopping = FALSE;
  TallGate gate;
  tall_gate_init (&gate, NULL, NULL);
  TallSession session = {
    .handler = { .front = f->front },
    .gate = &gate,
    .transport = f->transport,
    .place = f->place,
    .memory = &f->memory,
    .idle_timeout = LONG,
    .transfer_timeout = LONG,
    .stopping = &stopping,
  };
  own = f;
  f->ok = tall_session_run (&session, NULL);
  own = NULL;
  tall_place_let_go (f->place);
  tall_transport_close (f->transport);
  tall_gate_clear (&gate);
  return NULL;
}

/* The client's calls are all there before the first is looked at. @message: is ended */
static void
begin_with (Fixture *f, TallTestMessage *message, guint n)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  tall_test_message_end_struct (message);
  TallSlice call = tall_test_message_get (message);
  for (guint i = 0; i < n; i++)
    {
      tall_bytes_append_u32 (bytes, (guint32)call.len);
      tall_bytes_append (bytes, call);
    }
  tall_test_send (f->client, tall_slice_array (bytes));
  f->thread = g_thread_new ("session", run, f);
}

static void
begin (Fixture *f, guint n)
{
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, FALSE, "ping", T_CALL);
  begin_with (f, &message, n);
}

static void
assert_answers (Fixture *f, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GByteArray) answer = tall_test_receive_frame (f->client);
      g_assert_nonnull (answer);
    }
}

/* The session ends, and has answered so many calls. */
static void
assert_ended (Fixture *f, guint n)
{
  g_assert_null (tall_test_receive_frame (f->client));
  g_thread_join (f->thread);
  g_assert_true (f->ok);
  g_assert_cmpuint (tall_test_front_count_calls (TALL_TEST_FRONT (f->front)), ==, n);
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  tall_place_leave (f->place);
  g_assert_true (tall_places_is_empty (f->places));
  tall_places_unref (f->places);
  g_object_unref (f->transport);
  g_object_unref (f->client);
  tall_memory_clear (&f->memory);
  g_assert_finalize_object (f->front);
  g_object_unref (f->listener);
  g_free (f->address);
}

/* As tall_places_take() does it. */
static void
evict (Fixture *f)
{
  g_mutex_lock (&f->places->mutex);
  g_atomic_int_set (&f->place->evicted, TRUE);
  g_mutex_unlock (&f->places->mutex);
  must (g_socket_shutdown (f->place->socket, TRUE, FALSE, &error));
}

static void
assert_refused_at_once (Fixture *f, const char *from)
{
  TallPlace *place;
  f->places->room_time = LONG * G_TIME_SPAN_MILLISECOND;
  gint64 start = g_get_monotonic_time ();
  g_autoptr (GSocketConnection) client = come (f, from, &place);
  g_assert_cmpint (g_get_monotonic_time () - start, <, f->places->room_time / 2);
  g_assert_nonnull (place->refusal);
  tall_place_leave (place);
}

/* Calls that come when the connection makes room already: one of them is answered, and nobody waits
 * for that. */
static void
test_late_calls (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  TallTestFront *front = TALL_TEST_FRONT (f->front);
  tall_test_front_hold (front);
  evict (f);
  begin (f, N_CALLS);
  tall_test_front_wait_until_held (front, 1);
  assert_refused_at_once (f, "127.0.0.2");
  assert_refused_at_once (f, "127.0.0.3");
  tall_test_front_let_go (front);
  assert_answers (f, 1);
  assert_ended (f, 1);
}

/* A place that is needed while a call runs: the calls behind it are not answered. */
static void
test_calls_behind (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  TallTestFront *front = TALL_TEST_FRONT (f->front);
  tall_test_front_hold (front);
  begin (f, N_CALLS);
  tall_test_front_wait_until_held (front, 1);
  evict (f);
  tall_test_front_let_go (front);
  assert_answers (f, 1);
  assert_ended (f, 1);
}

/* A client that has sent its next calls already lets others go first; one that waits does not. */
static void
test_gives_way (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  begin (f, N_CALLS);
  assert_answers (f, N_CALLS);
  g_assert_cmpint (g_atomic_int_get (&n_yields), ==, N_CALLS - 1);
  tall_test_assert_ping_works (f->client, FALSE);
  tall_test_end_sending (f->client);
  assert_ended (f, N_CALLS + 1);
  g_assert_cmpint (g_atomic_int_get (&n_yields), ==, N_CALLS - 1);
}

/* Calls that were sent ahead are never lost with a place that seems idle between two of them. */
static void
test_sent_ahead (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  begin (f, N_CALLS);
  assert_answers (f, N_CALLS);
  tall_test_end_sending (f->client);
  assert_ended (f, N_CALLS);
  g_assert_cmpint (g_atomic_int_get (&n_exposed), ==, 0);
}

/* There is an order of so many bytes, and a call asks for it. */
static void
ask_for_large (Fixture *f, gsize size, TallTestMessage *message)
{
  g_autofree char *text = g_strnfill (size, 'x');
  g_autoptr (TallOrder) order = tall_order_new ("VINET", "1");
  order->currency = text;
  must (tall_front_put_order (f->front, order, NULL, NULL, &error));
  tall_test_message_init (message, FALSE, "getOrder", T_CALL);
  tall_test_message_add_text (message, 1, "VINET");
  tall_test_message_add_text (message, 2, "1");
}

/* How many calls there have been when there are no more for a while. */
static guint
count_until_still (Fixture *f)
{
  guint n = 0;
  for (guint looks = 0; looks < 30; looks++)
    {
      guint now = tall_test_front_count_calls (TALL_TEST_FRONT (f->front));
      looks = now == n ? looks : 0;
      n = now;
      g_usleep (10 * 1000);
    }
  return n;
}

#define N_UNREAD 50

/* A client that takes no answers has few of its calls run, and all of them once it does. */
static void
test_unread (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (TallTestMessage) message;
  ask_for_large (f, 300 * 1024, &message);
  begin_with (f, &message, N_UNREAD);
  guint n = count_until_still (f);
  g_test_message ("%u calls ran before an answer was taken", n);
  g_assert_cmpuint (n, >=, 2); /* with the put */
  g_assert_cmpuint (n, <=, 5);
  assert_answers (f, N_UNREAD);
  tall_test_end_sending (f->client);
  assert_ended (f, 1 + N_UNREAD);
}

/* The reply has its whole time, however long its call has taken. */
static void
test_reply_time (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (TallTestMessage) message;
  ask_for_large (f, 1000 * 1024, &message);
  g_socket_set_option (f->place->socket, SOL_SOCKET, SO_SNDBUF, 4096, NULL);

  tall_test_front_hold (TALL_TEST_FRONT (f->front));
  begin_with (f, &message, 1);
  tall_test_front_wait_until_held (TALL_TEST_FRONT (f->front), 1);
  __atomic_add_fetch (&ahead, 2 * (gint64)LONG * 1000, __ATOMIC_SEQ_CST);
  tall_test_front_let_go (TALL_TEST_FRONT (f->front));

  /* It cannot leave at once: nobody takes it. */
  while (g_atomic_int_get (&f->place->state) != TALL_PLACE_REPLYING)
    g_thread_yield ();
  g_autoptr (GByteArray) answer = tall_test_receive_frame (f->client);
  g_assert_cmpuint (answer->len, >, 1000 * 1024);
  tall_test_end_sending (f->client);
  assert_ended (f, 2);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/service/session/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("late-calls", test_late_calls);
  ADD ("calls-behind", test_calls_behind);
  ADD ("gives-way", test_gives_way);
  ADD ("sent-ahead", test_sent_ahead);
  ADD ("unread", test_unread);
  ADD ("reply-time", test_reply_time);
  return g_test_run ();
}
