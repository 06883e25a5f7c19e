/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/write.h"

#include "store/commit/children.h"
#include "store/commit/commit.h"
#include "store/follow.h"
#include "store/read/customer-scan.h"
#include "store/read/fetch.h"
#include "store/read/index.h"
#include "store/context.h"
#include "tall-error.h"
#include "tall-limits.h"

/* Waiting for a claim. */
#define FIRST_WAIT 100     /* microseconds */
#define LONGEST_WAIT 50000 /* microseconds */

/* FALSE with %TALL_ERROR_INVALID for what makes no sense. */
static gboolean
check_options (const TallWriteOptions *options, GError **error)
{
  static const guint8 no_token[TALL_TOKEN_SIZE];

  if (options->has_token && memcmp (options->token, no_token, TALL_TOKEN_SIZE) == 0)
    {
      tall_error_set_invalid (
          error, "token", "a request token of zeros tells nothing; make a UUID for each request");
      return FALSE;
    }
  if (options->condition != TALL_IF_REVISION || options->revision > 0)
    return TRUE;
  tall_error_set_invalid (error, "revision",
                          "revision %" G_GINT64_FORMAT " cannot be expected; they begin with 1",
                          options->revision);
  return FALSE;
}

/* The token by which a commit is recognised: the caller's, if there is one. All attempts of an
 * operation have the same. */
static void
choose_token (TallOperation *operation,
              const TallWriteOptions *options,
              guint8 token[TALL_TOKEN_SIZE])
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  if (options->has_token)
    memcpy (operation->token, options->token, TALL_TOKEN_SIZE);
  else if (!operation->has_token)
    hooks->make_token (operation->token, hooks->data);
  operation->has_token = TRUE;
  memcpy (token, operation->token, TALL_TOKEN_SIZE);
}

/* Sets @done if exactly this has been stored already, by a call that the caller repeats. */
static gboolean
check_done (const TallRoot *root,
            const TallWriteOptions *options,
            const TallState *wanted,
            gboolean *done,
            GError **error)
{
  *done = options->has_token && root->exists && root->state.revision > 0
          && tall_commit_token_matches (&root->state, wanted);
  return !*done || tall_commit_token_check (&root->state, wanted, error);
}

/* Whether there is something to delete, or nothing that a put cannot replace. */
static gboolean
check_replaceable (const TallOperation *operation,
                   const TallRoot *root,
                   const TallState *wanted,
                   GError **error)
{
  if (!wanted->live)
    return tall_root_is_live (root, operation) || tall_operation_set_not_found (operation, error);
  if (!root->state.live || root->state.schema <= TALL_SCHEMA)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
               "what is there has schema %u, and this version of tallorder knows none after "
               "%d, so that replacing it could lose something; use the newer version",
               root->state.schema, TALL_SCHEMA);
  return FALSE;
}

