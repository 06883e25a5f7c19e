/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/roots.h"

#include "tall-error.h"
#include "table/merged-plan.h"

/**
 * tall_bulk_batch_find_next:
 * @item: (nullable): NULL: the first one is meant
 *
 * Returns: (transfer none) (nullable): the next item of a step after @item
 */
TallBulkItem *
tall_bulk_batch_find_next (const TallBulkBatch *self, TallBulkItem *item, TallBulkStep step)
{
  TallBulkItem *end = self->items + self->n_items;
  for (item = item == NULL ? self->items : item + 1; item < end; item++)
    if (item->step == step)
      return item;
  return NULL;
}

/* Reads the root rows of what is fresh by one call. @narrow: to the cells that are needed */
static TallMergedPlan *
read_roots (TallBulkBatch *self, void (*narrow) (TallRead *), gint64 deadline, GError **error)
{
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  for (TallBulkItem *item = tall_bulk_batch_first_fresh (self); item != NULL;
       item = tall_bulk_batch_next_fresh (self, item))
    {
      TallRead *read = tall_read_plan_add_get (plan->asked, item->operation.root_table,
                                               tall_slice_array (item->operation.root_row));
      narrow (read);
      read->uncached = TRUE;
    }
  return tall_merged_plan_read (plan, self->context->table, deadline, error)
             ? g_steal_pointer (&plan)
             : NULL;
}

/* Something is there: mostly the same, where a load goes on. Anything else is put as any other. */
static void
meet (TallBulkItem *item, const TallRow *row, TallArena *arena)
{
  g_auto (TallRoot) root = { 0 };
  item->step = TALL_BULK_ORDINARY;
  if (tall_root_parse (&root, &item->operation, row, arena, NULL)
      && tall_bulk_item_is_stored (item, &root))
    tall_bulk_item_decide (item, TALL_BULK_UNCHANGED, root.state.revision);
}

/* Whether ours has hidden what another load had put, with another content. */
static gboolean
has_hidden (const TallBulkItem *item, const TallRow *row, gint64 revision)
{
  for (guint i = 0; i < row->n_cells; i++)
    {
      const TallCell *cell = &row->cells[i];
      TallState state;
      if (cell->timestamp < revision && tall_slice_equal (cell->qualifier, TALL_STATE_QUALIFIER)
          && tall_state_decode (cell->value, &state, NULL))
        return !tall_bulk_item_is_same (item, &state);
    }
  return FALSE;
}

/* What the root row says once ours was sent. The revision alone tells whose it is. An order that is
 * still fresh afterwards is to be sent again. */
static void
judge (TallBulkItem *item, const TallRow *row, gint64 revision)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallRoot) root = { 0 };
  TallSlice summary;
  if (row == NULL)
    return;
  if (!tall_root_parse_state (&root, row, &summary, &error))
    tall_bulk_item_overtake (item);
  else if (root.state.revision == revision)
    tall_bulk_item_decide (item,
                           has_hidden (item, row, revision) ? TALL_BULK_REPLACED : TALL_BULK_STORED,
                           revision);
  else if (root.timestamp < revision)
    return;
  else if (root.state.revision == 0)
    item->step = TALL_BULK_ORDINARY; /* a claim hides ours for ever */
  else if (tall_bulk_item_is_same (item, &root.state))
    tall_bulk_item_decide (item, TALL_BULK_UNCHANGED, root.state.revision);
  else
    tall_bulk_item_overtake (item);
}

/**
 * tall_bulk_batch_look:
 *
 * Finds out which of those that are fresh exist already. Where something cannot be read, each is
 * read again by itself.
 */
gboolean
tall_bulk_batch_look (TallBulkBatch *self, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallMergedPlan) plan =
      read_roots (self, tall_root_narrow, tall_bulk_batch_first_fresh (self)->operation.deadline,
                  &cause);
  if (plan == NULL && !tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  guint i = 0;
  for (TallBulkItem *item = tall_bulk_batch_first_fresh (self); item != NULL;
       item = tall_bulk_batch_next_fresh (self, item))
    {
      const TallRows *rows = plan != NULL ? &plan->results[i++] : NULL;
      if (rows == NULL)
        item->step = TALL_BULK_ORDINARY;
      else if (rows->n_rows > 0)
        meet (item, &rows->rows[0], plan->result->arena);
    }
  return TRUE;
}

/**
 * tall_bulk_batch_read_back:
 *
 * Finds out what became of root rows that were sent.
 */
gboolean
tall_bulk_batch_read_back (TallBulkBatch *self, GError **error)
{
  const TallBulkItem *first = tall_bulk_batch_first_fresh (self);
  if (first == NULL)
    return TRUE;
  g_autoptr (TallMergedPlan) plan =
      read_roots (self, tall_root_narrow_to_state, first->operation.deadline, error);
  if (plan == NULL)
    return FALSE;
  guint i = 0;
  for (TallBulkItem *item = tall_bulk_batch_first_fresh (self); item != NULL;
       item = tall_bulk_batch_next_fresh (self, item))
    {
      const TallRows *rows = &plan->results[i++];
      judge (item, rows->n_rows > 0 ? &rows->rows[0] : NULL, self->revision);
    }
  return TRUE;
}
