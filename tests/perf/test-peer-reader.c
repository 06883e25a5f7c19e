/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "peer-reader.h"

#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-must.h"

#include <signal.h>
#include <string.h>

/* MD5 of the cell that make_table() stores, found by a get and once more by a scan. */
#define DIGEST "132475a5612b558592ef634071d7ca66"

static TallTable *
make_table (void)
{
  TallTable *table = tall_memory_table_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *row = tall_batch_add (batch, "orders", tall_slice_str ("r"));
  tall_mutation_put (batch, row, tall_slice_str ("q"), 7, tall_slice_str ("v"));
  gboolean ok = tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error)
                && tall_table_apply (table, (TallMutation *const *)batch->mutations->pdata, 1,
                                     TALL_DURABLE, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  return table;
}

static gboolean
plan (TallPeerReader *peer, GError **error)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.name = "shop";
  g_autoptr (TallTable) table = make_table ();
  g_autoptr (TallReadPlan) reads = tall_read_plan_new ();
  tall_read_plan_add_get (reads, "orders", tall_slice_str ("r"));
  tall_read_plan_add_scan (reads, "orders", tall_slice_str ("q"), tall_slice_str ("s"));
  return tall_peer_reader_plan (peer, &options, table, reads, error);
}

/* A peer, as a shell's script. */
static gboolean
run_peer (const char *script, GError **error)
{
  g_auto (TallPeerReader) peer = { 0 };
  g_autofree char *quoted = g_shell_quote (script);
  g_autofree char *program = g_strconcat ("sh -c ", quoted, NULL);
  return tall_peer_reader_open (&peer, program, error) && plan (&peer, error)
         && tall_peer_reader_run (&peer, 3, error) && tall_peer_reader_check (&peer, error);
}

/* The commands that it gets, and that its digest counts. */
static void
test_commands (void)
{
  must (
      run_peer ("read a; read b; read c; test \"$a\" = 'plan 2' || exit;"
                "test \"$b\" = 'get shop.orders 72' || test \"$b\" = 'get shop_orders 72' || exit;"
                "case \"$c\" in 'scan shop'*'orders 71 73') echo ready ;; *) exit ;; esac;"
                "read d; test \"$d\" = 'run 3' && echo done;"
                "read e; test \"$e\" = check && echo " DIGEST,
                &error));
}

static void
test_wrong (void)
{
  static const struct
  {
    const char *script;
    int code;
    const char *text;
  } cases[] = {
    { "exit 0", TALL_ERROR_UNAVAILABLE, "ended, and has not answered" },
    { "read a; echo what", TALL_ERROR_DAMAGED, "“what” where it was to be “ready”" },
    { "read a; read b; read c; echo ready; read d; echo done; read e; echo different",
      TALL_ERROR_DAMAGED, "“different” where it was to be “" DIGEST "”" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      must_fail (run_peer (cases[i].script, &error), cases[i].code, cases[i].text);
    }
  g_auto (TallPeerReader) none = { 0 };
  g_autoptr (GError) error = NULL;
  g_assert_false (tall_peer_reader_open (&none, "/nothing/there", &error));
  g_assert_nonnull (strstr (error->message, "/nothing/there"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGPIPE, SIG_IGN); /* as the program does */
  g_test_add_func ("/perf/peer-reader/commands", test_commands);
  g_test_add_func ("/perf/peer-reader/wrong", test_wrong);
  return g_test_run ();
}
