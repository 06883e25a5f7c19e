/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/commit.h"
#include "store/verify/verify.h"

/* @operation: all zero
 * @look: what was seen; must outlive @operation
 *
 * Begins to mend an order or a customer. Its rows need not say whose they are. */
static void
begin (TallOperation *operation, const TallVerifyLook *look)
{
  const char *customer = look->customer_number != NULL ? look->customer_number : "";
  const char *order = look->order_number != NULL ? look->order_number : "";
  tall_operation_init (operation, look->context, customer, look->key.order.len > 0 ? order : NULL,
                       0);
  tall_order_key_init_from_parts (&operation->key, look->key.customer, look->key.order);
  operation->root_table = look->table;
  operation->root_row = g_byte_array_new ();
  tall_bytes_append (operation->root_row, look->root_key);
}

/**
 * tall_repair_find_latest:
 *
 * Returns: the latest timestamp in a row; 0 if it has no cells
 */
gint64
tall_repair_find_latest (const TallRow *row)
{
  gint64 latest = 0;
  for (guint i = 0; i < row->n_cells; i++)
    latest = MAX (latest, row->cells[i].timestamp);
  return latest;
}

/* @root: what is to be there; after %TALL_REPAIR_DONE the claim
 * @latest: the latest timestamp that was seen in any row that is going to be changed
 * @claim: (out): after %TALL_REPAIR_DONE what gives the claim up
 *
 * Claims an order or a customer, so that whoever is writing it begins again, and with a revision
 * that is later than all that is there: what is deleted by its timestamp afterwards is of nobody
 * who may still commit, and no marker hides what somebody writes later. */
static gboolean
claim_it (TallOperation *operation,
          TallRoot *root,
          gint64 latest,
          TallClaim *claim,
          TallRepairOutcome *outcome,
          GError **error)
{
  *outcome = TALL_REPAIR_LEFT;
  if (latest >= TALL_LATEST_REVISION)
    return TRUE;
  gint64 now = MAX (tall_operation_now (operation), latest + 1);
  gint64 revision = tall_root_next_revision (root, now);
  if (revision > TALL_LATEST_REVISION)
    return TRUE;
  switch (tall_claim (operation, root, revision, NULL, claim, error))
    {
    case TALL_STEP_DONE:
      *outcome = TALL_REPAIR_DONE;
      return TRUE;
    case TALL_STEP_AGAIN:
      *outcome = TALL_REPAIR_OVERTAKEN;
      return TRUE;
    case TALL_STEP_FAILED:
    default:
      return FALSE;
    }
}

/* Deletes each timestamp of the row by which a cell does not count, and nothing else. */
static void
append_removal (const TallState *state,
                gboolean is_root,
                const char *table,
                const TallRow *row,
                TallBatch *batch)
{
  TallMutation *mutation = NULL;
  for (guint i = 0; i < row->n_cells; i++)
    {
      if (tall_verify_cell_counts (state, is_root, &row->cells[i]))
        continue;
      if (mutation == NULL)
        mutation = tall_batch_add (batch, table, row->key);
      tall_mutation_delete_at (batch, mutation, row->cells[i].timestamp);
    }
}

/* What does not count in the rows of the order. Returns: the latest timestamp in them */
static gint64
find_surplus (const TallOperation *operation, const TallVerifyLook *look, TallBatch *batch)
{
  gint64 latest = 0;
  const TallVerifyGroup *group = look->group;
  for (guint i = 0; i < group->n_tables; i++)
    for (guint j = 0; j < group->rows[i]->len; j++)
      {
        const char *table = group->tables[i];
        const TallRow *row = &g_array_index (group->rows[i], TallRow, j);
        append_removal (&look->root.state, tall_operation_is_root (operation, table, row->key),
                        table, row, batch);
        latest = MAX (latest, tall_repair_find_latest (row));
      }
  return latest;
}

/* The hints of a live order that are missing: at its revision, with which they go. A marker may
 * hide one there: then at the revision of the claim, which leaves a hint that leads nowhere if the
 * order ever has another. */
