/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Customers, orders and deployments may be called like anything that an error is about. Whatever
 * they are called, an error has the same code and says the same, and nothing in it shows paths,
 * hosts or what a library said. */

#include "tall-client.h"
#include "tall-error.h"
#include "service/server/log.h"
#include "table/forwarding-table.h"
#include "tall-hbase-fixture.h"
#include "table/memory-table.h"
#include "table/rocksdb/table.h"
#include "service/server/server.h"
#include "tall-test-directory.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* The first is like no other text. */
static const char *const words[] = {
  "ALFKI",
  "gateway-7",
  "the gateway at db8",
  "IO error: No space left on device",
  "/etc/passwd",
  "Corruption: block",
  "IO error: While lock file: /LOCK",
  "Invalid argument: Column family not found",
  "rocksdb",
  "hbase",
  "timeout",
  "TableNotFoundException: t",
  "org.apache.hadoop.hbase.CallQueueTooBigException",
  "t is disabled.",
  "A table of the deployment is missing",
  "%s%n",
};

/* Deployments have other letters. */
static const char *const deployments[] = {
  "plain", "gateway-7", "rocksdb", "hbase", "timeout", "LOCK", "TableNotFoundException",
};

/* What HBase says of a row. */
static const char *const reasons[] = {
  "java.io.IOException: row '%s' on table 'x' at db7.example,16020 is lost",
  "org.apache.hadoop.hbase.RegionTooBusyException: Over limit, row=%s, server=db7.example,16020",
  "org.apache.hadoop.hbase.TableNotFoundException: row '%s' of t at db7.example,16020",
  "Failed 1 action: IOException: 1 time, servers with issues: db7.example,16020 %s",
};

static const char *const hidden[] = {
  "/tmp", "127.0.0.1", "db7.example", "Exception", ".sst", "IO error", "Invalid argument",
};

/* A table that becomes another one: a store opens on tables in memory, then HBase is behind it. */
typedef TallForwardingTable TestSwitch;
typedef TallForwardingTableClass TestSwitchClass;

GType test_switch_get_type (void);
G_DEFINE_TYPE (TestSwitch, test_switch, TALL_TYPE_FORWARDING_TABLE)

static void
test_switch_init (TestSwitch *self G_GNUC_UNUSED)
{
}

static void
test_switch_class_init (TestSwitchClass *klass G_GNUC_UNUSED)
{
}

static GMutex lines_mutex;
static GString *lines; /* what was logged */

static void
keep_line (const char *domain G_GNUC_UNUSED,
           GLogLevelFlags level G_GNUC_UNUSED,
           const char *message,
           gpointer data G_GNUC_UNUSED)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lines_mutex);
  g_string_append_printf (lines, "%s\n", message);
}

/* One deployment behind a service. */
typedef struct
{
  const char *word;
  TallTable *table;
  TallStore *store;
  TallServer *server;
  TallFront *client;
  GString *script; /* what calls ended with */
} World;

static void
world_start (World *self, TallTable *table, const char *word)
{
  *self = (World){ .word = word, .table = table, .script = g_string_new (NULL) };
  tall_test_create (table, "record-type", "raw", 0);
  self->store = must (tall_store_open (table, NULL, NULL, NULL, &error));
  self->server = must (tall_server_new (TALL_FRONT (self->store), "127.0.0.1:0", NULL, &error));
  self->client = must (tall_client_new (tall_server_get_address (self->server), &error));
}

static char *
world_stop (World *self)
{
  g_object_unref (self->client);
  g_assert_true (tall_server_stop (self->server));
  g_object_unref (self->server);
  g_object_unref (self->store);
  g_object_unref (self->table);
  return g_string_free (self->script, FALSE);
}

/* Takes over @error. */
static void
note (World *self, const char *call, GError *error)
{
  g_autoptr (GError) owned = error;
  g_assert_nonnull (owned);
  g_assert_null (tall_error_get_detail (owned));
  g_string_append_printf (self->script, "%s: %s: %s\n", call,
                          tall_error_code_name ((TallError)owned->code), owned->message);
}

/* Calls that fail for what is wrong with the call, or with the store. */
static void
fail_calls (World *self, gboolean is_broken)
{
  const char *word = self->word;
  g_autoptr (TallOrder) order = tall_test_order_with_lines (word, word, 2);
  g_autoptr (TallCustomer) customer = tall_test_plain_customer (word);
  TallWriteOptions options = { .condition = TALL_IF_REVISION, .revision = 2 };
  GError *error = NULL;

  g_assert_null (tall_front_get_order (self->client, word, word, NULL, &error));
  note (self, "get", g_steal_pointer (&error));
  g_assert_false (tall_front_put_order (self->client, order, &options, NULL, &error));
  note (self, "put if", g_steal_pointer (&error));
  g_assert_false (tall_front_delete_order (self->client, word, word, &options, &error));
  note (self, "delete if", g_steal_pointer (&error));
  g_assert_false (tall_front_put_customer (self->client, customer, &options, NULL, &error));
  note (self, "put customer if", g_steal_pointer (&error));
  g_assert_null (tall_front_get_customer (self->client, word, NULL, &error));
  note (self, "get customer", g_steal_pointer (&error));
  if (!is_broken)
    return;
  g_assert_false (tall_front_put_order (self->client, order, NULL, NULL, &error));
  note (self, "put", g_steal_pointer (&error));
  g_assert_null (tall_front_get_customer_orders (self->client, word, NULL, &error));
  note (self, "customer's orders", g_steal_pointer (&error));
}

