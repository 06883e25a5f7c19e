/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/roots.h"

#include "tall-error.h"
#include "store/read/index.h"
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

/* Reads the root rows of what is at @step by one call. @narrow: to the cells that are needed */
static TallMergedPlan *
read_roots (TallBulkBatch *self, TallBulkStep step, void (*narrow) (TallRead *), GError **error)
{
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  gint64 deadline = TALL_NO_DEADLINE;
  for (TallBulkItem *item = tall_bulk_batch_find_next (self, NULL, step); item != NULL;
       item = tall_bulk_batch_find_next (self, item, step))
    {
      deadline = MIN (deadline, item->operation.deadline);
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

/* Whether the row holds a state cell that is older than @revision. */
static gboolean
has_older (const TallRow *row, gint64 revision)
{
  for (guint i = 0; i < row->n_cells; i++)
    if (row->cells[i].timestamp < revision
        && tall_slice_equal (row->cells[i].qualifier, TALL_STATE_QUALIFIER))
      return TRUE;
  return FALSE;
}

/* Whether a read has shown the row before ours was written. */
static gboolean
is_before (const TallRoot *root, gint64 revision)
{
  return root->state.revision != revision && root->timestamp < revision;
}

/* What the state cell says once ours was sent. The revision alone tells whether it is ours. An
 * order that is still fresh afterwards is to be sent again. */
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
  else if (is_before (&root, revision))
    return;
  else if (root.state.revision != revision || has_older (row, revision))
    item->step = TALL_BULK_MET;
  else
    tall_bulk_item_decide (item, TALL_BULK_STORED, revision);
}

/* An order or customer that has the same row. */
typedef struct
{
  const char *name;
  const char *order_number; /* NULL: of a customer */
  gint64 sales_date;
} Other;

/* Finds another order or customer that has written any version of the row. In @arena. */
static gboolean
find_other (const TallBulkItem *item, const TallRow *row, TallArena *arena, Other *other)
{
  for (guint i = 0; i < row->n_cells; i++)
    {
      g_autofree char *stranger = NULL;
      TallOrderSummary summary;
      TallState state;
      const TallCell *cell = &row->cells[i];
      if (!tall_slice_equal (cell->qualifier, TALL_SUMMARY_QUALIFIER)
          || !tall_root_find_stranger (&item->operation, cell->value, arena, &stranger, NULL)
          || stranger == NULL)
        continue;
      *other = (Other){ .name = tall_arena_strdup (arena, stranger), .sales_date = TALL_NO_DATE };
      const TallCell *by = tall_row_find_at (row, TALL_STATE_QUALIFIER, cell->timestamp);
      if (by != NULL && tall_state_decode (by->value, &state, NULL))
        other->sales_date = state.sales_date;
      if (item->operation.order_number != NULL
          && tall_order_summary_parse (cell->value, arena, &summary, NULL))
        other->order_number = summary.order_number;
      return TRUE;
    }
  return FALSE;
}

/* Removes all that was written of an item, and nothing else. A hint of the same date has the
 * other's row, of which one version is kept: it is written as the other's was. */
static gboolean
withdraw (const TallBulkBatch *self, const TallBulkItem *item, const Other *other, GError **error)
{
  const TallOperation *operation = &item->operation;
  gint64 date = item->content.state.sales_date;
  TallOperation theirs = *operation;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  if (tall_operation_has_children (operation))
    self->context->layout->append_children (&operation->key, item->content.order, self->revision,
                                            batch);
  if (date != other->sales_date)
    tall_index_add_hint (operation, date, self->revision, batch);
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      TallMutation *mutation = g_ptr_array_index (batch->mutations, i);
      mutation->n_changes = 0;
      tall_mutation_delete_at (batch, mutation, self->revision);
    }
  theirs.order_number = other->order_number;
  if (date == other->sales_date && theirs.order_number != NULL)
    tall_index_add_hint (&theirs, date, self->revision, batch);
  return tall_operation_apply (operation, batch, error);
}