static gboolean
check_condition (const TallOperation *operation,
                 const TallRoot *root,
                 const TallWriteOptions *options,
                 GError **error)
{
  gint64 revision = tall_root_is_live (root, operation) ? root->state.revision : 0;

  if (options->condition == TALL_IF_ABSENT && revision != 0)
    {
      tall_error_set_conflict (error, revision,
                               "it is there already, with revision %" G_GINT64_FORMAT, revision);
      return FALSE;
    }
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

/* @root: what is there
 * @wanted: the state that is to be committed, with its token
 * @done: (out): whether exactly this has been committed already, by a call that the caller repeats,
 *   or by this operation before the tables were shut
 *
 * Returns: FALSE if @root must not be replaced: %TALL_ERROR_KEY_COLLISION, another's;
 *   %TALL_ERROR_OUTCOME_UNKNOWN, this operation may have been done, and replaced since;
 *   %TALL_ERROR_INVALID, the caller's token is that of something else
 */
static gboolean
find_done (TallOperation *operation,
           const TallRoot *root,
           const TallWriteOptions *options,
           const TallState *wanted,
           gboolean *done,
           GError **error)
{
  *done = FALSE;
  if (!tall_root_check_owner (root, operation, error))
    return FALSE;
  TallStep step = tall_sent_settle (operation, root, wanted, error);
  if (step == TALL_STEP_FAILED)
    return FALSE;
  *done = step == TALL_STEP_DONE;
  return *done || check_done (root, options, wanted, done, error);
}

/* The same for a whole put or delete. FALSE also with %TALL_ERROR_NEWER_VERSION;
 * %TALL_ERROR_NOT_FOUND, nothing to delete; %TALL_ERROR_CONFLICT, with the revision that is there,
 * if the caller's condition does not hold */
static gboolean
check_root (TallOperation *operation,
            const TallRoot *root,
            const TallWriteOptions *options,
            const TallState *wanted,
            gboolean *done,
            GError **error)
{
  return find_done (operation, root, options, wanted, done, error)
         && (*done
             || (check_replaceable (operation, root, wanted, error)
                 && check_condition (operation, root, options, error)));
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

/* FALSE with %TALL_ERROR_TIMED_OUT if the operation's time has passed, nothing being done. */
static gboolean
check_time (const TallOperation *operation, GError **error)
{
  if (!tall_operation_is_over (operation))
    return TRUE;
  g_set_error (
      error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
      "the time was over before it could be stored or deleted; nothing was done, try again");
  return FALSE;
}

/* @root: a root with somebody's claim; replaced if it changes
 * @stale: (out): whether the claim has stayed unchanged for so long that it may be claimed over;
 *   FALSE: the root has changed, or the operation is over
 *
 * Waits for another writer to finish. The age of a claim is measured by our own monotonic clock: no
 * clocks of two machines are compared.
 */
static gboolean
wait_for_claim (const TallOperation *operation, TallRoot *root, gboolean *stale, GError **error)
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
  if (*stale)
    tall_store_count (TALL_STORE_TAKEN_OVER);
  return TRUE;
}

/* ---- Put ---- */

/* Claims the order and writes its children. */
static TallStep
prepare (TallOperation *operation,
         const TallContent *content,
         TallRoot *root,
         gint64 revision,
         TallClaim *claim,
         GError **error)
{
  gboolean has_leftovers = tall_root_has_leftovers (root);
  gint64 committed = root->state.revision;
  TallStep step = tall_claim (operation, root, revision, content->order, claim, error);
  if (step != TALL_STEP_DONE)
    return step;

  if ((!has_leftovers || tall_children_remove_left (operation, committed, revision, error))
      && tall_children_write (operation, content->order, revision, error)
      && check_time (operation, error))
    return TALL_STEP_DONE;
  return TALL_STEP_FAILED;
}

/* What has to be there before the commit, which cannot bring it. */
static TallStep
go_before (TallOperation *operation,
           const TallContent *content,
           TallRoot *root,
           const TallState *wanted,
           TallClaim *claim,
           GError **error)
{
  if (!tall_operation_has_children (operation))
    return tall_index_write (operation, root, wanted->sales_date, wanted->revision, error)
               ? TALL_STEP_DONE
               : TALL_STEP_FAILED;
  TallStep step = prepare (operation, content, root, wanted->revision, claim, error);
  if (step == TALL_STEP_FAILED && g_error_matches (*error, TALL_ERROR, TALL_ERROR_SHUT))
    claim->operation = NULL; /* it cannot be given up, and the target does not have it */
  return step;
}

static void
append_commit (const TallOperation *operation,
               const TallContent *content,
               const TallState *committed,
               gint64 dead,
               TallBatch *batch)
{
  TallMutation *mutation =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  if (dead > 0)
    tall_mutation_delete_up_to (batch, mutation, dead);
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, committed->revision,
                     tall_state_encode (committed, batch->arena));
  tall_content_append (content, operation, committed->revision, batch, mutation);
}

/* Another writer came first, or what was taken for new is there. */
static TallStep
begin_again (TallOperation *operation,
             const TallRoot *replaced,
             const TallRoot *root,
             gboolean claims,
             GError **error)
{
  if (claims && !root->exists)
    {
      fail_expired (operation, TALL_ERROR_UNSUPPORTED, error); /* our claim has */
      return TALL_STEP_FAILED;
    }
  if (claims || replaced->exists)
    tall_store_count (TALL_STORE_OVERTAKEN);
  operation->n_overtaken += claims ? 1 : 0;
  return TALL_STEP_AGAIN;
}

