/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/order-groups.h"

#include "store/read/customer-scan.h"

#define MOST_SCANNED (2 * 1024 * 1024) /* bytes of one scan, where the table can tell */

void
tall_order_groups_clear (TallOrderGroups *self)
{
  g_clear_pointer (&self->plan, tall_read_plan_free);
  g_clear_pointer (&self->result, tall_read_result_free);
  g_clear_pointer (&self->parts, g_array_unref);
}

/* The customer's row comes with the first scan if it lies before the orders in the same table. */
static void
add_customer (TallOrderGroups *self, TallSlice first_order)
{
  const TallOperation *operation = self->operation;
  TallSlice own = tall_slice_array (operation->root_row);
  TallRead *first = tall_read_plan_get (self->plan, 0);
  if (first_order.len == 0 && g_str_equal (first->table, operation->root_table)
      && tall_slice_compare (own, first->start) < 0)
    first->start = tall_slice_dup (self->plan->arena, own);
  else
    tall_read_plan_add_get (self->plan, operation->root_table, own);
}

/**
 * tall_order_groups_read:
 * @operation: on the customer
 * @first: the order part to begin with; the empty slice: the customer's first order
 * @limit: rows at most of each scan
 * @with_customer: whether the customer's own row is read, too
 *
 * Reads together all scans that find orders of the customer. @self must be empty before.
 */
gboolean
tall_order_groups_read (TallOrderGroups *self,
                        const TallOperation *operation,
                        TallSlice first,
                        guint limit,
                        gboolean with_customer,
                        GError **error)
{
  self->operation = operation;
  self->plan = tall_read_plan_new ();
  self->parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  self->limit = limit;
  self->n_reads = tall_customer_scan_add (operation->context, operation->key.customer, first, limit,
                                          MOST_SCANNED, self->plan);
  g_assert (self->n_reads <= TALL_MOST_READS);
  if (with_customer)
    add_customer (self, first);
  self->result = tall_operation_read (operation, self->plan, error);
  return self->result != NULL;
}

/**
 * tall_order_groups_find_customer:
 *
 * Returns: (nullable): the customer's own row, if it was asked for and is there
 */
const TallRow *
tall_order_groups_find_customer (const TallOrderGroups *self)
{
  const TallReadResult *result = self->result;
  guint i = result->n_results > self->n_reads ? self->n_reads : 0;
  return tall_rows_find (&result->results[i], tall_slice_array (self->operation->root_row));
}

static const char *
get_table (const TallOrderGroups *self, guint i)
{
  return tall_read_plan_get (self->plan, i)->table;
}

/* The order part of a row's key; the empty slice if it has none. */
static TallSlice
get_order (const TallOrderGroups *self, const char *table, TallSlice row)
{
  const TallStoreContext *context = self->operation->context;
  return tall_layout_find_owner (context->layout, context->key_strategy, table, row, self->parts)
      .order;
}

/* Whether a scan has found all there is. */
static gboolean
is_all (const TallRows *rows, guint limit)
{
  return rows->n_rows < limit && !rows->cut;
}

/* The least order part of the rows that come next; rows without one are passed over. */
static TallSlice
find_order (TallOrderGroups *self)
{
  TallSlice least = TALL_SLICE_INIT;
  for (guint i = 0; i < self->n_reads; i++)
    {
      const TallRows *rows = &self->result->results[i];
      TallSlice order = TALL_SLICE_INIT;
      while (self->at[i] < rows->n_rows
             && (order = get_order (self, get_table (self, i), rows->rows[self->at[i]].key)).len
                    == 0)
        self->at[i]++;
      if (order.len > 0 && (least.len == 0 || tall_slice_compare (order, least) < 0))
        least = order;
    }
  return least;
}

/**
 * tall_order_groups_next:
 *
 * Takes the rows of the next order together.
 *
 * Returns: FALSE if there is none
 */
gboolean
tall_order_groups_next (TallOrderGroups *self)
{
  self->order = find_order (self);
  self->is_whole = TRUE;
  for (guint i = 0; self->order.len > 0 && i < self->n_reads; i++)
    {
      const TallRows *rows = &self->result->results[i];
      const char *table = get_table (self, i);
      guint end = self->at[i];
      while (end < rows->n_rows
             && tall_slice_equal (get_order (self, table, rows->rows[end].key), self->order))
        end++;
      self->group[i] = (TallRows){ rows->rows + self->at[i], end - self->at[i] };
      self->at[i] = end;
      self->is_whole = self->is_whole
                       && (end < rows->n_rows || is_all (rows, self->limit)
                           || self->operation->context->layout->single_row);
    }
  return self->order.len > 0;
}

/**
 * tall_order_groups_is_exhausted:
 *
 * Returns: whether the customer has no rows of orders after those that were read
 */
gboolean
tall_order_groups_is_exhausted (const TallOrderGroups *self)
{
  for (guint i = 0; i < self->n_reads; i++)
    if (!is_all (&self->result->results[i], self->limit))
      return FALSE;
  return TRUE;
}
