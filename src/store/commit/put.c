/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A put, a patch and a delete of one order or one customer, in the order of
 * tests/protocol/protocol.py. */
#include "store/commit/put.h"

#include "base/fail.h"
#include "store/commit/children.h"
#include "store/commit/commit.h"
#include "store/commit/recent.h"
#include "store/follow.h"
#include "store/read/customer-scan.h"
#include "store/read/fetch.h"
#include "store/read/index.h"
#include "tall-limits.h"

/* Waiting for a claim. */
#define FIRST_WAIT 100     /* microseconds */
#define LONGEST_WAIT 50000 /* microseconds */

#define LONGEST_PAUSE 20000 /* microseconds, before a patch is tried again */

/* A put, a patch or a delete that is tried. */
typedef struct
{
  TallOperation *operation;
  const TallContent *content; /* NULL: a delete, or a patch that has not been read yet */
  const TallWriteOptions *options;
  TallRoot root;    /* what is there, as far as is known, or our claim */
  TallState wanted; /* what is to be committed: live, unless it is a delete */
} Write;

static void
write_clear (Write *self)
{
  tall_root_clear (&self->root);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Write, write_clear)

/* FALSE with %TALL_ERROR_INVALID for what makes no sense. */
static gboolean
check_options (const TallWriteOptions *options, GError **error)
{
  static const guint8 no_token[TALL_TOKEN_SIZE];

  if (options->has_token && memcmp (options->token, no_token, TALL_TOKEN_SIZE) == 0)
    return tall_error_fail_invalid (
        error, "token",
        "a request token of zeros identifies nothing; make a UUID for each request");
  if (options->condition != TALL_IF_REVISION || options->revision > 0)
    return TRUE;
  return tall_error_fail_invalid (error, "revision",
                                  "revision %" G_GINT64_FORMAT
                                  " cannot be expected; they begin with 1",
                                  options->revision);
}

/* The token by which a commit is recognised: the caller's, if there is one. All tries of an
 * operation have the same. */
static void
choose_token (Write *self)
{
  TallOperation *operation = self->operation;
  const TallStoreHooks *hooks = &operation->context->hooks;
  if (self->options->has_token)
    memcpy (operation->token, self->options->token, TALL_TOKEN_SIZE);
  else if (!operation->has_token)
    hooks->make_token (operation->token, hooks->data);
  operation->has_token = TRUE;
  memcpy (self->wanted.token, operation->token, TALL_TOKEN_SIZE);
}

/* ---- What the root says before it is replaced ---- */

/* Whether exactly this has been committed already, by this operation before the tables were shut,
 * or by a call that the caller repeats: DONE. */
static TallStep
find_done (const Write *self, GError **error)
{
  const TallRoot *root = &self->root;
  TallStep step = tall_sent_settle (self->operation, root, &self->wanted, error);
  if (step != TALL_STEP_AGAIN || !self->options->has_token || !root->exists
      || root->state.revision == 0)
    return step;
  return tall_commit_find (self->operation, &root->state, &self->wanted, error);
}

/* FALSE with %TALL_ERROR_NOT_FOUND if there is nothing to delete. */
static gboolean
check_exists (const Write *self, GError **error)
{
  return self->wanted.live || tall_root_is_live (&self->root, self->operation)
         || tall_operation_set_not_found (self->operation, error);
}

/* FALSE with %TALL_ERROR_NEWER_VERSION if a put would lose what it does not know. */
static gboolean
check_schema (const Write *self, GError **error)
{
  const TallState *state = &self->root.state;
  if (!self->wanted.live || !state->live || state->schema <= TALL_SCHEMA)
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_NEWER_VERSION,
      "what is there has schema %u, and this version of tallorder knows none after "
      "%d, so that replacing it could lose something; use the newer version",
      state->schema, TALL_SCHEMA);
}

/* FALSE with %TALL_ERROR_CONFLICT, and the revision that is there, if the caller's condition does
 * not hold. */
