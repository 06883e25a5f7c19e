/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/customer-scan.h"

#include "tall-error.h"
#include "store/commit/root.h"

#define FIRST_ROOTS 4 /* looked at in one call, to find one that is live */
#define MOST_ROOTS 256

/* The plan of the order that would come first, each of its reads drawn out to the end of the
 * customer. */
static void
draw_out (const TallReadPlan *order_plan,
          TallSlice stop,
          guint limit,
          gsize max_bytes,
          TallReadPlan *plan)
{
  for (guint i = 0; i < order_plan->reads->len; i++)
    {
      const TallRead *one = tall_read_plan_get (order_plan, i);
      TallSlice start = one->kind == TALL_READ_GET ? one->keys[0] : one->start;
      TallRead *read = tall_read_plan_add_scan (plan, one->table, start, stop);
      read->limit = limit;
      read->max_bytes = max_bytes;
    }
}

/**
 * tall_customer_scan_add:
 * @order: the order part to begin with; the empty slice: the customer's first order
 * @limit: rows at most of each scan
 * @max_bytes: after which each scan is cut, where the table can tell; 0: never
 *
 * Adds to @plan, for each read of the layout's plan of an order, the scan that finds the same of
 * all the customer's orders from @order on. All layouts keep a customer's orders side by side.
 *
 * Returns: the number of scans
 */
guint
tall_customer_scan_add (const TallStoreContext *context,
                        TallSlice customer,
                        TallSlice order,
                        guint limit,
                        gsize max_bytes,
                        TallReadPlan *plan)
{
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (TallReadPlan) order_plan = tall_read_plan_new ();
  tall_order_key_init_from_parts (&key, customer, order);
  context->layout->plan_order (&key, order_plan);
  draw_out (order_plan, tall_slice_after_prefix (plan->arena, customer), limit, max_bytes, plan);
  return order_plan->reads->len;
}

/* Root rows from @start on, or if that is empty from the customer's first. */
static TallReadResult *
read_roots (const TallOperation *operation,
            TallSlice customer,
            TallSlice start,
            guint limit,
            GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_customer_scan_add (operation->context, customer, (TallSlice)TALL_SLICE_INIT, limit, 0, plan);
  g_ptr_array_set_size (plan->reads, 1);
  TallRead *read = tall_read_plan_get (plan, 0);
  if (start.len > 0)
    read->start = start;
  tall_root_narrow (read);
  return tall_operation_read (operation, plan, error);
}

/* Sets @found if the row is that of a live order, of @number if it is not NULL. */
static gboolean
take_live_order (const TallOperation *operation,
                 const TallRow *row,
                 const char *number,
                 TallArena *arena,
                 TallOrderSummary *found,
                 GError **error)
{
  g_auto (TallRoot) root = { 0 };
  TallSlice summary;
  TallOrderSummary order = { 0 };

  if (!tall_root_parse_state (&root, row, &summary, error))
    return FALSE;
  if (!tall_root_is_live_order (&root, operation->context))
    return TRUE;
  if (!tall_root_parse_order (&root, summary, arena, &order, error))
    return FALSE;
  if (number == NULL || g_str_equal (order.customer_number, number))
    *found = order;
  return TRUE;
}

/**
 * tall_customer_scan_find_order:
 * @customer: a customer part
 * @number: (nullable): the customer's number; NULL: whoever it is
 * @arena: of what is found
 * @found: (out): the first live order; its order_number is NULL if there is none
 *
 * Looks at few root rows, and at more if those are of deleted orders.
 */
gboolean
tall_customer_scan_find_order (const TallOperation *operation,
                               TallSlice customer,
                               const char *number,
                               TallArena *arena,
                               TallOrderSummary *found,
                               GError **error)
{
  g_autoptr (GByteArray) start = g_byte_array_new ();

  *found = (TallOrderSummary){ 0 };
  for (guint limit = FIRST_ROOTS;; limit = MIN (2 * limit, MOST_ROOTS))
    {
      g_autoptr (TallReadResult) result =
          read_roots (operation, customer, tall_slice_array (start), limit, error);
      if (result == NULL)
        return FALSE;
      const TallRows *rows = &result->results[0];
      for (guint i = 0; i < rows->n_rows && found->order_number == NULL; i++)
        if (!take_live_order (operation, &rows->rows[i], number, arena, found, error))
          return FALSE;
      if (found->order_number != NULL || rows->n_rows < limit)
        return TRUE;
      tall_bytes_set_after (start, rows->rows[rows->n_rows - 1].key);
    }
}
