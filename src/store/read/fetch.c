/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/fetch.h"

#include "tall-error.h"
#include "tall-limits.h"
#include "model/md5.h"
#include "store/commit/root.h"
#include "store/context.h"

/* What is in pieces is damaged, unless it is so old that the rest may have gone with the TTL. */
static void
fail_damaged (const TallOperation *operation, const TallRoot *root, GError *damage, GError **error)
{
  if (!g_error_matches (damage, TALL_ERROR, TALL_ERROR_DAMAGED) || operation->order_number == NULL
      || !tall_store_context_may_have_expired (operation->context, root->state.revision))
    {
      g_propagate_error (error, damage);
      return;
    }
  g_error_free (damage);
  tall_operation_set_not_found (operation, error);
}

/* FALSE if the root says that there is nothing to read, or does not say that it is ours. */
static gboolean
check_readable (const TallOperation *operation, const TallRoot *root, GError **error)
{
  if (!tall_root_is_live (root, operation))
    return tall_operation_set_not_found (operation, error);
  return tall_root_check_summary (root, error) && tall_root_check_owner (root, operation, error);
}

/* The first result of an order's plan has the root row; of a single-row layout it is the only one.
 */
static const TallRow *
find_root_row (const TallOperation *operation, const TallRows *rows)
{
  if (rows->n_rows == 1)
    return &rows->rows[0];
  return tall_rows_find (rows, tall_slice_array (operation->root_row));
}

static gboolean
check_digest (const TallState *state, TallSlice canonical, GError **error)
{
  if (tall_md5_is (canonical, state->digest))
    return TRUE;

  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "all rows of revision %" G_GINT64_FORMAT " are there, but not what was stored in "
               "them: its digest is another",
               state->revision);
  return FALSE;
}

static gboolean
check_order (const TallState *state, const TallDecoded *decoded, TallArena *arena, GError **error)
{
  guint n_lines = tall_order_count_lines (decoded->order);
  guint n_locations = decoded->order->n_shipping_locations;
  if (n_lines != state->n_lines || n_locations != state->n_locations)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
                   "of revision %" G_GINT64_FORMAT " there are %u of %u lines and %u of %u "
                   "locations",
                   state->revision, n_lines, state->n_lines, n_locations, state->n_locations);
      return FALSE;
    }
  if (decoded->proved)
    return TRUE;
  return check_digest (state,
                       decoded->canonical.len > 0 ? decoded->canonical
                                                  : tall_order_to_canonical (decoded->order, arena),
                       error);
}

/* What is damage in what we have written may be our ignorance in what a newer version has. */
static void
blame_schema (const TallState *state, GError **error)
{
  if (state->schema <= TALL_SCHEMA)
    return;
  g_clear_error (error);
  g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
               "it has schema %u, and this version of tallorder knows none after %d; use the newer "
               "version",
               state->schema, TALL_SCHEMA);
}

/* Makes the order of what a plan found. What does not fit together is TALL_ERROR_DAMAGED. */
static TallOrder *
assemble (const TallOperation *operation,
          const TallState *state,
          const TallRows *results,
          guint n_results,
          TallArena *arena,
          GError **error)
{
  const TallFound found = {
    .key = &operation->key,
    .customer_number = operation->customer_number,
    .order_number = operation->order_number,
    .results = results,
    .n_results = n_results,
    .revision = state->revision,
    .digest = state->schema <= TALL_SCHEMA ? state->digest : NULL,
  };
  TallDecoded decoded = { 0 };
  gboolean whole = operation->context->layout->decode_order (&found, &decoded, error)
                   && check_order (state, &decoded, arena, error);
  g_autoptr (TallOrder) order = decoded.order;
  if (whole)
    return g_steal_pointer (&order);
  blame_schema (state, error);
  return NULL;
}

/**
 * tall_fetch_add_reads:
 *
 * Adds to @plan the reads that find all rows of an order, for tall_fetch_order_from().
 */
void
tall_fetch_add_reads (const TallOperation *operation, TallReadPlan *plan)
{
  operation->context->layout->plan_order (&operation->key, plan);
}

static TallReadResult *
read_rows (const TallOperation *operation, gint64 revision, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_fetch_add_reads (operation, plan);
  if (revision != 0)
    tall_read_plan_set_timestamp (plan, revision);
  return tall_operation_read (operation, plan, error);
}

/* Sets @unchanged unless the root is live with another revision than @revision now. */
static gboolean
check_unchanged (const TallOperation *operation,
                 gint64 revision,
                 gboolean *unchanged,
                 GError **error)
{
  g_auto (TallRoot) now = { 0 };
  if (!tall_root_read (&now, operation, error))
    return FALSE;
  *unchanged = now.exists && now.state.live && now.state.revision == revision;
  return TRUE;
}

/* When root and children did not fit together, a commit may have passed between: the root, what
 * belongs to its revision, and the root again, until it has not moved meanwhile. */