static gboolean
check_condition (const Write *self, GError **error)
{
  const TallWriteOptions *options = self->options;
  const TallRoot *root = &self->root;
  gint64 revision = tall_root_is_live (root, self->operation) ? root->state.revision : 0;

  if (options->condition == TALL_IF_ABSENT && revision != 0)
    return tall_error_fail_conflict (error, revision,
                                     "it is there already, with revision %" G_GINT64_FORMAT,
                                     revision);
  if (options->condition != TALL_IF_REVISION || options->revision == revision)
    return TRUE;
  if (revision == 0)
    tall_error_set_conflict (error, 0,
                             "revision %" G_GINT64_FORMAT " was expected, but there is none",
                             options->revision);
  else
    tall_error_set_conflict (error, revision,
                             "revision %" G_GINT64_FORMAT " was expected, but revision "
                             "%" G_GINT64_FORMAT " is there; fetch it and decide again",
                             options->revision, revision);
  return FALSE;
}

/* A customer with orders stays. An order that is stored at the same moment may be overlooked: it
 * stays, too, and its customer is listed as one that has only orders. */
static gboolean
check_has_no_orders (const Write *self, GError **error)
{
  const TallOperation *operation = self->operation;
  TallOrderSummary order;

  if (self->wanted.live || operation->order_number != NULL)
    return TRUE;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  if (!tall_customer_scan_find_order (operation, operation->key.customer,
                                      operation->customer_number, arena, &order, error))
    return FALSE;
  if (order.order_number == NULL)
    return TRUE;
  return tall_error_fail_conflict (error, self->root.state.revision,
                                   "the customer still has orders, such as %s; delete those first",
                                   order.order_number);
}

static gboolean
fail_late (GError **error)
{
  return tall_error_fail (
      error, TALL_ERROR_TIMED_OUT,
      "the time was over before it could be stored or deleted; nothing was done, try again");
}

/* FALSE with %TALL_ERROR_TIMED_OUT if the operation's time has passed, nothing being done. */
static gboolean
check_time (const TallOperation *operation, GError **error)
{
  return !tall_operation_is_over (operation) || fail_late (error);
}

/* Waits for the writer that has claimed the row: DONE: the claim has stayed unchanged for so long
 * that it may be claimed over; AGAIN: the root has changed, or the operation is over. The age of a
 * claim is measured by our own monotonic clock: no clocks of two machines are compared. */
static TallStep
wait_for_claim (Write *self, GError **error)
{
  const TallOperation *operation = self->operation;
  const TallStoreHooks *hooks = &operation->context->hooks;
  gint64 seen = hooks->monotonic (hooks->data);
  gint64 longest = FIRST_WAIT;

  while (!tall_operation_is_over (operation))
    {
      hooks->sleep (g_random_int_range ((gint32)(longest / 2), (gint32)longest + 1), hooks->data);
      longest = MIN (longest * 2, LONGEST_WAIT);

      g_auto (TallRoot) now = { 0 };
      gint64 before = hooks->monotonic (hooks->data);
      if (!tall_root_read (&now, operation, error))
        return TALL_STEP_FAILED;
      if (!tall_root_is_same (&now, &self->root))
        {
          tall_root_take (&self->root, &now);
          return TALL_STEP_AGAIN;
        }
      if (before - seen < tall_operation_patience (operation))
        continue;
      tall_store_count (TALL_STORE_TAKEN_OVER);
      return TALL_STEP_DONE;
    }
  return TALL_STEP_AGAIN;
}

/* Where rows expire, what a clock stamps that is behind by the TTL is gone at once.
 * @code: %TALL_ERROR_OUTCOME_UNKNOWN, unless it is certain that nothing is stored */
static void
fail_expired (const TallOperation *operation, TallError code, GError **error)
{
  g_set_error (error, TALL_ERROR, code,
               "what was written cannot be found; if that stays so, the clock here is behind that "
               "of the store by more than the TTL of %" G_GUINT64_FORMAT " seconds: set it",
               operation->context->ttl);
}

