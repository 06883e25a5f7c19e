/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/server.h"

#include "tall-client.h"
#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-test-wire.h"
#include "tall-must.h"

static void
test_address (void)
{
  static const char *const wrong[] = { "", "9090", "localhost", "127.0.0.1", "[::1]", ":0", "a:b" };
  g_autoptr (TallFront) front = tall_test_front_new ();

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_test_message ("\"%s\"", wrong[i]);
      must_fail (tall_server_new (front, wrong[i], NULL, &error), TALL_ERROR_INVALID);
    }
}

/* One more address that a server can be reached at. */
static void
test_host (gconstpointer data)
{
  const char *host = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallFront) front = tall_test_front_new ();
  g_autofree char *address = g_strdup_printf ("%s:0", host);
  g_autoptr (TallServer) server = tall_server_new (front, address, NULL, &error);
  if (server == NULL && strchr (host, '[') != NULL)
    {
      g_test_skip ("no IPv6 here");
      return;
    }
  g_assert_no_error (error);

  const char *bound = tall_server_get_address (server);
  g_assert_true (g_str_has_prefix (bound, host));
  g_assert_false (g_str_has_suffix (bound, ":0"));
  g_autoptr (TallFront) client = must (tall_client_new (bound, &error));
  must (tall_front_ping (client, &error));

  /* The address is taken now. */
  must_fail (tall_server_new (front, bound, NULL, &error), TALL_ERROR_UNAVAILABLE, bound);
  g_assert_true (tall_server_stop (server));
}

/* A call of a client on a thread of its own. */
static gpointer
ping (gpointer client)
{
  GError *error = NULL;
  (void)!tall_front_ping (client, &error);
  return error;
}

static void
test_connection_limit (void)
{
  TallTestService service;
  TallServerOptions options = { .max_connections = 2,
                                .max_connections_per_address = 2,
                                .idle_grace = 60000 };
  tall_test_service_start (&service, &options);

  g_autoptr (GSocketConnection) first = tall_test_connect (service.address);
  g_autoptr (GSocketConnection) second = tall_test_connect (service.address);
  tall_test_assert_ping_works (first, FALSE);
  tall_test_assert_ping_works (second, TRUE);
  g_assert_cmpuint (tall_server_count_connections (service.server), ==, 2);

  must_fail (tall_front_ping (service.client, &error), TALL_ERROR_OVERLOADED);
  g_assert_cmpuint (tall_test_front_count_calls (service.test_front), ==, 2);
  tall_test_assert_ping_works (first, FALSE);

  /* One that goes leaves its place. */
  g_clear_object (&first);
  while (tall_server_count_connections (service.server) == 2)
    g_thread_yield ();
  /* The connection that was refused may be closing just now: a write on it would not know its end.
   */
  must (tall_front_ping (service.client, &error));
  tall_test_service_assert_works (&service);
  tall_test_service_stop (&service);
}

/* What wants no answer gets none, not even over the limit: it would be taken for that of the next
 * call. */
static void
test_oneway (void)
{
  TallTestService service;
  TallServerOptions options = { .max_connections = 1, .idle_grace = 60000 };
  tall_test_service_start (&service, &options);
  g_autoptr (GSocketConnection) first = tall_test_connect (service.address);
  tall_test_assert_ping_works (first, FALSE);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GSocketConnection) over = i == 0 ? tall_test_connect (service.address) : NULL;
      GSocketConnection *connection = i == 0 ? over : first;
      g_auto (TallTestMessage) message;
      tall_test_message_init (&message, FALSE, "ping", T_ONEWAY);
      tall_test_message_end_struct (&message);
      tall_test_send_frame (connection, tall_test_message_get (&message));
      g_assert_null (tall_test_receive_frame (connection));
    }
  g_assert_cmpuint (tall_test_front_count_calls (service.test_front), ==, 1);
  tall_test_service_stop (&service);
}

/* Silent ones beyond the limit are closed, whether there is a place to tell them so or not. */
static void
test_flood (void)
{
  TallTestService service;
  TallServerOptions options = { .max_connections = 1, .idle_grace = 60000 };
  g_autoptr (GPtrArray) connections = g_ptr_array_new_with_free_func (g_object_unref);
  tall_test_service_start (&service, &options);

  for (guint i = 0; i < 50; i++)
    g_ptr_array_add (connections, tall_test_connect (service.address));
  for (guint i = 1; i < connections->len; i++)
    g_assert_null (tall_test_receive_frame (connections->pdata[i]));
  tall_test_assert_ping_works (connections->pdata[0], FALSE);
  g_ptr_array_set_size (connections, 0);
  while (tall_server_count_connections (service.server) > 0)
    g_thread_yield ();
  tall_test_service_assert_works (&service);
  tall_test_service_stop (&service);
}

