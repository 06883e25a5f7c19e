/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/content.h"

#include "tall-error.h"
#include "tall-limits.h"
#include "model/md5.h"

/* Both limits are those of all layouts, so that an order can be moved from any to any other. */
static gboolean
check_size (const TallContent *self, GError **error)
{
  if (self->canonical.len > TALL_MAX_CANONICAL_BYTES)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                   "its canonical form has %" G_GSIZE_FORMAT " bytes, and at most %d are stored",
                   self->canonical.len, TALL_MAX_CANONICAL_BYTES);
      return FALSE;
    }
  gsize repeated = self->order != NULL ? tall_order_count_repeated (self->order) : 0;
  if (repeated <= TALL_MAX_REPEATED_BYTES)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "the names and addresses of its locations have %" G_GSIZE_FORMAT
               " bytes, counted once for each line, and at most %d are stored; shorten the names",
               repeated, TALL_MAX_REPEATED_BYTES);
  return FALSE;
}

/**
 * tall_content_init:
 * @order: (nullable): the order, or
 * @customer: (nullable): the customer; it must outlive @self
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE. @self is to be cleared also then
 */
gboolean
tall_content_init (TallContent *self,
                   const TallOrder *order,
                   const TallCustomer *customer,
                   GError **error)
{
  *self = (TallContent){ .order = order, .customer = customer, .arena = tall_arena_new (0) };
  if (order != NULL)
    {
      self->canonical = tall_order_to_canonical (order, self->arena);
      self->summary = tall_order_to_summary (order, self->arena);
      self->state.n_locations = order->n_shipping_locations;
      self->state.n_lines = tall_order_count_lines (order);
    }
  else
    {
      self->canonical = tall_customer_to_canonical (customer, self->arena);
      self->summary = tall_customer_to_summary (customer, self->arena);
    }
  if (!check_size (self, error))
    return FALSE;

  gboolean dated = order != NULL && order->has_sales_date;
  self->state.sales_date = dated ? order->sales_date : TALL_NO_DATE;
  self->state.live = TRUE;
  self->state.schema = TALL_SCHEMA;
  tall_md5 (self->canonical, self->state.digest);
  return TRUE;
}

void
tall_content_clear (TallContent *self)
{
  g_clear_pointer (&self->arena, tall_arena_free);
}

/**
 * tall_content_append:
 * @root: a mutation of the root row, in @batch
 *
 * Adds the summary and the layout's own columns of the root row, at @revision.
 */
void
tall_content_append (const TallContent *self,
                     const TallOperation *operation,
                     gint64 revision,
                     TallBatch *batch,
                     TallMutation *root)
{
  const TallLayout *layout = operation->context->layout;

  tall_mutation_put (batch, root, TALL_SUMMARY_QUALIFIER, revision, self->summary);
  if (self->order != NULL)
    layout->append_root (self->order, self->canonical, revision, batch, root);
  else
    layout->append_customer (self->customer, self->canonical, revision, batch, root);
}