/* @replaced: what was there before something was committed without a claim
 *
 * Looks again at the first row of an order, if it may have expired at once; where there was one
 * before, what is written is later than that. Where there was a claim, this is not needed: without
 * it the commit does not match.
 *
 * Returns: FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if it cannot be found, be it that it has expired
 * or that the read was older
 */
static gboolean
check_kept (const TallOperation *operation, const TallRoot *replaced, GError **error)
{
  const TallStoreContext *context = operation->context;
  g_auto (TallRoot) now = { 0 };

  if (context->ttl == 0 || operation->order_number == NULL || replaced->exists
      || !tall_root_read (&now, operation, NULL) || now.timestamp > 0)
    return TRUE;
  fail_expired (operation, TALL_ERROR_OUTCOME_UNKNOWN, error);
  return FALSE;
}

/* Finds out which hint comes and goes. */
static void
prepare_hint (const Write *self)
{
  const TallOrder *order = self->content != NULL ? self->content->record.order : NULL;
  tall_index_prepare (self->operation, order, &self->root.state);
}

/* ---- Put ---- */

/* Claims the order and writes its children. */
static TallStep
prepare (Write *self, TallClaim *claim, GError **error)
{
  TallOperation *operation = self->operation;
  const TallOrder *order = self->content->record.order;
  gint64 revision = self->wanted.revision;
  gint64 committed = self->root.state.revision;
  gboolean has_leftovers = tall_root_has_leftovers (&self->root);
  GError *cause = NULL;

  TallStep step = tall_claim (operation, &self->root, revision, order, claim, error);
  if (step != TALL_STEP_DONE)
    return step;
  if ((!has_leftovers || tall_children_remove_left (operation, committed, revision, &cause))
      && tall_children_write (operation, order, revision, &cause) && check_time (operation, &cause))
    return TALL_STEP_DONE;
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_SHUT))
    claim->operation = NULL; /* it cannot be given up, and the target does not have it */
  g_propagate_error (error, cause);
  return TALL_STEP_FAILED;
}

/* What has to be there before the commit, which cannot bring it. */
static TallStep
go_before (Write *self, TallClaim *claim, GError **error)
{
  if (tall_operation_has_children (self->operation))
    return prepare (self, claim, error);
  return tall_index_write (self->operation, &self->root, self->wanted.revision, error)
             ? TALL_STEP_DONE
             : TALL_STEP_FAILED;
}

/* What makes the root row, and all that comes with it in any case. @others: where that goes */
static void
append_commit (const Write *self, gint64 dead, TallBatch *batch, TallBatch *others)
{
  const TallOperation *operation = self->operation;
  const TallState *committed = &self->wanted;
  TallMutation *mutation =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  if (dead > 0)
    tall_mutation_delete_up_to (batch, mutation, dead);
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, committed->revision,
                     tall_state_encode (committed, batch->arena));
  tall_content_append (self->content, operation, committed->revision, batch, mutation);
  tall_index_add_dated (operation, committed, self->content->summary, others);
}

/* Another writer came first, or what was taken for new is there. */
static TallStep
begin_again (Write *self, const TallRoot *replaced, gboolean claims, GError **error)
{
  TallOperation *operation = self->operation;
  if (claims && !self->root.exists)
    {
      fail_expired (operation, TALL_ERROR_UNSUPPORTED, error); /* our claim has */
      return TALL_STEP_FAILED;
    }
  if (claims || replaced->exists)
    tall_store_count (TALL_STORE_OVERTAKEN);
  operation->n_overtaken += claims ? 1 : 0;
  return TALL_STEP_AGAIN;
}