/* Puts it on top of what @root says. */
static TallStep
attempt_put (TallOperation *operation,
             const TallContent *content,
             TallRoot *root,
             TallState *wanted,
             GError **error)
{
  const TallRoot replaced = *root; /* no stranger's, so that it owns nothing */
  gboolean together = tall_together_fits (operation, root, wanted);
  gboolean claims = tall_operation_has_children (operation) && !together;
  g_auto (TallClaim) claim = { 0 };

  wanted->revision = tall_root_next_revision (root, tall_operation_now (operation));
  tall_state_set_lineage (wanted, operation, root);
  TallStep step = TALL_STEP_DONE;
  if (!together)
    step = go_before (operation, content, root, wanted, &claim, error);
  if (step != TALL_STEP_DONE)
    return step;

  g_autoptr (TallBatch) batch = tall_batch_new ();
  append_commit (operation, content, wanted, tall_root_find_dead (&replaced, wanted->revision),
                 batch);
  if (together)
    step = tall_together_commit (operation, content->order, root, wanted, batch, error);
  else
    step = tall_commit (operation, root, &claim, batch, wanted, error);
  if (step == TALL_STEP_DONE && !together)
    tall_children_clean_up (operation, &replaced, wanted);
  if (step == TALL_STEP_DONE && !claims && !check_kept (operation, &replaced, error))
    return TALL_STEP_FAILED;
  if (step == TALL_STEP_AGAIN)
    return begin_again (operation, &replaced, root, claims, error);
  return step;
}

/* A put that expects an order must read it, and so must one that begins again. A put that expects
 * none need not read; but the hint of a refused put cannot be taken back, so it looks before it
 * writes one. */
static gboolean
reads_first (const TallOperation *operation, const TallWriteOptions *options)
{
  return operation->has_begun || options->condition == TALL_IF_REVISION
         || (options->condition == TALL_IF_ABSENT && tall_index_goes_before (operation));
}

typedef struct
{
  const TallContent *content;
  const TallWriteOptions *options;
  gint64 revision; /* out */
} Put;

static gboolean
try_put (TallOperation *operation, gpointer data, GError **error)
{
  Put *self = data;
  g_auto (TallRoot) root = { 0 };
  TallState wanted = self->content->state;
  TallStep step = TALL_STEP_AGAIN;

  if (!tall_operation_identify (operation, TRUE, error))
    return FALSE;
  choose_token (operation, self->options, wanted.token);
  if (reads_first (operation, self->options) && !tall_root_read (&root, operation, error))
    return FALSE;
  while (step == TALL_STEP_AGAIN)
    {
      gboolean done;
      gboolean is_free = TRUE;
      if (!check_time (operation, error)
          || !check_root (operation, &root, self->options, &wanted, &done, error))
        return FALSE;
      if (done)
        break;
      if (root.state.pending != 0 && !wait_for_claim (operation, &root, &is_free, error))
        return FALSE;
      if (is_free)
        step = attempt_put (operation, self->content, &root, &wanted, error);
    }
  self->revision = root.state.revision;
  return step != TALL_STEP_FAILED;
}

/**
 * tall_put:
 * @revision: (optional) (out): the revision stored
 *
 * Stores an order or a customer. Without a condition it is taken for new at first, which saves a
 * read.
 *
 * Returns: FALSE with @error set. Unless that is %TALL_ERROR_OUTCOME_UNKNOWN, nothing was stored
 */
gboolean
tall_put (TallOperation *operation,
          const TallContent *content,
          const TallWriteOptions *options,
          gint64 *revision,
          GError **error)
{
  Put put = { .content = content, .options = options };
  operation->writes = TRUE;
  if (!check_options (options, error) || !tall_follow (operation, try_put, &put, error))
    return FALSE;
  if (revision != NULL)
    *revision = put.revision;
  return TRUE;
}

