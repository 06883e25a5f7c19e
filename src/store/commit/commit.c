/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Claims, commits, how a lost answer is settled, and giving up: the conditional writes of a root
 * row, in the order of tests/protocol/protocol.py. */
#include "store/commit/commit.h"

#include "store/commit/children.h"
#include "store/commit/recent.h"
#include "store/follow.h"
#include "tall-error.h"

#define STEP_BYTES (1024 * 1024) /* of a step of several orders, besides the last */
#define MAX_ATTEMPTS 2           /* of one conditional write: the same bytes, sent again once */
#define ORIGIN_SIZE 8            /* of the mark with which a lineage begins */
#define MORE_TIME (G_USEC_PER_SEC / 2) /* to give up a claim after the deadline */

static gboolean
is_shut (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_SHUT);
}

/* An answer "shut" is as certain as "does not match". */
static TallStep
send_write (const TallOperation *operation, const TallConditionalWrite *write, GError **error)
{
  gboolean matched = FALSE;
  if (tall_table_apply_if (operation->context->table, write, &matched, error))
    return matched ? TALL_STEP_DONE : TALL_STEP_AGAIN;
  return is_shut (*error) || tall_error_is_not_done (*error) ? TALL_STEP_FAILED : TALL_STEP_LOST;
}

/* Sends a conditional write: @batch, its first mutation being of the root row, in which @expected
 * must be. */
static TallStep
send_if (const TallOperation *operation,
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
  return send_write (operation, &write, error);
}

/* @cause: (transfer full): an error of a call below, while nobody can see anything of the
 * operation */
static TallStep
fail_undone (GError **error, GError *cause)
{
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    cause->code = TALL_ERROR_UNAVAILABLE;
  g_propagate_error (error, cause);
  return TALL_STEP_FAILED;
}

/* Begins a batch that writes the state cell of the root row. */
static TallBatch *
begin_state (const TallOperation *operation, const TallState *state, gint64 timestamp)
{
  TallBatch *batch = tall_batch_new ();
  TallMutation *mutation =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, timestamp,
                     tall_state_encode (state, batch->arena));
  return batch;
}

/* ---- Claim ---- */

/* @known: what was there, as we know
 *
 * Timestamps of a state cell only grow, and a claim has that of the commit that follows it.
 *
 * Returns: whether a read has shown what was there before @known: a region server that is not one
 *   any more may still answer */
static gboolean
is_before (const TallRoot *self, const TallRoot *known)
{
  if (self->timestamp != known->timestamp)
    return self->timestamp < known->timestamp;
  return self->state.pending != 0 && known->state.pending == 0;
}

/* A state cell never goes, except with a TTL: then there is none any more. */
static gboolean
is_stale (const TallRoot *now, const TallRoot *known)
{
  return now->exists && is_before (now, known);
}

/* A token of the claim's own. Rows without children have the lineage in its place, which a put
 * whose answer was lost reads: there the mark of who made the row stays, and the revision that was
 * replaced becomes one that cannot be, which says that nobody knows. */
static void
make_claim_token (const TallOperation *operation,
                  const TallRoot *root,
                  guint8 token[TALL_TOKEN_SIZE])
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  hooks->make_token (token, hooks->data);
  if (tall_operation_has_children (operation))
    return;
  if (root->exists)
    memcpy (token, root->state.pending_token, ORIGIN_SIZE);
  token[ORIGIN_SIZE] |= 0x80;
}

/* What the state cell says if the answer to a claim does not: LOST, if what was expected is there.
 * @cause: (inout): the error that came in place of an answer; none: it said "did not match" */
