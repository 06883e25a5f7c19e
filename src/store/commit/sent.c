/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/sent.h"

#include "tall-error.h"

/* The revision that a commit has replaced; -1 if somebody has claimed it since. */
static gint64
get_replaced (const TallOperation *operation, const TallState *self)
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
gboolean
tall_sent_was_before (const TallOperation *operation, const TallState *state, gint64 revision)
{
  gint64 replaced = get_replaced (operation, state);
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