/* Puts it on top of what the root says. */
static TallStep
put_over (Write *self, GError **error)
{
  TallOperation *operation = self->operation;
  TallState *wanted = &self->wanted;
  const TallRoot replaced = self->root; /* no stranger's, so that it owns nothing */
  prepare_hint (self);
  gboolean together = tall_together_fits (operation, &replaced, wanted);
  gboolean claims = tall_operation_has_children (operation) && !together;
  g_auto (TallClaim) claim = { 0 };

  wanted->revision = tall_root_next_revision (&replaced, tall_operation_now (operation));
  tall_state_set_lineage (wanted, operation, &replaced);
  TallStep step = together ? TALL_STEP_DONE : go_before (self, &claim, error);
  if (step != TALL_STEP_DONE)
    return step;

  g_autoptr (TallBatch) batch = tall_batch_new ();
  append_commit (self, tall_root_find_dead (&replaced, wanted->revision), batch, batch);
  if (together)
    step = tall_together_commit (operation, self->content, &self->root, wanted, batch, error);
  else
    step = tall_children_commit (operation, &self->root, &claim, wanted, batch, error);
  if (step == TALL_STEP_DONE && !together)
    tall_children_clean_up (operation, &replaced, wanted);
  if (step == TALL_STEP_DONE && !claims && !check_kept (operation, &replaced, error))
    return TALL_STEP_UNKNOWN;
  if (step == TALL_STEP_AGAIN)
    return begin_again (self, &replaced, claims, error);
  return step;
}

/**
 * tall_put_append_new:
 * @roots: gets the mutation of the root row
 * @others: gets what comes with it
 * @wanted: (out caller-allocates): the state that is to be committed
 *
 * Prepares a put that takes the order for new, and that may share its step with others.
 *
 * Returns: FALSE if it may not, for whatever reason: it has to be put by itself, by tall_put()
 */
gboolean
tall_put_append_new (TallOperation *operation,
                     const TallContent *content,
                     const TallWriteOptions *options,
                     TallBatch *roots,
                     TallBatch *others,
                     TallState *wanted)
{
  Write write = { .operation = operation, .content = content, .options = options };
  gboolean must_look = operation->context->ttl != 0 || operation->sent != NULL;
  guint64 n_rows = (guint64)roots->mutations->len + others->mutations->len;

  write.wanted = content->state;
  if (tall_operation_has_children (operation))
    n_rows += (guint64)write.wanted.n_locations + write.wanted.n_lines;
  n_rows += operation->context->has_dated ? 1 : 0;
  if (must_look || options->condition == TALL_IF_REVISION || !check_options (options, NULL)
      || tall_operation_is_over (operation) || !tall_operation_identify (operation, TRUE, NULL))
    return FALSE;
  tall_index_prepare (operation, content->record.order, NULL);
  if (!tall_operation_has_room (operation, n_rows))
    return FALSE;
  choose_token (&write);
  write.wanted.revision = tall_root_next_revision (&write.root, tall_operation_now (operation));
  tall_state_set_lineage (&write.wanted, operation, &write.root);
  append_commit (&write, 0, roots, others);
  tall_together_append (operation, content, &write.root, &write.wanted, others);
  *wanted = write.wanted;
  return TRUE;
}

/* ---- Patch ---- */

/* Changes to an order as it is. */
typedef struct
{
  const char *const *changes; /* n of them */
  guint n;
  const TallWriteOptions *options;
  gint64 seen; /* the last revision that is certainly not after an earlier call with the token; 0:
                * it does not matter */
  gint64 revision; /* out */
} Patch;

/* Goes back from what is there to the base, as far as the state cell and the commits that this
 * process remembers tell. DONE: an earlier call with the token was, at @revision (out); AGAIN: none
 * was; UNKNOWN. */
static TallStep
look_back (const Patch *self, const Write *write, gint64 *revision)
{
  const TallOperation *operation = write->operation;
  const TallState *state = &write->root.state;
  TallFollower *follower = operation->context->follower;
  gint64 replaced = tall_state_get_replaced (state, operation);
  TallRecentCommit commit;

  *revision = replaced >= 0 && state->revision != self->seen ? replaced : state->revision;
  while (*revision > self->seen)
    {
      if (follower == NULL
          || !tall_recent_find (tall_follower_get_recent (follower), operation, *revision, &commit))
        return TALL_STEP_UNKNOWN;
      if (memcmp (commit.token, operation->token, TALL_TOKEN_SIZE) == 0)
        return TALL_STEP_DONE;
      *revision = commit.replaced;
    }
  return *revision == self->seen ? TALL_STEP_AGAIN : TALL_STEP_UNKNOWN;
}

