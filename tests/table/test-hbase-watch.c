/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-fake-time.h"
#include "tall-hbase-fixture.h"
#include "tall-must.h"

/* Tests the log and errors about lost gateways, and about gateways whose HBase is lost. */

/* What the pool gives a call if a test waits for that to be over; a gateway that is well answers
 * within it also on a busy machine. Milliseconds. */
#define CALL_TIMEOUT 2000

/* Log lines, from any thread. */
static GMutex lines_mutex;
static GPtrArray *lines;

static void
keep_line (const char *domain G_GNUC_UNUSED,
           GLogLevelFlags level,
           const char *message,
           gpointer data G_GNUC_UNUSED)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lines_mutex);
  g_ptr_array_add (lines, g_strdup_printf ("%s: %s",
                                           level & G_LOG_LEVEL_WARNING   ? "warning"
                                           : level & G_LOG_LEVEL_MESSAGE ? "message"
                                                                         : "info",
                                           message));
}

static char *
get_line (guint i)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lines_mutex);
  return i < lines->len ? g_strdup (g_ptr_array_index (lines, i)) : NULL;
}

static void
expect_line (guint i, const char *start, const char *address, const char *text)
{
  g_autofree char *line = get_line (i);
  g_assert_nonnull (line);
  g_test_message ("%s", line);
  g_assert_true (g_str_has_prefix (line, start));
  g_assert_nonnull (strstr (line, address));
  g_assert_nonnull (strstr (line, text));
}

static TallTable *
open_at (const char *const *gateways, guint call_timeout)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.gateways = gateways;
  options.call_timeout = call_timeout;
  return must (tall_hbase_table_open (&options, &error));
}

static void
expect_read (TallTable *table)
{
  must (tall_hbase_fixture_read (table, 1, SOON, &error));
}

/* Reads until the gateway has had @n more calls of that kind. */
static void
read_until (TallTable *table, TallFakeGateway *gateway, const char *method, guint n)
{
  guint before = tall_fake_gateway_get_calls (gateway, method);
  gint64 end = SOON;
  while (tall_fake_gateway_get_calls (gateway, method) < before + n)
    {
      expect_read (table);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}

/* One line when it is lost, with the reason, however many calls and attempts there are; and one
 * when it is back. */
static void
test_lost_and_back (void)
{
  g_autoptr (TallFakeGateway) lost = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallFakeGateway) other = tall_fake_gateway_new (FALSE, FALSE);
  const char *address = tall_fake_gateway_get_address (lost);
  const char *gateways[] = { address, tall_fake_gateway_get_address (other), NULL };
  lines = g_ptr_array_new_with_free_func (g_free);
  g_log_set_default_handler (keep_line, NULL);
  g_autoptr (TallTable) table = open_at (gateways, 20000);
  read_until (table, lost, "get", 2);
  g_assert_cmpuint (lines->len, ==, 0);

  tall_fake_gateway_set_answer (lost, "get", TALL_FAKE_CLOSE, 1);
  tall_fake_gateway_set_answer (lost, "getThriftServerType", TALL_FAKE_CLOSE, 100000);
  tall_fake_gateway_close_connections (lost);
  read_until (table, lost, "getThriftServerType", 3);
  expect_line (0, "warning: Gateway ", address, " is lost: ");
  expect_line (0, "warning: Gateway ", address, "closed the connection");

  tall_fake_gateway_set_answer (lost, "get", TALL_FAKE_ANSWER, 0);
  tall_fake_gateway_set_answer (lost, "getThriftServerType", TALL_FAKE_ANSWER, 0);
  read_until (table, lost, "get", 2);
  expect_line (1, "message: Gateway ", address, " is back after ");
  g_clear_object (&table);
  g_log_set_default_handler (g_log_default_handler, NULL);
  g_assert_cmpuint (lines->len, ==, 2);
  g_clear_pointer (&lines, g_ptr_array_unref);
}

