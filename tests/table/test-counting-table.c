/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-must.h"

static TallTable *
new_table (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  TallTable *table = tall_counting_table_new (memory);
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
  return table;
}

static void
apply (TallTable *table, TallBatch *batch, TallDurability durability)
{
  must (tall_table_apply (table, (TallMutation *const *)batch->mutations->pdata,
                          batch->mutations->len, durability, TALL_NO_DEADLINE, &error));
}

static TallBatch *
two_rows (void)
{
  TallBatch *batch = tall_batch_new ();
  TallMutation *first = tall_batch_add (batch, "orders", tall_slice_str ("row1"));
  tall_mutation_put (batch, first, tall_slice_str ("ab"), 10, tall_slice_str ("123"));
  tall_mutation_put (batch, first, tall_slice_str ("cd"), 10, tall_slice_str ("4567"));
  tall_mutation_delete_up_to (batch, first, 9);
  TallMutation *second = tall_batch_add (batch, "orders", tall_slice_str ("row2"));
  tall_mutation_put (batch, second, tall_slice_str ("ab"), 10, tall_slice_str (""));
  return batch;
}

static void
expect_cost (TallTable *table, TallCost expected)
{
  TallCost cost;
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (table), &cost);
  g_assert_cmpuint (cost.calls, ==, expected.calls);
  g_assert_cmpuint (cost.rows_read, ==, expected.rows_read);
  g_assert_cmpuint (cost.cells_read, ==, expected.cells_read);
  g_assert_cmpuint (cost.bytes_read, ==, expected.bytes_read);
  g_assert_cmpuint (cost.rows_written, ==, expected.rows_written);
  g_assert_cmpuint (cost.cells_written, ==, expected.cells_written);
  g_assert_cmpuint (cost.bytes_written, ==, expected.bytes_written);
  g_assert_cmpuint (cost.deletes, ==, expected.deletes);
  g_assert_cmpuint (cost.durable, ==, expected.durable);
}

static void
test_apply (void)
{
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallBatch) batch = two_rows ();
  TallCost cost = {
    .calls = 1,
    .rows_written = 2,
    .cells_written = 3,
    .bytes_written = 4 + 5 + 6 + 4 + 2,
    .deletes = 1,
  };
  apply (table, batch, TALL_DURABLE_LATER);
  expect_cost (table, cost);

  tall_counting_table_reset (TALL_COUNTING_TABLE (table));
  apply (table, batch, TALL_DURABLE);
  cost.durable = 1;
  expect_cost (table, cost);
}

static void
test_read (void)
{
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallBatch) batch = two_rows ();
  apply (table, batch, TALL_DURABLE);
  tall_counting_table_reset (TALL_COUNTING_TABLE (table));

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("row1"));
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("absent"));
  tall_read_plan_add_prefix_scan (plan, "orders", tall_slice_str ("row"));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  expect_cost (table, (TallCost){
                          .calls = 3,
                          .rows_read = 3,
                          .cells_read = 5,
                          .bytes_read = (4 + 5 + 6) * 2 + 4 + 2,
                      });
}

/* A write that does not happen is a call and nothing more; a failed call is a call as well. */
static void
test_condition (void)
{
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallBatch) batch = two_rows ();
  TallMutation *mutation = g_ptr_array_index (batch->mutations, 1);
  gboolean matched;
  for (guint i = 0; i < 2; i++)
    {
      must (tall_table_apply_if (table,
                                 &(TallConditionalWrite){ .mutations = &mutation,
                                                          .n = 1,
                                                          .qualifier = tall_slice_str ("ab"),
                                                          .durability = TALL_DURABLE,
                                                          .deadline = TALL_NO_DEADLINE },
                                 &matched, &error));
      g_assert_cmpint (matched, ==, i == 0);
    }
  TallCost cost = {
    .calls = 2, .rows_written = 1, .cells_written = 1, .bytes_written = 6, .durable = 1
  };
  expect_cost (table, cost);

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, "nothing", tall_slice_str ("row1"));
  must_fail (tall_table_read (table, plan, TALL_NO_DEADLINE, &error), TALL_ERROR_UNSUPPORTED);
  cost.calls = 3;
  expect_cost (table, cost);
}

static void
test_increment (void)
{
  g_autoptr (TallTable) table = new_table ();
  gint64 value = 0;
  must (tall_table_increment (table, "orders", tall_slice_str ("row"), tall_slice_str ("n"), 2,
                              TALL_NO_DEADLINE, &value, &error));
  g_assert_cmpint (value, ==, 2);
  expect_cost (table, (TallCost){
                          .calls = 1,
                          .rows_written = 1,
                          .cells_written = 1,
                          .bytes_written = 3 + 1 + 8,
                          .durable = 1,
                      });
}

/* A backend without a slot does not come into being. */
static void
test_missing_slot (void)
{
  if (g_test_subprocess ())
    {
      gpointer klass = g_type_class_ref (TALL_TYPE_MEMORY_TABLE);
      TALL_TABLE_CLASS (klass)->increment = NULL;
      tall_memory_table_new ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*TallMemoryTable does not implement every slot*: increment*");
}

/* What no wrapper changes goes through. */
static void
test_access (void)
{
  g_autoptr (TallTable) table = new_table ();
  must (tall_table_set_access (table, "orders", TALL_ACCESS_SEALED, "token", TALL_NO_DEADLINE,
                               &error));
  expect_cost (table, (TallCost){ 0 });
  g_autoptr (TallTableSpec) spec =
      must (tall_table_describe_table (table, "orders", TALL_NO_DEADLINE, &error));
  g_assert_cmpint (spec->access, ==, TALL_ACCESS_SEALED);
  g_assert_cmpstr (spec->seal, ==, "token");
  g_autoptr (TallTableSpec) copy = tall_table_spec_copy (spec);
  g_assert_cmpint (copy->access, ==, TALL_ACCESS_SEALED);
  g_assert_cmpstr (copy->seal, ==, "token");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/counting/apply", test_apply);
  g_test_add_func ("/table/counting/read", test_read);
  g_test_add_func ("/table/counting/condition", test_condition);
  g_test_add_func ("/table/counting/increment", test_increment);
  g_test_add_func ("/table/missing-slot", test_missing_slot);
  g_test_add_func ("/table/counting/access", test_access);
  return g_test_run ();
}
