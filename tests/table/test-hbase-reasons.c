/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-hbase-fixture.h"
#include "tall-must.h"

/* HBase puts row keys into its messages, whatever bytes they have. Such an error is one like any
 * other, whatever the call, and its reason can be read. */

typedef gboolean (*Operation) (TallTable *table, GError **error);

static gboolean
read_row (TallTable *table, GError **error)
{
  return tall_hbase_fixture_read (table, 1, SOON, error);
}

static gboolean
scan_rows (TallTable *table, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, "orders", tall_slice_str ("a"), tall_slice_str ("b"));
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, SOON, error);
  return result != NULL;
}

/* @put, @delete: what to do with the row. */
static gboolean
apply (TallTable *table, gboolean put, gboolean delete, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str ("row"));
  if (put)
    tall_mutation_put (batch, mutation, tall_slice_str ("q"), 3, tall_slice_str ("value"));
  if (delete)
    tall_mutation_delete_at (batch, mutation, 2);
  return tall_table_apply (table, &mutation, 1, TALL_DURABLE, SOON, error);
}

static gboolean
put_row (TallTable *table, GError **error)
{
  return apply (table, TRUE, FALSE, error);
}

static gboolean
delete_row (TallTable *table, GError **error)
{
  return apply (table, FALSE, TRUE, error);
}

static gboolean
change_row (TallTable *table, GError **error)
{
  return apply (table, TRUE, TRUE, error);
}

static gboolean
change_row_if (TallTable *table, GError **error)
{
  return tall_hbase_fixture_write_if (table, SOON, error);
}

static gboolean
replace_row_if (TallTable *table, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str ("row"));
  tall_mutation_delete_up_to (batch, mutation, 1);
  tall_mutation_put (batch, mutation, tall_slice_str ("s"), 2, tall_slice_str ("value"));
  gboolean matched;
  return tall_table_apply_if (table,
                              &(TallConditionalWrite){ .mutations = &mutation,
                                                       .n = 1,
                                                       .qualifier = tall_slice_str ("s"),
                                                       .durability = TALL_DURABLE,
                                                       .deadline = SOON },
                              &matched, error);
}

static gboolean
count (TallTable *table, GError **error)
{
  return tall_hbase_fixture_count (table, SOON, error);
}

static gboolean
create (TallTable *table, GError **error)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  return tall_table_create_table (table, spec, SOON, error);
}

static gboolean
create_split (TallTable *table, GError **error)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (spec->splits, g_bytes_new_static ("B", 1));
  return tall_table_create_table (table, spec, SOON, error);
}

static gboolean
drop (TallTable *table, GError **error)
{
  return tall_table_drop_table (table, "orders", SOON, error);
}

static gboolean
describe (TallTable *table, GError **error)
{
  g_autoptr (TallTableSpec) spec = tall_table_describe_table (table, "orders", SOON, error);
  return spec != NULL;
}

static gboolean
list (TallTable *table, GError **error)
{
  g_auto (GStrv) tables = tall_table_list_tables (table, SOON, error);
  return tables != NULL;
}

static const struct
{
  const char *method; /* the call that fails */
  Operation run;
  TallError code;
} cases[] = {
  { "get", read_row, TALL_ERROR_UNAVAILABLE },
  { "getScannerResults", scan_rows, TALL_ERROR_UNAVAILABLE },
  { "putMultiple", put_row, TALL_ERROR_UNAVAILABLE },
  { "deleteMultiple", delete_row, TALL_ERROR_UNAVAILABLE },
  { "mutateRow", change_row, TALL_ERROR_UNAVAILABLE },
  { "checkAndPut", change_row_if, TALL_ERROR_OUTCOME_UNKNOWN },
  { "checkAndMutate", replace_row_if, TALL_ERROR_OUTCOME_UNKNOWN },
  { "increment", count, TALL_ERROR_OUTCOME_UNKNOWN },
  { "createTable", create, TALL_ERROR_OUTCOME_UNKNOWN },
  { "getAllRegionLocations", create_split, TALL_ERROR_UNAVAILABLE },
  { "tableExists", drop, TALL_ERROR_UNAVAILABLE },
  { "isTableEnabled", drop, TALL_ERROR_UNAVAILABLE },
  { "disableTable", drop, TALL_ERROR_OUTCOME_UNKNOWN },
  { "deleteTable", drop, TALL_ERROR_OUTCOME_UNKNOWN },
  { "getTableDescriptor", describe, TALL_ERROR_UNAVAILABLE },
  { "getTableNamesByPattern", list, TALL_ERROR_UNAVAILABLE },
};

/* The reason is whole, the call was not made again, and the connection is the same as before. */
static void
expect_reason (guint i, gboolean compact)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, compact);
  const char *gateways[] = { tall_fake_gateway_get_address (gateway), NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table =
      must (tall_hbase_fixture_open_at (gateways, FALSE, compact, &error));
  if (cases[i].run == create || cases[i].run == create_split)
    tall_fake_gateway_set_answer (gateway, "tableExists", TALL_FAKE_NO, 1);
  tall_fake_gateway_set_answer (gateway, cases[i].method, TALL_FAKE_ERROR_BYTES, 1);

  g_assert_false (cases[i].run (table, &error));
  g_test_message ("%s: %s", cases[i].method, error->message);
  g_assert_error (error, TALL_ERROR, (int)cases[i].code);
  g_assert_true (tall_hbase_fixture_tells (error, "IOException: " TALL_FAKE_REASON_SHOWN ")"));
  g_assert_null (strstr (error->message, "IOException"));
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, cases[i].method), ==, 1);
  g_assert_cmpuint (tall_fake_gateway_get_connections (gateway), ==, 1);
}

static void
test_declared (gconstpointer compact)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_reason (i, GPOINTER_TO_INT (compact));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/table/hbase/reasons/binary", GINT_TO_POINTER (FALSE), test_declared);
  g_test_add_data_func ("/table/hbase/reasons/compact", GINT_TO_POINTER (TRUE), test_declared);
  return g_test_run ();
}
