/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance.h"
#include "tall-error.h"
#include "table/hbase/table.h"
#include "tall-must.h"

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
  { "TALLORDER_HBASE_COMPACT", "/table/hbase/compact", FALSE, TRUE },
  { "TALLORDER_HBASE_COMPACT_FRAMED", "/table/hbase/compact-framed", TRUE, TRUE },
};

static TallTable *
open_with_timeout (const char *name, const Gateway *gateway, guint call_timeout)
{
  g_auto (GStrv) addresses = g_strsplit (g_getenv (gateway->variable), ",", 0);
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.gateways = (const char *const *)addresses;
  options.name = name;
  options.framed = gateway->framed;
  options.compact = gateway->compact;
  options.call_timeout = call_timeout;

  return must (tall_hbase_table_open (&options, &error));
}

static TallTable *
open_table (const char *name, gpointer data)
{
  return open_with_timeout (name, data, 60000);
}

static gboolean
put_rows (TallTable *table, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  static const char *const rows[] = { "a", "b" };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    tall_mutation_put (batch, tall_batch_add (batch, "orders", tall_slice_str (rows[i])),
                       tall_slice_str ("s"), 10, tall_slice_str ("v"));
  return tall_table_apply (table, (TallMutation *const *)batch->mutations->pdata, 2, TALL_DURABLE,
                           TALL_NO_DEADLINE, error);
}

static gboolean
get_rows (TallTable *table, GError **error)
{
  const TallSlice keys[] = { tall_slice_str ("a"), tall_slice_str ("b") };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_gets (plan, "orders", keys, G_N_ELEMENTS (keys));
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, TALL_NO_DEADLINE, error);
  return result != NULL;
}

/* @deletes: something else, too, which is another call */
static gboolean
put_if (TallTable *table, gboolean deletes, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str ("a"));
  const TallSlice never = tall_slice_str ("never");
  gboolean matched;
  if (deletes)
    tall_mutation_delete_up_to (batch, mutation, 1);
  tall_mutation_put (batch, mutation, tall_slice_str ("s"), 11, tall_slice_str ("w"));
  return tall_table_apply_if (table,
                              &(TallConditionalWrite){ .mutations = &mutation,
                                                       .n = 1,
                                                       .qualifier = tall_slice_str ("s"),
                                                       .expected = &never,
                                                       .durability = TALL_DURABLE,
                                                       .deadline = TALL_NO_DEADLINE },
                              &matched, error);
}

/* Some calls on a table that is disabled hang in a gateway for minutes. They end in time, and say
 * that the table is shut where that is certain. */
static void
test_hanging (gconstpointer data)
{
  g_autofree char *name = g_strdup_printf ("hanging-%08x", g_random_int ());
  g_autoptr (TallTable) table = open_with_timeout (name, data, 2000);
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  g_autoptr (GError) error = NULL;
  gboolean ready = tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error)
                   && put_rows (table, &error) && get_rows (table, &error)
                   && tall_table_set_access (table, "orders", TALL_ACCESS_CLOSED, NULL,
                                             TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_true (ready);

  must_fail (get_rows (table, &error), TALL_ERROR_SHUT);
  must_fail (put_rows (table, &error), TALL_ERROR_SHUT);
  must_fail (put_if (table, FALSE, &error), TALL_ERROR_SHUT);
  must_fail (put_if (table, TRUE, &error), TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_true (tall_table_drop_table (table, "orders", TALL_NO_DEADLINE, NULL));
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
      must_fail (tall_hbase_table_open (&options, &error), TALL_ERROR_UNSUPPORTED, hint);
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
        .no_access = gateways[i].framed,
        .may_hang = TRUE,
      };
      conformance[i] = tall_conformance_add (&backend);
      g_autofree char *path = g_strconcat (gateways[i].prefix, "/wrong-way", NULL);
      g_test_add_data_func (path, &gateways[i], test_wrong_way);
      if (gateways[i].framed)
        continue;
      g_autofree char *hanging = g_strconcat (gateways[i].prefix, "/access/hanging", NULL);
      g_test_add_data_func (hanging, &gateways[i], test_hanging);
    }

  int failed = g_test_run ();
  for (guint i = 0; i < G_N_ELEMENTS (gateways); i++)
    g_clear_pointer (&conformance[i], tall_conformance_free);
  return failed;
}
