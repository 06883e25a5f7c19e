/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/commit.h"

#include "store/commit/children.h"

#define MORE_TIME (G_USEC_PER_SEC / 2) /* to give up a claim after the deadline */

/**
 * tall_claim_give_up:
 * @self: a claim of ours, of which no commit was sent that may be done; or none
 *
 * Gives up a claim, so that others need not wait for it, and removes what was written for it, or
 * was begun to be. Its token stays: bytes that returned to an earlier state would let a late call
 * of somebody else succeed. Best effort; a claim that stays costs others the patience, and rows
 * that stay are removed by the next writer, which finds them by the timestamp of the state cell.
 */
void
tall_claim_give_up (TallClaim *self)
{
  TallOperation *operation = self->operation;
  if (operation == NULL)
    return;

  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallSlice expected = tall_state_encode (&self->state, batch->arena);
  TallState state = self->state;
  gint64 revision = state.pending;
  state.pending = 0;
  TallMutation *mutation =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, revision,
                     tall_state_encode (&state, batch->arena));

  g_autoptr (GError) error = NULL;
  gboolean matched = FALSE;
  operation->deadline = MAX (operation->deadline, g_get_monotonic_time () + MORE_TIME);
  if (!tall_table_apply_if (operation->context->table, mutation, TALL_STATE_QUALIFIER, &expected,
                            TALL_DURABLE_LATER, operation->deadline, &matched, &error)
      || (self->order != NULL
          && !tall_children_take_back (operation, self->order, revision, &error)))
    g_debug ("giving up a claim: %s", error->message);
  self->operation = NULL;
}