static void
expect_mute (gboolean done, TallFakeGateway *gateway, TallError code, GError **error)
{
  g_assert_false (done);
  g_assert_error (*error, TALL_ERROR, (int)code);
  const char *address = tall_fake_gateway_get_address (gateway);
  g_assert_true (tall_hbase_fixture_tells (
      *error, "the gateway answers, but HBase behind it does not: look at "));
  g_assert_true (tall_hbase_fixture_tells (*error, address));
  g_assert_null (strstr ((*error)->message, address));
  g_clear_error (error);
}

static void
silence (TallFakeGateway *gateway, const char *method)
{
  tall_fake_gateway_set_answer (gateway, method, TALL_FAKE_SILENT, 1000);
}

/* Whether a call that has no time fails for that, after one that was well. */
static gboolean
is_haste_told (TallTable *table, TallFakeGateway *gateway)
{
  g_autoptr (GError) error = NULL;
  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_ANSWER, 0);
  expect_read (table);
  silence (gateway, "get");
  g_assert_false (tall_hbase_fixture_read (table, 1, NEAR, &error));
  g_assert_true (error->code == TALL_ERROR_TIMED_OUT || error->code == TALL_ERROR_UNAVAILABLE);
  return error->code == TALL_ERROR_TIMED_OUT;
}

/* Calls get no answer, the question what the gateway is does. */
static void
test_mute (void)
{
  tall_fake_time_pass (TRUE);
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  const char *gateways[] = { tall_fake_gateway_get_address (gateway), NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = open_at (gateways, CALL_TIMEOUT);
  must (tall_hbase_fixture_write (table, SOON, &error));

  silence (gateway, "tableExists");
  silence (gateway, "isTableEnabled");
  silence (gateway, "get");
  silence (gateway, "putMultiple");
  silence (gateway, "increment");
  expect_mute (tall_hbase_fixture_read (table, 1, SOON, &error), gateway, TALL_ERROR_UNAVAILABLE,
               &error);
  expect_mute (tall_hbase_fixture_write (table, SOON, &error), gateway, TALL_ERROR_UNAVAILABLE,
               &error);
  /* What cannot be told apart stays so. */
  expect_mute (tall_hbase_fixture_count (table, SOON, &error), gateway, TALL_ERROR_OUTCOME_UNKNOWN,
               &error);

  /* Once HBase has answered again, a caller's haste is a caller's haste. */
  gint64 end = SOON;
  tall_fake_gateway_set_answer (gateway, "tableExists", TALL_FAKE_ANSWER, 0);
  while (!is_haste_told (table, gateway))
    g_assert_cmpint (g_get_monotonic_time (), <, end);
  tall_fake_time_pass (FALSE);
}

/* What an operator is shown once the only gateway is set aside. */
static char *
wait_for_reason (TallTable *table)
{
  gint64 end = SOON;
  for (;;)
    {
      g_autoptr (GPtrArray) servers = tall_table_list_servers (table, TALL_NO_DEADLINE);
      const TallTableServer *server = g_ptr_array_index (servers, 0);
      if (server->reason != NULL)
        return g_strdup (server->reason);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}

/* The first write finds it out, too. If the gateway is silent then, HBase may be the reason. */
static void
test_mute_at_first (void)
{
  tall_fake_time_pass (TRUE);
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  const char *gateways[] = { tall_fake_gateway_get_address (gateway), NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = open_at (gateways, CALL_TIMEOUT);
  silence (gateway, "tableExists");
  silence (gateway, "getScannerResults");
  expect_mute (tall_hbase_fixture_write (table, SOON, &error), gateway, TALL_ERROR_UNAVAILABLE,
               &error);

  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_CLOSE, 100000);
  g_autofree char *reason = wait_for_reason (table);
  g_assert_true (
      g_str_has_prefix (reason, "HBase behind the gateway did not answer: look at the master"));
  tall_fake_time_pass (FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/watch/lost-and-back", test_lost_and_back);
  g_test_add_func ("/table/hbase/watch/mute", test_mute);
  g_test_add_func ("/table/hbase/watch/mute-at-first", test_mute_at_first);
  return g_test_run ();
}
