/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-write.h"

#include "tall-children.h"
#include "tall-commit.h"
#include "tall-error.h"
#include "tall-index.h"
#include "tall-limits.h"

static gboolean
check_root (const TallOperation *operation,
            const TallRoot *root,
            const TallWriteOptions *options,
            const TallState *wanted,
            gboolean *done,
            GError **error)
{
  *done = FALSE;
  if (!tall_root_check_owner (root, operation, error)
      || !tall_write_is_done (root, options, wanted, done, error))
    return FALSE;
  if (*done)
    return TRUE;
  if (root->state.live && root->state.schema > TALL_SCHEMA)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
                   "what is there has schema %u, and this version of tallorder knows none after "
                   "%d, so that replacing it could lose something; use the newer version",
                   root->state.schema, TALL_SCHEMA);
      return FALSE;
    }
  return tall_write_check_condition (operation, root, options, error);
}

/* Claims the order and writes its children. After anything but TALL_STEP_DONE we have no claim. */
static TallStep
prepare (TallOperation *operation,
         const TallContent *content,
         TallRoot *root,
         gint64 revision,
         GError **error)
{
  gboolean has_leftovers = tall_root_has_leftovers (root);
  gint64 committed = root->state.revision;
  TallStep step = tall_claim (operation, root, revision, error);
  if (step != TALL_STEP_DONE)
    return step;

  if ((!has_leftovers || tall_children_remove_left (operation, committed, revision, error))
      && tall_children_write (operation, content->order, revision, error)
      && tall_write_check_time (operation, error))
    return TALL_STEP_DONE;
  tall_release (operation, root, content->order);
  return TALL_STEP_FAILED;
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

/* Puts it on top of what @root says. */
static TallStep
attempt (TallOperation *operation,
         const TallContent *content,
         TallRoot *root,
         TallState *wanted,
         GError **error)
{
  gboolean has_children = tall_operation_has_children (operation);
  const TallRoot replaced = *root; /* no stranger's, so that it owns nothing */

  wanted->revision = tall_root_next_revision (root, tall_operation_now (operation));
  tall_state_set_lineage (wanted, operation, root);
  if (has_children)
    {
      TallStep step = prepare (operation, content, root, wanted->revision, error);
      if (step != TALL_STEP_DONE)
        return step;
    }
  else if (!tall_index_write (operation, root, wanted->sales_date, wanted->revision, error))
    return TALL_STEP_FAILED;

  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autoptr (GError) cause = NULL;
  append_commit (operation, content, wanted, tall_root_find_dead (&replaced, wanted->revision),
                 batch);
  TallStep step =
      tall_commit (operation, root, g_ptr_array_index (batch->mutations, 0), wanted, &cause);
  if (step == TALL_STEP_DONE)
    tall_children_clean_up (operation, &replaced, wanted);
  if (step == TALL_STEP_DONE && !tall_write_check_kept (operation, &replaced, error))
    return TALL_STEP_FAILED;
  if (has_children && step == TALL_STEP_AGAIN && !root->exists)
    {
      tall_write_fail_expired (operation, TALL_ERROR_UNSUPPORTED, error); /* our claim has */
      return TALL_STEP_FAILED;
    }
  if (has_children && step == TALL_STEP_AGAIN)
    operation->n_overtaken++;
  if (has_children && step == TALL_STEP_FAILED
      && !g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    tall_release (operation, root, content->order);
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return step;
}

/* A put that expects an order must read it. A put that expects none need not read; but the hint of
 * a refused put cannot be taken back, so it looks before it writes one. */
static gboolean
reads_first (const TallOperation *operation, const TallWriteOptions *options)
{
  return options->condition == TALL_IF_REVISION
         || (options->condition == TALL_IF_ABSENT && tall_index_goes_before (operation));
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
  g_auto (TallRoot) root = { 0 };
  TallState wanted = content->state;
  TallStep step = TALL_STEP_AGAIN;

  if (!tall_write_check_options (options, error)
      || !tall_operation_identify (operation, TRUE, error))
    return FALSE;
  tall_write_make_token (operation, options, wanted.token);
  if (reads_first (operation, options) && !tall_root_read (&root, operation, error))
    return FALSE;
  while (step == TALL_STEP_AGAIN)
    {
      gboolean done;
      gboolean free = TRUE;
      if (!tall_write_check_time (operation, error)
          || !check_root (operation, &root, options, &wanted, &done, error))
        return FALSE;
      if (done)
        break;
      if (root.state.pending != 0 && !tall_wait_for_claim (operation, &root, &free, error))
        return FALSE;
      if (free)
        step = attempt (operation, content, &root, &wanted, error);
    }
  if (step == TALL_STEP_FAILED)
    return FALSE;
  if (revision != NULL)
    *revision = root.state.revision;
  return TRUE;
}
