/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/children.h"

#include "store/read/index.h"
#include "tall-error.h"

/**
 * tall_together_fits:
 * @replaced: what is there
 * @now: what is to be committed in its place
 *
 * Returns: whether one step can do all of it. Then nobody sees a part, so that nothing needs to be
 *   claimed, or to be written before the commit, or to be removed after it
 */
gboolean
tall_together_fits (const TallOperation *operation, const TallRoot *replaced, const TallState *now)
{
  const TallState *old = &replaced->state;
  guint64 n_rows = (guint64)now->n_locations + now->n_lines + old->n_locations + old->n_lines;
  guint64 n_children = tall_operation_has_children (operation) ? n_rows : 0;
  guint n_dated = operation->context->has_dated ? (old->live ? 2 : 1) : 0;
  return tall_operation_has_room (operation, n_children + n_dated);
}

static void
add_children (const TallOperation *operation,
              const TallOrder *order,
              gint64 revision,
              gint64 dead,
              TallBatch *batch)
{
  guint first = batch->mutations->len;
  operation->context->layout->append_children (&operation->key, order, revision, batch);
  for (guint i = first; dead > 0 && i < batch->mutations->len; i++)
    tall_mutation_delete_up_to (batch, g_ptr_array_index (batch->mutations, i), dead);
}

/* The removal of what is replaced; no more than there is room for. */
static void
add_removals (const TallOperation *operation,
              const TallRoot *replaced,
              const TallState *now,
              TallBatch *batch)
{
  g_autoptr (GError) error = NULL;
  gint64 dead = tall_root_find_dead (replaced, now->revision);
  tall_index_add_removals (operation, replaced->state.revision, batch);
  if (tall_operation_has_children (operation) && dead > 0
      && !tall_children_add_removals (operation, 0, dead, batch, &error))
    g_debug ("finding rows older than revision %" G_GINT64_FORMAT ": %s", now->revision,
             error->message);
  if (batch->mutations->len > operation->context->together)
    g_ptr_array_set_size (batch->mutations, (gint)operation->context->together);
}

/**
 * tall_together_append:
 * @root: what is there
 * @wanted: what is to be committed in its place
 *
 * Adds to @batch the other rows that the put comes with: those of the order, and its hints.
 */
void
tall_together_append (const TallOperation *operation,
                      const TallContent *content,
                      const TallRoot *root,
                      const TallState *wanted,
                      TallBatch *batch)
{
  if (tall_operation_has_children (operation))
    add_children (operation, content->record.order, wanted->revision,
                  tall_root_find_dead (root, wanted->revision), batch);
  tall_index_add_hints (operation, wanted->revision, batch);
}

/* Commits, and again with fewer changes as long as one of the rows that go cannot be read.
 * @sizes: what @batch has then */
static TallStep
commit_readable (TallOperation *operation,
                 TallRoot *root,
                 TallClaim *claim,
                 const TallState *wanted,
                 TallBatch *batch,
                 const guint *sizes,
                 guint n_sizes,
                 GError **error)
{
  g_autoptr (GError) cause = NULL;
  TallStep step = tall_commit (operation, root, claim, batch, wanted, &cause);
  for (guint i = 0; i < n_sizes && step == TALL_STEP_FAILED && tall_error_is_unreadable (cause);
       i++)
    if (batch->mutations->len > sizes[i])
      {
        g_debug ("one of the rows that go cannot be read: %s", cause->message);
        g_clear_error (&cause);
        g_ptr_array_set_size (batch->mutations, (gint)sizes[i]);
        step = tall_commit (operation, root, claim, batch, wanted, &cause);
      }
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return step;
}

/**
 * tall_children_commit:
 * @root: what is there
 * @claim: (nullable): as for tall_commit()
 * @wanted: what is to be committed in its place
 * @batch: what is done to the root row, and what comes with it
 *
 * Commits, and in the same step removes the row that lists what is replaced. This row is left only
 * if it cannot be read itself: no listing shows it.
 *
 * Returns: as tall_commit()
 */
TallStep
tall_children_commit (TallOperation *operation,
                      TallRoot *root,
                      TallClaim *claim,
                      const TallState *wanted,
                      TallBatch *batch,
                      GError **error)
{
  const guint n_needed = batch->mutations->len;
  tall_index_add_undated (operation, &root->state, wanted, batch);
  return commit_readable (operation, root, claim, wanted, batch, &n_needed, 1, error);
}

/**
 * tall_together_commit:
 * @content: (nullable): what is put; NULL: it is deleted
 * @root: what is there
 * @wanted: what is to be committed in its place; both fit
 * @batch: what is done to the root row
 *
 * Commits, and in the same step changes all that the commit comes with: the other rows of the
 * order, its hints, and the removal of what it replaces. The removal is best effort, as nobody sees
 * these rows: what cannot be found or read, or has no room because others have left so much, stays
 * until the next time. The row that lists what is replaced goes as by tall_children_commit().
 *
 * Returns: as tall_commit()
 */
TallStep
tall_together_commit (TallOperation *operation,
                      const TallContent *content,
                      TallRoot *root,
                      const TallState *wanted,
                      TallBatch *batch,
                      GError **error)
{
  if (content != NULL)
    tall_together_append (operation, content, root, wanted, batch);
  guint n_needed = batch->mutations->len;
  tall_index_add_undated (operation, &root->state, wanted, batch);
  const guint sizes[] = { batch->mutations->len, n_needed };
  add_removals (operation, root, wanted, batch);
  return commit_readable (operation, root, NULL, wanted, batch, sizes, G_N_ELEMENTS (sizes), error);
}

