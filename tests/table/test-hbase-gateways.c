/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <gio/gio.h>

#include "tall-error.h"
#include "tall-fake-time.h"
#include "tall-hbase-fixture.h"
#include "tall-must.h"

/* Which gateway gets a call, and what happens when one is dead, full or no gateway at all. */

/* What the pool gives a call if a test waits for that to be over; a gateway that is well answers
 * within it also on a busy machine. Milliseconds. */
#define CALL_TIMEOUT 2000

/* What is done at once takes less, also on a busy machine; a call that waits for a gateway that is
 * silent, or in line, takes more. Microseconds; and milliseconds. */
#define AT_ONCE (20 * G_TIME_SPAN_SECOND)
#define LONG_TIMEOUT 60000

/* A gateway that went away is passed over, and those that are there have their turns. */
static void
test_several_gateways (void)
{
  g_autoptr (TallFakeGateway) gone = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallFakeGateway) first = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallFakeGateway) second = tall_fake_gateway_new (FALSE, FALSE);
  g_autofree char *address = g_strdup (tall_fake_gateway_get_address (gone));
  g_clear_pointer (&gone, tall_fake_gateway_free);

  const char *gateways[] = { address, tall_fake_gateway_get_address (first),
                             tall_fake_gateway_get_address (second), NULL };
  g_autoptr (TallTable) table = must (tall_hbase_fixture_open_at (gateways, FALSE, FALSE, &error));
  gint64 end = SOON;
  while (tall_fake_gateway_get_calls (first, "get") < 5
         || tall_fake_gateway_get_calls (second, "get") < 5)
    {
      must (tall_hbase_fixture_read (table, 1, SOON, &error));
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}

/* Whatever a gateway speaks and however it is addressed: the message names the right way. */
static void
test_spoken_to_wrongly (void)
{
  for (guint theirs = 0; theirs < 4; theirs++)
    {
      g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (theirs & 1, theirs >> 1);
      g_autofree char *hint = g_strdup_printf ("?framed=%u&protocol=%s", theirs & 1,
                                               theirs >> 1 ? "compact" : "binary");
      for (guint ours = 0; ours < 4; ours++)
        if (ours != theirs)
          tall_hbase_fixture_expect_not_opened (tall_fake_gateway_get_address (gateway), ours & 1,
                                                ours >> 1, TALL_ERROR_UNSUPPORTED, hint);
    }
}

static void
test_not_a_gateway (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autofree char *address = g_strdup (tall_fake_gateway_get_address (gateway));

  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_THRIFT1, 1);
  tall_hbase_fixture_expect_not_opened (address, FALSE, FALSE, TALL_ERROR_UNSUPPORTED,
                                        "hbase thrift2");
  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_UNKNOWN, 1);
  tall_hbase_fixture_expect_not_opened (address, FALSE, FALSE, TALL_ERROR_UNSUPPORTED,
                                        "answers Thrift but is not an HBase gateway");
  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_SILENT, 100);
  tall_hbase_fixture_expect_not_opened (address, FALSE, FALSE, TALL_ERROR_UNAVAILABLE,
                                        "correct --store");
  g_clear_pointer (&gateway, tall_fake_gateway_free);
  tall_hbase_fixture_expect_not_opened (address, FALSE, FALSE, TALL_ERROR_UNAVAILABLE, "start it");
}

typedef struct
{
  const char *address;
  gint done;
} Opening;

static gpointer
open_wrongly (gpointer data)
{
  Opening *opening = data;
  tall_hbase_fixture_expect_not_opened (opening->address, FALSE, FALSE, TALL_ERROR_UNAVAILABLE,
                                        "is not an HBase Thrift2 gateway");
  g_atomic_int_set (&opening->done, 1);
  g_main_context_wakeup (NULL);
  return NULL;
}

static gboolean
on_connection (GThreadedSocketService *service G_GNUC_UNUSED,
               GSocketConnection *connection,
               GObject *source G_GNUC_UNUSED,
               gpointer answer)
{
  char buffer[1024];
  GIOStream *stream = G_IO_STREAM (connection);
  if (g_input_stream_read (g_io_stream_get_input_stream (stream), buffer, sizeof buffer, NULL, NULL)
      > 0)
    g_output_stream_write_all (g_io_stream_get_output_stream (stream), answer, strlen (answer),
                               NULL, NULL, NULL);
  return TRUE;
}

/* Something that speaks no Thrift at all: each is named as what it is not, in time. */
static void
test_other_servers (void)
{
  static const char *const answers[] = {
    "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", /* a web server, also HBase's own page
                                                              */
    "",                                                      /* ZooKeeper: hangs up */
    "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      g_autoptr (GSocketService) service = g_threaded_socket_service_new (10);
      g_signal_connect (service, "run", G_CALLBACK (on_connection), (gpointer)answers[i]);
      guint16 port =
          must (g_socket_listener_add_any_inet_port (G_SOCKET_LISTENER (service), NULL, &error));
      g_socket_service_start (service);
      g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", port);
      Opening opening = { address };
      GThread *thread = g_thread_new ("open", open_wrongly, &opening);
      while (!g_atomic_int_get (&opening.done))
        g_main_context_iteration (NULL, TRUE);
      g_thread_join (thread);
      g_socket_service_stop (service);
      g_socket_listener_close (G_SOCKET_LISTENER (service));
    }
}

