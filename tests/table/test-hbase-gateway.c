/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/hbase/gateway.h"
#include "tall-must.h"

#include <time.h>

/* What is known about a gateway: when it is used, and when it is asked; and its connections. */

/* The clock is ahead, in microseconds. The program's own function comes before that of the library.
 */
static gint64 ahead;

gint64
g_get_monotonic_time (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return ahead + now.tv_sec * G_TIME_SPAN_SECOND + now.tv_nsec / 1000;
}

/* Connections to something that says nothing. */
static const char *address;
static TallTransport *whole;
static TallTransport *broken;

static TallHbaseLink *
link_new (TallHbaseGateway *gateway, TallTransport *connection)
{
  TallHbaseLink *link = g_new0 (TallHbaseLink, 1);
  link->connection = g_object_ref (connection);
  gateway->n_open++;
  return link;
}

static void
note_silence (TallHbaseGateway *gateway, const char *why)
{
  g_autoptr (GError) reason = g_error_new_literal (TALL_ERROR, TALL_ERROR_UNAVAILABLE, why);
  tall_hbase_gateway_note_silence (gateway, reason);
  g_assert_cmpstr (gateway->reason->message, ==, why);
}

static void
expect_pauses (TallHbaseGateway *gateway)
{
  static const guint pauses[] = { 250, 500, 1000, 2000, 4000, 5000, 5000 };
  for (guint i = 0; i < G_N_ELEMENTS (pauses); i++)
    {
      g_autofree char *why = g_strdup_printf ("silent %u times", i);
      gint64 least = g_get_monotonic_time () + pauses[i] * G_TIME_SPAN_MILLISECOND;
      note_silence (gateway, why);
      gint64 due = tall_hbase_gateway_get_due (gateway);
      g_assert_cmpint (due, >=, least);
      g_assert_cmpint (due, <=, g_get_monotonic_time () + pauses[i] * G_TIME_SPAN_MILLISECOND);
    }
}

/* Pauses are short at first, and again after it was alive. */
static void
test_silent (void)
{
  TallHbaseGateway gateway;
  tall_hbase_gateway_init (&gateway, NULL, address);
  g_assert_cmpint (tall_hbase_gateway_get_due (&gateway), ==, 0);
  for (guint i = 0; i < 2; i++)
    {
      expect_pauses (&gateway);
      g_assert_true (tall_hbase_gateway_note_answer (&gateway, gateway.n_doubts, FALSE));
      g_assert_cmpint (tall_hbase_gateway_get_due (&gateway), ==, TALL_NO_DEADLINE);
      g_assert_null (gateway.reason);
    }
  tall_hbase_gateway_clear (&gateway);
}

/* So they are while HBase is silent: the gateway's own answers do not shorten them. */
static void
test_mute (void)
{
  TallHbaseGateway gateway;
  tall_hbase_gateway_init (&gateway, NULL, address);
  tall_hbase_gateway_note_answer (&gateway, 0, FALSE);
  gateway.hbase = TALL_HBASE_LATE;
  note_silence (&gateway, "silent");
  ahead += 250 * G_TIME_SPAN_MILLISECOND;
  tall_hbase_gateway_note_answer (&gateway, 0, FALSE);
  g_assert_null (gateway.reason);
  g_assert_cmpint (tall_hbase_gateway_get_due (&gateway), <=, g_get_monotonic_time ());
  tall_hbase_gateway_note_answer (&gateway, 0, FALSE);
  g_assert_cmpint (tall_hbase_gateway_get_due (&gateway), >,
                   g_get_monotonic_time () + 250 * G_TIME_SPAN_MILLISECOND);
  tall_hbase_gateway_note_answer (&gateway, 0, TRUE);
  g_assert_cmpint (tall_hbase_gateway_get_due (&gateway), ==, TALL_NO_DEADLINE);
  note_silence (&gateway, "silent");
  g_assert_cmpint (tall_hbase_gateway_get_due (&gateway), <=,
                   g_get_monotonic_time () + 250 * G_TIME_SPAN_MILLISECOND);
  tall_hbase_gateway_clear (&gateway);
}

