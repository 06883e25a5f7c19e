/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Which calls are counted, as what, and where their times go. */

#include "service/calls/calls.h"
#include "tall-error.h"
#include "tall-test-service.h"
#include "tall-test-wire.h"
#include "tall-must.h"

static guint64
sum (const guint64 *counts, guint n)
{
  guint64 all = 0;
  for (guint i = 0; i < n; i++)
    all += counts[i];
  return all;
}

static void
test_buckets (void)
{
  g_autoptr (TallCallStats) stats = tall_call_stats_new ();
  const TallIdlCall *call = tall_calls_find ("getOrder");
  TallCallRecord record = { .call = call, .begin = 1000 };
  TallCallCounts counts;
  guint64 time = 0;

  for (guint i = 0; i < TALL_CALL_N_BUCKETS; i++)
    {
      gint64 most =
          i < TALL_CALL_N_BUCKETS - 1 ? (gint64)(tall_call_bounds[i] * 1e6 + 0.5) : 60000000;
      tall_call_stats_add (stats, &record, record.begin + most);
      time += (guint64)most;
      tall_call_stats_get (stats, call, &counts);
      g_assert_cmpuint (counts.buckets[i], ==, 1);
      g_assert_cmpuint (sum (counts.buckets, TALL_CALL_N_BUCKETS), ==, i + 1);
      g_assert_cmpuint (counts.time, ==, time);
      g_assert_true (i == 0 || i == TALL_CALL_N_BUCKETS - 1
                     || tall_call_bounds[i] > tall_call_bounds[i - 1]);
    }
  /* The clock of a virtual machine was set back. */
  tall_call_stats_add (stats, &record, 0);
  record.code = TALL_ERROR_SHUT;
  tall_call_stats_add (stats, &record, record.begin);
  tall_call_stats_get (stats, call, &counts);
  g_assert_cmpuint (counts.buckets[0], ==, 3);
  g_assert_cmpuint (counts.time, ==, time);
  g_assert_cmpuint (counts.results[TALL_ERROR_INTERNAL], ==, 1);
  tall_call_stats_get (stats, NULL, &counts);
  g_assert_cmpuint (sum (counts.results, TALL_CALL_N_RESULTS), ==, 0);
}

static guint64
count (TallTestService *service, const char *name, TallError code)
{
  TallCallCounts counts;
  tall_call_stats_get (tall_server_get_stats (service->server),
                       name != NULL ? tall_calls_find (name) : NULL, &counts);
  g_assert_cmpuint (sum (counts.results, TALL_CALL_N_RESULTS), ==,
                    sum (counts.buckets, TALL_CALL_N_BUCKETS));
  return counts.results[code];
}

static void
test_server (void)
{
  TallTestService service;
  tall_test_service_start (&service, NULL);
  g_autoptr (GError) error = NULL;
  guint64 before = count (&service, "getOrder", TALL_ERROR_NOT_FOUND);

  must (tall_front_ping (service.client, &error));
  g_assert_cmpuint (count (&service, "ping", 0), ==, 1);
  must_fail (tall_front_get_order (service.client, "A", "1", NULL, &error), TALL_ERROR_NOT_FOUND);
  g_assert_cmpuint (count (&service, "getOrder", TALL_ERROR_NOT_FOUND), ==, before + 1);
  g_assert_cmpuint (count (&service, "getOrder", 0), ==, 0);
  g_clear_error (&error);

  /* An error of another domain is an internal one to its caller. */
  tall_test_front_fail_next (service.test_front, g_error_new (G_FILE_ERROR, G_FILE_ERROR_IO, "x"));
  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_WARNING, "*internal*");
  g_assert_false (tall_front_ping (service.client, &error));
  g_test_assert_expected_messages ();
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INTERNAL);
  g_assert_cmpuint (count (&service, "ping", TALL_ERROR_INTERNAL), ==, 1);

  /* A name that there is not: one counter for all, whatever they are. */
  g_autoptr (GSocketConnection) connection = tall_test_connect (service.address);
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, FALSE, "dropEverything", T_CALL);
  tall_test_message_end_struct (&message);
  tall_test_send_frame (connection, tall_test_message_get (&message));
  g_autoptr (GByteArray) reply = tall_test_receive_frame (connection);
  g_assert_nonnull (reply);
  g_assert_cmpuint (count (&service, NULL, TALL_ERROR_UNSUPPORTED), ==, 1);

  TallServerUsage usage;
  tall_server_get_usage (service.server, &usage);
  g_assert_cmpuint (usage.n_broken, ==, 0);
  tall_test_send (connection, tall_slice ("\0\0\0\4abcd", 8));
  g_assert_null (tall_test_receive_frame (connection));
  do
    tall_server_get_usage (service.server, &usage);
  while (usage.n_broken == 0);
  g_assert_cmpuint (usage.n_broken, ==, 1);
  g_assert_cmpuint (usage.max_connections, ==, 256);
  g_assert_cmpuint (usage.totals.n_connections, ==, 2);
  tall_test_service_stop (&service);
}

/* A connection that makes room in the middle of its request is not one that was broken by what came
 * over it. */
static void
test_made_room (void)
{
  TallServerOptions options = { .max_connections = 1, .max_connections_per_address = 1 };
  TallServerUsage usage;
  TallTestService service = { 0 };
  tall_test_service_start (&service, &options);
  g_autoptr (GSocketConnection) slow = tall_test_connect (service.address);
  tall_test_send (slow, tall_slice ("\0\0\1\0ab", 6));
  do
    tall_server_get_usage (service.server, &usage);
  while (usage.n_open == 0);
  g_autoptr (GError) refused = NULL;
  while (!tall_front_ping (service.client, &refused))
    g_clear_error (&refused);
  tall_server_get_usage (service.server, &usage);
  g_assert_cmpuint (usage.totals.n_evicted, ==, 1);
  g_assert_cmpuint (usage.n_broken, ==, 0);
  tall_test_service_stop (&service);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/call-stats/buckets", test_buckets);
  g_test_add_func ("/service/call-stats/server", test_server);
  g_test_add_func ("/service/call-stats/made-room", test_made_room);
  return g_test_run ();
}