/* Our own service is framed: so is this one, and knows nothing of what it is asked. */
static void
test_other_service (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (TRUE, FALSE);
  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_UNKNOWN, 100);
  for (guint framed = 0; framed < 2; framed++)
    tall_hbase_fixture_expect_not_opened (tall_fake_gateway_get_address (gateway), framed, FALSE,
                                          TALL_ERROR_UNSUPPORTED,
                                          "answers Thrift but is not an HBase gateway");
}

static void
open_pair (TallHbasePair *pair, guint call_timeout)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.connect_timeout = LONG_TIMEOUT;
  options.wait_timeout = LONG_TIMEOUT;
  options.call_timeout = call_timeout;
  tall_hbase_pair_open (pair, options);
}

/* One accepts and never answers: no call waits for it, not even the first. */
static void
test_silent (void)
{
  g_auto (TallHbasePair) pair;
  tall_hbase_pair_init (&pair);
  tall_fake_gateway_set_answer (pair.bad, "getThriftServerType", TALL_FAKE_SILENT, 1000);
  gint64 start = g_get_monotonic_time ();
  open_pair (&pair, LONG_TIMEOUT);
  tall_hbase_fixture_expect_reads (pair.table, 20);
  g_assert_cmpint (g_get_monotonic_time () - start, <, AT_ONCE);
  g_assert_cmpuint (tall_hbase_fixture_count_reads (pair.bad), ==, 0);
}

/* One dies while it is used: calls go to the other. Later it is back, and used again. */
static void
test_dies_and_returns (void)
{
  g_auto (TallHbasePair) pair;
  tall_hbase_pair_init (&pair);
  open_pair (&pair, LONG_TIMEOUT);
  tall_hbase_pair_expect_turns (&pair);

  tall_fake_gateway_set_answer (pair.bad, "get", TALL_FAKE_CLOSE, 1);
  tall_fake_gateway_set_answer (pair.bad, "getThriftServerType", TALL_FAKE_CLOSE, 1000);
  tall_fake_gateway_close_connections (pair.bad);
  tall_hbase_fixture_expect_reads (pair.table, 20);
  guint reads = tall_hbase_fixture_count_reads (pair.bad);
  tall_hbase_fixture_expect_reads (pair.table, 20);
  g_assert_cmpuint (tall_hbase_fixture_count_reads (pair.bad), ==, reads);

  tall_fake_gateway_set_answer (pair.bad, "get", TALL_FAKE_ANSWER, 0);
  tall_fake_gateway_set_answer (pair.bad, "getThriftServerType", TALL_FAKE_ANSWER, 0);
  tall_hbase_pair_expect_turns (&pair);
}

/* One stops answering in the middle of a call: it costs that call its deadline, and no other, also
 * if there are more connections to it. */
static void
test_stops_answering (void)
{
  tall_fake_time_pass (TRUE);
  g_auto (TallHbasePair) pair;
  tall_hbase_pair_init (&pair);
  open_pair (&pair, CALL_TIMEOUT);
  tall_hbase_pair_expect_turns (&pair);
  must (tall_hbase_fixture_read (pair.table, 4, SOON, &error));
  g_assert_cmpuint (tall_fake_gateway_get_connections (pair.bad), >=, 2);

  tall_fake_gateway_set_answer (pair.bad, "get", TALL_FAKE_SILENT, 1000);
  tall_fake_gateway_set_answer (pair.bad, "getThriftServerType", TALL_FAKE_SILENT, 1000);
  guint reads = tall_hbase_fixture_count_reads (pair.bad);
  gint64 start = g_get_monotonic_time ();
  tall_hbase_fixture_expect_reads (pair.table, 20);
  /* Every other one would take that long, which is 20 s in all. */
  g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * CALL_TIMEOUT * G_TIME_SPAN_MILLISECOND);
  g_assert_cmpuint (tall_hbase_fixture_count_reads (pair.bad), <=, reads + 1);
  tall_fake_time_pass (FALSE);
}

/* What an operator is shown. */
static void
expect_state (TallTable *table, guint i, const char *state)
{
  g_autoptr (GPtrArray) servers = tall_table_list_servers (table, TALL_NO_DEADLINE);
  g_assert_cmpuint (servers->len, ==, 2);
  const TallTableServer *server = g_ptr_array_index (servers, i);
  g_assert_cmpstr (server->state, ==, state);
  g_assert_cmpint (server->reason != NULL, ==, g_str_equal (state, "aside"));
  g_assert_cmpint (server->since, <=, g_get_real_time ());
  g_assert_cmpint (server->connections > 0, ==, g_str_equal (state, "alive"));
}

