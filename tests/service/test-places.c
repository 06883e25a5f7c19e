/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/places.h"

#include "service/server/listen.h"
#include "tall-must.h"
#include "tall-test-wire.h"

/* Milliseconds: one that is over soon, and one that is never over. */
#define SHORT 2
#define LONG (1000 * 1000)

/* Microseconds: a test that waits so long has failed; and what a client then waits for one that is
 * about to leave. */
#define PATIENCE (60 * G_TIME_SPAN_SECOND)
#define ROOM_TIME (2 * PATIENCE)

/* One place, and the client in it. */
typedef struct
{
  GSocketConnection *client; /* NULL: left */
  TallPlace *place;          /* NULL: closed instead */
  gboolean may_be_shut;      /* it has made room before, or a request has come */
} Seat;

typedef struct
{
  GSocketListener *listener;
  char *address;
  TallPlaces *places;
  Seat seats[26]; /* by letter */
  Seat coming;    /* on a thread of its own: taking a place may have to wait */
  guint coming_from;
  GThread *thread;
  gint has_come; /* atomic */
} Fixture;

static void
set_up (Fixture *f, const TallPlacesLimits *limits)
{
  gboolean is_reachable;
  *f = (Fixture){ .places = tall_places_new (limits) };
  f->listener = must (tall_listen ("127.0.0.1:0", &f->address, &is_reachable, &error));
}

static void
leave (Seat *seat)
{
  g_clear_pointer (&seat->place, tall_place_leave);
  g_clear_object (&seat->client);
  seat->may_be_shut = FALSE;
}

static gboolean
is_shut (Seat *seat)
{
  return (g_socket_condition_check (seat->place->socket, G_IO_IN) & G_IO_IN) != 0;
}

static void
assert_open (Fixture *f, const Seat *but)
{
  for (guint i = 0; i < G_N_ELEMENTS (f->seats); i++)
    if (&f->seats[i] != but && f->seats[i].place != NULL && !f->seats[i].may_be_shut)
      g_assert_false (is_shut (&f->seats[i]));
}

static void
tear_down (Fixture *f)
{
  assert_open (f, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (f->seats); i++)
    leave (&f->seats[i]);
  g_assert_true (tall_places_is_empty (f->places));
  tall_places_unref (f->places);
  g_object_unref (f->listener);
  g_free (f->address);
}

/* One comes from 127.0.0.@from. */
static Seat
come (Fixture *f, guint from)
{
  g_autofree char *address = g_strdup_printf ("127.0.0.%u", from);
  Seat seat = { .client = tall_test_connect_from (f->address, address) };
  g_autoptr (GSocket) socket =
      must (g_socket_listener_accept_socket (f->listener, NULL, NULL, &error));
  seat.place = tall_places_take (f->places, socket);
  return seat;
}

/* Lets the clock go on, so that what was before is older than what comes. */
static void
pass (gint64 milliseconds)
{
  for (gint64 begin = g_get_monotonic_time ();
       g_get_monotonic_time () < begin + milliseconds * G_TIME_SPAN_MILLISECOND;)
    g_thread_yield ();
}

static void
come_later (Fixture *f, Seat *seat, guint from, TallPlaceState state)
{
  *seat = come (f, from);
  g_assert_nonnull (seat->place);
  g_assert_null (seat->place->refusal);
  tall_place_enter (seat->place, state);
  pass (4 * SHORT);
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
  for (gint64 deadline = g_get_monotonic_time () + PATIENCE; !g_atomic_int_get (done);)
    yield_until (deadline);
  g_thread_join (thread);
}

static gpointer
run_coming (gpointer data)
{
  Fixture *f = data;
  f->coming = come (f, f->coming_from);
  g_atomic_int_set (&f->has_come, TRUE);
  return NULL;
}

static void
wait_until_shut (Seat *seat)
{
  for (gint64 deadline = g_get_monotonic_time () + PATIENCE; !is_shut (seat);)
    yield_until (deadline);
  seat->may_be_shut = TRUE;
}

/* Begins to come, and waits until @victim is shut for it. */
static void
begin_coming (Fixture *f, guint from, Seat *victim)
{
  f->coming_from = from;
  f->has_come = FALSE;
  f->thread = g_thread_new ("coming", run_coming, f);
  wait_until_shut (victim);
}

/* It has a place now. */
static void
assert_has_come (Fixture *f)
{
  join (f->thread, &f->has_come);
  g_assert_nonnull (f->coming.place);
  g_assert_null (f->coming.place->refusal);
}

/* One more comes, for which @victim, and none of the others, is shut and leaves; or its reply is
 * cut off. */
