/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What an operator sees of gateways that are not always there: numbers that are those of what has
 * happened, and readiness that follows. */

#include "tall-failing-table.h"
#include "tall-hbase-fixture.h"
#include "ops/metrics.h"
#include "tall-test-store.h"

/* A sample of a gateway; -1: there is none. @more: labels after the gateway's, with a comma */
static gint64
find_value (const char *text, const char *name, TallFakeGateway *gateway, const char *more)
{
  g_autofree char *sample = g_strdup_printf ("\n%s{gateway=\"%s\"%s} ", name,
                                             tall_fake_gateway_get_address (gateway), more);
  const char *found = strstr (text, sample);
  return found == NULL ? -1 : g_ascii_strtoll (found + strlen (sample), NULL, 10);
}

static char *
show (TallTable *table)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GPtrArray) servers = tall_table_list_servers (table, 0);
  tall_metrics_write_gateways (servers, text);
  g_test_message ("%s", text->str);
  return g_string_free (text, FALSE);
}

static gint64
count_reads (TallFakeGateway *gateway)
{
  return tall_hbase_fixture_count_reads (gateway);
}

/* One gateway hangs up on its first read, which is sent again; all else is answered. */
static void
test_numbers (void)
{
  static const char failed[] = ",result=\"failed\"";
  static const char ok[] = ",result=\"ok\"";
  static const char uses[] = "tallorder_gateway_uses_total";
  static const char retries[] = "tallorder_gateway_retries_total";
  g_auto (TallHbasePair) pair;
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  tall_hbase_pair_init (&pair);
  tall_fake_gateway_set_answer (pair.bad, "get", TALL_FAKE_CLOSE, 1);
  tall_hbase_pair_open (&pair, options);
  while (count_reads (pair.bad) == 0)
    tall_hbase_fixture_expect_reads (pair.table, 1);

  g_autofree char *text = show (pair.table);
  g_assert_cmpint (find_value (text, retries, pair.bad, ""), ==, 1);
  g_assert_cmpint (find_value (text, retries, pair.good, ""), ==, 0);
  g_assert_cmpint (find_value (text, uses, pair.bad, failed), ==, 1);
  g_assert_cmpint (find_value (text, uses, pair.good, failed), ==, 0);
  g_assert_cmpint (find_value (text, uses, pair.bad, ok), ==, count_reads (pair.bad) - 1);
  g_assert_cmpint (find_value (text, uses, pair.good, ok), ==, count_reads (pair.good));
  g_assert_cmpint (find_value (text, "tallorder_gateway_up", pair.bad, ""), >=, 0);
}

/* A histogram counts upwards: each place has those before it, too. */
static void
test_sizes (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) servers = g_ptr_array_new ();
  TallTableServer server = { .address = (char *)"h:1",
                             .state = (char *)"aside",
                             .connections = 3,
                             .merged = { { { 1, 0, 2, 0, 0, 0, 0, 3, 1 }, 607 }, { { 0, 5 }, 10 } },
                             .n_retries = 9 };
  static const char reads[] =
#define READ "tallorder_gateway_merged_read_rows_"
      READ "bucket{gateway=\"h:1\",le=\"1\"} 1\n" READ "bucket{gateway=\"h:1\",le=\"2\"} 1\n" READ
           "bucket{gateway=\"h:1\",le=\"4\"} 3\n" READ "bucket{gateway=\"h:1\",le=\"8\"} 3\n" READ
           "bucket{gateway=\"h:1\",le=\"16\"} 3\n" READ "bucket{gateway=\"h:1\",le=\"32\"} 3\n" READ
           "bucket{gateway=\"h:1\",le=\"64\"} 3\n" READ
           "bucket{gateway=\"h:1\",le=\"128\"} 6\n" READ
           "bucket{gateway=\"h:1\",le=\"+Inf\"} 7\n" READ "sum{gateway=\"h:1\"} 607\n" READ
           "count{gateway=\"h:1\"} 7\n";
  static const char writes[] =