/* No gateway is left: every call fails at once with the reason, and calls succeed when one is
 * back. */
static void
test_none_left (void)
{
  g_auto (TallHbasePair) pair;
  tall_hbase_pair_init (&pair);
  open_pair (&pair, LONG_TIMEOUT);
  tall_hbase_pair_expect_turns (&pair);

  TallFakeGateway *both[] = { pair.bad, pair.good };
  for (guint i = 0; i < 2; i++)
    {
      tall_fake_gateway_set_answer (both[i], "getThriftServerType", TALL_FAKE_CLOSE, 100000);
      tall_fake_gateway_close_connections (both[i]);
    }
  gint64 start = g_get_monotonic_time ();
  for (guint i = 0; i < 20; i++)
    must_fail (tall_hbase_fixture_read (pair.table, 1, SOON, &error), TALL_ERROR_UNAVAILABLE,
               tall_fake_gateway_get_address (pair.bad), tall_fake_gateway_get_address (pair.good));
  g_assert_cmpint (g_get_monotonic_time () - start, <, AT_ONCE);

  expect_state (pair.table, 0, "aside");
  expect_state (pair.table, 1, "aside");

  tall_fake_gateway_set_answer (pair.bad, "getThriftServerType", TALL_FAKE_ANSWER, 0);
  gint64 end = SOON;
  while (!tall_hbase_fixture_read (pair.table, 1, SOON, NULL))
    g_assert_cmpint (g_get_monotonic_time (), <, end);
  expect_state (pair.table, 0, "alive");
  expect_state (pair.table, 1, "aside");
}

typedef struct
{
  TallTable *table;
  GError *error;
} Reader;

static gpointer
read_often (gpointer data)
{
  Reader *reader = data;
  for (guint i = 0; i < 50 && reader->error == NULL; i++)
    if (!tall_hbase_fixture_read (reader->table, 1, SOON, &reader->error))
      g_assert_nonnull (reader->error);
  return NULL;
}

/* Somebody else has taken all but two of the connections that a gateway serves: those two go on
 * working, and those who find no room wait for them. */
static void
test_full (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  tall_fake_gateway_set_served (gateway, 2);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);

  Reader readers[8] = { { NULL, NULL } };
  GThread *threads[G_N_ELEMENTS (readers)];
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    {
      readers[i].table = table;
      threads[i] = g_thread_new ("reader", read_often, &readers[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    {
      g_thread_join (threads[i]);
      g_assert_no_error (readers[i].error);
    }
}

static void
test_v6 (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new_v6 ();
  if (gateway == NULL)
    {
      g_test_skip ("this machine has no IPv6");
      return;
    }
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  tall_hbase_fixture_expect_reads (table, 1);

  /* A name has all its addresses tried. */
  const char *port = strrchr (tall_fake_gateway_get_address (gateway), ':');
  g_autofree char *name = g_strconcat ("localhost", port, NULL);
  const char *gateways[] = { name, NULL };
  g_autoptr (TallTable) by_name =
      must (tall_hbase_fixture_open_at (gateways, FALSE, FALSE, &error));
  tall_hbase_fixture_expect_reads (by_name, 1);
}

static gpointer
read_silently (gpointer table)
{
  g_autoptr (GError) error = NULL;
  if (!tall_hbase_fixture_read (table, 1, SOON, &error))
    g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  return NULL;
}

/* As many connections as one gateway serves, and one caller more: it gets none by its deadline, and
 * an error. */
static void
test_overloaded (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_SILENT, 100);

  GThread *threads[12];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_silently, table);
  tall_fake_gateway_wait_for_calls (gateway, "get", G_N_ELEMENTS (threads));

  must_fail (tall_hbase_fixture_read (table, 1, NEAR, &error), TALL_ERROR_OVERLOADED,
             "all the 12 connections");
  g_assert_cmpuint (tall_fake_gateway_get_connections (gateway), ==, G_N_ELEMENTS (threads));

  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_ANSWER, 0);
  tall_fake_gateway_close_connections (gateway);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/gateways/several", test_several_gateways);
  g_test_add_func ("/table/hbase/gateways/silent", test_silent);
  g_test_add_func ("/table/hbase/gateways/dies-and-returns", test_dies_and_returns);
  g_test_add_func ("/table/hbase/gateways/stops-answering", test_stops_answering);
  g_test_add_func ("/table/hbase/gateways/none-left", test_none_left);
  g_test_add_func ("/table/hbase/gateways/full", test_full);
  g_test_add_func ("/table/hbase/gateways/v6", test_v6);
  g_test_add_func ("/table/hbase/gateways/spoken-to-wrongly", test_spoken_to_wrongly);
  g_test_add_func ("/table/hbase/gateways/not-a-gateway", test_not_a_gateway);
  g_test_add_func ("/table/hbase/gateways/other-servers", test_other_servers);
  g_test_add_func ("/table/hbase/gateways/other-service", test_other_service);
  g_test_add_func ("/table/hbase/gateways/overloaded", test_overloaded);
  return g_test_run ();
}