/* A ping from @from on a connection of its own, or NULL if it was refused. */
static GSocketConnection *
ping_from (TallTestService *service, const char *from)
{
  g_autoptr (GSocketConnection) connection = tall_test_connect_from (service->address, from);
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, FALSE, "ping", T_CALL);
  tall_test_message_end_struct (&message);
  guint before = tall_test_front_count_calls (service->test_front);
  tall_test_send_frame (connection, tall_test_message_get (&message));
  g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
  gboolean served = tall_test_front_count_calls (service->test_front) > before;
  return answer != NULL && served ? g_steal_pointer (&connection) : NULL;
}

/* An address has half of all places; one that is silent makes room for another. */
static void
test_makes_room (void)
{
  TallTestService service;
  TallServerOptions options = { .max_connections = 4, .idle_grace = 1000 * 1000 };
  tall_test_service_start (&service, &options);
  g_autoptr (GSocketConnection) one = ping_from (&service, "127.0.0.2");
  g_autoptr (GSocketConnection) two = ping_from (&service, "127.0.0.2");
  g_assert_nonnull (one);
  g_assert_nonnull (two);
  g_assert_null (ping_from (&service, "127.0.0.2"));
  tall_test_assert_ping_works (one, FALSE);
  tall_test_service_stop (&service);

  options = (TallServerOptions){ .max_connections = 1, .idle_grace = 1 };
  tall_test_service_start (&service, &options);
  g_autoptr (GSocketConnection) old = ping_from (&service, "127.0.0.2");
  g_autoptr (GSocketConnection) new = NULL;
  g_assert_nonnull (old);
  for (gint64 begin = g_get_monotonic_time ();
       new == NULL &&g_get_monotonic_time () < begin + 20 * G_TIME_SPAN_SECOND;)
    new = ping_from (&service, "127.0.0.3");
  g_assert_nonnull (new);
  g_assert_null (tall_test_receive_frame (old));
  tall_test_service_stop (&service);
}

static void
test_idle (void)
{
  TallTestService service;
  TallServerOptions options = { .idle_timeout = 100 };
  tall_test_service_start (&service, &options);

  gint64 start = g_get_monotonic_time ();
  g_autoptr (GSocketConnection) connection = tall_test_connect (service.address);
  g_assert_null (tall_test_receive_frame (connection));
  g_assert_cmpint (g_get_monotonic_time () - start, >=, 50 * 1000);

  /* The client's own kept connection is replaced without anybody noticing. */
  tall_test_service_assert_works (&service);
  while (tall_server_count_connections (service.server) > 0)
    g_thread_yield ();
  tall_test_service_assert_works (&service);
  tall_test_service_stop (&service);
}

/* A request that does not get on is given up, however often a byte of it comes. */
static void
test_slow_request (void)
{
  TallTestService service;
  TallServerOptions options = { .transfer_timeout = 100 };
  tall_test_service_start (&service, &options);

  g_autoptr (GSocketConnection) connection = tall_test_connect (service.address);
  tall_test_send (connection, tall_slice ("\0\0\0\x20\x80\x01", 6));
  g_assert_null (tall_test_receive_frame (connection));
  tall_test_service_assert_works (&service);
  tall_test_service_stop (&service);
}

/* A client that does not take its answers holds up nobody but itself, and not for ever. */
static void
test_slow_reader (void)
{
  TallTestService service;
  TallServerOptions options = { .transfer_timeout = 200 };
  tall_test_service_start (&service, &options);
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "large", 5000);
  must (tall_front_put_order (service.client, order, NULL, NULL, &error));
  guint before = tall_server_count_connections (service.server);

  g_autoptr (GSocketConnection) connection = tall_test_connect (service.address);
  for (guint i = 0; i < 100; i++)
    {
      g_auto (TallTestMessage) message;
      tall_test_message_init (&message, FALSE, "getOrder", T_CALL);
      tall_test_message_add_text (&message, 1, "VINET");
      tall_test_message_add_text (&message, 2, "large");
      tall_test_message_end_struct (&message);
      tall_test_send_frame (connection, tall_test_message_get (&message));
    }
  tall_test_service_assert_works (&service);
  while (tall_server_count_connections (service.server) > before)
    g_thread_yield ();
  tall_test_service_assert_works (&service);
  tall_test_service_stop (&service);
}

