/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/write.h"

#include "store/commit/children.h"
#include "store/commit/commit.h"
#include "tall-error.h"
#include "store/follow.h"
#include "store/read/index.h"
#include "store/store-counts.h"
#include "store/commit/together.h"

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
      && tall_write_check_time (operation, error))
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
      tall_write_fail_expired (operation, TALL_ERROR_UNSUPPORTED, error); /* our claim has */
      return TALL_STEP_FAILED;
    }
  if (claims || replaced->exists)
    tall_store_count (TALL_STORE_OVERTAKEN);
  operation->n_overtaken += claims ? 1 : 0;
  return TALL_STEP_AGAIN;
}

/* Puts it on top of what @root says. */
static TallStep
attempt (TallOperation *operation,
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
  if (step == TALL_STEP_DONE && !claims && !tall_write_check_kept (operation, &replaced, error))
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
  tall_write_make_token (operation, self->options, wanted.token);
  if (reads_first (operation, self->options) && !tall_root_read (&root, operation, error))
    return FALSE;
  while (step == TALL_STEP_AGAIN)
    {
      gboolean done;
      gboolean is_free = TRUE;
      if (!tall_write_check_time (operation, error)
          || !tall_write_check_root (operation, &root, self->options, &wanted, &done, error))
        return FALSE;
      if (done)
        break;
      if (root.state.pending != 0 && !tall_wait_for_claim (operation, &root, &is_free, error))
        return FALSE;
      if (is_free)
        step = attempt (operation, self->content, &root, &wanted, error);
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
  if (!tall_write_check_options (options, error) || !tall_follow (operation, try_put, &put, error))
    return FALSE;
  if (revision != NULL)
    *revision = put.revision;
  return TRUE;
}