/* An earlier call with the same token was not done if what is there is what was last seen without
 * it, or has replaced exactly that: so the patch goes from the base one commit at a time. DONE: it
 * was; AGAIN: it was not, or does not matter. */
static TallStep
check_seen (Patch *self, const Write *write, GError **error)
{
  const TallRoot *root = &write->root;
  gint64 revision = root->state.revision;
  if (self->seen == 0)
    return TALL_STEP_AGAIN;
  TallStep step = root->exists ? look_back (self, write, &revision) : TALL_STEP_UNKNOWN;
  if (step != TALL_STEP_UNKNOWN)
    {
      self->seen = root->state.revision;
      self->revision = revision;
      return step;
    }
  if (write->operation->sent != NULL)
    {
      tall_sent_fail_unknown (error, "others have written since", NULL);
      return TALL_STEP_FAILED;
    }
  tall_error_set_conflict (error, root->state.revision,
                           "others have written since revision %" G_GINT64_FORMAT
                           ", so that nobody knows whether an earlier call with this token was "
                           "done; this one was not",
                           self->seen);
  (*error)->code = TALL_ERROR_OUTCOME_UNKNOWN;
  return TALL_STEP_FAILED;
}

/* Puts the order with its changes in the place of what the root says. */
static TallStep
put_patched (Patch *self, Write *write, TallOrder *order, GError **error)
{
  g_auto (TallContent) content = { 0 };
  tall_index_remember (write->operation, order, write->root.state.revision);
  if (!tall_order_patch (order, self->changes, self->n, error)
      || !tall_content_init (&content, tall_record_of_order (order), error))
    return TALL_STEP_FAILED;
  write->content = &content;
  write->wanted = content.state;
  write->operation->hinted = 0; /* by another content */
  choose_token (write);
  TallStep step = put_over (write, error);
  self->revision = write->root.state.revision;
  write->content = NULL;
  return step;
}

/* Reads the order, and puts it with its changes if its state cell is still what was read. */
static TallStep
patch_once (Patch *self, TallOperation *operation, GError **error)
{
  g_auto (Write) write = { .operation = operation, .options = self->options };
  g_autoptr (GError) absent = NULL;

  write.wanted.live = TRUE;
  choose_token (&write);
  g_autoptr (TallOrder) order = tall_fetch_order_with_root (operation, &write.root, &absent);
  if (order == NULL && !g_error_matches (absent, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    {
      g_propagate_error (error, g_steal_pointer (&absent));
      return TALL_STEP_FAILED;
    }
  if (!tall_root_check_owner (&write.root, operation, error))
    return TALL_STEP_FAILED;
  TallStep step = find_done (&write, error);
  self->revision = write.root.state.revision;
  if (step == TALL_STEP_AGAIN)
    step = check_seen (self, &write, error);
  if (step != TALL_STEP_AGAIN)
    return step;
  if (order == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&absent));
      return TALL_STEP_FAILED;
    }
  if (!check_schema (&write, error) || !check_condition (&write, error))
    return TALL_STEP_FAILED;
  step = write.root.state.pending != 0 ? wait_for_claim (&write, error) : TALL_STEP_DONE;
  return step == TALL_STEP_DONE ? put_patched (self, &write, order, error) : step;
}

static gboolean
patch_until_done (Patch *self, TallOperation *operation, GError **error)
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  gint32 longest = FIRST_WAIT;

  if (!tall_operation_identify (operation, FALSE, error))
    return FALSE;
  while (check_time (operation, error))
    {
      TallStep step = patch_once (self, operation, error);
      if (step != TALL_STEP_AGAIN)
        return step == TALL_STEP_DONE;
      hooks->sleep (g_random_int_range (0, longest + 1), hooks->data);
      longest = MIN (longest * 2, LONGEST_PAUSE);
    }
  return FALSE;
}

