/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/commit.h"

#include "store/commit/children.h"
#include "store/context.h"
#include "tall-error.h"

/**
 * tall_state_get_replaced:
 *
 * Returns: the revision that the commit of this state has replaced; -1: it does not say that, as
 *   somebody has claimed or mended it since
 */
gint64
tall_state_get_replaced (const TallState *self, const TallOperation *operation)
{
  TallReader reader = tall_reader (tall_slice (self->pending_token, TALL_TOKEN_SIZE));
  guint64 origin = tall_reader_u64 (&reader);
  guint64 revision = tall_reader_u64 (&reader);
  gboolean claimed = self->pending != 0 || (tall_operation_has_children (operation) && origin != 0);
  return claimed ? -1 : (gint64)revision;
}

/**
 * tall_sent_was_before:
 * @state: what is there now, which is not what was sent
 * @revision: of a commit that was sent
 *
 * Had the commit been done, it would have been replaced by @state, or by one before @state.
 *
 * Returns: whether it certainly was not: what is there is older, or has replaced something older
 */
static gboolean
tall_sent_was_before (const TallOperation *operation, const TallState *state, gint64 revision)
{
  gint64 replaced = tall_state_get_replaced (state, operation);
  return state->revision < revision || (replaced >= 0 && replaced < revision);
}

/**
 * tall_sent_fail_unknown:
 * @reason: why nobody knows, if there is no @cause
 * @cause: (nullable): a further error, whose detail is kept
 */
void
tall_sent_fail_unknown (GError **error, const char *reason, const GError *cause)
{
  tall_error_set_detailed (error, TALL_ERROR_OUTCOME_UNKNOWN,
                           cause != NULL ? tall_error_get_detail (cause) : NULL,
                           "it may or may not have happened; read to find out (%s)",
                           cause != NULL ? cause->message : reason);
}

/**
 * tall_sent_note:
 * @expected: what the commit was to replace
 * @lost: whether an answer of it was lost; FALSE: it was refused, or said "did not match"
 *
 * Remembers a commit that was sent, unless it is certain that it was not done and never will be.
 */
void
tall_sent_note (TallOperation *operation,
                const TallRoot *expected,
                const TallState *committed,
                gboolean lost)
{
  if (!lost && operation->context->false_is_final)
    return;
  gint64 least = operation->sent != NULL ? operation->sent->revision : G_MAXINT64;
  if (operation->sent == NULL)
    operation->sent = g_new0 (TallSent, 1);
  operation->sent->revision = MIN (least, committed->revision);
  operation->sent->generation = operation->context->generation;
  operation->sent->expected = *expected; /* no stranger's, so that it owns nothing */
}

/**
 * tall_sent_settle:
 * @root: what is there, in the tables that count now
 * @wanted: the state that the operation commits, with its token
 *
 * Before an operation begins again it has to know what has become of the commits that it has sent:
 * one that was done, read and replaced would come back. What is certain is forgotten.
 *
 * Returns: %TALL_STEP_DONE: one of them was done; %TALL_STEP_AGAIN: none so far; %TALL_STEP_FAILED
 *   with %TALL_ERROR_OUTCOME_UNKNOWN, or %TALL_ERROR_INVALID like tall_commit_token_check()
 */
TallStep
tall_sent_settle (TallOperation *operation,
                  const TallRoot *root,
                  const TallState *wanted,
                  GError **error)
{
  const TallSent *sent = operation->sent;
  if (sent == NULL)
    return TALL_STEP_AGAIN;
  gboolean is_moved = sent->generation != operation->context->generation;
  if (root->state.revision > 0 && tall_commit_token_matches (&root->state, wanted))
    {
      g_clear_pointer (&operation->sent, g_free);
      return tall_commit_token_check (&root->state, wanted, error) ? TALL_STEP_DONE
                                                                   : TALL_STEP_FAILED;
    }
  /* An older read proves nothing. What was expected may still be replaced by a late call. */
  if (!is_moved
      && (tall_root_is_before (root, &sent->expected) || tall_root_is_same (root, &sent->expected)))
    return TALL_STEP_AGAIN;
  if (!tall_sent_was_before (operation, &root->state, sent->revision))
    {
      tall_sent_fail_unknown (error, "somebody else has written since", NULL);
      return TALL_STEP_FAILED;
    }
  g_clear_pointer (&operation->sent, g_free);
  return TALL_STEP_AGAIN;
}

#define MORE_TIME (G_USEC_PER_SEC / 2) /* to give up a claim after the deadline */

static gboolean
is_shut (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_SHUT);
}

/**
 * tall_send_if:
 * @batch: what is done to the root row, first, and to others in the same step
 * @expected: the state that must be there
 *
 * Sends a conditional write of a root row.
 */