static void
assert_makes_room (Fixture *f, guint from, Seat *victim, gboolean is_cut)
{
  begin_coming (f, from, victim);
  assert_open (f, victim);
  if (is_cut)
    {
      char byte;
      GSocket *socket = g_socket_connection_get_socket (victim->client);
      g_assert_cmpint (g_socket_receive (socket, &byte, 1, NULL, NULL), ==, 0);
      g_assert_true (tall_place_is_evicted (victim->place));
    }
  else
    g_assert_true (tall_place_let_go (victim->place));
  leave (victim);
  assert_has_come (f);
  leave (&f->coming);
}

static void
assert_refused (Fixture *f, guint from, const char *whose)
{
  Seat seat = come (f, from);
  g_assert_nonnull (seat.place);
  g_assert_nonnull (strstr (seat.place->refusal, g_str_equal (whose, "server")
                                                     ? "The server has as many"
                                                     : "Your address"));
  leave (&seat);
}

/* Nobody waits for one that is about to leave. */
static void
assert_refused_at_once (Fixture *f, guint from, const char *whose)
{
  gint64 begin = g_get_monotonic_time (), room_time = f->places->room_time;
  f->places->room_time = ROOM_TIME;
  assert_refused (f, from, whose);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, PATIENCE);
  f->places->room_time = room_time;
}

/* A byte of a reply arrives. */
static void
answer (Seat *seat)
{
  char byte;
  must (g_socket_send (seat->place->socket, "a", 1, NULL, &error));
  must (g_socket_receive (g_socket_connection_get_socket (seat->client), &byte, 1, NULL, &error));
}

/* Returns: the state of a connection that does so; -1 if that is not one */
static int
find_state (const char *verb)
{
  static const char *const states[] = {
    [TALL_PLACE_ENTERING] = "enters",    [TALL_PLACE_WAITING] = "waits",
    [TALL_PLACE_RECEIVING] = "receives", [TALL_PLACE_REPLYING] = "replies",
    [TALL_PLACE_WORKING] = "works",
  };
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    if (g_str_equal (verb, states[i]))
      return (int)i;
  return -1;
}

/* What the connection with a letter does. */
static void
act (Seat *seat, const char *verb)
{
  int state = find_state (verb);
  if (state >= 0)
    tall_place_enter (seat->place, (TallPlaceState)state);
  else if (g_str_equal (verb, "leaves"))
    leave (seat);
  else if (g_str_equal (verb, "answers"))
    answer (seat);
  else if (g_str_equal (verb, "is-shut"))
    wait_until_shut (seat);
  else if (g_str_equal (verb, "stays"))
    g_assert_false (tall_place_let_go (seat->place));
  else
    {
      g_assert_cmpstr (verb, ==, "asks");
      tall_test_send (seat->client, tall_slice ("x", 1));
      wait_until_shut (seat); /* there is something to read */
    }
}

/* A line of a script. */
static void
step (Fixture *f, const char *line)
{
  guint from;
  char letter, word[20] = "";
  if (sscanf (line, "%u makes %c leave", &from, &letter) == 2)
    assert_makes_room (f, from, &f->seats[letter - 'a'], FALSE);
  else if (sscanf (line, "%u cuts %c", &from, &letter) == 2)
    assert_makes_room (f, from, &f->seats[letter - 'a'], TRUE);
  else if (sscanf (line, "%u begins to make %c leave", &from, &letter) == 2)
    begin_coming (f, from, &f->seats[letter - 'a']);
  else if (sscanf (line, "%u is refused by %19s", &from, word) == 2)
    assert_refused (f, from, word);
  else if (sscanf (line, "%u is refused at once by %19s", &from, word) == 2)
    assert_refused_at_once (f, from, word);
  else if (sscanf (line, "it has come as %c", &letter) == 1)
    {
      assert_has_come (f);
      f->seats[letter - 'a'] = f->coming;
    }
  else if (g_str_equal (line, "it ends"))
    {
      join (f->thread, &f->has_come);
      leave (&f->coming);
    }
  else if (sscanf (line, "pass %u", &from) == 1)
    pass (from);
  else if (sscanf (line, "%c of %u %19s", &letter, &from, word) == 3)
    come_later (f, &f->seats[letter - 'a'], from, (TallPlaceState)find_state (word));
  else if (sscanf (line, "%c %19s", &letter, word) == 2)
    act (&f->seats[letter - 'a'], word);
  else
    g_error ("not a step: %s", line);
}