static TallStep
settle_claim (const TallOperation *operation,
              TallRoot *root,
              const TallRoot *wanted,
              GError **cause)
{
  g_auto (TallRoot) now = { 0 };
  if (!tall_root_read (&now, operation, *cause != NULL ? NULL : cause))
    return TALL_STEP_FAILED;
  if (tall_root_is_same (&now, wanted))
    return TALL_STEP_DONE;
  if (tall_root_is_same (&now, root) || is_stale (&now, root))
    return TALL_STEP_LOST;
  tall_root_take (root, &now);
  return TALL_STEP_AGAIN;
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
  if (operation->context->hooks.omits & TALL_OMIT_CLAIM)
    return TALL_STEP_DONE;

  TallState state = root->state;
  if (!root->exists)
    state.sales_date = TALL_NO_DATE;
  state.pending = revision;
  make_claim_token (operation, root, state.pending_token);
  g_autoptr (TallBatch) batch = begin_state (operation, &state, revision);
  g_auto (TallRoot) wanted = { 0 };
  tall_root_set_state (&wanted, &state, revision);

  GError *cause = NULL;
  TallStep step = TALL_STEP_LOST;
  for (guint i = 0; i < MAX_ATTEMPTS && step == TALL_STEP_LOST; i++)
    {
      g_clear_error (&cause);
      step = send_if (operation, batch, root, TALL_DURABLE_LATER, &cause);
      if (step == TALL_STEP_AGAIN || step == TALL_STEP_LOST)
        step = settle_claim (operation, root, &wanted, &cause);
    }
  if (step == TALL_STEP_DONE)
    {
      tall_root_take (root, &wanted);
      *claim = (TallClaim){ operation, state, order };
    }
  if (step == TALL_STEP_LOST && cause == NULL)
    cause = g_error_new_literal (TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                                 "the table shows what it says is not there; try again");
  if (step == TALL_STEP_FAILED || step == TALL_STEP_LOST)
    return fail_undone (error, cause);
  g_clear_error (&cause);
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

  g_auto (TallRoot) claimed = { 0 };
  g_autoptr (GError) error = NULL;
  TallState state = self->state;
  gint64 revision = state.pending;
  tall_root_set_state (&claimed, &self->state, revision);
  state.pending = 0;
  g_autoptr (TallBatch) batch = begin_state (operation, &state, revision);
  operation->deadline = MAX (operation->deadline, g_get_monotonic_time () + MORE_TIME);
  (void)send_if (operation, batch, &claimed, TALL_DURABLE_LATER, &error);
  if (error != NULL
      || (self->order != NULL
          && !tall_children_take_back (operation, self->order, revision, &error)))
    g_debug ("giving up a claim: %s", error->message);
  self->operation = NULL;
}

/* ---- Of which write a state is ---- */

/* Whether @stored is of the put or delete that made @wanted. Only the token tells: two writers may
 * have chosen one revision. */
static gboolean
is_ours (const TallOperation *operation, const TallState *stored, const TallState *wanted)
{
  if (operation->context->hooks.omits & TALL_OMIT_TOKEN)
    return stored->revision == wanted->revision;
  return memcmp (stored->token, wanted->token, TALL_TOKEN_SIZE) == 0;
}

/**
 * tall_commit_find:
 * @stored: what is there
 * @wanted: what we wanted to commit, or have committed; with a digest of zeros if it is live and
 *   may have any content: a patch
 *
 * Returns: %TALL_STEP_DONE: @stored is of the same put or delete, whatever its revision;
 *   %TALL_STEP_AGAIN: it is not; %TALL_STEP_FAILED with %TALL_ERROR_INVALID: the caller has used
 *   one token for two things
 */
TallStep
tall_commit_find (const TallOperation *operation,
                  const TallState *stored,
                  const TallState *wanted,
                  GError **error)
{
  static const guint8 any[TALL_DIGEST_SIZE];
  gboolean takes_any = wanted->live && memcmp (wanted->digest, any, TALL_DIGEST_SIZE) == 0;
  if (!is_ours (operation, stored, wanted))
    return TALL_STEP_AGAIN;
  if ((stored->live == wanted->live
       && (takes_any || memcmp (stored->digest, wanted->digest, TALL_DIGEST_SIZE) == 0))
      || operation->context->hooks.omits & TALL_OMIT_TOKEN)
    return TALL_STEP_DONE;

  tall_error_set_invalid (
      error, "token",
      "the request token has been used for something else, stored as revision %" G_GINT64_FORMAT
      "; make a new one for each write",
      stored->revision);
  return TALL_STEP_FAILED;
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
    memset (self->pending_token, 0, ORIGIN_SIZE);
  else if (root->exists)
    memcpy (self->pending_token, root->state.pending_token, ORIGIN_SIZE);
  else
    hooks->make_token (self->pending_token, hooks->data);
  memcpy (self->pending_token + ORIGIN_SIZE, &replaced, sizeof replaced);
}

