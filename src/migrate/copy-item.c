/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/copy-item.h"

#include "tall-error.h"
#include "tall-limits.h"

/**
 * tall_copy_is_order:
 * @row: the key of a root row of @source
 *
 * Returns: whether it is of an order, by its key; else it is of a customer
 */
gboolean
tall_copy_is_order (const TallStoreContext *source, const char *table, TallSlice row)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  return tall_layout_find_owner (source->layout, source->key_strategy, table, row, parts).order.len
         > 0;
}

/**
 * tall_copy_item_refuse:
 * @cause: (transfer full): why it cannot be copied
 */
void
tall_copy_item_refuse (TallCopyItem *self, GError *cause)
{
  self->outcome = TALL_COPY_UNFIT;
  self->error = cause;
}

static gboolean
parse_numbers (gboolean of_order,
               TallSlice bytes,
               TallArena *arena,
               const char **customer_number,
               const char **order_number,
               GError **error)
{
  TallOrderSummary order;
  TallCustomerSummary customer;
  if (of_order)
    {
      if (!tall_order_summary_parse (bytes, arena, &order, error))
        return FALSE;
      *customer_number = order.customer_number;
      *order_number = order.order_number;
      return TRUE;
    }
  if (!tall_customer_summary_parse (bytes, arena, &customer, error))
    return FALSE;
  *customer_number = customer.number;
  return TRUE;
}

/* Whether a newer version has stored it: what of it we do not know would be lost. */
static gboolean
check_schema (const TallState *state, GError **error)
{
  if (!state->live || state->schema <= TALL_SCHEMA)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
               "it has schema %u, and this version of tallorder knows none after %d; migrate with "
               "the newer version",
               state->schema, TALL_SCHEMA);
  return FALSE;
}

/* Whether there is anything to have. */
static gboolean
is_there (const TallStoreContext *source, const TallRoot *root, gboolean of_order)
{
  if (!root->exists || root->state.revision == 0)
    return FALSE;
  if (!of_order)
    return TRUE;
  if (root->state.live)
    return tall_root_is_live_order (root, source);
  return !tall_store_context_has_expired (source, root->state.revision);
}

/* What the root row says. FALSE, without an error, if there is nothing to have. */
static gboolean
read_root (TallCopyItem *self,
           const TallCopier *copier,
           const TallRow *row,
           TallArena *arena,
           GError **error)
{
  TallRoot root = { 0 }; /* no stranger's, so that it owns nothing */
  const char *customer_number = NULL, *order_number = NULL;
  gboolean of_order = tall_copy_is_order (copier->source, self->table, row->key);
  if (!tall_root_parse_state (&root, row, &self->summary, error))
    return FALSE;
  if (!root.exists)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "it has cells, and no state cell");
      return FALSE;
    }
  if (!is_there (copier->source, &root, of_order))
    return FALSE;
  if (!tall_root_check_summary (&root, error)
      || !parse_numbers (of_order, self->summary, arena, &customer_number, &order_number, error))
    return FALSE;
  tall_operation_init (&self->from, copier->source, customer_number, order_number, 0);
  tall_operation_init (&self->to, copier->target, customer_number, order_number, 0);
  tall_copy_convert (self, &root.state);
  return check_schema (&root.state, error);
}

/**
 * tall_copy_item_init:
 * @table: where @row is, static
 * @row: a root row of the source as it was read, with the cells that the store writes at least; it
 *   must outlive @self
 * @arena: for texts; must outlive @self
 *
 * Finds out what is to be copied, if anything. The time for it begins to run.
 */
void
tall_copy_item_init (TallCopyItem *self,
                     const TallCopier *copier,
                     const char *table,
                     const TallRow *row,
                     TallArena *arena)
{
  GError *error = NULL;
  *self = (TallCopyItem){ .outcome = TALL_COPY_OPEN, .table = table, .row = row->key };
  if (read_root (self, copier, row, arena, &error))
    return;
  if (error != NULL)
    tall_copy_item_refuse (self, error);
  else
    self->outcome = TALL_COPY_NOTHING;
}

void
tall_copy_item_clear (TallCopyItem *self)
{
  tall_operation_clear (&self->from);
  tall_operation_clear (&self->to);
  tall_root_clear (&self->there);
  tall_content_clear (&self->content);
  g_clear_pointer (&self->order, tall_order_free);
  g_clear_pointer (&self->customer, tall_customer_free);
  g_clear_error (&self->error);
}

/**
 * tall_copy_item_compare:
 * @row: (nullable): the root row in the target; NULL: there is none
 *
 * Compares what the target has with what it is to have: all of the state cell, and the numbers, as
 * two orders whose keys collide may have equal revisions. Decides unless they differ.
 */
void
tall_copy_item_compare (TallCopyItem *self, const TallRow *row, TallArena *arena)
{
  GError *error = NULL;
  guint8 wanted[TALL_STATE_SIZE];
  TallRoot *there = &self->there;
  if (!tall_root_parse (there, &self->to, row, arena, &error)
      || !tall_root_check_owner (there, &self->to, &error))
    {
      g_prefix_error (&error, "In the target: ");
      tall_copy_item_refuse (self, error);
      return;
    }
  tall_state_write (&self->wanted, wanted);
  if (!there->exists)
    return;
  if (there->timestamp > self->wanted.revision)
    self->outcome = TALL_COPY_MOVED; /* somebody has copied a later one, or puts it there by now */
  else if (memcmp (there->bytes, wanted, sizeof wanted) == 0 && there->has_summary)
    self->outcome = TALL_COPY_SAME;
}