/* One at a time of this process. */
static gboolean
try_patch (Patch *self, TallOperation *operation, GError **error)
{
  TallFollower *follower = operation->context->follower;
  if (follower == NULL)
    return patch_until_done (self, operation, error);
  TallRecent *recent = tall_follower_get_recent (follower);
  if (!tall_recent_enter (recent, operation))
    return fail_late (error);
  gboolean done = patch_until_done (self, operation, error);
  tall_recent_leave (recent, operation);
  return done;
}

/**
 * tall_patch:
 * @changes: @n of them
 * @revision: (optional) (out): the revision stored
 *
 * Changes parts of an order as it is, and again if another writer comes first.
 *
 * Returns: FALSE with @error set, %TALL_ERROR_NOT_FOUND if there is none. Unless it is
 *   %TALL_ERROR_OUTCOME_UNKNOWN, nothing was changed
 */
gboolean
tall_patch (TallOperation *operation,
            const char *const *changes,
            guint n,
            const TallWriteOptions *options,
            gint64 *revision,
            GError **error)
{
  gboolean counts = options->has_token && options->condition != TALL_IF_REVISION;
  Patch patch = { changes, n, options, counts ? options->base : 0, 0 };
  GError *cause = NULL;
  if (options->condition == TALL_IF_ABSENT)
    return tall_error_fail_invalid (error, "condition", "what is absent cannot be changed");
  if (!check_options (options, error))
    return FALSE;
  operation->writes = TRUE;
  while (tall_follow (operation, &cause))
    if (try_patch (&patch, operation, &cause) && revision != NULL)
      *revision = patch.revision;
  if (cause != NULL)
    g_propagate_error (error, cause);
  return cause == NULL;
}

/* ---- Delete ---- */

static TallSlice
make_summary (const TallOperation *operation, TallArena *arena)
{
  if (operation->order_number == NULL)
    {
      g_autoptr (TallCustomer) nobody = tall_customer_new (operation->customer_number);
      return tall_customer_to_summary (nobody, arena);
    }
  g_autoptr (TallOrder) nothing =
      tall_order_new (operation->customer_number, operation->order_number);
  return tall_order_to_summary (nothing, arena);
}

/**
 * tall_tombstone_append:
 * @named: whether the summary stays with the tombstone, so that it is known whose it is
 *
 * Adds to @batch what makes the root row a tombstone, and removes all else of it.
 */
void
tall_tombstone_append (const TallOperation *operation,
                       const TallState *tombstone,
                       gboolean named,
                       TallBatch *batch)
{
  TallMutation *mutation =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  tall_mutation_delete_up_to (batch, mutation, tombstone->revision - 1);
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, tombstone->revision,
                     tall_state_encode (tombstone, batch->arena));
  if (named)
    tall_mutation_put (batch, mutation, TALL_SUMMARY_QUALIFIER, tombstone->revision,
                       make_summary (operation, batch->arena));
}

/* Puts a tombstone on top of what the root says. */
static TallStep
delete_over (Write *self, GError **error)
{
  TallOperation *operation = self->operation;
  TallState *wanted = &self->wanted;
  const TallRoot replaced = self->root; /* no stranger's, so that it owns nothing */
  prepare_hint (self);
  wanted->revision = tall_root_next_revision (&replaced, tall_operation_now (operation));
  tall_state_set_lineage (wanted, operation, &replaced);

  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_tombstone_append (operation, wanted, TRUE, batch);
  if (tall_together_fits (operation, &replaced, wanted))
    return tall_together_commit (operation, NULL, &self->root, wanted, batch, error);
  TallStep step = tall_children_commit (operation, &self->root, NULL, wanted, batch, error);
  if (step == TALL_STEP_DONE)
    tall_children_clean_up (operation, &replaced, wanted);
  return step;
}

/* ---- Both ---- */

/* A delete, a put that expects an order, and one that begins again have to read it. A put that
 * expects none need not; but the hint of a refused put cannot be taken back, so it looks before it
 * writes one. */