/* The gateway closes connections that were idle for 60 s: those of 45 are not used any more. */
static void
test_idle (void)
{
  TallHbaseGateway gateway;
  tall_hbase_gateway_init (&gateway, NULL, address);
  tall_hbase_gateway_note_answer (&gateway, 0, FALSE);

  tall_hbase_gateway_keep (&gateway, link_new (&gateway, whole));
  ahead += 44 * G_TIME_SPAN_SECOND;
  TallHbaseLink *link = tall_hbase_gateway_take (&gateway);
  g_assert_nonnull (link);
  tall_hbase_gateway_keep (&gateway, link);
  ahead += 45 * G_TIME_SPAN_SECOND;
  g_assert_null (tall_hbase_gateway_take (&gateway));
  g_assert_cmpuint (gateway.n_open, ==, 0);

  tall_hbase_gateway_keep (&gateway, link_new (&gateway, whole));
  ahead += 45 * G_TIME_SPAN_SECOND;
  tall_hbase_gateway_keep (&gateway, link_new (&gateway, whole));
  g_assert_cmpuint (gateway.n_open, ==, 1);
  tall_hbase_gateway_clear (&gateway);
}

/* What may happen to a gateway. */
typedef enum
{
  EVENT_ASKED, /* its thread begins to ask it */
  EVENT_ANSWERED,
  EVENT_REACHED, /* and HBase has answered, too */
  EVENT_SILENT,
  EVENT_DOUBT,
  EVENT_DONE,
  EVENT_HURRIED,
  EVENT_FAILED,
  EVENT_LATE,
  EVENT_TEST_PASSED,
  EVENT_TEST_FAILED,
  EVENT_TEST_BROKEN,
  EVENT_TEST_OUTDATED,
  N_EVENTS,
} Event;

/* A gateway, and what its thread knew when it began to ask. */
typedef struct
{
  TallHbaseGateway gateway;
  gboolean asked;
  gboolean was_alive;
  guint n_doubts;
  gboolean counted; /* the last answer did */
} World;

static gboolean
may_lend (const TallHbaseGateway *gateway)
{
  return gateway->known && !gateway->failing && !gateway->refused;
}

static gboolean
is_alive (const TallHbaseGateway *gateway)
{
  return gateway->phase == TALL_HBASE_ALIVE;
}

static gboolean
is_stalled (const TallHbaseGateway *gateway)
{
  return gateway->hbase != TALL_HBASE_HEARD;
}

static gboolean
is_call (Event event)
{
  return event >= EVENT_DONE && event <= EVENT_LATE;
}

static gboolean
is_answer (Event event)
{
  return event == EVENT_ANSWERED || event == EVENT_REACHED;
}

static gboolean
is_test (Event event)
{
  return event >= EVENT_TEST_PASSED;
}

/* An answer comes to a question; only a gateway that was alive has calls and tests. */
static gboolean
can_happen (const World *world, Event event)
{
  if (event == EVENT_ASKED)
    return !world->asked;
  if (is_answer (event) || event == EVENT_SILENT)
    return world->asked;
  return world->gateway.known;
}

static void
note_call (TallHbaseGateway *gateway, Event event)
{
  TallHbaseLink *link = link_new (gateway, event == EVENT_DONE ? whole : broken);
  link->hurried = event == EVENT_HURRIED;
  link->late = event == EVENT_LATE || event == EVENT_HURRIED;
  tall_hbase_gateway_note_call (gateway, link);
  gateway->n_open--;
  tall_hbase_link_free (link);
}