/* Letters are connections, and numbers the ends of their addresses. */
static const struct
{
  const char *name;
  TallPlacesLimits limits;
  const char *script;
} cases[] = {
  /* What it does counts, not when it came. Last, a request that is too slow. */
  { "longest-idle",
    { 3, 3, NULL, SHORT, SHORT },
    "a of 2 receives;b of 2 waits;c of 2 waits;b waits;pass 8;3 makes c leave;"
    "c of 2 works;3 makes b leave;b of 2 replies;3 makes a leave;a of 2 works;"
    "3 is refused by server" },
  /* What is idle for a moment only stays, and so does a request that has only begun. */
  { "grace/waiting", { 2, 2, NULL, LONG, SHORT }, "a of 2 waits;b of 2 receives;3 makes b leave" },
  { "grace/receiving",
    { 2, 2, NULL, SHORT, LONG },
    "a of 2 waits;b of 2 receives;3 makes a leave;a of 2 works;3 is refused by server" },
  /* A request that has come and is not looked at yet is not idleness. */
  { "unseen-request",
    { 2, 2, NULL, SHORT },
    "a of 2 waits;b of 2 waits;a asks;3 makes b leave;a stays" },
  /* One that was to make room has a call to answer first: then another one has to. */
  { "late-call",
    { 2, 2, NULL, SHORT },
    "a of 2 waits;b of 2 waits;3 begins to make a leave;a works;a answers;b is-shut;b leaves;"
    "it has come as c" },
  /* A connection that makes room at one address, and takes its time, makes none at another. Nor
   * does its call keep them from what leaves there. */
  { "elsewhere",
    { 4, 1, NULL, SHORT },
    "a of 2 waits;b of 3 works;2 begins to make a leave;a works;it ends;a waits;"
    "3 is refused at once by address;a works;b waits;pass 8;3 makes b leave" },
  /* The only one that can make room takes its time to leave: it is waited for, and once it has
   * left, nobody is. */
  { "slow-to-leave",
    { 1, 1, NULL, SHORT },
    "a of 2 waits;3 begins to make a leave;pass 250;a leaves;it has come as b;b works;"
    "4 is refused at once by server" },
  /* An address that has all it may have makes room among its own; others are not touched. */
  { "address",
    { 4, 2, NULL, SHORT },
    "a of 3 waits;b of 2 waits;c of 2 works;2 makes b leave;b of 2 works;2 is refused by address;"
    "d of 4 works;4 makes a leave" },
  /* An address that has many places makes room for one that has few, however short it is silent.
   */
  { "crowded",
    { 4, 4, NULL, LONG, 10 * SHORT },
    "a of 2 receives;b of 2 works;c of 2 waits;d of 3 waits;c waits;4 makes c leave;"
    "c of 2 works;a receives;3 is refused by server;pass 8;4 makes a leave;a of 5 waits;"
    "4 is refused by server" },
  /* Nor do its handshakes, which take a tenth of the usual time at most. */
  { "crowded-handshakes",
    { 3, 3, NULL, 10 * SHORT },
    "a of 2 enters;b of 2 works;c of 2 works;a enters;pass 8;3 makes a leave" },
  /* A client that takes nothing of its reply keeps its place no longer than a silent one: only the
   * second look shows whether something was taken since the first. What is silent, or a request
   * that does not arrive, is cut before a reply. */
  { "untaken-reply",
    { 2, 2, NULL, LONG, 0, SHORT },
    "a of 2 replies;b of 3 replies;4 is refused at once by server;a answers;pass 8;4 cuts b;"
    "b of 3 receives;4 makes b leave" },
  /* A reply that has only begun is not cut off, and none is without such a limit. */
  { "reply-grace/long",
    { 3, 3, NULL, LONG, 0, LONG },
    "a of 2 replies;b of 2 replies;c of 2 replies;3 is refused by server;pass 8;"
    "3 is refused by server" },
  { "reply-grace/none",
    { 3, 3, NULL, LONG, 0, 0 },
    "a of 2 replies;b of 2 replies;c of 2 replies;3 is refused by server;pass 8;"
    "3 is refused by server" },
  /* An address with more than twice as many places cannot keep them by taking a byte now and then.
   */
  { "crowded-replies",
    { 3, 3, NULL, LONG, 0, SHORT },
    "a of 2 replies;b of 2 replies;c of 2 replies;2 is refused by address;3 cuts a" },
  /* A call of a silent connection that makes room is answered, even if its reply begins just then.
   */
  { "late-reply",
    { 1, 1, NULL, SHORT, 0, SHORT },
    "a of 2 waits;3 begins to make a leave;a replies;a answers;a leaves;it ends" },
};

static void
run_script (Fixture *f, const TallPlacesLimits *limits, const char *script)
{
  g_auto (GStrv) lines = g_strsplit (script, ";", -1);
  set_up (f, limits);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_test_message ("%s", lines[i]);
      step (f, lines[i]);
    }
}

static void
test_script (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  Fixture f;
  run_script (&f, &cases[i].limits, cases[i].script);
  tear_down (&f);
}

