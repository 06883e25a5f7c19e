/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-commit.h"

#include "tall-children.h"

#define FIRST_WAIT 100                    /* microseconds */
#define LONGEST_WAIT 50000                /* microseconds */
#define RELEASE_TIME (G_USEC_PER_SEC / 2) /* to give up a claim after the deadline */

/**
 * tall_release:
 * @claim: a claim of ours, on which we have written children but never tried a commit, or one
 *   that is certainly not done
 * @order: what we have written, or begun to write, for it
 *
 * Gives up a claim, so that others need not wait for it, and removes what was written for it. Its
 * token stays: bytes that returned to an earlier state would let a late call of somebody else
 * succeed. Best effort; a claim that stays costs others the patience, and rows that stay are
 * removed by the next writer, whom the timestamp of the state cell tells about them.
 */
void
tall_release (TallOperation *operation, const TallRoot *claim, const TallOrder *order)
{
  TallState state = claim->state;
  TallSlice expected = tall_slice (claim->bytes, TALL_STATE_SIZE);
  gint64 revision = state.pending;
  state.pending = 0;

  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, revision,
                     tall_state_encode (&state, batch->arena));

  g_autoptr (GError) error = NULL;
  gboolean matched = FALSE;
  operation->deadline = MAX (operation->deadline, g_get_monotonic_time () + RELEASE_TIME);
  if (!tall_table_apply_if (operation->context->table, mutation, TALL_STATE_QUALIFIER, &expected,
                            TALL_DURABLE_LATER, operation->deadline, &matched, &error)
      || !tall_children_take_back (operation, order, revision, &error))
    g_debug ("giving up a claim: %s", error->message);
}

/**
 * tall_wait_for_claim:
 * @root: a root with somebody's claim; replaced if it changes
 * @stale: (out): whether the claim has stayed unchanged for so long that it may be claimed over;
 *   FALSE: the root has changed, or the operation is over
 *
 * Waits for another writer to finish. The age of a claim is measured by our own monotonic clock: no
 * clocks of two machines are compared.
 */
gboolean
tall_wait_for_claim (const TallOperation *operation,
                     TallRoot *root,
                     gboolean *stale,
                     GError **error)
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  gint64 seen = hooks->monotonic (hooks->data);
  gint64 longest = FIRST_WAIT;

  *stale = FALSE;
  while (!*stale && !tall_operation_is_over (operation))
    {
      hooks->sleep (g_random_int_range ((gint32)(longest / 2), (gint32)longest + 1), hooks->data);
      longest = MIN (longest * 2, LONGEST_WAIT);

      g_auto (TallRoot) now = { 0 };
      gint64 before = hooks->monotonic (hooks->data);
      if (!tall_root_read (&now, operation, error))
        return FALSE;
      if (!tall_root_is_same (&now, root))
        {
          tall_root_take (root, &now);
          return TRUE;
        }
      *stale = before - seen >= tall_operation_patience (operation);
    }
  return TRUE;
}