static gpointer
stop_server (gpointer server)
{
  return GINT_TO_POINTER (tall_server_stop (server));
}

/* Calls that run when the server stops are answered; silent connections are ended. */
static void
test_graceful_stop (void)
{
  TallTestService service;
  tall_test_service_start (&service, NULL);
  g_autoptr (GSocketConnection) silent = tall_test_connect (service.address);
  tall_test_assert_ping_works (silent, FALSE);

  tall_test_front_hold (service.test_front);
  GThread *caller = g_thread_new ("caller", ping, service.client);
  tall_test_front_wait_until_held (service.test_front, 1);
  GThread *stopper = g_thread_new ("stopper", stop_server, service.server);
  g_assert_null (tall_test_receive_frame (silent));
  tall_test_front_let_go (service.test_front);

  g_autoptr (GError) error = g_thread_join (caller);
  g_assert_no_error (error);
  g_assert_true (GPOINTER_TO_INT (g_thread_join (stopper)));
  g_assert_cmpuint (tall_server_count_connections (service.server), ==, 0);
  must_fail (tall_front_ping (service.client, &error), TALL_ERROR_UNAVAILABLE);
  tall_test_service_stop (&service);
}

/* A call that does not end holds up the stop only so long. */
static void
test_bounded_stop (void)
{
  TallTestService service;
  TallServerOptions options = { .stop_timeout = 100 };
  tall_test_service_start (&service, &options);

  tall_test_front_hold (service.test_front);
  GThread *caller = g_thread_new ("caller", ping, service.client);
  tall_test_front_wait_until_held (service.test_front, 1);
  g_assert_false (tall_server_stop (service.server));
  g_autoptr (GError) error = g_thread_join (caller);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  tall_test_front_let_go (service.test_front);
  tall_test_service_stop (&service);
}

/* Clients that do not read their answers do not hold up the stop. */
static void
test_stop_unread (void)
{
  TallTestService service;
  TallServerOptions options = { .stop_timeout = 600 * 1000, .transfer_timeout = 600 * 1000 };
  tall_test_service_start (&service, &options);
  tall_test_service_assert_works (&service);
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "large", 5000);
  must (tall_front_put_order (service.client, order, NULL, NULL, &error));

  g_autoptr (GPtrArray) connections = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < 4; i++)
    {
      g_ptr_array_add (connections, tall_test_connect (service.address));
      for (guint n = 0; n < 100; n++)
        {
          g_auto (TallTestMessage) message;
          tall_test_message_init (&message, FALSE, "getOrder", T_CALL);
          tall_test_message_add_text (&message, 1, "VINET");
          tall_test_message_add_text (&message, 2, "large");
          tall_test_message_end_struct (&message);
          tall_test_send_frame (connections->pdata[i], tall_test_message_get (&message));
        }
    }
  /* Each is sure to be stuck once it has answered no more for a while. */
  guint calls = 0;
  for (gint64 since = g_get_monotonic_time (); g_get_monotonic_time () - since < 200000;)
    {
      guint now = tall_test_front_count_calls (service.test_front);
      since = now != calls ? g_get_monotonic_time () : since;
      calls = now;
      g_thread_yield ();
    }
  gint64 begin = g_get_monotonic_time ();
  g_assert_true (tall_server_stop (service.server));
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 60 * G_TIME_SPAN_SECOND);
  tall_test_service_stop (&service);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/server/address", test_address);
  g_test_add_data_func ("/service/server/ipv4", "127.0.0.1", test_host);
  g_test_add_data_func ("/service/server/ipv6", "[::1]", test_host);
  g_test_add_data_func ("/service/server/name", "localhost", test_host);
  g_test_add_func ("/service/server/connection-limit", test_connection_limit);
  g_test_add_func ("/service/server/oneway", test_oneway);
  g_test_add_func ("/service/server/flood", test_flood);
  g_test_add_func ("/service/server/makes-room", test_makes_room);
  g_test_add_func ("/service/server/idle", test_idle);
  g_test_add_func ("/service/server/slow-request", test_slow_request);
  g_test_add_func ("/service/server/slow-reader", test_slow_reader);
  g_test_add_func ("/service/server/graceful-stop", test_graceful_stop);
  g_test_add_func ("/service/server/bounded-stop", test_bounded_stop);
  g_test_add_func ("/service/server/stop-unread", test_stop_unread);
  return g_test_run ();
}
