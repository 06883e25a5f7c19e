/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-children.h"

#include "tall-index.h"

/**
 * tall_children_write:
 *
 * Writes all rows of an order but its root row, which nobody sees until @revision is committed, and
 * the hint by which it is listed.
 */
gboolean
tall_children_write (const TallOperation *operation,
                     const TallOrder *order,
                     gint64 revision,
                     GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  operation->context->layout->append_children (&operation->key, order, revision, batch);
  tall_index_add_hint (operation, order->has_sales_date ? order->sales_date : TALL_NO_DATE,
                       revision, batch);
  return tall_operation_apply (operation, batch, error);
}

/* One mutation for each row of the order, other than the root row, that has cells with timestamps
 * from @first to @last. */
static gboolean
append_removals (
    const TallOperation *operation, gint64 first, gint64 last, TallBatch *batch, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  operation->context->layout->plan_children (&operation->key, plan);
  for (guint i = 0; i < plan->reads->len; i++)
    {
      TallRead *read = tall_read_plan_get (plan, i);
      read->min_timestamp = first;
      read->max_timestamp = last + 1;
      read->max_versions = 1;
    }

  g_autoptr (TallReadResult) result =
      tall_table_read (operation->context->table, plan, operation->deadline, error);
  if (result == NULL)
    return FALSE;
  for (guint i = 0; i < result->n_results; i++)
    for (guint j = 0; j < result->results[i].n_rows; j++)
      {
        const char *table = tall_read_plan_get (plan, i)->table;
        TallSlice row = result->results[i].rows[j].key;
        if (tall_operation_is_root (operation, table, row))
          continue;
        TallMutation *mutation = tall_batch_add (batch, table, row);
        if (first == last)
          tall_mutation_delete_at (batch, mutation, last);
        else
          tall_mutation_delete_up_to (batch, mutation, last);
      }
  return TRUE;
}

/**
 * tall_children_remove_at:
 *
 * Removes what somebody whose claim we took over has written at exactly @revision.
 */
gboolean
tall_children_remove_at (const TallOperation *operation, gint64 revision, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  return append_removals (operation, revision, revision, batch, error)
         && tall_operation_apply (operation, batch, error);
}

/**
 * tall_children_clean_up:
 * @replaced: the state that has been replaced or deleted
 * @now: the state in its place
 *
 * Removes rows that no reader can see any more, and the hint that leads nowhere. Best effort: what
 * stays is removed next time.
 */
void
tall_children_clean_up (const TallOperation *operation,
                        const TallState *replaced,
                        const TallState *now)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autoptr (GError) error = NULL;

  if (tall_operation_has_children (operation) && replaced->revision > 0
      && !append_removals (operation, 0, replaced->revision, batch, &error))
    g_debug ("finding rows of revision %" G_GINT64_FORMAT ": %s", replaced->revision,
             error->message);
  g_clear_error (&error);
  tall_index_add_removal (operation, replaced, now, batch);
  if (!tall_operation_apply (operation, batch, &error))
    g_debug ("removing rows of revision %" G_GINT64_FORMAT ": %s", replaced->revision,
             error->message);
}