/**
 * tall_children_write:
 *
 * Writes all rows of an order but its root row, which nobody sees until @revision is committed, and
 * the hints by which it is found.
 */
gboolean
tall_children_write (const TallOperation *operation,
                     const TallOrder *order,
                     gint64 revision,
                     GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  operation->context->layout->append_children (&operation->key, order, revision, batch);
  tall_index_add_hints (operation, revision, batch);
  return tall_operation_apply (operation, batch, error);
}

/**
 * tall_children_take_back:
 *
 * Removes what tall_children_write() has written, or may have written, at a revision that will
 * never be committed. Hints stay: another's may be in their place.
 */
gboolean
tall_children_take_back (const TallOperation *operation,
                         const TallOrder *order,
                         gint64 revision,
                         GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  operation->context->layout->append_children (&operation->key, order, revision, batch);
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      TallMutation *mutation = g_ptr_array_index (batch->mutations, i);
      mutation->n_changes = 0;
      tall_mutation_delete_at (batch, mutation, revision);
    }
  return tall_operation_apply (operation, batch, error);
}

/* Deletes each version of a row's cells by itself: whatever stands below them stays. */
static void
delete_versions (const TallRow *row, TallBatch *batch, TallMutation *mutation)
{
  for (guint i = 0; i < row->n_cells; i++)
    tall_mutation_delete_at (batch, mutation, row->cells[i].timestamp);
}

/* Whether one of the first @n mutations is of this row. Rows and mutations come in about the same
 * order, so the search begins at the one after the last that was found. */
static gboolean
has_row (const TallBatch *batch, guint n, guint *next, const char *table, TallSlice row)
{
  for (guint i = 0; i < n; i++)
    {
      guint place = (*next + i) % n;
      const TallMutation *mutation = g_ptr_array_index (batch->mutations, place);
      if (!tall_slice_equal (mutation->row, row) || !g_str_equal (mutation->table, table))
        continue;
      *next = place + 1;
      return TRUE;
    }
  return FALSE;
}

/**
 * tall_children_add_removals:
 *
 * Adds to @batch one mutation for each row of the order, other than the root row and those that it
 * changes already, that has cells with timestamps from @first to @last: it removes these cells.
 */
gboolean
tall_children_add_removals (
    const TallOperation *operation, gint64 first, gint64 last, TallBatch *batch, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  operation->context->layout->plan_children (&operation->key, plan);
  for (guint i = 0; i < plan->reads->len; i++)
    {
      TallRead *read = tall_read_plan_get (plan, i);
      read->min_timestamp = first;
      read->max_timestamp = last + 1;
      read->max_versions = first == 0 ? 1 : 0;
      read->keys_only = first == 0;
    }

  g_autoptr (TallReadResult) result = tall_operation_read (operation, plan, error);
  if (result == NULL)
    return FALSE;
  guint n = batch->mutations->len;
  guint next = 0;
  for (guint i = 0; i < result->n_results; i++)
    for (guint j = 0; j < result->results[i].n_rows; j++)
      {
        const char *table = tall_read_plan_get (plan, i)->table;
        const TallRow *row = &result->results[i].rows[j];
        if (tall_operation_is_root (operation, table, row->key)
            || has_row (batch, n, &next, table, row->key))
          continue;
        TallMutation *mutation = tall_batch_add (batch, table, row->key);
        if (first == 0)
          tall_mutation_delete_up_to (batch, mutation, last);
        else
          delete_versions (row, batch, mutation);
      }
  return TRUE;
}

/**
 * tall_children_remove_left:
 * @committed: the revision that is committed
 * @revision: the one that we have claimed
 *
 * Removes what others have written in between for claims that we took over, or that were given up.
 * Not all of these need be known: whoever could not remove one has given up, too.
 */
gboolean
tall_children_remove_left (const TallOperation *operation,
                           gint64 committed,
                           gint64 revision,
                           GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  return tall_children_add_removals (operation, committed + 1, revision - 1, batch, error)
         && tall_operation_apply (operation, batch, error);
}

/**
 * tall_children_clean_up:
 * @replaced: the root that has been replaced or deleted, before any claim of ours
 * @now: the state in its place
 *
 * Removes rows that no reader can see any more, and the hints that lead nowhere. Best effort: what
 * stays is removed next time. A new order has nothing but what @now has.
 */
void
tall_children_clean_up (const TallOperation *operation,
                        const TallRoot *replaced,
                        const TallState *now)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autoptr (GError) error = NULL;

  gint64 dead = tall_root_find_dead (replaced, now->revision);
  if (tall_operation_has_children (operation) && dead > 0
      && !tall_children_add_removals (operation, 0, dead, batch, &error))
    g_debug ("finding rows older than revision %" G_GINT64_FORMAT ": %s", now->revision,
             error->message);
  g_clear_error (&error);
  tall_index_add_removals (operation, replaced->state.revision, batch);
  if (!tall_operation_apply (operation, batch, &error))
    g_debug ("removing rows older than revision %" G_GINT64_FORMAT ": %s", now->revision,
             error->message);
}
