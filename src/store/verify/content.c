/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/content.h"

#include "model/canonical.h"
#include "tall-limits.h"
#include "model/md5.h"

static void
add (TallVerifyLook *look, TallFindingKind kind, const char *message)
{
  tall_verify_look_add (look, kind, look->table, look->root_key, 1, message);
}

/* What looks wrong in what a newer version has written may be right. */
static void
add_damage (TallVerifyLook *look, TallFindingKind kind, const char *message)
{
  if (look->root.state.schema > TALL_SCHEMA)
    add (look, TALL_FINDING_NEWER_VERSION, "its schema is newer than this version of tallorder");
  else
    add (look, kind, message);
}

static gboolean
check_digest (TallVerifyLook *look, TallSlice canonical)
{
  if (tall_md5_is (canonical, look->root.state.digest))
    return TRUE;
  add_damage (look, TALL_FINDING_ALTERED_CONTENT, "its digest is not that of what was stored");
  return FALSE;
}

static gboolean
check_counts (TallVerifyLook *look, const TallOrder *order)
{
  const TallState *state = &look->root.state;
  guint n_lines = tall_order_count_lines (order);
  guint n_locations = order->n_shipping_locations;
  if (n_lines == state->n_lines && n_locations == state->n_locations)
    return TRUE;
  gboolean missing = n_lines < state->n_lines || n_locations < state->n_locations;
  add_damage (look, missing ? TALL_FINDING_MISSING_ROWS : TALL_FINDING_SURPLUS_ROWS,
              tall_arena_printf (look->arena, "there are %u of %u lines and %u of %u locations",
                                 n_lines, state->n_lines, n_locations, state->n_locations));
  return FALSE;
}

/* What the digest does not cover: it is known from the content. */
static void
check_derived (TallVerifyLook *look, TallSlice stored, TallSlice summary)
{
  if (look->root.state.schema == TALL_SCHEMA && !tall_slice_equal (stored, summary))
    add (look, TALL_FINDING_ALTERED_SUMMARY, "its summary is not that of its content");
}

static void
check_order (TallVerifyLook *look, const TallDecoded *decoded, TallSlice summary)
{
  const TallOrder *order = decoded->order;
  TallSlice canonical = decoded->canonical.len > 0 ? decoded->canonical
                                                   : tall_order_to_canonical (order, look->arena);
  if (!check_counts (look, order) || !check_digest (look, canonical))
    return;
  check_derived (look, summary, tall_order_to_summary (order, look->arena));
  look->sales_date = order->has_sales_date ? order->sales_date : TALL_NO_DATE;
  look->hinted = look->context->has_index && look->sales_date == look->root.state.sales_date;
  if (look->sales_date != look->root.state.sales_date)
    add (look, TALL_FINDING_ALTERED_DATE, "its state cell has another date");
}

/* The results of the layout's plan of an order, which finds the same rows. */
static guint
make_results (TallVerifyLook *look, const TallVerifyGroup *group, TallRows *results)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  look->context->layout->plan_order (&look->key, plan);
  for (guint i = 0; i < plan->reads->len; i++)
    for (guint j = 0; j < group->n_tables; j++)
      if (g_str_equal (group->tables[j], tall_read_plan_get (plan, i)->table))
        results[i] = (TallRows){ (TallRow *)group->rows[j]->data, group->rows[j]->len };
  return plan->reads->len;
}

static void
verify_order (TallVerifyLook *look, const TallVerifyGroup *group, TallSlice summary)
{
  g_autoptr (GError) cause = NULL;
  TallRows results[TALL_VERIFY_MAX_TABLES] = { 0 };
  TallDecoded decoded = { 0 };
  const TallFound found = {
    .key = &look->key,
    .customer_number = look->customer_number,
    .order_number = look->order_number,
    .results = results,
    .n_results = make_results (look, group, results),
    .revision = look->root.state.revision,
  };
  if (!look->context->layout->decode_order (&found, &decoded, &cause))
    {
      add_damage (look, TALL_FINDING_UNREADABLE, cause->message);
      return;
    }
  g_autoptr (TallOrder) order G_GNUC_UNUSED = decoded.order;
  check_order (look, &decoded, summary);
}

static void
verify_customer (TallVerifyLook *look, TallSlice summary)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallCustomer) customer =
      look->context->layout->decode_customer (look->customer_number, look->row,
                                              look->root.state.revision, &cause);
  if (customer == NULL)
    add_damage (look, TALL_FINDING_UNREADABLE, cause->message);
  else if (check_digest (look, tall_customer_to_canonical (customer, look->arena)))
    check_derived (look, summary, tall_customer_to_summary (customer, look->arena));
}

/**
 * tall_verify_content:
 * @look: at a live order or customer whose numbers are known
 * @summary: the one that is stored
 *
 * Compares what is stored with what the state cell says of it.
 */
void
tall_verify_content (TallVerifyLook *look, const TallVerifyGroup *group, TallSlice summary)
{
  if (look->key.order.len > 0)
    verify_order (look, group, summary);
  else
    verify_customer (look, summary);
}
