/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/together.h"

#include "store/commit/children.h"
#include "tall-error.h"
#include "store/read/index.h"

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
  return tall_operation_has_room (operation, tall_operation_has_children (operation) ? n_rows : 0);
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
  tall_index_add_removal (operation, &replaced->state, now, batch);
  if (tall_operation_has_children (operation) && dead > 0
      && !tall_children_add_removals (operation, 0, dead, batch, &error))
    g_debug ("finding rows older than revision %" G_GINT64_FORMAT ": %s", now->revision,
             error->message);
  if (batch->mutations->len > operation->context->together)
    g_ptr_array_set_size (batch->mutations, (gint)operation->context->together);
}

static gboolean
is_unreadable (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_DAMAGED)
         || g_error_matches (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION);
}

/**
 * tall_together_commit:
 * @order: (nullable): what is put; NULL: an order is deleted, or it is about a customer
 * @root: what is there
 * @wanted: what is to be committed in its place; both fit
 * @batch: what is done to the root row
 *
 * Commits, and in the same step changes all that the commit comes with: the other rows of the
 * order, its hint, and the removal of what it replaces. The removal is best effort, as nobody sees
 * these rows: what cannot be found or read, or has no room because others have left so much, stays
 * until the next time.
 *
 * Returns: as tall_commit()
 */
TallStep
tall_together_commit (TallOperation *operation,
                      const TallOrder *order,
                      TallRoot *root,
                      const TallState *wanted,
                      TallBatch *batch,
                      GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (order != NULL && tall_operation_has_children (operation))
    add_children (operation, order, wanted->revision, tall_root_find_dead (root, wanted->revision),
                  batch);
  if (order != NULL)
    tall_index_add_hint (operation, wanted->sales_date, wanted->revision, batch);
  guint n_needed = batch->mutations->len;
  add_removals (operation, root, wanted, batch);

  TallStep step = tall_commit (operation, root, NULL, batch, wanted, &cause);
  if (step == TALL_STEP_FAILED && is_unreadable (cause) && batch->mutations->len > n_needed)
    {
      g_debug ("one of the rows that go cannot be read: %s", cause->message);
      g_clear_error (&cause);
      g_ptr_array_set_size (batch->mutations, (gint)n_needed);
      step = tall_commit (operation, root, NULL, batch, wanted, &cause);
    }
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return step;
}
