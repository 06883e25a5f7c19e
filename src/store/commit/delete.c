/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/write.h"

#include "store/commit/children.h"
#include "store/commit/commit.h"
#include "store/read/customer-scan.h"
#include "tall-error.h"
#include "store/follow.h"
#include "tall-limits.h"
#include "store/commit/together.h"

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
attempt (TallOperation *operation, TallRoot *root, TallState *wanted, GError **error)
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
  tall_write_make_token (operation, options, wanted.token);
  if (!tall_root_read (&root, operation, error))
    return FALSE;
  while (step == TALL_STEP_AGAIN)
    {
      gboolean done;
      if (!tall_write_check_time (operation, error)
          || !tall_write_check_root (operation, &root, options, &wanted, &done, error))
        return FALSE;
      if (done)
        return TRUE;
      if (!check_has_no_orders (operation, &root, error))
        return FALSE;
      step = attempt (operation, &root, &wanted, error);
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
  return tall_write_check_options (options, error)
         && tall_follow (operation, try_delete, (gpointer)options, error);
}
