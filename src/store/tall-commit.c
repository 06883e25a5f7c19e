/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-commit-private.h"

#include "tall-error.h"

static gboolean
may_have_happened (const GError *error)
{
  return error->domain != TALL_ERROR || error->code == TALL_ERROR_OUTCOME_UNKNOWN
         || error->code == TALL_ERROR_TIMED_OUT || error->code == TALL_ERROR_INTERNAL;
}

/**
 * tall_send_if:
 * @expected: the state that must be there
 *
 * Sends a conditional write of a root row.
 */
TallAnswer
tall_send_if (const TallOperation *operation,
              const TallMutation *mutation,
              const TallRoot *expected,
              TallDurability durability,
              GError **error)
{
  TallSlice bytes = tall_slice (expected->bytes, TALL_STATE_SIZE);
  gboolean matched = FALSE;

  if (tall_table_apply_if (operation->context->table, mutation, TALL_STATE_QUALIFIER,
                           expected->exists ? &bytes : NULL, durability, operation->deadline,
                           &matched, error))
    return matched ? TALL_ANSWER_YES : TALL_ANSWER_NO;
  return may_have_happened (*error) ? TALL_ANSWER_LOST : TALL_ANSWER_REFUSED;
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
 * tall_state_set_replaced:
 *
 * Writes into a state that is to be committed which revision it replaces. It has no claim, so
 * that the place of the claim's token is free.
 */
void
tall_state_set_replaced (TallState *self, gint64 revision)
{
  guint64 bytes = GUINT64_TO_BE ((guint64)revision);
  memset (self->pending_token, 0, 8);
  memcpy (self->pending_token + 8, &bytes, 8);
}

/* The revision that a commit has replaced; -1 if somebody has claimed it since. */
static gint64
get_replaced (const TallState *self)
{
  TallReader reader = tall_reader (tall_slice (self->pending_token, TALL_TOKEN_SIZE));
  guint64 zero = tall_reader_u64 (&reader);
  guint64 revision = tall_reader_u64 (&reader);
  return self->pending == 0 && zero == 0 ? (gint64)revision : -1;
}

/* Whether a commit that was answered with "did not match" is not done, while @now, which is neither
 * what it expected nor what it wrote, is there. Behind a gateway that repeats calls it may have
 * been done and replaced since. Not so if what is there is older, or has replaced something older:
 * had we been in between, it would have replaced us, or one after us.
 *
 * Who guessed that there was nothing, with a slow clock, has taken a revision that says little. He
 * goes on unless exactly that was replaced: for him to be wrong, a gateway must have repeated his
 * call, and two others must have replaced what he wrote before it answered. */
static gboolean
is_undone (const TallOperation *operation,
           const TallRoot *expected,
           const TallState *committed,
           const TallRoot *now)
{
  gint64 replaced = get_replaced (&now->state);

  if (operation->context->false_is_final || now->state.revision < committed->revision)
    return TRUE;
  if (replaced < 0)
    return FALSE;
  return replaced < committed->revision || (!expected->exists && replaced != committed->revision);
}

static TallStep
fail_unknown (GError **error, const GError *cause)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
               "it may or may not have happened; read to find out (%s)",
               cause != NULL ? cause->message : "somebody else has written since");
  return TALL_STEP_FAILED;
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
      if (lost || !operation->context->false_is_final)
        return fail_unknown (error, cause);
      tall_fail_undone (error, g_steal_pointer (&cause));
      return TALL_STEP_FAILED;
    }
  if (now.exists && tall_is_ours (&now.state, committed))
    {
      if (!tall_check_token (&now.state, committed, error))
        return TALL_STEP_FAILED;
      tall_root_take (root, &now);
      return TALL_STEP_DONE;
    }
  if (tall_root_is_same (&now, root))
    {
      *settled = FALSE;
      return TALL_STEP_AGAIN;
    }
  if (lost || !is_undone (operation, root, committed, &now))
    return fail_unknown (error, NULL);
  tall_root_take (root, &now);
  return TALL_STEP_AGAIN;
}

/**
 * tall_commit:
 * @root: what it is to replace: our claim, or, where there are no children, what is committed
 * @mutation: of the root row, that makes its state @committed
 *
 * The one step that readers see. An answer that is lost or says "did not match" is settled by
 * reading the state, where we know ourselves by our token: if that is not there and what we
 * expected is, the same bytes are sent again, once.
 *
 * An error other than %TALL_ERROR_OUTCOME_UNKNOWN means that it is not done and never will be.
 */
TallStep
tall_commit (const TallOperation *operation,
             TallRoot *root,
             const TallMutation *mutation,
             const TallState *committed,
             GError **error)
{
  gboolean lost = FALSE;

  for (guint attempt = 1;; attempt++)
    {
      g_autoptr (GError) cause = NULL;
      TallAnswer answer = tall_send_if (operation, mutation, root, TALL_DURABLE, &cause);
      if (answer == TALL_ANSWER_YES)
        {
          tall_root_set_state (root, committed, committed->revision);
          return TALL_STEP_DONE;
        }
      if (answer == TALL_ANSWER_REFUSED)
        {
          if (lost)
            return fail_unknown (error, cause);
          g_propagate_error (error, g_steal_pointer (&cause));
          return TALL_STEP_FAILED;
        }

      gboolean settled;
      lost = lost || answer == TALL_ANSWER_LOST;
      TallStep step = settle (operation, root, committed, lost, &settled, error);
      if (settled)
        return step;
      if (attempt == TALL_MAX_ATTEMPTS)
        return fail_unknown (error, cause);
    }
}