/* ---- Patch ---- */

#define LONGEST_PAUSE 20000 /* microseconds, before a patch is tried again */

typedef struct
{
  const char *const *changes; /* n of them */
  guint n;
  const TallWriteOptions *options;
  gint64 seen; /* the last revision that is certainly not after an earlier call with the token; 0:
                * it does not matter */
  gint64 revision; /* out */
} Patch;

/* An earlier call with the same token was not done if what is there is what was last seen without
 * it, or has replaced exactly that: so the patch goes from the base one commit at a time. */
static gboolean
check_seen (Patch *self, const TallOperation *operation, const TallRoot *root, GError **error)
{
  const TallState *state = &root->state;
  if (self->seen == 0)
    return TRUE;
  if (root->exists
      && (state->revision == self->seen
          || tall_state_get_replaced (state, operation) == self->seen))
    {
      self->seen = state->revision;
      return TRUE;
    }
  if (operation->sent != NULL)
    {
      tall_sent_fail_unknown (error, "others have written since", NULL);
      return FALSE;
    }
  tall_error_set_conflict (error, state->revision,
                           "others have written since revision %" G_GINT64_FORMAT
                           ", so that nobody knows whether an earlier call with this token was "
                           "done; this one was not",
                           self->seen);
  (*error)->code = TALL_ERROR_OUTCOME_UNKNOWN;
  return FALSE;
}

/* Puts the order with its changes in the place of what @root says. */
static TallStep
put_patched (
    Patch *self, TallOperation *operation, TallOrder *order, TallRoot *root, GError **error)
{
  g_auto (TallContent) content = { 0 };
  if (!tall_order_patch (order, self->changes, self->n, error)
      || !tall_content_init (&content, order, NULL, error))
    return TALL_STEP_FAILED;
  TallState wanted = content.state;
  choose_token (operation, self->options, wanted.token);
  TallStep step = attempt_put (operation, &content, root, &wanted, error);
  self->revision = root->state.revision;
  return step;
}

static TallStep
attempt_patch (Patch *self, TallOperation *operation, GError **error)
{
  g_auto (TallRoot) root = { 0 };
  g_autoptr (GError) absent = NULL;
  TallState any = { .live = TRUE };
  gboolean done;
  gboolean is_free = TRUE;

  choose_token (operation, self->options, any.token);
  g_autoptr (TallOrder) order = tall_fetch_order_with_root (operation, &root, &absent);
  if (order == NULL && !g_error_matches (absent, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    {
      g_propagate_error (error, g_steal_pointer (&absent));
      return TALL_STEP_FAILED;
    }
  if (!find_done (operation, &root, self->options, &any, &done, error))
    return TALL_STEP_FAILED;
  self->revision = root.state.revision;
  if (done)
    return TALL_STEP_DONE;
  if (!check_seen (self, operation, &root, error))
    return TALL_STEP_FAILED;
  if (order == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&absent));
      return TALL_STEP_FAILED;
    }
  if (!check_replaceable (operation, &root, &any, error)
      || !check_condition (operation, &root, self->options, error)
      || (root.state.pending != 0 && !wait_for_claim (operation, &root, &is_free, error)))
    return TALL_STEP_FAILED;
  return is_free ? put_patched (self, operation, order, &root, error) : TALL_STEP_AGAIN;
}

static gboolean
try_patch (TallOperation *operation, gpointer data, GError **error)
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  gint32 longest = FIRST_WAIT;

  if (!tall_operation_identify (operation, FALSE, error))
    return FALSE;
  while (check_time (operation, error))
    {
      TallStep step = attempt_patch (data, operation, error);
      if (step != TALL_STEP_AGAIN)
        return step == TALL_STEP_DONE;
      hooks->sleep (g_random_int_range (0, longest + 1), hooks->data);
      longest = MIN (longest * 2, LONGEST_PAUSE);
    }
  return FALSE;
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
  if (options->condition == TALL_IF_ABSENT)
    {
      tall_error_set_invalid (error, "condition", "what is absent cannot be changed");
      return FALSE;
    }
  operation->writes = TRUE;
  if (!check_options (options, error) || !tall_follow (operation, try_patch, &patch, error))
    return FALSE;
  if (revision != NULL)
    *revision = patch.revision;
  return TRUE;
}

