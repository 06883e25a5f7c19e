/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/connection.h"
#include "tall-fake-gateway.h"
#include "wire/socket.h"
#include "wire-messages.h"
#include "tall-must.h"

#define SOON (g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND)
#define NEAR (g_get_monotonic_time () + 100 * G_TIME_SPAN_MILLISECOND)

static TallTransport *
open_connection (const char *address, gboolean framed, gboolean compact)
{
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, framed, compact);
  TallTransport *connection = must (tall_connection_open (address, &options, SOON, &error));
  g_assert_cmpstr (tall_transport_get_peer (connection), ==, address);
  return connection;
}

typedef struct
{
  gint32 number;
} Answer;

static const TallStructField answer_fields[] = {
  { "number", 0, TALL_KIND_I32, G_STRUCT_OFFSET (Answer, number), TALL_STRUCT_ALWAYS, NULL }
};
static TALL_STRUCT_TYPE (answer, "an answer", Answer);
static const TallStructType no_args = { .name = "args" };

static gboolean
call (TallTransport *transport, gint64 deadline, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_auto (TallMessage) message = { NULL };
  tall_transport_set_deadline (transport, deadline);
  if (!tall_message_write_call ("getThriftServerType", transport, &no_args, NULL, error)
      || !tall_transport_flush (transport, error)
      || !tall_message_read (&message, transport, error))
    return FALSE;
  const Answer *got = read_struct (transport, &answer, arena, error);
  return got != NULL && got->number == 2;
}

static void
test_calls (void)
{
  for (guint i = 0; i < 4; i++)
    {
      gboolean framed = i & 1;
      gboolean compact = i >> 1;
      g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (framed, compact);
      g_autoptr (TallTransport) connection =
          open_connection (tall_fake_gateway_get_address (gateway), framed, compact);
      for (guint n = 0; n < 100; n++)
        must (call (connection, SOON, &error));
      g_assert_true (tall_transport_is_fit (connection));
      g_assert_true (tall_transport_has_delivered (connection));
    }
}

/* An answer that comes after its call was given up is not taken for that of the next call. */
static void
test_late_answer (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (TRUE, FALSE);
  g_autoptr (TallTransport) connection =
      open_connection (tall_fake_gateway_get_address (gateway), TRUE, FALSE);

  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_SILENT, 1);
  must_fail (call (connection, NEAR, &error), TALL_ERROR_TIMED_OUT);
  g_assert_true (tall_transport_is_broken (connection));
  g_assert_false (tall_transport_is_fit (connection));

  must_fail (call (connection, SOON, &error), TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "getThriftServerType"), ==, 1);
}

static void
test_closed (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  const char *address = tall_fake_gateway_get_address (gateway);
  g_autoptr (TallTransport) connection = open_connection (address, FALSE, FALSE);
  g_autoptr (GError) error = NULL;

  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_CLOSE, 1);
  g_assert_false (call (connection, SOON, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "closed"));
  g_assert_true (g_str_has_prefix (error->message, address));
  g_assert_true (tall_transport_has_delivered (connection));
}

typedef struct
{
  GSocketListener *listener;
  TallSlice reply;
} Peer;

/* Takes a connection, waits for a request, and says @reply whatever it was. */
static gpointer
reply_once (gpointer data)
{
  Peer *peer = data;
  g_autoptr (GSocketConnection) connection =
      g_socket_listener_accept (peer->listener, NULL, NULL, NULL);
  GInputStream *input = g_io_stream_get_input_stream (G_IO_STREAM (connection));
  GOutputStream *output = g_io_stream_get_output_stream (G_IO_STREAM (connection));
  char request[256];
  g_input_stream_read (input, request, sizeof request, NULL, NULL);
  g_output_stream_write_all (output, peer->reply.data, peer->reply.len, NULL, NULL, NULL);
  g_input_stream_read (input, request, sizeof request, NULL, NULL);
  return NULL;
}

