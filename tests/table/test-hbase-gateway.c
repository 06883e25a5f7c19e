/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/hbase/gateway.h"

#include <time.h>

/* What is kept beside a gateway's health: its pauses, the reason why it is not alive, and its
 * connections. */

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

static void
note_silence (TallHbaseGateway *gateway, const char *why)
{
  g_autoptr (GError) reason = g_error_new_literal (TALL_ERROR, TALL_ERROR_UNAVAILABLE, why);
  tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_SILENT, reason);
  g_assert_cmpstr (gateway->reason->message, ==, why);
}

static void
expect_pauses (TallHbaseGateway *gateway)
{
  static const guint pauses[] = { 250, 500, 1000, 2000, 4000, 5000, 5000 };
  for (guint i = 0; i < G_N_ELEMENTS (pauses); i++)
    {
      g_autofree char *why = g_strdup_printf ("silent %u times", i);
      note_silence (gateway, why);
      g_assert_cmpint (gateway->pause, ==, pauses[i] * G_TIME_SPAN_MILLISECOND);
    }
}

/* Pauses are short at first, and again after it was alive. */
static void
test_silent (void)
{
  TallHbaseGateway gateway;
  tall_hbase_gateway_init (&gateway, "127.0.0.1:1");
  for (guint i = 0; i < 2; i++)
    {
      expect_pauses (&gateway);
      tall_hbase_gateway_note (&gateway, TALL_HBASE_EVENT_ANSWERED, NULL);
      g_assert_cmpint (gateway.pause, ==, 0);
      g_assert_null (gateway.reason);
    }
  tall_hbase_gateway_clear (&gateway);
}

/* So they are while HBase is silent: the gateway's own answers do not shorten them. */
static void
test_mute (void)
{
  TallHbaseGateway gateway;
  tall_hbase_gateway_init (&gateway, "127.0.0.1:1");
  tall_hbase_gateway_note (&gateway, TALL_HBASE_EVENT_ANSWERED, NULL);
  tall_hbase_gateway_note (&gateway, TALL_HBASE_EVENT_CALL_LATE, NULL);
  note_silence (&gateway, "silent");
  tall_hbase_gateway_note (&gateway, TALL_HBASE_EVENT_ANSWERED, NULL);
  g_assert_null (gateway.reason);
  g_assert_cmpint (gateway.pause, ==, 250 * G_TIME_SPAN_MILLISECOND);
  tall_hbase_gateway_note (&gateway, TALL_HBASE_EVENT_CONFIRMED, NULL);
  g_assert_cmpint (gateway.pause, ==, 500 * G_TIME_SPAN_MILLISECOND);
  tall_hbase_gateway_note (&gateway, TALL_HBASE_EVENT_REACHED, NULL);
  g_assert_cmpint (gateway.pause, ==, 0);
  tall_hbase_gateway_clear (&gateway);
}

/* A connection to something that says nothing. */
static TallHbaseLink *
open_link (TallHbaseGateway *gateway)
{
  g_autoptr (GError) error = NULL;
  const TallWireOptions wire = TALL_WIRE_OPTIONS_INIT;
  TallHbaseLink *link = tall_hbase_link_open (gateway->address, &wire, G_MAXINT64, &error);
  g_assert_no_error (error);
  gateway->n_open++;
  return link;
}

/* The gateway closes connections that were idle for 60 s: those of 45 are not used any more. */
static void
test_idle (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  guint16 port = g_socket_listener_add_any_inet_port (listener, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", port);
  TallHbaseGateway gateway;
  tall_hbase_gateway_init (&gateway, address);
  tall_hbase_gateway_note (&gateway, TALL_HBASE_EVENT_ANSWERED, NULL);

  tall_hbase_gateway_keep (&gateway, open_link (&gateway));
  ahead += 44 * G_TIME_SPAN_SECOND;
  TallHbaseLink *link = tall_hbase_gateway_take (&gateway);
  g_assert_nonnull (link);
  tall_hbase_gateway_keep (&gateway, link);
  ahead += 45 * G_TIME_SPAN_SECOND;
  g_assert_null (tall_hbase_gateway_take (&gateway));
  g_assert_cmpuint (gateway.n_open, ==, 0);

  tall_hbase_gateway_keep (&gateway, open_link (&gateway));
  ahead += 45 * G_TIME_SPAN_SECOND;
  tall_hbase_gateway_keep (&gateway, open_link (&gateway));
  g_assert_cmpuint (gateway.n_open, ==, 1);
  tall_hbase_gateway_clear (&gateway);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/gateway/silent", test_silent);
  g_test_add_func ("/table/hbase/gateway/mute", test_mute);
  g_test_add_func ("/table/hbase/gateway/idle", test_idle);
  return g_test_run ();
}