/* ---- Delete ---- */

/* A customer with orders stays. An order that is stored at the same moment may be overlooked: it
 * stays, too, and its customer is listed as one that has only orders. */
static gboolean
check_has_no_orders (const TallOperation *operation, const TallRoot *root, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallOrderSummary order;

  if (operation->order_number != NULL)
    return TRUE;
  if (!tall_customer_scan_find_order (operation, operation->key.customer,
                                      operation->customer_number, arena, &order, error))
    return FALSE;
  if (order.order_number == NULL)
    return TRUE;
  tall_error_set_conflict (error, root->state.revision,
                           "the customer still has orders, such as %s; delete those first",
                           order.order_number);
  return FALSE;
}

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

/* The summary stays with the tombstone, so that it is known whose it is. */
static void
append_tombstone (const TallOperation *operation,
                  const TallState *tombstone,
                  TallSlice summary,
                  gint64 dead,
                  TallBatch *batch)
{
  TallMutation *mutation =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  tall_mutation_delete_up_to (batch, mutation, dead);
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, tombstone->revision,
                     tall_state_encode (tombstone, batch->arena));
  tall_mutation_put (batch, mutation, TALL_SUMMARY_QUALIFIER, tombstone->revision, summary);
}

static TallStep
attempt_delete (TallOperation *operation, TallRoot *root, TallState *wanted, GError **error)
{
  const TallRoot replaced = *root; /* no stranger's, so that it owns nothing */
  wanted->revision = tall_root_next_revision (root, tall_operation_now (operation));
  tall_state_set_lineage (wanted, operation, root);

  g_autoptr (TallBatch) batch = tall_batch_new ();
  append_tombstone (operation, wanted, make_summary (operation, batch->arena),
                    tall_root_find_dead (&replaced, wanted->revision), batch);
  if (tall_together_fits (operation, root, wanted))
    return tall_together_commit (operation, NULL, root, wanted, batch, error);
  TallStep step = tall_commit (operation, root, NULL, batch, wanted, error);
  if (step == TALL_STEP_DONE)
    tall_children_clean_up (operation, &replaced, wanted);
  return step;
}

static gboolean
try_delete (TallOperation *operation, gpointer data, GError **error)
{
  const TallWriteOptions *options = data;
  g_auto (TallRoot) root = { 0 };
  TallState wanted = { .schema = TALL_SCHEMA, .sales_date = TALL_NO_DATE };
  TallStep step = TALL_STEP_AGAIN;

  if (!tall_operation_identify (operation, FALSE, error))
    return FALSE;
  choose_token (operation, options, wanted.token);
  if (!tall_root_read (&root, operation, error))
    return FALSE;
  while (step == TALL_STEP_AGAIN)
    {
      gboolean done;
      if (!check_time (operation, error)
          || !check_root (operation, &root, options, &wanted, &done, error))
        return FALSE;
      if (done)
        return TRUE;
      if (!check_has_no_orders (operation, &root, error))
        return FALSE;
      step = attempt_delete (operation, &root, &wanted, error);
    }
  return step == TALL_STEP_DONE;
}

/**
 * tall_delete:
 *
 * Deletes an order, or a customer without orders: its state cell stays as a tombstone. It does not
 * wait for a claim: the writer notices at its commit, and begins again.
 *
 * Returns: FALSE with @error set, %TALL_ERROR_NOT_FOUND if there is none. Unless it is
 *   %TALL_ERROR_OUTCOME_UNKNOWN, nothing was deleted
 */
gboolean
tall_delete (TallOperation *operation, const TallWriteOptions *options, GError **error)
{
  if (options->condition == TALL_IF_ABSENT)
    {
      tall_error_set_invalid (error, "condition", "what is absent cannot be deleted");
      return FALSE;
    }
  operation->writes = TRUE;
  return check_options (options, error)
         && tall_follow (operation, try_delete, (gpointer)options, error);
}