TallAnswer
tall_send_if (const TallOperation *operation,
              const TallBatch *batch,
              const TallRoot *expected,
              TallDurability durability,
              GError **error)
{
  TallSlice bytes = tall_slice (expected->bytes, TALL_STATE_SIZE);
  const TallConditionalWrite write = {
    .mutations = (TallMutation *const *)batch->mutations->pdata,
    .n = batch->mutations->len,
    .qualifier = TALL_STATE_QUALIFIER,
    .expected = expected->exists ? &bytes : NULL,
    .durability = durability,
    .deadline = operation->deadline,
  };
  gboolean matched = FALSE;

  if (tall_table_apply_if (operation->context->table, &write, &matched, error))
    return matched ? TALL_ANSWER_YES : TALL_ANSWER_NO;
  if (is_shut (*error))
    return TALL_ANSWER_SHUT;
  return tall_error_is_not_done (*error) ? TALL_ANSWER_REFUSED : TALL_ANSWER_LOST;
}

/**
 * tall_fail_undone:
 * @cause: (transfer full): an error of a call below, while nothing of the operation can be seen by
 *   anybody
 */
void
tall_fail_undone (GError **error, GError *cause)
{
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    cause->code = TALL_ERROR_UNAVAILABLE;
  g_propagate_error (error, cause);
}

/**
 * tall_state_set_lineage:
 * @self: a state that is to be committed
 * @root: what it replaces, before any claim of ours
 *
 * Writes into the place of a claim's token, as a commit has no claim, where it comes from: a random
 * mark of who made the row, which every later commit takes over, and the revision that it
 * replaces. Where there are claims the mark would not survive them; nobody needs it, and it is 0.
 */
void
tall_state_set_lineage (TallState *self, const TallOperation *operation, const TallRoot *root)
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  guint64 replaced = GUINT64_TO_BE ((guint64)root->state.revision);

  if (tall_operation_has_children (operation))
    memset (self->pending_token, 0, TALL_ORIGIN_SIZE);
  else if (root->exists)
    memcpy (self->pending_token, root->state.pending_token, TALL_ORIGIN_SIZE);
  else
    hooks->make_token (self->pending_token, hooks->data);
  memcpy (self->pending_token + TALL_ORIGIN_SIZE, &replaced, sizeof replaced);
}

/* Whether a commit whose answer was lost, or said "did not match", is not done and never will be,
 * while @now, which is neither what it expected nor what it wrote, is there. What it expected,
 * @root, never returns, so it is decided by now; but it may have been done and replaced since. Not
 * so if what is there is older, or has replaced something older: had we been in between, it would
 * have replaced us, or one after us. What was there before @root proves nothing. */
static gboolean
is_undone (const TallOperation *operation,
           const TallRoot *root,
           const TallState *committed,
           gboolean lost,
           const TallRoot *now)
{
  if (!lost && operation->context->false_is_final)
    return TRUE;
  return !tall_root_is_before (now, root)
         && tall_sent_was_before (operation, &now->state, committed->revision);
}

/* Earlier versions left no mark, and took none over. Where there are claims there is none. */
static gboolean
has_origin (const TallState *self)
{
  static const guint8 none[TALL_ORIGIN_SIZE];
  return memcmp (self->pending_token, none, TALL_ORIGIN_SIZE) != 0;
}

/* A commit that expected no row, while there is one: the commit that made it has left its mark.
 * Rows stay for ever, so a late call of ours cannot make another one. So it is certain, whatever
 * the answer was: we made it, and it has been replaced since; or we did not. */
static TallStep
settle_creation (TallRoot *root, const TallState *committed, TallRoot *now)
{
  if (memcmp (now->state.pending_token, committed->pending_token, TALL_ORIGIN_SIZE) == 0)
    {
      tall_root_set_state (root, committed, committed->revision);
      return TALL_STEP_DONE;
    }
  tall_root_take (root, now);
  return TALL_STEP_AGAIN;
}

/* @cause: (nullable): an error of a call that would have told; that tables are shut is passed on */
static TallStep
fail_unknown (GError **error, const char *reason, const GError *cause)
{
  if (is_shut (cause))
    g_propagate_error (error, g_error_copy (cause));
  else
    tall_sent_fail_unknown (error, reason, cause);
  return TALL_STEP_FAILED;
}

/* The same if the row cannot be read. Every version gives the state cell the revision that it
 * writes as timestamp: had ours been there, what is there now would be later. */
static gboolean
is_undone_unread (const TallOperation *operation,
                  const TallRoot *root,
                  const TallState *committed,
                  gboolean lost,
                  const TallRoot *now,
                  const GError *cause)
{
  if (!lost && operation->context->false_is_final)
    return TRUE;
  return tall_error_is_unreadable (cause) && now->timestamp > 0 && now->timestamp >= root->timestamp
         && now->timestamp < committed->revision;
}

/* What the state cell says after an answer that does not. Sets @settled unless the same bytes may
 * be sent again. */