static void
drop_tables (TallTable *table)
{
  g_auto (GStrv) tables = must (tall_table_list_tables (table, TALL_NO_DEADLINE, &error));
  for (guint i = 0; tables[i] != NULL; i++)
    must (tall_table_drop_table (table, tables[i], TALL_NO_DEADLINE, &error));
}

/* Returns: what calls ended with, on a store that is well, and on one that has lost its tables. */
static char *
run_local (TallTable *table, const char *word)
{
  World world;

  world_start (&world, table, word);
  fail_calls (&world, FALSE);
  drop_tables (table);
  fail_calls (&world, TRUE);
  return world_stop (&world);
}

static char *
run_memory (const char *word, const char *deployment G_GNUC_UNUSED)
{
  return run_local (tall_memory_table_new (), word);
}

static char *
run_rocksdb (const char *word, const char *deployment)
{
  g_autofree char *directory = tall_test_directory_new ();
  TallRocksdbOptions options = { .directory = directory, .name = deployment };
  TallTable *table = must (tall_rocksdb_table_open (&options, &error));
  char *script = run_local (table, word);
  tall_test_directory_remove (directory);
  return script;
}

static TallTable *
open_gateway (TallFakeGateway *gateway, const char *deployment)
{
  const char *gateways[] = { tall_fake_gateway_get_address (gateway), NULL };
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;

  options.gateways = gateways;
  options.name = deployment;
  return must (tall_hbase_table_open (&options, &error));
}

static char *
run_hbase (const char *word, const char *deployment)
{
  static const char *const methods[] = {
    "get",         "getMultiple", "getScannerResults", "checkAndMutate",
    "checkAndPut", "mutateRow",   "putMultiple"
  };
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) hbase = open_gateway (gateway, deployment);
  TallForwardingTable *table = g_object_new (test_switch_get_type (), NULL);
  World world;

  tall_forwarding_table_wrap (table, memory);
  world_start (&world, TALL_TABLE (table), word);
  tall_forwarding_table_wrap (table, hbase);
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    tall_fake_gateway_set_answer (gateway, methods[i], TALL_FAKE_ERROR, 10000);
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    {
      g_auto (GStrv) parts = g_strsplit (reasons[i], "%s", 2);
      g_autofree char *reason = g_strjoinv (word, parts);
      tall_fake_gateway_set_reason (gateway, reason);
      fail_calls (&world, TRUE);
    }
  return world_stop (&world);
}

typedef char *(*Run) (const char *word, const char *deployment);

/* What a script is with another word in it. */
static char *
reword (const char *script, const char *from, const char *to)
{
  g_autoptr (GString) text = g_string_new (script);
  g_string_replace (text, from, to, 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Each request has an id of its own. */
static char *
run_without_ids (Run run, const char *word, const char *deployment)
{
  g_autoptr (GRegex) id = g_regex_new (" \\(request [0-9a-f]{8}-[0-9]+\\)", 0, 0, NULL);
  g_autofree char *script = run (word, deployment);
  return g_regex_replace_literal (id, script, -1, 0, "", 0, NULL);
}

static char *
run_first (Run run)
{
  char *script = run_without_ids (run, words[0], deployments[0]);

  g_test_message ("%s", script);
  for (guint i = 0; i < G_N_ELEMENTS (hidden); i++)
    g_assert_null (strstr (script, hidden[i]));
  g_assert_null (strstr (script, "(null)"));
  return script;
}

static void
run_words (Run run, const char *logged)
{
  lines = g_string_new (NULL);
  tall_failure_log_forget ();
  g_log_set_default_handler (keep_line, NULL);
  g_autofree char *first = run_first (run);
  for (guint i = 1; i < G_N_ELEMENTS (words); i++)
    {
      g_autofree char *due = reword (first, words[0], words[i]);
      g_autofree char *script = run_without_ids (run, words[i], deployments[0]);
      g_assert_cmpstr (script, ==, due);
    }
  g_log_set_default_handler (g_log_default_handler, NULL);
  /* The log has what the public has not. */
  g_assert_nonnull (strstr (lines->str, logged));
  g_string_free (g_steal_pointer (&lines), TRUE);
}

static void
test_memory (void)
{
  run_words (run_memory, "in memory");
}

static void
test_rocksdb (void)
{
  run_words (run_rocksdb, g_get_tmp_dir ());
}

static void
test_hbase (void)
{
  run_words (run_hbase, "db7.example");
}

static void
test_deployments (void)
{
  static const Run runs[] = { run_rocksdb, run_hbase };

  lines = g_string_new (NULL);
  g_log_set_default_handler (keep_line, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autofree char *first = run_first (runs[i]);
      for (guint j = 1; j < G_N_ELEMENTS (deployments); j++)
        {
          g_autofree char *due = reword (first, deployments[0], deployments[j]);
          g_autofree char *script = run_without_ids (runs[i], words[0], deployments[j]);
          g_assert_cmpstr (script, ==, due);
        }
    }
  g_log_set_default_handler (g_log_default_handler, NULL);
  g_string_free (g_steal_pointer (&lines), TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL);
  g_test_add_func ("/service/words/memory", test_memory);
  g_test_add_func ("/service/words/rocksdb", test_rocksdb);
  g_test_add_func ("/service/words/hbase", test_hbase);
  g_test_add_func ("/service/words/deployments", test_deployments);
  return g_test_run ();
}