/* Earlier versions left no mark, and took none over. Where there are claims there is none. */
static gboolean
has_origin (const TallState *self)
{
  static const guint8 none[ORIGIN_SIZE];
  return memcmp (self->pending_token, none, ORIGIN_SIZE) != 0;
}

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

/* Whether a commit of @revision that was sent was certainly not done, while @state is there, which
 * it has not written: that is older, or has replaced something older. Had the commit been done, it
 * would have been replaced by @state, or by one before @state. */
static gboolean
was_before (const TallOperation *operation, const TallState *state, gint64 revision)
{
  gint64 replaced = tall_state_get_replaced (state, operation);
  return state->revision < revision || (replaced >= 0 && replaced < revision);
}

/* ---- Commit ---- */

/* A commit that is sent. */
typedef struct
{
  TallOperation *operation;
  TallRoot *root;             /* what it expects; once it is settled, what is there */
  const TallState *committed; /* what it writes */
  gboolean lost;              /* an answer of it was */
} Commit;

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

/* @cause: (nullable): the error of the call that was to settle it; %TALL_ERROR_SHUT stays */
static TallStep
fail_unknown (GError **error, const char *reason, const GError *cause)
{
  if (is_shut (cause))
    g_propagate_error (error, g_error_copy (cause));
  else
    tall_sent_fail_unknown (error, reason, cause);
  return TALL_STEP_UNKNOWN;
}

/* Whether a commit whose answer was lost, or said "did not match", is not done and never will be,
 * while @now, which is neither what it expected nor what it wrote, is there. What it expected never
 * returns, so it is decided by now; but it may have been done and replaced since. Not so if what is
 * there is older, or has replaced something older: had we been in between, it would have replaced
 * us, or one after us. What was there before the expected proves nothing. */
static gboolean
is_undone (const Commit *self, const TallRoot *now)
{
  if (!self->lost && self->operation->context->false_is_final)
    return TRUE;
  return !is_before (now, self->root)
         && was_before (self->operation, &now->state, self->committed->revision);
}

/* The same if the row cannot be read. Every version gives the state cell the revision that it
 * writes as timestamp: had ours been there, what is there now would be later. */
static gboolean
is_undone_unread (const Commit *self, const TallRoot *now, const GError *cause)
{
  if (!self->lost && self->operation->context->false_is_final)
    return TRUE;
  return tall_error_is_unreadable (cause) && now->timestamp > 0
         && now->timestamp >= self->root->timestamp && now->timestamp < self->committed->revision;
}

/* A commit that expected no row, while there is one: the commit that made it has left its mark.
 * Rows stay for ever, so a late call of ours cannot make another one. So it is certain, whatever
 * the answer was: we made it, and it has been replaced since; or we did not. */
static TallStep
settle_creation (const Commit *self, TallRoot *now)
{
  const TallState *committed = self->committed;
  if (memcmp (now->state.pending_token, committed->pending_token, ORIGIN_SIZE) == 0)
    {
      tall_root_set_state (self->root, committed, committed->revision);
      return TALL_STEP_DONE;
    }
  tall_root_take (self->root, now);
  return TALL_STEP_AGAIN;
}

/* What the state cell says after an answer that does not: LOST, if what was expected is there, so
 * that the same bytes may be sent again. */
