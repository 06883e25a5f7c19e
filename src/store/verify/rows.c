/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/rows.h"

#include "store/verify/look.h"

void
tall_verify_rows_clear (TallVerifyRows *self)
{
  g_clear_pointer (&self->scan, tall_verify_scan_free);
  self->group = (TallVerifyGroup){ 0 };
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

/* What is no row of an order is left out: the walk has found it. What the table cannot read ends
 * it.
 */
static gboolean
on_stray (const char *table G_GNUC_UNUSED,
          TallSlice row G_GNUC_UNUSED,
          guint n_rows G_GNUC_UNUSED,
          const GError *error,
          gpointer data)
{
  GError **cause = data;
  if (error != NULL && *cause == NULL)
    *cause = g_error_copy (error);
  return TRUE;
}

/**
 * tall_verify_rows_read:
 * @self: all zero
 * @order: empty: a customer
 *
 * Reads everything of an order or a customer, page by page, as there may be any number of rows
 * between its own that are of nobody.
 */
gboolean
tall_verify_rows_read (TallVerifyRows *self,
                       const TallStoreContext *context,
                       TallSlice customer,
                       TallSlice order,
                       GError **error)
{
  gboolean paused;
  GError *cause = NULL;
  GError *unreadable = NULL;
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_order_key_init_from_parts (&key, customer, order);
  add_reads (context, &key, plan);
  self->scan = tall_verify_scan_new_of (context, plan, on_stray, &unreadable);
  const TallVerifyGroup *group = tall_verify_scan_next (self->scan, &paused, &cause);
  if (cause == NULL)
    cause = g_steal_pointer (&unreadable);
  g_clear_error (&unreadable);
  if (cause != NULL)
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  self->group = group != NULL ? *group : (TallVerifyGroup){ .customer = customer, .order = order };
  return TRUE;
}