static gboolean
reads_first (const Write *self)
{
  const TallWriteOptions *options = self->options;
  return self->content == NULL || self->operation->has_begun
         || options->condition == TALL_IF_REVISION
         || (options->condition == TALL_IF_ABSENT && tall_index_goes_before (self->operation));
}

/* One step on top of what the root says: AGAIN, until it is done or has failed. */
static TallStep
write_over (Write *self, GError **error)
{
  if (!check_time (self->operation, error)
      || !tall_root_check_owner (&self->root, self->operation, error))
    return TALL_STEP_FAILED;
  TallStep step = find_done (self, error);
  if (step != TALL_STEP_AGAIN)
    return step;
  if (!check_exists (self, error) || !check_schema (self, error) || !check_condition (self, error)
      || !check_has_no_orders (self, error))
    return TALL_STEP_FAILED;
  if (self->content == NULL)
    return delete_over (self, error);
  step = self->root.state.pending != 0 ? wait_for_claim (self, error) : TALL_STEP_DONE;
  return step == TALL_STEP_DONE ? put_over (self, error) : step;
}

/* Tries it in the tables that count as far as is known. */
static gboolean
try_write (Write *self, GError **error)
{
  if (!tall_operation_identify (self->operation, self->content != NULL, error))
    return FALSE;
  choose_token (self);
  prepare_hint (self);
  if (reads_first (self) && !tall_root_read (&self->root, self->operation, error))
    return FALSE;
  TallStep step;
  do
    step = write_over (self, error);
  while (step == TALL_STEP_AGAIN);
  return step == TALL_STEP_DONE;
}

/**
 * tall_put:
 * @revision: (optional) (out): the revision stored
 *
 * Stores an order or a customer. Without a condition it is taken for new at first, which saves a
 * read.
 *
 * Returns: FALSE with @error set: %TALL_ERROR_KEY_COLLISION, the row is another's;
 *   %TALL_ERROR_INVALID, the caller's token is that of something else; %TALL_ERROR_NEWER_VERSION;
 *   %TALL_ERROR_CONFLICT, with the revision that is there; or with what the table says. Unless it
 *   is %TALL_ERROR_OUTCOME_UNKNOWN, nothing was stored
 */
gboolean
tall_put (TallOperation *operation,
          const TallContent *content,
          const TallWriteOptions *options,
          gint64 *revision,
          GError **error)
{
  GError *cause = NULL;
  if (!check_options (options, error))
    return FALSE;
  operation->writes = TRUE;
  while (tall_follow (operation, &cause))
    {
      g_auto (Write) write = {
        .operation = operation,
        .content = content,
        .options = options,
        .wanted = content->state,
      };
      if (try_write (&write, &cause) && revision != NULL)
        *revision = write.root.state.revision;
    }
  if (cause != NULL)
    g_propagate_error (error, cause);
  return cause == NULL;
}

/**
 * tall_delete:
 *
 * Deletes an order, or a customer without orders: its state cell stays as a tombstone. It does not
 * wait for a claim: the writer notices at its commit, and begins again.
 *
 * Returns: FALSE with @error set, as tall_put(), or %TALL_ERROR_NOT_FOUND if there is none. Unless
 *   it is %TALL_ERROR_OUTCOME_UNKNOWN, nothing was deleted
 */
gboolean
tall_delete (TallOperation *operation, const TallWriteOptions *options, GError **error)
{
  GError *cause = NULL;
  if (options->condition == TALL_IF_ABSENT)
    return tall_error_fail_invalid (error, "condition", "what is absent cannot be deleted");
  if (!check_options (options, error))
    return FALSE;
  operation->writes = TRUE;
  while (tall_follow (operation, &cause))
    {
      g_auto (Write) write = { .operation = operation, .options = options };
      write.wanted = (TallState){ .schema = TALL_FIRST_SCHEMA, .sales_date = TALL_NO_DATE };
      (void)try_write (&write, &cause);
    }
  if (cause != NULL)
    g_propagate_error (error, cause);
  return cause == NULL;
}