/* The row is another's as well, who may have the answer that theirs is stored. Ours goes, of which
 * nobody has an answer yet; then it is put as any other, which refuses it if the other is there. So
 * of several that meet at once, one is stored. @covers: ours is in the other's place */
static void
collide (const TallBulkBatch *self, TallBulkItem *item, const Other *other, gboolean covers)
{
  g_autoptr (GError) stays = NULL;
  item->step = TALL_BULK_ORDINARY;
  if (withdraw (self, item, other, &stays) || !covers)
    return;
  tall_bulk_item_refuse (item, g_error_new (TALL_ERROR, TALL_ERROR_KEY_COLLISION,
                                            "it has the row key of %s, and is in its place, as it "
                                            "could not be removed again (%s): delete it, and load "
                                            "the other one again",
                                            other->name, stays->message));
}

/* Whether what ours has hidden has another content. */
static gboolean
has_replaced (const TallBulkItem *item, const TallRow *row, gint64 revision)
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

/* What others have written to the row, above ours or below it. */
static void
settle_met (const TallBulkBatch *self, TallBulkItem *item, const TallRow *row, TallArena *arena)
{
  g_auto (TallRoot) root = { 0 };
  Other other;
  item->step = TALL_BULK_FRESH;
  if (row == NULL)
    return;
  if (!tall_root_parse (&root, &item->operation, row, arena, NULL))
    {
      tall_bulk_item_overtake (item);
      return;
    }
  if (is_before (&root, self->revision))
    return;
  gboolean is_ours = root.state.revision == self->revision;
  if (find_other (item, row, arena, &other))
    collide (self, item, &other, is_ours);
  if (item->step == TALL_BULK_DECIDED || root.stranger != NULL)
    return;
  if (is_ours && item->step == TALL_BULK_FRESH)
    tall_bulk_item_decide (item,
                           has_replaced (item, row, self->revision) ? TALL_BULK_REPLACED
                                                                    : TALL_BULK_STORED,
                           self->revision);
  else if (is_ours || root.state.revision == 0 || (self->assume_new && !root.state.live))
    item->step = TALL_BULK_ORDINARY; /* a claim or a tombstone hides ours for ever */
  else if (tall_bulk_item_is_same (item, &root.state))
    tall_bulk_item_decide (item, TALL_BULK_UNCHANGED, root.state.revision);
  else
    tall_bulk_item_overtake (item);
}

/* Finds out whose it is that was met. */
static gboolean
settle_all_met (TallBulkBatch *self, GError **error)
{
  TallBulkItem *item = tall_bulk_batch_find_next (self, NULL, TALL_BULK_MET);
  if (item == NULL)
    return TRUE;
  g_autoptr (TallMergedPlan) plan = read_roots (self, TALL_BULK_MET, tall_root_narrow, error);
  for (guint i = 0; item != NULL; item = tall_bulk_batch_find_next (self, item, TALL_BULK_MET))
    {
      const TallRows *rows = plan != NULL ? &plan->results[i++] : NULL;
      if (rows == NULL)
        item->step = TALL_BULK_FRESH;
      else
        settle_met (self, item, rows->n_rows > 0 ? &rows->rows[0] : NULL, plan->result->arena);
    }
  return plan != NULL;
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
  g_autoptr (TallMergedPlan) plan = read_roots (self, TALL_BULK_FRESH, tall_root_narrow, &cause);
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
  if (tall_bulk_batch_first_fresh (self) == NULL)
    return TRUE;
  g_autoptr (TallMergedPlan) plan =
      read_roots (self, TALL_BULK_FRESH, tall_root_narrow_to_state, error);
  if (plan == NULL)
    return FALSE;
  guint i = 0;
  for (TallBulkItem *item = tall_bulk_batch_first_fresh (self); item != NULL;
       item = tall_bulk_batch_next_fresh (self, item))
    {
      const TallRows *rows = &plan->results[i++];
      judge (item, rows->n_rows > 0 ? &rows->rows[0] : NULL, self->revision);
    }
  return settle_all_met (self, error);
}
