/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell/cell.h"

static void
test_changes (void)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str ("row"));
  for (gint64 i = 0; i < 100; i++)
    tall_mutation_put (batch, mutation, tall_slice_str ("q"), i + 1, tall_slice_str ("value"));
  tall_mutation_delete_up_to (batch, mutation, 7);
  tall_mutation_delete_at (batch, mutation, 7);
  tall_mutation_delete_at (batch, mutation, 9);
  tall_mutation_delete_at (batch, mutation, 7); /* each once */

  g_assert_cmpuint (batch->mutations->len, ==, 1);
  g_assert_cmpuint (mutation->n_changes, ==, 103);
  g_assert_cmpint (mutation->changes[99].timestamp, ==, 100);
  g_assert_cmpint (mutation->changes[100].kind, ==, TALL_CHANGE_DELETE_UP_TO);
  g_assert_cmpint (mutation->changes[101].kind, ==, TALL_CHANGE_DELETE_AT);
  g_assert_cmpint (mutation->changes[101].timestamp, ==, 7);
  g_assert_cmpint (mutation->changes[102].timestamp, ==, 9);
  g_assert_cmpuint (tall_mutation_get_size (mutation), ==, 3 + 100 * 6 + 103 * 16);
}

static void
test_plan (void)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, "orders", tall_slice_str ("row"));
  tall_read_plan_add_prefix_scan (plan, "orders", tall_slice ("a\xff", 2));
  tall_read_plan_set_timestamp (plan, 7);

  const TallRead *get = tall_read_plan_get (plan, 0);
  const TallRead *scan = tall_read_plan_get (plan, 1);
  g_assert_cmpint (get->kind, ==, TALL_READ_GET);
  g_assert_cmpuint (get->n_keys, ==, 1);
  g_assert_cmpint (scan->kind, ==, TALL_READ_SCAN);
  g_assert_cmpmem (scan->stop.data, scan->stop.len, "b", 1);
  g_assert_cmpint (scan->min_timestamp, ==, 7);
  g_assert_cmpint (scan->max_timestamp, ==, 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cell/mutation/changes", test_changes);
  g_test_add_func ("/cell/read-plan/fields", test_plan);
  return g_test_run ();
}