static TallOrder *
fetch_step_by_step (const TallOperation *operation, TallRoot *root, GError **error)
{
  tall_store_count (TALL_STORE_REREADS);
  while (!tall_operation_is_over (operation))
    {
      g_autoptr (GError) damage = NULL;
      if (!tall_root_read (root, operation, error) || !check_readable (operation, root, error))
        return NULL;
      g_autoptr (TallReadResult) result = read_rows (operation, root->state.revision, error);
      if (result == NULL)
        return NULL;

      TallOrder *order = assemble (operation, &root->state, result->results, result->n_results,
                                   result->arena, &damage);
      if (order != NULL)
        return order;

      gboolean unchanged;
      if (!check_unchanged (operation, root->state.revision, &unchanged, error))
        return NULL;
      if (unchanged)
        {
          fail_damaged (operation, root, g_steal_pointer (&damage), error);
          return NULL;
        }
    }
  g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
               "it was replaced again and again until the time was over; try again");
  return NULL;
}

/* As tall_fetch_order_from(). @root: (out): what the root row has said */
static TallOrder *
fetch_from (const TallOperation *operation,
            const TallRows *results,
            guint n_results,
            TallArena *arena,
            TallRoot *root,
            GError **error)
{
  g_autoptr (GError) damage = NULL;
  const TallRow *row = find_root_row (operation, &results[0]);
  if (!tall_root_parse (root, operation, row, arena, error)
      || !check_readable (operation, root, error))
    return NULL;

  TallOrder *order = assemble (operation, &root->state, results, n_results, arena, &damage);
  if (order != NULL)
    return order;
  if (tall_operation_has_children (operation))
    return fetch_step_by_step (operation, root, error);
  fail_damaged (operation, root, g_steal_pointer (&damage), error);
  return NULL;
}

/**
 * tall_fetch_order_from:
 * @results: @n_results of them: what the reads of tall_fetch_add_reads() have found
 * @arena: for what is needed in between
 * @revision: (out): the revision read
 *
 * Makes an order of its rows, which were read together. A cell counts only if it has the timestamp
 * that the state names as committed; the counts and the digest in the state make sure that nothing
 * is missing and nothing is mixed. If they do not fit together, the rows are read step by step.
 *
 * Returns: (transfer full): the order; NULL like tall_fetch_order()
 */
TallOrder *
tall_fetch_order_from (const TallOperation *operation,
                       const TallRows *results,
                       guint n_results,
                       TallArena *arena,
                       gint64 *revision,
                       GError **error)
{
  g_auto (TallRoot) root = { 0 };
  TallOrder *order = fetch_from (operation, results, n_results, arena, &root, error);
  if (order != NULL)
    *revision = root.state.revision;
  return order;
}

/**
 * tall_fetch_order_with_root:
 * @root: (out): what the root row has said, also if there is no order: its revision is that of the
 *   order. All zero at first; if the row cannot be read, it says nothing
 *
 * Reads all rows of an order together.
 *
 * Returns: (transfer full): the order; NULL with %TALL_ERROR_NOT_FOUND, %TALL_ERROR_DAMAGED,
 *   %TALL_ERROR_NEWER_VERSION, %TALL_ERROR_KEY_COLLISION or what the table says
 */
TallOrder *
tall_fetch_order_with_root (const TallOperation *operation, TallRoot *root, GError **error)
{
  g_autoptr (TallReadResult) result = read_rows (operation, 0, error);
  if (result == NULL)
    return NULL;
  return fetch_from (operation, result->results, result->n_results, result->arena, root, error);
}

/**
 * tall_fetch_order:
 * @revision: (out): the revision read
 *
 * Returns: (transfer full): the order; NULL like tall_fetch_order_with_root()
 */
TallOrder *
tall_fetch_order (const TallOperation *operation, gint64 *revision, GError **error)
{
  g_auto (TallRoot) root = { 0 };
  TallOrder *order = tall_fetch_order_with_root (operation, &root, error);
  if (order != NULL)
    *revision = root.state.revision;
  return order;
}

/**
 * tall_fetch_customer:
 * @revision: (out): the revision read
 *
 * Returns: (transfer full): the customer; NULL like tall_fetch_order()
 */
TallCustomer *
tall_fetch_customer (const TallOperation *operation, gint64 *revision, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, operation->root_table, tall_slice_array (operation->root_row));
  g_autoptr (TallReadResult) result = tall_operation_read (operation, plan, error);
  if (result == NULL)
    return NULL;

  const TallRow *row = result->results[0].n_rows > 0 ? &result->results[0].rows[0] : NULL;
  return tall_fetch_customer_from (operation, row, result->arena, revision, error);
}

/**
 * tall_fetch_customer_from:
 * @row: (nullable): the customer's row; NULL: there is none
 * @arena: for what is needed in between
 *
 * Returns: (transfer full): the customer, made of its row; NULL like tall_fetch_customer()
 */
TallCustomer *
tall_fetch_customer_from (const TallOperation *operation,
                          const TallRow *row,
                          TallArena *arena,
                          gint64 *revision,
                          GError **error)
{
  g_auto (TallRoot) root = { 0 };
  if (!tall_root_parse (&root, operation, row, arena, error)
      || !check_readable (operation, &root, error))
    return NULL;

  *revision = root.state.revision;
  g_autoptr (TallCustomer) customer =
      operation->context->layout->decode_customer (operation->customer_number, row,
                                                   root.state.revision, error);
  if (customer != NULL
      && check_digest (&root.state, tall_customer_to_canonical (customer, arena), error))
    return g_steal_pointer (&customer);
  blame_schema (&root.state, error);
  return NULL;
}