static TallStep
settle (const TallOperation *operation,
        TallRoot *root,
        const TallState *committed,
        gboolean lost,
        gboolean *settled,
        GError **error)
{
  g_auto (TallRoot) now = { 0 };
  g_autoptr (GError) cause = NULL;

  *settled = TRUE;
  if (!tall_root_read (&now, operation, &cause))
    {
      if (!is_undone_unread (operation, root, committed, lost, &now, cause))
        return fail_unknown (error, NULL, cause);
      tall_fail_undone (error, g_steal_pointer (&cause));
      return TALL_STEP_FAILED;
    }
  if (now.exists && tall_commit_token_matches (&now.state, committed))
    {
      if (!tall_commit_token_check (&now.state, committed, error))
        return TALL_STEP_FAILED;
      tall_root_take (root, &now);
      return TALL_STEP_DONE;
    }
  if (tall_root_is_same (&now, root))
    {
      *settled = FALSE;
      return TALL_STEP_AGAIN;
    }
  if (!root->exists && !tall_operation_has_children (operation) && has_origin (&now.state))
    return settle_creation (root, committed, &now);
  if (!is_undone (operation, root, committed, lost, &now))
    return fail_unknown (error, "somebody else has written since", NULL);
  tall_root_take (root, &now);
  return TALL_STEP_AGAIN;
}

/* An answer that is lost or says "did not match" is settled by reading the state: if our token is
 * not there and what we expected is, the same bytes are sent again, once. @lost: (out): whether an
 * answer was lost */
static TallStep
send_until_settled (const TallOperation *operation,
                    TallRoot *root,
                    const TallBatch *batch,
                    const TallState *committed,
                    gboolean *lost,
                    GError **error)
{
  *lost = FALSE;
  for (guint attempt = 1;; attempt++)
    {
      g_autoptr (GError) cause = NULL;
      TallAnswer answer = tall_send_if (operation, batch, root, TALL_DURABLE, &cause);
      if (answer == TALL_ANSWER_YES)
        {
          tall_root_set_state (root, committed, committed->revision);
          return TALL_STEP_DONE;
        }
      if (answer == TALL_ANSWER_SHUT)
        return fail_unknown (error, NULL, cause);
      if (answer == TALL_ANSWER_REFUSED)
        {
          if (*lost)
            return fail_unknown (error, NULL, cause);
          g_propagate_error (error, g_steal_pointer (&cause));
          return TALL_STEP_FAILED;
        }

      gboolean settled;
      *lost = *lost || answer == TALL_ANSWER_LOST;
      TallStep step = settle (operation, root, committed, *lost, &settled, error);
      if (settled)
        return step;
      if (attempt == TALL_MAX_ATTEMPTS)
        return fail_unknown (error,
                             "the table says that something else is there than what it gives to "
                             "read",
                             cause);
    }
}

/**
 * tall_commit:
 * @root: what it is to replace: our claim, or, where nothing had to be claimed, what is committed
 * @claim: (nullable): the claim; afterwards there is none, unless the commit is certainly not done
 * @batch: makes the state of the root row @committed, by its first mutation; all of it is done in
 *   one step
 *
 * The one step that readers see.
 *
 * An error other than %TALL_ERROR_OUTCOME_UNKNOWN means that it is not done and never will be; with
 * %TALL_ERROR_SHUT that is so if the operation has no #TallSent.
 */
TallStep
tall_commit (TallOperation *operation,
             TallRoot *root,
             TallClaim *claim,
             const TallBatch *batch,
             const TallState *committed,
             GError **error)
{
  TallClaim held = { 0 };
  GError *cause = NULL;

  if (claim != NULL)
    {
      held = *claim;
      claim->operation = NULL; /* what it is for may be committed from here on */
    }
  gboolean lost;
  TallStep step = send_until_settled (operation, root, batch, committed, &lost, &cause);
  gboolean is_open =
      step == TALL_STEP_FAILED
      && (is_shut (cause) || g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN));
  if (is_open)
    tall_sent_note (operation, root, committed, lost);
  else if (claim != NULL && step != TALL_STEP_DONE)
    *claim = held;
  if (step == TALL_STEP_DONE)
    tall_store_count (TALL_STORE_COMMITS);
  if (cause != NULL)
    g_propagate_error (error, cause);
  return step;
}

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
  const TallConditionalWrite write = {
    .mutations = &mutation,
    .n = 1,
    .qualifier = TALL_STATE_QUALIFIER,
    .expected = &expected,
    .durability = TALL_DURABLE_LATER,
    .deadline = operation->deadline,
  };
  if (!tall_table_apply_if (operation->context->table, &write, &matched, &error)
      || (self->order != NULL
          && !tall_children_take_back (operation, self->order, revision, &error)))
    g_debug ("giving up a claim: %s", error->message);
  self->operation = NULL;
}