static TallStep
settle (const Commit *self, GError **error)
{
  const TallOperation *operation = self->operation;
  g_auto (TallRoot) now = { 0 };
  g_autoptr (GError) cause = NULL;

  if (!tall_root_read (&now, operation, &cause))
    return is_undone_unread (self, &now, cause) ? fail_undone (error, g_steal_pointer (&cause))
                                                : fail_unknown (error, NULL, cause);
  TallStep step = now.exists ? tall_commit_find (operation, &now.state, self->committed, error)
                             : TALL_STEP_AGAIN;
  if (step == TALL_STEP_DONE)
    tall_root_take (self->root, &now);
  if (step != TALL_STEP_AGAIN)
    return step;
  if (tall_root_is_same (&now, self->root))
    return TALL_STEP_LOST;
  if (!self->root->exists && !tall_operation_has_children (operation) && has_origin (&now.state))
    return settle_creation (self, &now);
  if (!is_undone (self, &now))
    return fail_unknown (error, "somebody else has written since", NULL);
  tall_root_take (self->root, &now);
  return TALL_STEP_AGAIN;
}

/* An answer that is lost or says "did not match" is settled by reading the state: if our token is
 * not there and what we expected is, the same bytes are sent again, once. */
static TallStep
send_until_settled (Commit *self, const TallBatch *batch, GError **error)
{
  for (guint attempt = 1;; attempt++)
    {
      g_autoptr (GError) cause = NULL;
      TallStep step = send_if (self->operation, batch, self->root, TALL_DURABLE, &cause);
      if (step == TALL_STEP_DONE)
        {
          tall_root_set_state (self->root, self->committed, self->committed->revision);
          return TALL_STEP_DONE;
        }
      if (step == TALL_STEP_FAILED && (self->lost || is_shut (cause)))
        return fail_unknown (error, NULL, cause);
      if (step == TALL_STEP_FAILED)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return TALL_STEP_FAILED;
        }
      self->lost = self->lost || step == TALL_STEP_LOST;
      step = settle (self, error);
      if (step != TALL_STEP_LOST)
        return step;
      if (attempt == MAX_ATTEMPTS)
        return fail_unknown (
            error, "the table says that something else is there than what it gives to read", cause);
    }
}

