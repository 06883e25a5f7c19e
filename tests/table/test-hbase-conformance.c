/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance.h"
#include "tall-error.h"
#include "tall-hbase-table.h"

/*
 * The conformance suite on real gateways, as `tools/hbase/hbase run` names them in the
 * environment: TALLORDER_HBASE_BINARY is unframed and binary, TALLORDER_HBASE_COMPACT_FRAMED framed
 * and compact. Skipped for those that are not named.
 */

typedef struct
{
  const char *variable;
  const char *prefix;
  gboolean framed;
  gboolean compact;
} Gateway;

static const Gateway gateways[] = {
  { "TALLORDER_HBASE_BINARY", "/table/hbase/binary", FALSE, FALSE },
  { "TALLORDER_HBASE_COMPACT_FRAMED", "/table/hbase/compact-framed", TRUE, TRUE },
};

static TallTable *
open_table (const char *name, gpointer data)
{
  const Gateway *gateway = data;
  g_auto (GStrv) addresses = g_strsplit (g_getenv (gateway->variable), ",", 0);
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.gateways = (const char *const *)addresses;
  options.name = name;
  options.framed = gateway->framed;
  options.compact = gateway->compact;
  options.call_timeout = 60000;

  g_autoptr (GError) error = NULL;
  TallTable *table = tall_hbase_table_open (&options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (table);
  return table;
}

/* A real gateway, addressed in each of the three wrong ways. */
static void
test_wrong_way (gconstpointer data)
{
  const Gateway *gateway = data;
  g_auto (GStrv) addresses = g_strsplit (g_getenv (gateway->variable), ",", 0);
  g_autofree char *hint = g_strdup_printf ("?framed=%d&protocol=%s", gateway->framed,
                                           gateway->compact ? "compact" : "binary");

  for (gint other = 1; other < 4; other++)
    {
      TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
      options.gateways = (const char *const *)addresses;
      options.framed = gateway->framed != (other & 1);
      options.compact = gateway->compact != (other >> 1);
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) table = tall_hbase_table_open (&options, &error);
      g_assert_null (table);
      g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, hint));
    }
}

static void
test_absent (gconstpointer data)
{
  const Gateway *gateway = data;
  g_autofree char *reason =
      g_strdup_printf ("%s is not set: run by tools/hbase/hbase run", gateway->variable);
  g_test_skip (reason);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  TallConformance *conformance[G_N_ELEMENTS (gateways)] = { NULL };
  for (guint i = 0; i < G_N_ELEMENTS (gateways); i++)
    {
      if (g_getenv (gateways[i].variable) == NULL)
        {
          g_test_add_data_func (gateways[i].prefix, &gateways[i], test_absent);
          continue;
        }
      const TallConformanceBackend backend = {
        .prefix = gateways[i].prefix,
        .open = open_table,
        .data = (gpointer)&gateways[i],
        .n_operations = 2000,
        .no_splits = gateways[i].framed,
        .no_access = TRUE,
      };
      conformance[i] = tall_conformance_add (&backend);
      g_autofree char *path = g_strconcat (gateways[i].prefix, "/wrong-way", NULL);
      g_test_add_data_func (path, &gateways[i], test_wrong_way);
    }

  int failed = g_test_run ();
  for (guint i = 0; i < G_N_ELEMENTS (gateways); i++)
    g_clear_pointer (&conformance[i], tall_conformance_free);
  return failed;
}