static void
note_test (TallHbaseGateway *gateway, Event event)
{
  g_autoptr (GError) reason = NULL;
  if (event == EVENT_TEST_FAILED || event == EVENT_TEST_BROKEN)
    g_set_error_literal (&reason, TALL_ERROR,
                         event == EVENT_TEST_FAILED ? TALL_ERROR_UNSUPPORTED
                                                    : TALL_ERROR_UNAVAILABLE,
                         "not passed");
  gateway->testing = TRUE;
  gateway->outdated = event == EVENT_TEST_OUTDATED;
  tall_hbase_gateway_note_test (gateway, reason == NULL, reason);
}

static void
happen (World *world, Event event)
{
  TallHbaseGateway *gateway = &world->gateway;
  if (event == EVENT_ASKED)
    {
      world->was_alive = is_alive (gateway);
      world->n_doubts = gateway->n_doubts;
    }
  else if (is_answer (event))
    world->counted =
        tall_hbase_gateway_note_answer (gateway, world->n_doubts, event == EVENT_REACHED);
  else if (event == EVENT_SILENT)
    note_silence (gateway, "silent");
  else if (event == EVENT_DOUBT)
    tall_hbase_gateway_note_doubt (gateway);
  else if (is_call (event))
    note_call (gateway, event);
  else
    note_test (gateway, event);
  if (event == EVENT_ASKED || is_answer (event) || event == EVENT_SILENT)
    world->asked = event == EVENT_ASKED;
}

/* From a failed call on no kept connection is lent; a caller's haste changes nothing of that. */
static void
check_call (const World *before, Event event, const TallHbaseGateway *after)
{
  gboolean failed = event == EVENT_FAILED || event == EVENT_LATE;
  g_assert_cmpint (may_lend (after), ==, may_lend (&before->gateway) && !failed);
  g_assert_cmpint (is_alive (after), ==, is_alive (&before->gateway) && event == EVENT_DONE);
  g_assert_cmpint (after->pause, ==, before->gateway.pause);
  g_assert_cmpuint (after->n_failed, ==, before->gateway.n_failed + failed);
  if (is_alive (&before->gateway) && !is_alive (after))
    g_assert_cmpint (tall_hbase_gateway_get_due (after), ==, 0);
}

/* An answer does not count if the gateway was refused or fell in doubt after it was asked. */
static void
check_answer (const World *before, const World *world)
{
  const TallHbaseGateway *after = &world->gateway;
  gboolean counts = !before->gateway.refused && (!before->was_alive || is_alive (&before->gateway))
                    && before->n_doubts == before->gateway.n_doubts;
  g_assert_cmpint (world->counted, ==, counts);
  g_assert_cmpint (is_alive (after), ==, counts || is_alive (&before->gateway));
  if (counts)
    g_assert_true (may_lend (after));
  if (counts && !is_stalled (after))
    g_assert_cmpint (after->pause, ==, 0);
  if (counts && is_stalled (after) && before->was_alive)
    g_assert_cmpint (after->pause, >, 0);
}

/* A silent gateway is set aside, and its connections are closed only if a call failed as well. */
static void
check_silence (const World *before, const TallHbaseGateway *after)
{
  gboolean failing = before->gateway.failing;
  g_assert_cmpint (after->phase, ==, TALL_HBASE_ASIDE);
  g_assert_cmpint (after->refused, ==, before->gateway.refused);
  g_assert_cmpuint (after->n_open, ==, failing ? 0 : before->gateway.n_open);
  g_assert_false (after->failing);
  g_assert_cmpint (after->pause, >=, MAX (before->gateway.pause, 1));
}

/* Only a test ends it that a gateway is refused, and a gateway that fails one is not used. */
static void
check_test (const World *before, Event event, const TallHbaseGateway *after)
{
  gboolean passed = event == EVENT_TEST_PASSED || event == EVENT_TEST_OUTDATED;
  g_assert_cmpint (after->tested, ==, event == EVENT_TEST_PASSED);
  g_assert_false (after->testing || after->outdated);
  g_assert_cmpint (after->refused, ==,
                   event == EVENT_TEST_FAILED || (before->gateway.refused && !passed));
  if (event == EVENT_TEST_FAILED)
    {
      g_assert_cmpint (after->phase, ==, TALL_HBASE_ASIDE);
      g_assert_cmpuint (after->n_open, ==, 0);
      g_assert_cmpint (after->pause, >=, MAX (before->gateway.pause, 1));
      g_assert_cmpint (tall_hbase_gateway_get_due (after), >, 0);
    }
  else
    g_assert_cmpint (after->phase, ==, before->gateway.phase);
}