static void
note_commit (const TallOperation *operation, const TallState *committed)
{
  tall_store_count (TALL_STORE_COMMITS);
  if (operation->order_number != NULL && operation->context->follower != NULL)
    tall_recent_note (tall_follower_get_recent (operation->context->follower), operation,
                      committed);
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
 * After %TALL_STEP_UNKNOWN the error is %TALL_ERROR_OUTCOME_UNKNOWN or %TALL_ERROR_SHUT. With the
 * latter it is certainly not done if the operation has no #TallSent.
 */
TallStep
tall_commit (TallOperation *operation,
             TallRoot *root,
             TallClaim *claim,
             const TallBatch *batch,
             const TallState *committed,
             GError **error)
{
  Commit commit = { operation, root, committed, FALSE };
  TallClaim held = { 0 };

  if (claim != NULL)
    {
      held = *claim;
      claim->operation = NULL; /* what it is for may be committed from here on */
    }
  TallStep step = send_until_settled (&commit, batch, error);
  if (step == TALL_STEP_UNKNOWN)
    tall_sent_note (operation, root, committed, commit.lost);
  else if (claim != NULL && step != TALL_STEP_DONE)
    *claim = held;
  if (step == TALL_STEP_DONE)
    note_commit (operation, committed);
  return step;
}

/**
 * tall_commit_new:
 * @operations: @n of them, of different orders
 * @committed: the state that each writes
 * @batch: makes these states of the root rows, in this order and by its first @n mutations; all of
 *   it is done in one step
 *
 * Commits several orders together, if none of their root rows is there. A lost answer is not
 * settled: each operation then has a #TallSent, and goes on by itself.
 *
 * Returns: %TALL_STEP_DONE: all are stored; %TALL_STEP_AGAIN: none is, as something is there;
 *   otherwise @error is set
 */
TallStep
tall_commit_new (TallOperation *const *operations,
                 const TallState *committed,
                 guint n,
                 const TallBatch *batch,
                 GError **error)
{
  const TallRoot nothing = { 0 };
  TallConditionalWrite write = {
    .mutations = (TallMutation *const *)batch->mutations->pdata,
    .n = batch->mutations->len,
    .n_alike = n - 1,
    .qualifier = TALL_STATE_QUALIFIER,
    .durability = TALL_DURABLE,
    .deadline = TALL_NO_DEADLINE,
  };
  for (guint i = 0; i < n; i++)
    write.deadline = MIN (write.deadline, operations[i]->deadline);
  TallStep step = send_write (operations[0], &write, error);
  for (guint i = 0; i < n; i++)
    if (step == TALL_STEP_DONE)
      note_commit (operations[i], &committed[i]);
    else if (step == TALL_STEP_LOST)
      tall_sent_note (operations[i], &nothing, &committed[i], TRUE);
  return step;
}

/* Does all of @n of them in one step, if no root row is there. */
static gboolean
send_absent (const TallOperation *operation,
             const TallBatch *batch,
             TallNewRows *rows,
             guint n,
             GError **error)
{
  g_autoptr (GPtrArray) mutations = g_ptr_array_new (); /* not owned */
  gboolean matched;
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (mutations, batch->mutations->pdata[rows[i].first]);
  for (guint i = 0; i < n; i++)
    for (guint j = 1; j < rows[i].n; j++)
      g_ptr_array_add (mutations, batch->mutations->pdata[rows[i].first + j]);
  const TallConditionalWrite write = {
    .mutations = (TallMutation *const *)mutations->pdata,
    .n = mutations->len,
    .n_alike = n - 1,
    .qualifier = TALL_STATE_QUALIFIER,
    .durability = TALL_DURABLE_LATER,
    .deadline = operation->deadline,
  };
  if (!tall_table_apply_if (operation->context->table, &write, &matched, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    rows[i].done = matched;
  return TRUE;
}

/* How many of @n fit into one step. */
static guint
count_absent (const TallOperation *operation,
              const TallBatch *batch,
              const TallNewRows *rows,
              guint n)
{
  guint n_rows = 0;
  gsize size = 0;
  for (guint i = 0; i < n; i++)
    {
      n_rows += rows[i].n;
      if (i > 0 && (n_rows > operation->context->together || size >= STEP_BYTES))
        return i;
      for (guint j = 0; j < rows[i].n; j++)
        size += tall_mutation_get_size (batch->mutations->pdata[rows[i].first + j]);
    }
  return n;
}

/**
 * tall_commit_absent:
 * @operation: whose context and deadline count
 * @rows: of @n that are taken for new, in @batch; says of each whether it is done, or something is
 *   there. After an error what is not done may be
 *
 * Commits what loads and migrations bring where a table changes several rows in one step: as many
 * together as fit, and if one of those is there, each by itself. Nobody recognises such a commit by
 * its token.
 */
gboolean
tall_commit_absent (const TallOperation *operation,
                    const TallBatch *batch,
                    TallNewRows *rows,
                    guint n,
                    GError **error)
{
  for (guint i = 0, n_step; i < n; i += n_step)
    {
      n_step = count_absent (operation, batch, rows + i, n - i);
      if (!send_absent (operation, batch, rows + i, n_step, error))
        return FALSE;
      for (guint j = 0; j < n_step && n_step > 1 && !rows[i + j].done; j++)
        if (!send_absent (operation, batch, rows + i + j, 1, error))
          return FALSE;
    }
  return TRUE;
}

/* ---- Commits to tables that were shut ---- */

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
 * Returns: %TALL_STEP_DONE: one of them was done; %TALL_STEP_AGAIN: none so far;
 *   %TALL_STEP_UNKNOWN; %TALL_STEP_FAILED like tall_commit_find()
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
  TallStep step = root->state.revision > 0
                      ? tall_commit_find (operation, &root->state, wanted, error)
                      : TALL_STEP_AGAIN;
  if (step != TALL_STEP_AGAIN)
    {
      g_clear_pointer (&operation->sent, g_free);
      return step;
    }
  /* An older read proves nothing. What was expected may still be replaced by a late call. */
  if (!is_moved && (is_before (root, &sent->expected) || tall_root_is_same (root, &sent->expected)))
    return TALL_STEP_AGAIN;
  if (!was_before (operation, &root->state, sent->revision))
    {
      tall_sent_fail_unknown (error, "somebody else has written since", NULL);
      return TALL_STEP_UNKNOWN;
    }
  g_clear_pointer (&operation->sent, g_free);
  return TALL_STEP_AGAIN;
}
