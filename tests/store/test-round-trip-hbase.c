/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Random orders and customers come back equal under every layout and key strategy on a real HBase,
 * by the gateways that `tools/hbase/hbase run` names in the environment: TALLORDER_HBASE_BINARY is
 * unframed and binary, TALLORDER_HBASE_COMPACT_FRAMED framed and compact. Fewer of them than on the
 * tables without a server, which have every layout with every strategy: here each gateway has each
 * of them once, in other pairs. Skipped for a gateway that is not named. */
#include "table/hbase/table.h"
#include "tall-test-pairs.h"
#include "tall-test-round-trip.h"
#include "tall-must.h"

#include <unistd.h>

#define N_ORDERS 25

typedef struct
{
  const char *name;
  const char *variable;
  gboolean framed;
  gboolean compact;
} Gateway;

static const Gateway gateways[] = {
  { "binary", "TALLORDER_HBASE_BINARY", FALSE, FALSE },
  { "compact-framed", "TALLORDER_HBASE_COMPACT_FRAMED", TRUE, TRUE },
};

typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  const Gateway *gateway;
} Kind;

static TallTable *
open_table (const Kind *kind)
{
  g_auto (GStrv) addresses = g_strsplit (g_getenv (kind->gateway->variable), ",", 0);
  g_autofree char *name =
      g_strdup_printf ("round-trip-%s-%s-%s-%d", kind->gateway->name, kind->layout->name,
                       kind->key_strategy->name, (int)getpid ());
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.gateways = (const char *const *)addresses;
  options.name = name;
  options.framed = kind->gateway->framed;
  options.compact = kind->gateway->compact;
  options.call_timeout = 60000;

  return must (tall_hbase_table_open (&options, &error));
}

static void
test_round_trip (gconstpointer data)
{
  const Kind *kind = data;
  if (g_getenv (kind->gateway->variable) == NULL)
    {
      g_autofree char *reason =
          g_strdup_printf ("%s is not set: run by tools/hbase/hbase run", kind->gateway->variable);
      g_test_skip (reason);
      return;
    }
  g_autoptr (TallTable) table = open_table (kind);
  tall_test_round_trip (table, kind->layout, kind->key_strategy, N_ORDERS);
}

int
main (int argc, char *argv[])
{
  guint n_layouts, n_strategies;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);
  guint n_kinds = n_layouts * n_strategies * G_N_ELEMENTS (gateways);
  g_autofree Kind *kinds = g_new0 (Kind, n_kinds);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n_kinds; i++)
    {
      guint gateway = i % G_N_ELEMENTS (gateways), kind = i / G_N_ELEMENTS (gateways);
      guint layout = kind / n_strategies, strategy = kind % n_strategies;
      if (!tall_test_is_diagonal (layout, n_layouts, strategy, n_strategies, gateway))
        continue;
      kinds[i] = (Kind){ layouts[layout], strategies[strategy], &gateways[gateway] };
      g_autofree char *path = g_strdup_printf ("/round-trip/%s/%s/hbase-%s", kinds[i].layout->name,
                                               kinds[i].key_strategy->name, kinds[i].gateway->name);
      g_test_add_data_func (path, &kinds[i], test_round_trip);
    }
  return g_test_run ();
}
