/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-cells.h"

#include "tall-must.h"

void
tall_test_put (TallTable *table, const char *name, TallSlice row, TallCell cell)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, name, row);
  tall_mutation_put (batch, mutation, cell.qualifier, cell.timestamp, cell.value);
  must (tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

TallReadResult *
tall_test_get (TallTable *table, const char *name, TallSlice row)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, name, row);
  return must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
}

/* All rows of the table, in the first result. */
TallReadResult *
tall_test_scan (TallTable *table, const char *name)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (plan, name, (TallSlice)TALL_SLICE_INIT);
  return must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
}