static gboolean
write_hints (const TallOperation *operation,
             const TallVerifyLook *look,
             gint64 claimed,
             TallRepairOutcome *outcome,
             GError **error)
{
  const gint64 revisions[] = { look->root.state.revision, claimed };
  TallVerifyLook now = { .context = look->context,
                         .hints = look->hints,
                         .missing = g_array_ref (look->missing) };
  gboolean done = TRUE;
  for (guint i = 0; done && i < G_N_ELEMENTS (revisions) && now.missing->len > 0; i++)
    {
      g_autoptr (TallBatch) batch = tall_batch_new ();
      for (guint j = 0; j < now.missing->len; j++)
        tall_index_put_hint (tall_index_get (now.missing, j), operation->order_number, revisions[i],
                             batch);
      done = tall_operation_apply (operation, batch, error)
             && tall_verify_find_missing (&now, 1, NULL, error);
    }
  if (now.missing->len > 0)
    *outcome = TALL_REPAIR_LEFT;
  g_array_unref (now.missing);
  return done;
}

/**
 * tall_repair_rows:
 * @look: what is wrong with an order or a customer. Its root must have been the same for as long as
 *   a claim is respected
 * @outcome: (out): %TALL_REPAIR_LEFT: a timestamp is so late that no claim can be later
 *
 * Removes cells that do not count, takes over a claim that was left, and writes a hint that is
 * missing. What is committed stays as it is.
 */
gboolean
tall_repair_rows (const TallVerifyLook *look,
                  const TallVerifySubject *subject G_GNUC_UNUSED,
                  TallRepairOutcome *outcome,
                  GError **error)
{
  g_auto (TallOperation) operation = { 0 };
  g_auto (TallRoot) root = look->root; /* owns nothing */
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_auto (TallClaim) claim = { 0 };
  begin (&operation, look);
  gint64 latest = find_surplus (&operation, look, batch);
  if (!claim_it (&operation, &root, latest, &claim, outcome, error))
    return FALSE;
  if (*outcome != TALL_REPAIR_DONE)
    return TRUE;
  if (batch->mutations->len > 0 && !tall_operation_apply (&operation, batch, error))
    return FALSE;
  return (tall_verify_look_kinds (look) & (1u << TALL_FINDING_MISSING_HINT)) == 0
         || write_hints (&operation, look, claim.state.pending, outcome, error);
}

/* A hint that a live order is to have names another order: it gets the right name, which the row of
 * the order says. Any other hint goes, with older versions, which HBase would show again. The claim
 * is later, and so is all that is committed after it. */
static void
append_change (const TallVerifyLook *look, const char *table, TallBatch *batch)
{
  const TallRow *hint = look->beside;
  TallMutation *mutation = tall_batch_add (batch, table, hint->key);
  if (look->root.state.live && tall_index_has (look->hints, table, hint->key))
    tall_mutation_put (batch, mutation, TALL_INDEX_QUALIFIER, tall_repair_find_latest (hint),
                       tall_slice_str (look->order_number));
  else
    tall_mutation_delete_up_to (batch, mutation, tall_repair_find_latest (hint));
}

/**
 * tall_repair_hint:
 * @look: at a hint or an entry that leads to no order with its date or values, or names another
 *   order than it leads to
 * @outcome: (out): %TALL_REPAIR_LEFT: nobody knows what the order is to have
 *
 * Removes the hint, or corrects the name. The order is claimed meanwhile, so that nobody commits
 * what the hint may have been written for. If there is no such order, the claim makes its root row.
 */
gboolean
tall_repair_hint (const TallVerifyLook *look,
                  const TallVerifySubject *subject,
                  TallRepairOutcome *outcome,
                  GError **error)
{
  const TallState *state = &look->root.state;
  g_auto (TallOperation) operation = { 0 };
  g_auto (TallRoot) root = look->root; /* owns nothing */
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_auto (TallClaim) claim = { 0 };
  *outcome = TALL_REPAIR_LEFT;
  if (state->live && look->hints == NULL)
    return TRUE;
  *outcome = TALL_REPAIR_OVERTAKEN;
  if (state->pending != 0)
    return TRUE; /* nobody knows yet how long it has been claimed */
  begin (&operation, look);
  append_change (look, subject->table, batch);
  return claim_it (&operation, &root, tall_repair_find_latest (look->beside), &claim, outcome,
                   error)
         && (*outcome != TALL_REPAIR_DONE || tall_operation_apply (&operation, batch, error));
}
