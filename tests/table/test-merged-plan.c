/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/memory-table.h"
#include "table/merged-plan.h"
#include "tall-must.h"

/* Many small reads that are sent as few: each gets what it would have got alone. */

static void
put (TallTable *table, const char *name, const char *row)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, name, tall_slice_str (row));
  tall_mutation_put (batch, mutation, tall_slice_str ("s"), 5, tall_slice_str (row));
  tall_mutation_put (batch, mutation, tall_slice_str ("t"), 7, tall_slice_str (name));
  g_assert_true (tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, NULL));
}

static TallTable *
make_table (void)
{
  static const char *const names[] = { "orders", "customers" };
  TallTable *table = tall_memory_table_new ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (TallTableSpec) spec = tall_table_spec_new (names[i]);
      g_assert_true (tall_table_create_table (table, spec, TALL_NO_DEADLINE, NULL));
      put (table, names[i], "a");
      put (table, names[i], "b");
      put (table, names[i], "c");
    }
  return table;
}

static void
add_reads (TallReadPlan *plan)
{
  static const TallSlice qualifier = { (const guint8 *)"t", 1 };
  static const TallSlice keys[] = { { (const guint8 *)"c", 1 }, { (const guint8 *)"a", 1 } };
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("b"));
  tall_read_plan_add_prefix_scan (plan, "orders", tall_slice_str (""))->limit = 2;
  tall_read_plan_add_get (plan, "customers", tall_slice_str ("a"));
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("absent"));
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("b")); /* twice */
  for (guint i = 0; i < 2; i++)
    {
      TallRead *column = tall_read_plan_add_get (plan, "orders", tall_slice_str ("c"));
      column->qualifiers = &qualifier;
      column->n_qualifiers = 1;
    }
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("a"))->max_versions = 1;
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("a"))->max_timestamp = 6;
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("a"))->min_timestamp = 6;
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("a"))->keys_only = TRUE;
  tall_read_plan_add_gets (plan, "customers", keys, 2);
  tall_read_plan_add_get (plan, "customers", tall_slice_str ("c"));
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("a"));
}

static void
assert_same (const TallRows *a, const TallRows *b)
{
  g_assert_cmpuint (a->n_rows, ==, b->n_rows);
  for (guint i = 0; i < a->n_rows; i++)
    {
      const TallRow *x = &a->rows[i], *y = &b->rows[i];
      g_assert_cmpmem (x->key.data, x->key.len, y->key.data, y->key.len);
      g_assert_cmpuint (x->n_cells, ==, y->n_cells);
      for (guint k = 0; k < x->n_cells; k++)
        {
          g_assert_true (tall_slice_equal (x->cells[k].qualifier, y->cells[k].qualifier));
          g_assert_true (tall_slice_equal (x->cells[k].value, y->cells[k].value));
          g_assert_cmpint (x->cells[k].timestamp, ==, y->cells[k].timestamp);
        }
    }
}

/* @joined_bytes: 0: no scans become one; @n_sent: reads that the table is asked for */
static void
check_same (void (*add) (TallReadPlan *), gsize joined_bytes, guint n_sent)
{
  g_autoptr (TallTable) table = make_table ();
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autoptr (TallMergedPlan) merged = tall_merged_plan_new ();
  add (plan);
  add (merged->asked);
  merged->joined_bytes = joined_bytes;
  g_autoptr (TallReadResult) alone = must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  must (tall_merged_plan_read (merged, table, TALL_NO_DEADLINE, &error));
  for (guint i = 0; i < alone->n_results; i++)
    {
      g_test_message ("read %u", i);
      assert_same (&merged->results[i], &alone->results[i]);
    }
  g_assert_cmpuint (merged->sent->reads->len, ==, n_sent);
}

/* Six reads are of a kind of their own; the others become one for each table, and one for those
 * of one column. */
static void
test_same (void)
{
  check_same (add_reads, 0, 6 + 3);
}

static void
add_scan (TallReadPlan *plan, const char *table, const char *start, const char *stop)
{
  tall_read_plan_add_scan (plan, table, tall_slice_str (start), tall_slice_str (stop));
}

static void
add_scans (TallReadPlan *plan)
{
  static const TallSlice qualifier = { (const guint8 *)"t", 1 };
  add_scan (plan, "orders", "a", "b");
  add_scan (plan, "customers", "", "b"); /* of another table, in between */
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("a"));
  add_scan (plan, "orders", "b", "b"); /* an empty one */
  add_scan (plan, "orders", "bb", "c");
  add_scan (plan, "customers", "bb", "d"); /* behind a row that nobody wants */
  add_scan (plan, "orders", "c", "");      /* nothing can follow it */
  add_scan (plan, "orders", "c", "d");
  add_scan (plan, "orders", "bz", "c"); /* begins before the end of the one before */
  add_scan (plan, "orders", "", "z");
  TallRead *column =
      tall_read_plan_add_scan (plan, "orders", tall_slice_str ("x"), tall_slice_str ("y"));
  column->qualifiers = &qualifier;
  column->n_qualifiers = 1;
  tall_read_plan_add_scan (plan, "customers", tall_slice_str ("x"), tall_slice_str (""))->limit = 1;
}

static void
test_scans (void)
{
  check_same (add_scans, 0, 12);
  /* The limited one and that of a column; gets; four and two become one; the last three. */
  check_same (add_scans, 1000, 1 + 1 + 1 + 2 + 3);
}

/* Too many rows fail, where scans become one. A scan that stays by itself has no bound. */
static void
test_too_large (void)
{
  g_autoptr (TallTable) table = make_table ();
  g_autoptr (GError) error = NULL;
  for (guint i = 1; i <= 2; i++)
    {
      g_autoptr (TallMergedPlan) merged = tall_merged_plan_new ();
      merged->joined_bytes = 1;
      for (guint k = 0; k < i; k++)
        add_scan (merged->asked, "orders", k == 0 ? "a" : "b", k == 0 ? "b" : "");
      g_assert_true (tall_merged_plan_read (merged, table, TALL_NO_DEADLINE, &error) == (i == 1));
    }
  g_assert_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE);
}

static void
test_failed (void)
{
  g_autoptr (TallTable) table = make_table ();
  g_autoptr (TallMergedPlan) merged = tall_merged_plan_new ();
  tall_read_plan_add_get (merged->asked, "absent", tall_slice_str ("a"));
  must_fail (tall_merged_plan_read (merged, table, TALL_NO_DEADLINE, &error),
             TALL_ERROR_UNSUPPORTED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/merged-plan/same", test_same);
  g_test_add_func ("/table/merged-plan/scans", test_scans);
  g_test_add_func ("/table/merged-plan/too-large", test_too_large);
  g_test_add_func ("/table/merged-plan/failed", test_failed);
  return g_test_run ();
}
