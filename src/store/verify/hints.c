/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/read/index.h"
#include "store/verify/verify.h"

/**
 * tall_verify_split_hint:
 *
 * Finds the parts of a hint's row key.
 *
 * Returns: FALSE if it is none
 */
gboolean
tall_verify_split_hint (const TallStoreContext *context,
                        TallSlice row,
                        TallSlice *customer,
                        gint64 *date,
                        TallSlice *order)
{
  gssize len = context->key_strategy->measure_customer (row);
  if (len < 0 || (gsize)len + TALL_INDEX_DATE_SIZE >= row.len)
    return FALSE;
  *customer = tall_slice (row.data, (gsize)len);
  *date = tall_index_parse_date (row.data + len);
  *order = tall_slice (row.data + len + TALL_INDEX_DATE_SIZE,
                       row.len - (gsize)len - TALL_INDEX_DATE_SIZE);
  return context->key_strategy->measure_order (*order) == (gssize)order->len;
}

static const char *
locate (const TallStoreContext *context, const TallRow *row, GByteArray *key)
{
  gint64 date;
  TallSlice customer, order;
  g_auto (TallOrderKey) parts = { 0 };
  if (!tall_verify_split_hint (context, row->key, &customer, &date, &order))
    return NULL;
  tall_order_key_init_from_parts (&parts, customer, order);
  return context->layout->locate_order (&parts, key);
}

static void
add (TallVerifyLook *look, TallFindingKind kind, const TallRow *row, const char *message)
{
  tall_verify_look_add (look, kind, TALL_INDEX_TABLE, row->key, 1, message);
}

/* The text of the hint is for people: messages about unreadable orders show it. */
static void
judge_text (TallVerifyLook *look, const TallRow *row, TallSlice summary)
{
  TallOrderSummary order;
  const TallCell *cell = tall_row_find_latest (row, TALL_INDEX_QUALIFIER);
  if (summary.len == 0 || !tall_order_summary_parse (summary, look->arena, &order, NULL))
    return; /* found with the order */
  if (cell == NULL || !tall_slice_equal (cell->value, tall_slice_str (order.order_number)))
    add (look, TALL_FINDING_ALTERED_HINT, row, "it names another order than it leads to");
}

static void
judge (TallVerifyLook *look, const TallRow *row, const TallRow *other)
{
  gint64 date;
  TallSlice customer, order, summary;
  if (!tall_verify_split_hint (look->context, row->key, &customer, &date, &order))
    add (look, TALL_FINDING_STRAY_ROW, row, "its key is that of no hint");
  else if (!tall_root_parse_state (&look->root, other, &summary, NULL)
           || tall_verify_look_is_gone (look))
    return; /* found with the order, or gone */
  else if (!look->root.exists || !look->root.state.live)
    add (look, TALL_FINDING_DANGLING_HINT, row, "there is no such order");
  else if (look->root.state.sales_date != date)
    add (look, TALL_FINDING_DANGLING_HINT, row, "the order has another date");
  else
    judge_text (look, row, summary);
}

static guint64 *
count (TallVerifyPart *part)
{
  return &part->n_hints;
}

static gboolean
find_order (const TallStoreContext *context, TallSlice key, TallSlice *customer, TallSlice *order)
{
  gint64 date;
  return tall_verify_split_hint (context, key, customer, &date, order);
}

/**
 * tall_verify_hints:
 *
 * The table `index`: each hint, and the root row that it leads to.
 */
const TallVerifyPair tall_verify_hints = { TALL_INDEX_TABLE, locate, judge, count, find_order };