/* Each that is to make room has a call to answer first: nobody waits for any of them. */
static void
test_late_calls (void)
{
  Fixture f;
  guint n = 12;
  TallPlacesLimits limits = { .max_connections = n, .max_per_address = n, .idle_grace = SHORT };
  set_up (&f, &limits);
  for (guint i = 0; i < n; i++)
    come_later (&f, &f.seats[i], 2, TALL_PLACE_WAITING);
  gint64 begin = g_get_monotonic_time (), room_time = f.places->room_time;
  f.places->room_time = ROOM_TIME;
  begin_coming (&f, 2, &f.seats[0]);
  for (guint i = 0; i < n; i++)
    {
      wait_until_shut (&f.seats[i]);
      tall_place_enter (f.seats[i].place, TALL_PLACE_WORKING);
    }
  join (f.thread, &f.has_come);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, PATIENCE);
  f.places->room_time = room_time;
  g_assert_nonnull (f.coming.place->refusal);
  leave (&f.coming);
  tall_place_enter (f.seats[0].place, TALL_PLACE_REPLYING);
  assert_refused_at_once (&f, 2, "address");
  tear_down (&f);
}

static void
test_trusted (void)
{
  Fixture f;
  g_autoptr (GInetAddressMask) mask =
      must (g_inet_address_mask_new_from_string ("127.0.0.2", &error));
  g_autoptr (GPtrArray) trusted = g_ptr_array_new ();
  g_ptr_array_add (trusted, mask);
  run_script (&f, &(TallPlacesLimits){ 4, 1, trusted, LONG },
              "a of 2 waits;b of 2 waits;c of 2 waits;d of 3 waits;3 is refused by address;"
              "2 is refused by server");
  g_assert_cmpuint (tall_places_count (f.places), ==, 4);
  tear_down (&f);
}

/* Some get the error that there is no place, and few of one address; the others are closed. */
static void
test_told (void)
{
  Fixture f;
  Seat told[8];
  run_script (&f, &(TallPlacesLimits){ 1, 1, NULL, LONG }, "a of 2 waits");
  for (guint i = 0; i < G_N_ELEMENTS (told); i++)
    {
      told[i] = come (&f, 10 + i / 2);
      g_assert_nonnull (told[i].place);
      Seat third = come (&f, 10);
      g_assert_true ((third.place == NULL) == (i >= 1));
      leave (&third);
    }
  Seat over = come (&f, 20);
  g_assert_null (over.place);
  g_assert_cmpuint (tall_places_count (f.places), ==, 1);
  leave (&over);
  for (guint i = 0; i < G_N_ELEMENTS (told); i++)
    leave (&told[i]);
  tear_down (&f);
}

/* A client that waits for room when the server ends gets none, at once. */
static void
test_close (void)
{
  Fixture f;
  run_script (&f, &(TallPlacesLimits){ 1, 1, NULL, SHORT },
              "a of 2 waits;3 begins to make a leave");
  tall_places_close (f.places);
  join (f.thread, &f.has_come);
  g_assert_null (f.coming.place);
  leave (&f.coming);
  leave (&f.seats[0]);
  Seat late = come (&f, 3);
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
  static const guint8 reply[64 * 1024];
  run_script (&f, &(TallPlacesLimits){ 3, 3 }, "a of 2 replies;b of 2 replies;c of 2 works");
  Seat *stuck = &f.seats[0], *taking = &f.seats[1], *working = &f.seats[2];
  tall_places_close (f.places);
  Ending ending = { .places = f.places };
  GThread *thread = g_thread_new ("end", end, &ending);
  gint64 deadline = g_get_monotonic_time () + PATIENCE;

  while ((g_socket_condition_check (stuck->place->socket, G_IO_HUP) & G_IO_HUP) == 0)
    {
      guint8 bytes[sizeof reply];
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      gssize n = must (
          g_socket_send (taking->place->socket, (const char *)reply, sizeof reply, NULL, &error));
      must (g_input_stream_read (g_io_stream_get_input_stream (G_IO_STREAM (taking->client)), bytes,
                                 (gsize)n, NULL, &error));
    }
  GIOCondition writable = G_IO_OUT | G_IO_HUP;
  g_assert_true (g_socket_condition_check (taking->place->socket, writable) == G_IO_OUT);
  g_assert_true (g_socket_condition_check (working->place->socket, writable) == G_IO_OUT);
  for (guint i = 0; i < 3; i++)
    leave (&f.seats[i]);
  join (thread, &ending.done);
  g_assert_true (ending.ok);
  TallPlacesTotals totals;
  tall_places_get_totals (f.places, &totals);
  g_assert_cmpuint (totals.n_connections, ==, 3);
  g_assert_cmpuint (totals.n_calls, ==, 2);
  tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/service/places/", cases[i].name, NULL);
      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_script);
    }
  g_test_add_func ("/service/places/late-calls", test_late_calls);
  g_test_add_func ("/service/places/trusted", test_trusted);
  g_test_add_func ("/service/places/told", test_told);
  g_test_add_func ("/service/places/close", test_close);
  g_test_add_func ("/service/places/end", test_end);
  return g_test_run ();
}
