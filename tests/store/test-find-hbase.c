/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Finds on a real HBase, by the gateways that `tools/hbase/hbase run` names in the environment:
 * random writes in each layout and with each key strategy; the others in one. */
#include <unistd.h>

#include "table/hbase/table.h"
#include "tall-must.h"
#include "tall-test-finds.h"

/* What each layout has of its own. */
#define EVERYWHERE "random"

/* What the table has to do with. */
static const char *const names[] = { "tidy",    "move",  "tidy-move", "dangling",
                                     "missing", "lines", NULL };

static const struct
{
  const char *name;
  const char *variable;
  gboolean framed;
  gboolean compact;
} gateways[] = {
  { "binary", "TALLORDER_HBASE_BINARY", FALSE, FALSE },
  { "compact-framed", "TALLORDER_HBASE_COMPACT_FRAMED", TRUE, TRUE },
};

/* A migration needs a gateway that is not framed. */
typedef struct
{
  TallStoreKind kind;
  const TallStoreTest *test;
  guint gateway;
} Find;

static TallTable *
open_table (gconstpointer data)
{
  static guint n_opened;
  const Find *find = data;
  g_auto (GStrv) addresses = g_strsplit (g_getenv (gateways[find->gateway].variable), ",", 0);
  g_autofree char *name = g_strdup_printf ("find-%u-%d", n_opened++, (int)getpid ());
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.gateways = (const char *const *)addresses;
  options.name = name;
  options.framed = gateways[find->gateway].framed;
  options.compact = gateways[find->gateway].compact;
  options.call_timeout = 60000;
  return must (tall_hbase_table_open (&options, &error));
}

static void
test_find (gconstpointer data)
{
  const Find *find = data;
  if (g_getenv (gateways[find->gateway].variable) == NULL)
    {
      g_autofree char *reason = g_strdup_printf ("%s is not set: run by tools/hbase/hbase run",
                                                 gateways[find->gateway].variable);
      g_test_skip (reason);
      return;
    }
  TallStoreFixture fixture = { .clock = { .now = TALL_TEST_NOW } };
  find->test->test (&fixture, &find->kind);
  g_object_unref (fixture.store);
  g_object_unref (fixture.table);
}

static void
add (const TallStoreKind *kind, const TallStoreTest *test, guint gateway)
{
  Find *find = g_new0 (Find, 1);
  g_autofree char *path =
      g_strdup_printf ("/find/%s/%s/hbase-%s/%s", kind->layout->name, kind->key_strategy->name,
                       gateways[gateway].name, test->name);
  *find = (Find){ .kind = *kind, .test = test, .gateway = gateway };
  g_test_add_data_func_full (path, find, test_find, g_free);
}

int
main (int argc, char *argv[])
{
  guint n, n_layouts, n_strategies;
  const TallStoreTest *tests = tall_test_finds (&n);
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);
  const TallStoreKind first = { &tall_layout_record_type, &tall_key_hashed, .open = open_table };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n; i++)
    {
      for (guint j = 0; j < n_layouts && g_str_equal (tests[i].name, EVERYWHERE); j++)
        {
          const TallStoreKind kind = { layouts[j], strategies[j % n_strategies],
                                       .open = open_table };
          add (&kind, &tests[i], j % G_N_ELEMENTS (gateways));
        }
      if (g_strv_contains (names, tests[i].name))
        add (&first, &tests[i], 0);
    }
  return g_test_run ();
}
