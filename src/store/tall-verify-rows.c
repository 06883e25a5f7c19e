/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-verify-rows.h"

#include "tall-verify-look.h"

void
tall_verify_rows_clear (TallVerifyRows *self)
{
  for (guint i = 0; i < self->group.n_tables; i++)
    g_array_unref (self->group.rows[i]);
  self->group.n_tables = 0;
  g_clear_pointer (&self->result, tall_read_result_free);
  g_clear_pointer (&self->plan, tall_read_plan_free);
}

static void
add_reads (const TallStoreContext *context, const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) row = g_byte_array_new ();
  if (key->order.len > 0)
    {
      context->layout->plan_order (key, plan);
      return;
    }
  const char *table = context->layout->locate_customer (key, row);
  tall_read_plan_add_get (plan, table, tall_slice_dup (plan->arena, tall_slice_array (row)));
}

/* The rows of one read; what is no row of an order is left out, as the scan does. */
static GArray *
take_rows (const TallStoreContext *context, const char *table, const TallRows *found)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (TallRow));
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  for (guint i = 0; i < found->n_rows; i++)
    {
      const TallRow *row = &found->rows[i];
      if (!tall_layout_find_owner (context->layout, context->key_strategy, table, row->key, parts)
               .is_unexpected)
        g_array_append_vals (rows, row, 1);
    }
  return rows;
}

/**
 * tall_verify_rows_read:
 * @self: all zero
 * @order: empty: a customer
 *
 * Reads everything of an order or a customer by one plan.
 */
gboolean
tall_verify_rows_read (TallVerifyRows *self,
                       const TallStoreContext *context,
                       TallSlice customer,
                       TallSlice order,
                       GError **error)
{
  g_auto (TallOrderKey) key = { 0 };
  TallVerifyGroup *group = &self->group;
  tall_order_key_init_from_parts (&key, customer, order);
  self->plan = tall_read_plan_new ();
  add_reads (context, &key, self->plan);
  self->result = tall_table_read (context->table, self->plan, tall_verify_deadline (), error);
  if (self->result == NULL)
    return FALSE;
  *group = (TallVerifyGroup){ .customer = customer, .order = order };
  for (; group->n_tables < self->result->n_results; group->n_tables++)
    {
      guint i = group->n_tables;
      group->tables[i] = tall_read_plan_get (self->plan, i)->table;
      group->rows[i] = take_rows (context, group->tables[i], &self->result->results[i]);
    }
  return TRUE;
}
