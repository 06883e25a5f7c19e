/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/commit.h"

#include "tall-error.h"

/* A state cell never goes, except with a TTL: then there is none any more. */
static gboolean
is_stale (const TallRoot *now, const TallRoot *known)
{
  return now->exists && tall_root_is_before (now, known);
}

/* A token of the claim's own. Rows without children have the lineage in its place, which a put
 * whose answer was lost reads: there the mark of who made the row stays, and the revision that was
 * replaced becomes none that there can be, which says that nobody knows. */
static void
make_token (const TallOperation *operation, const TallRoot *root, guint8 token[TALL_TOKEN_SIZE])
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  hooks->make_token (token, hooks->data);
  if (tall_operation_has_children (operation))
    return;
  if (root->exists)
    memcpy (token, root->state.pending_token, TALL_ORIGIN_SIZE);
  token[TALL_ORIGIN_SIZE] |= 0x80;
}

/**
 * tall_claim:
 * @root: what the claim is to replace; after %TALL_STEP_DONE the claim
 * @revision: what is going to be written
 * @order: (nullable): whose rows are going to be written for it; NULL: none are
 * @claim: (out): after %TALL_STEP_DONE what gives the claim up; must be without one
 *
 * Writes into the state cell that we are writing @revision, with a token of its own, so that no
 * two claims are ever the same, not even those of one caller's put that was sent to two servers.
 * Nobody sees a claim but writers: to try again is harmless.
 */
TallStep
tall_claim (TallOperation *operation,
            TallRoot *root,
            gint64 revision,
            const TallOrder *order,
            TallClaim *claim,
            GError **error)
{
  TallState state = root->state;
  if (!root->exists)
    state.sales_date = TALL_NO_DATE;
  state.pending = revision;
  make_token (operation, root, state.pending_token);

  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, revision,
                     tall_state_encode (&state, batch->arena));
  g_auto (TallRoot) wanted = { 0 };
  tall_root_set_state (&wanted, &state, revision);

  for (guint attempt = 1;; attempt++)
    {
      g_autoptr (GError) cause = NULL;
      TallAnswer answer = tall_send_if (operation, batch, root, TALL_DURABLE_LATER, &cause);
      g_auto (TallRoot) now = { 0 };
      if (answer == TALL_ANSWER_REFUSED || answer == TALL_ANSWER_SHUT
          || (answer != TALL_ANSWER_YES
              && !tall_root_read (&now, operation, cause ? NULL : &cause)))
        {
          tall_fail_undone (error, g_steal_pointer (&cause));
          return TALL_STEP_FAILED;
        }
      if (answer == TALL_ANSWER_YES || tall_root_is_same (&now, &wanted))
        {
          tall_root_take (root, &wanted);
          *claim = (TallClaim){ operation, state, order };
          return TALL_STEP_DONE;
        }
      if (!tall_root_is_same (&now, root) && !is_stale (&now, root))
        {
          tall_root_take (root, &now);
          return TALL_STEP_AGAIN;
        }
      if (attempt == TALL_MAX_ATTEMPTS)
        {
          if (cause == NULL)
            cause = g_error_new_literal (TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                                         "the table shows what it says is not there; try again");
          tall_fail_undone (error, g_steal_pointer (&cause));
          return TALL_STEP_FAILED;
        }
    }
}