/* Only HBase's own answer ends it that calls had none; HBase is blamed once the gateway itself has
 * answered, until a call is done. */
static void
check_hbase (const World *before, Event event, const World *world)
{
  gboolean was = is_stalled (&before->gateway);
  gboolean heard = event == EVENT_REACHED && world->counted;
  g_assert_cmpint (is_stalled (&world->gateway), ==, event == EVENT_LATE || (was && !heard));
  if (event == EVENT_ANSWERED)
    g_assert_cmpint (world->gateway.hbase == TALL_HBASE_MUTE, ==, was);
  else if (event == EVENT_REACHED || (event == EVENT_DONE && !before->gateway.refused))
    g_assert_cmpint (world->gateway.hbase, !=, TALL_HBASE_MUTE);
  else
    g_assert_cmpint (world->gateway.hbase == TALL_HBASE_MUTE, ==,
                     before->gateway.hbase == TALL_HBASE_MUTE);
}

static void
check (const World *before, Event event, const World *world)
{
  const TallHbaseGateway *after = &world->gateway;
  check_hbase (before, event, world);
  if (is_call (event))
    check_call (before, event, after);
  else if (is_answer (event))
    check_answer (before, world);
  else if (event == EVENT_SILENT)
    check_silence (before, after);
  else if (is_test (event))
    check_test (before, event, after);
  if (!is_test (event))
    {
      g_assert_cmpint (after->refused, ==, before->gateway.refused);
      g_assert_cmpint (after->tested, ==, before->gateway.tested);
    }
  /* Whatever has happened, it is asked as long as it is not well. */
  gboolean well = is_alive (after) && !is_stalled (after);
  g_assert_cmpint (tall_hbase_gateway_get_due (after) == TALL_NO_DEADLINE, ==, well);
  g_assert_cmpint (tall_hbase_gateway_has_room (after), ==, is_alive (after));
}

#define DEPTH 9 /* events that follow each other */
#define N_WALKS 20000

/* In each order of events. */
static void
test_rules (void)
{
  for (guint walk = 0; walk < N_WALKS; walk++)
    {
      World world = { .asked = FALSE };
      tall_hbase_gateway_init (&world.gateway, NULL, address);
      for (guint i = 0; i < DEPTH; i++)
        {
          Event event = (Event)g_test_rand_int_range (0, N_EVENTS);
          if (!can_happen (&world, event))
            continue;
          if (g_test_rand_bit () && may_lend (&world.gateway))
            tall_hbase_gateway_keep (&world.gateway, link_new (&world.gateway, whole));
          World before = world;
          happen (&world, event);
          check (&before, event, &world);
        }
      tall_hbase_gateway_clear (&world.gateway);
    }
}

static TallTransport *
connect_to_it (void)
{
  const TallWireOptions wire = TALL_WIRE_OPTIONS_INIT;
  return must (tall_connection_open (address, &wire, G_MAXINT64, &error));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  guint16 port = must (g_socket_listener_add_any_inet_port (listener, NULL, &error));
  g_autofree char *place = g_strdup_printf ("127.0.0.1:%u", port);
  address = place;
  whole = connect_to_it ();
  broken = connect_to_it ();
  tall_transport_break (broken);
  g_test_add_func ("/table/hbase/gateway/silent", test_silent);
  g_test_add_func ("/table/hbase/gateway/mute", test_mute);
  g_test_add_func ("/table/hbase/gateway/idle", test_idle);
  g_test_add_func ("/table/hbase/gateway/rules", test_rules);
  int status = g_test_run ();
  g_object_unref (whole);
  g_object_unref (broken);
  return status;
}