#define WRITE "tallorder_gateway_merged_write_rows_"
      WRITE "bucket{gateway=\"h:1\",le=\"1\"} 0\n" WRITE "bucket{gateway=\"h:1\",le=\"2\"} 5\n";
  g_ptr_array_add (servers, &server);
  tall_metrics_write_gateways (servers, text);
  g_test_message ("%s", text->str);
  g_assert_nonnull (strstr (text->str, reads));
  g_assert_nonnull (strstr (text->str, writes));
  g_assert_nonnull (
      strstr (text->str, WRITE "sum{gateway=\"h:1\"} 10\n" WRITE "count{gateway=\"h:1\"} 5\n"));
  g_assert_nonnull (strstr (text->str, "\ntallorder_gateway_retries_total{gateway=\"h:1\"} 9\n"));
  g_assert_nonnull (strstr (text->str, "\ntallorder_gateway_up{gateway=\"h:1\"} 0\n"));
  g_assert_nonnull (strstr (text->str, "\ntallorder_gateway_connections{gateway=\"h:1\"} 3\n"));
}

/* The store is behind gateways: whatever it is asked, they are asked before. */
static TallFailure
ask_gateways (TallFailingTable *table G_GNUC_UNUSED,
              const TallCall *call G_GNUC_UNUSED,
              gpointer data)
{
  const TallHbasePair *pair = data;
  g_autoptr (GError) error = NULL;
  return tall_hbase_fixture_read (pair->table, 1, SOON, &error) ? TALL_FAILURE_NONE
                                                                : TALL_FAILURE_BEFORE;
}

/* From now on they accept connections, and close them; or answer again. */
static void
set_alive (TallHbasePair *pair, gboolean alive)
{
  TallFakeGateway *const gateways[] = { pair->bad, pair->good };
  for (guint i = 0; i < G_N_ELEMENTS (gateways); i++)
    {
      TallFakeAnswer answer = alive ? TALL_FAKE_ANSWER : TALL_FAKE_CLOSE;
      tall_fake_gateway_set_answer (gateways[i], "get", answer, G_MAXUINT);
      tall_fake_gateway_set_answer (gateways[i], "getThriftServerType", answer, G_MAXUINT);
      if (!alive)
        tall_fake_gateway_close_connections (gateways[i]);
    }
}

/* Returns: microseconds until it was so */
static gint64
await_ready (TallReadiness *readiness, gboolean wanted)
{
  gint64 begin = g_get_monotonic_time ();
  g_autofree char *reason = NULL;
  while (tall_readiness_get (readiness, &reason) != wanted)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, begin + 60 * G_USEC_PER_SEC);
      g_clear_pointer (&reason, g_free);
      g_usleep (1000);
    }
  return g_get_monotonic_time () - begin;
}

/* How soon it follows is in the log: on a machine that does nothing else, within two seconds. */
static void
test_readiness (void)
{
  g_auto (TallHbasePair) pair;
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  g_autoptr (TallTable) memory = tall_test_open_table (NULL);
  tall_test_create (memory, "blob", "hashed", 0);
  tall_hbase_pair_init (&pair);
  tall_hbase_pair_open (&pair, options);
  g_autoptr (TallTable) table = tall_failing_table_new (memory);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), ask_gateways, NULL, &pair);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  TallReadiness *readiness = tall_readiness_new (TALL_FRONT (store), NULL);
  tall_readiness_begin (readiness);

  await_ready (readiness, TRUE);
  for (guint i = 0; i < 2; i++)
    {
      set_alive (&pair, FALSE);
      g_test_message ("not ready after %" G_GINT64_FORMAT " us", await_ready (readiness, FALSE));
      set_alive (&pair, TRUE);
      g_test_message ("ready after %" G_GINT64_FORMAT " us", await_ready (readiness, TRUE));
    }
  tall_readiness_stop (readiness);
  tall_readiness_end (readiness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/gateways/numbers", test_numbers);
  g_test_add_func ("/ops/gateways/sizes", test_sizes);
  g_test_add_func ("/ops/gateways/readiness", test_readiness);
  return g_test_run ();
}