static void
expect_bad_reply (TallSlice reply)
{
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  guint16 port = must (g_socket_listener_add_any_inet_port (listener, NULL, &error));
  Peer peer = { listener, reply };
  GThread *thread = g_thread_new ("peer", reply_once, &peer);

  g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", port);
  g_autoptr (TallTransport) connection = open_connection (address, FALSE, FALSE);
  must_fail (call (connection, SOON, &error), TALL_ERROR_INVALID);
  g_assert_true (tall_transport_is_broken (connection));
  g_clear_object (&connection);
  g_thread_join (thread);
}

#define SLICE(literal) tall_slice (literal, sizeof (literal) - 1)
#define RESULT "\x08\x00\x00\x00\x00\x00\x02\x00" /* 2 */

/* Replies to something else: another number, another method that begins alike, no Thrift. */
static void
test_foreign_replies (void)
{
  expect_bad_reply (
      SLICE ("\x80\x01\x00\x02\x00\x00\x00\x13getThriftServerType\x00\x00\x00\x07" RESULT));
  expect_bad_reply (
      SLICE ("\x80\x01\x00\x02\x00\x00\x00\x14getThriftServerTypes\x00\x00\x00\x01" RESULT));
  expect_bad_reply (
      SLICE ("\x80\x01\x00\x01\x00\x00\x00\x13getThriftServerType\x00\x00\x00\x01" RESULT));
  expect_bad_reply (SLICE ("HTTP/1.1 400 Bad Request\r\n\r\n"));
}

static void
test_not_there (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autofree char *address = g_strdup (tall_fake_gateway_get_address (gateway));
  g_clear_pointer (&gateway, tall_fake_gateway_free);

  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  must_fail (tall_connection_open (address, &options, SOON, &error), TALL_ERROR_UNAVAILABLE,
             address, "refused");
}

/* By name, the loopback addresses are tried one after the other; only one of them listens. */
static void
test_by_name (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  const char *port = strrchr (tall_fake_gateway_get_address (gateway), ':');
  g_autofree char *address = g_strconcat ("localhost", port, NULL);
  g_autoptr (TallTransport) connection = open_connection (address, FALSE, FALSE);
  must (call (connection, SOON, &error));
}

static void
test_unknown_name (void)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTransport) connection =
      tall_connection_open ("nowhere.invalid:9090", &options, SOON, &error);
  g_assert_null (connection);
  g_assert_cmpuint (error->domain, ==, TALL_ERROR);
  g_assert_nonnull (strstr (error->message, "nowhere.invalid"));
}

static void
test_addresses (void)
{
  const struct
  {
    const char *address;
    const char *host; /* NULL: not an address */
    guint16 port;
  } cases[] = {
    { "127.0.0.1:9090", "127.0.0.1", 9090 },
    { "[::1]:9090", "::1", 9090 },
    { "example.org:65535", "example.org", 65535 },
    { "localhost", NULL, 0 },
    { "localhost:", NULL, 0 },
    { "localhost:0", NULL, 0 },
    { "localhost:65536", NULL, 0 },
    { ":9090", NULL, 0 },
    { "", NULL, 0 },
    { "[::1", NULL, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *host = NULL;
      g_autoptr (GError) error = NULL;
      guint16 port = 0;
      gboolean ok = tall_address_parse (cases[i].address, &host, &port, &error);
      g_test_message ("%s", cases[i].address);
      g_assert_cmpstr (host, ==, cases[i].host);
      g_assert_cmpuint (port, ==, cases[i].port);
      g_assert_true (ok == (cases[i].host != NULL));
      if (!ok)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wire/connection/calls", test_calls);
  g_test_add_func ("/wire/connection/late-answer", test_late_answer);
  g_test_add_func ("/wire/connection/closed", test_closed);
  g_test_add_func ("/wire/connection/foreign-replies", test_foreign_replies);
  g_test_add_func ("/wire/connection/not-there", test_not_there);
  g_test_add_func ("/wire/connection/by-name", test_by_name);
  g_test_add_func ("/wire/connection/unknown-name", test_unknown_name);
  g_test_add_func ("/wire/connection/addresses", test_addresses);
  return g_test_run ();
}
