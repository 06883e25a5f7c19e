/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-listing.h"

void
tall_order_list_free (TallOrderList *self)
{
  if (self == NULL)
    return;
  tall_arena_free (self->arena);
  g_free (self);
}

void
tall_customer_list_free (TallCustomerList *self)
{
  if (self == NULL)
    return;
  tall_arena_free (self->arena);
  g_free (self);
}

/**
 * tall_outcome_clear:
 *
 * Frees what the outcome owns and makes it empty.
 */
void
tall_outcome_clear (TallOutcome *self)
{
  g_clear_pointer (&self->order, tall_order_free);
  g_clear_error (&self->error);
  self->revision = 0;
}

void
tall_customer_orders_free (TallCustomerOrders *self)
{
  if (self == NULL)
    return;
  tall_customer_free (self->customer);
  g_clear_error (&self->customer_error);
  for (guint i = 0; i < self->n_orders; i++)
    tall_outcome_clear (&self->orders[i]);
  g_free (self->orders);
  g_strfreev (self->others);
  g_free (self->next_page);
  g_free (self);
}
