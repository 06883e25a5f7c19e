/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/index.h"
#include "store/verify/repair.h"
#include "store/verify/verify.h"

/* A hint that is wrong: its row as it was read, and the order that it leads to. */
typedef struct
{
  const TallRow *row;
  gint64 date;
  TallVerifyLook look;
} Hint;

static gboolean
read_row (const TallStoreContext *context, TallSlice key, TallReadResult **result, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, TALL_INDEX_TABLE, key);
  *result = tall_table_read (context->table, plan, tall_verify_deadline (), error);
  return *result != NULL;
}

/* The hint of a live order at its date names another order: it gets the right name, which the row
 * of the order says. Any other hint goes, each version by itself. */
static void
append_change (const Hint *hint, TallBatch *batch)
{
  const TallState *state = &hint->look.root.state;
  TallMutation *mutation = tall_batch_add (batch, TALL_INDEX_TABLE, hint->row->key);
  if (state->live && state->sales_date == hint->date)
    tall_mutation_put (batch, mutation, TALL_INDEX_QUALIFIER, tall_repair_find_latest (hint->row),
                       tall_slice_str (hint->look.order_number));
  else
    for (guint i = 0; i < hint->row->n_cells; i++)
      tall_mutation_delete_at (batch, mutation, hint->row->cells[i].timestamp);
}

static gboolean
mend (const Hint *hint, TallRepairOutcome *outcome, GError **error)
{
  const TallState *state = &hint->look.root.state;
  g_auto (TallOperation) operation = { 0 };
  g_auto (TallRoot) root = { 0 };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_auto (TallClaim) claim = { 0 };
  if (tall_verify_look_needs_person (&hint->look)
      || (state->live && state->sales_date == hint->date && hint->look.order_number == NULL))
    return TRUE;
  *outcome = TALL_REPAIR_OVERTAKEN;
  if (state->pending != 0)
    return TRUE; /* nobody knows yet how long it has been claimed */
  if (tall_verify_look_is_gone (&hint->look))
    return TRUE; /* since it was looked at: the hint goes, too */
  tall_repair_begin (&operation, &hint->look);
  root = hint->look.root; /* owns nothing */
  append_change (hint, batch);
  return tall_repair_claim (&operation, &root, tall_repair_find_latest (hint->row), &claim, outcome,
                            error)
         && (*outcome != TALL_REPAIR_DONE || tall_operation_apply (&operation, batch, error));
}

/**
 * tall_repair_hint:
 * @row: key of a hint that leads to no order of its date, or names another order than it leads to
 *
 * Removes the hint, or corrects the name. The order is claimed meanwhile, so that nobody commits
 * what the hint may have been written for. If there is no such order, the claim makes its root row.
 *
 * Returns: FALSE if a table could not be read or written now
 */
gboolean
tall_repair_hint (const TallStoreContext *context,
                  TallSlice row,
                  TallRepairOutcome *outcome,
                  GError **error)
{
  TallSlice customer, order;
  g_autoptr (TallReadResult) result = NULL;
  Hint hint = { 0 };
  *outcome = TALL_REPAIR_LEFT;
  if (!tall_verify_split_hint (context, row, &customer, &hint.date, &order))
    return TRUE;
  if (!read_row (context, row, &result, error))
    return FALSE;
  if (result->results[0].n_rows == 0)
    {
      *outcome = TALL_REPAIR_OVERTAKEN;
      return TRUE;
    }
  hint.row = &result->results[0].rows[0];
  gboolean done = tall_verify_look_again (&hint.look, context, customer, order, error)
                  && mend (&hint, outcome, error);
  tall_verify_look_clear (&hint.look);
  return done;
}
