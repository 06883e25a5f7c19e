/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/operation.h"

#include "base/fail.h"

#define LOOKING_TIME (3 * G_USEC_PER_SEC)

#define MOST_DOUBLINGS 20 /* of the patience: more than any operation has time for */

/**
 * tall_operation_init:
 * @order_number: (nullable): NULL: it is about the customer
 * @timeout: milliseconds for the whole operation; 0 = usual
 *
 * The time begins to run. Where the rows are is not known before tall_operation_identify().
 */
void
tall_operation_init (TallOperation *self,
                     const TallStoreContext *context,
                     const char *customer_number,
                     const char *order_number,
                     guint timeout)
{
  gint64 duration = (gint64)(timeout != 0 ? timeout : TALL_USUAL_TIMEOUT) * 1000;

  self->context = context;
  self->customer_number = customer_number;
  self->order_number = order_number;
  self->deadline = g_get_monotonic_time () + duration;
  self->end = context->hooks.monotonic (context->hooks.data) + duration;
}

/**
 * tall_operation_set_id:
 * @id: the customer's substituted id, or 0 if the key strategy needs none
 *
 * Makes the row keys.
 */
void
tall_operation_set_id (TallOperation *self, guint64 id)
{
  const TallStoreContext *context = self->context;

  g_assert (self->root_row == NULL);
  self->customer_id = id;
  tall_order_key_init (&self->key, context->key_strategy, self->customer_number, id,
                       self->order_number);
  self->root_row = g_byte_array_sized_new (64);
  self->root_table = self->order_number != NULL
                         ? context->layout->locate_order (&self->key, self->root_row)
                         : context->layout->locate_customer (&self->key, self->root_row);
}

gboolean
tall_operation_set_not_found (const TallOperation *self, GError **error)
{
  return tall_error_fail (error, TALL_ERROR_NOT_FOUND, "there is no such %s",
                          self->order_number != NULL ? "order" : "customer");
}

/**
 * tall_operation_identify:
 * @assign: whether a customer without a substituted id gets one, to write something
 *
 * Finds out where the rows are, unless that is known already. It takes calls of the table only if
 * the key strategy needs ids.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if the customer has no id, so that nothing is stored,
 *   or with what the table says
 */
gboolean
tall_operation_identify (TallOperation *self, gboolean assign, GError **error)
{
  TallIds *ids = self->context->ids;
  guint64 id = 0;

  if (self->root_row != NULL)
    return TRUE;

  if (ids != NULL && assign
      && !tall_ids_assign (ids, self->customer_number, &id, self->deadline, error))
    return FALSE;
  if (ids != NULL && !assign
      && !tall_ids_find (ids, &self->customer_number, 1, &id, self->deadline, error))
    return FALSE;
  if (ids != NULL && id == 0)
    return tall_operation_set_not_found (self, error);
  tall_operation_set_id (self, id);
  return TRUE;
}

static void
forget_place (TallOperation *self)
{
  tall_order_key_clear (&self->key);
  g_clear_pointer (&self->root_row, g_byte_array_unref);
  g_clear_pointer (&self->coming, g_array_unref);
  g_clear_pointer (&self->going, g_array_unref);
  g_clear_pointer (&self->replaced, g_array_unref);
}

void
tall_operation_clear (TallOperation *self)
{
  forget_place (self);
  g_clear_pointer (&self->sent, g_free);
}

/**
 * tall_operation_move:
 * @context: of the tables that count now; the same if it is only to begin again
 *
 * Forgets everything that the tables have said so far. Time, token, and commits that were sent,
 * stay.
 */
void
tall_operation_move (TallOperation *self, const TallStoreContext *context)
{
  forget_place (self);
  if (context != self->context)
    self->n_refused = 0;
  self->context = context;
  self->customer_id = 0;
  self->hinted = 0;
  self->has_begun = TRUE;
  self->is_behind = FALSE;
}

/**
 * tall_operation_has_children:
 *
 * Returns: whether what is stored has rows besides its root row, so that it has to be claimed
 */
gboolean
tall_operation_has_children (const TallOperation *self)
{
  return self->order_number != NULL && !self->context->layout->single_row;
}

/**
 * tall_operation_has_room:
 * @n_children: rows besides the root row and the hints, old ones and new ones
 *
 * Returns: whether the table changes these, the root row and the hints that come and go in one
 * step. Never where it changes one row at a time: what an order had before has rows, too
 */
gboolean
tall_operation_has_room (const TallOperation *self, guint64 n_children)
{
  guint together = self->context->together;
  guint64 n_rows = 1 + n_children;
  n_rows += self->coming != NULL ? self->coming->len : 0;
  n_rows += self->going != NULL ? self->going->len : 0;
  return together > 1 && n_rows <= together;
}

gboolean
tall_operation_is_root (const TallOperation *self, const char *table, TallSlice row)
{
  return tall_slice_equal (row, tall_slice_array (self->root_row))
         && g_str_equal (table, self->root_table);
}

gboolean
tall_operation_is_over (const TallOperation *self)
{
  const TallStoreHooks *hooks = &self->context->hooks;
  return hooks->monotonic (hooks->data) >= self->end || g_get_monotonic_time () >= self->deadline;
}

/**
 * tall_operation_now_monotonic:
 *
 * Returns: microseconds by the clock that tells how long things take
 */
gint64
tall_operation_now_monotonic (const TallOperation *self)
{
  const TallStoreHooks *hooks = &self->context->hooks;
  return hooks->monotonic (hooks->data);
}

/**
 * tall_operation_patience:
 *
 * How long a foreign claim is respected. Two writers that need longer than that for their rows
 * would overtake each other for ever: so each time that an operation is overtaken it doubles, until
 * one of them gets through.
 *
 * Returns: microseconds
 */
gint64
tall_operation_patience (const TallOperation *self)
{
  return self->context->hooks.patience << MIN (self->n_overtaken, MOST_DOUBLINGS);
}

/**
 * tall_operation_has_looked_long:
 * @begun: when, by tall_operation_now_monotonic()
 *
 * Where much was deleted, or hints lead nowhere, a page may have to look at very many rows. All
 * listings ask this after each round of reads, and end the page, short or empty, with a token that
 * leads on from the last row that was looked at: so every walk comes to its end.
 *
 * Returns: whether a page is to end: after three seconds, or a third of the operation's time
 */
gboolean
tall_operation_has_looked_long (const TallOperation *self, gint64 begun)
{
  gint64 most = MIN (LOOKING_TIME, (self->end - begun) / 3);
  return tall_operation_now_monotonic (self) - begun >= most;
}

/**
 * tall_operation_read:
 *
 * Returns: (transfer full): what the plan has found; NULL with what the table says
 */
TallReadResult *
tall_operation_read (const TallOperation *self, const TallReadPlan *plan, GError **error)
{
  return tall_table_read (self->context->table, plan, self->deadline, error);
}

/**
 * tall_operation_apply:
 *
 * Sends what nobody sees until something is committed, or any more; once again if that fails and
 * there is time, as it is the same then.
 */
gboolean
tall_operation_apply (const TallOperation *self, const TallBatch *batch, GError **error)
{
  TallMutation *const *mutations = (TallMutation *const *)batch->mutations->pdata;
  TallTable *table = self->context->table;
  guint n = batch->mutations->len;

  g_autoptr (GError) first = NULL;

  if (tall_table_apply (table, mutations, n, TALL_DURABLE_LATER, self->deadline, &first))
    return TRUE;
  if (!g_error_matches (first, TALL_ERROR, TALL_ERROR_SHUT) && !tall_operation_is_over (self))
    return tall_table_apply (table, mutations, n, TALL_DURABLE_LATER, self->deadline, error);
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

/**
 * tall_operation_now:
 *
 * Returns: milliseconds since the epoch
 */
gint64
tall_operation_now (const TallOperation *self)
{
  const TallStoreHooks *hooks = &self->context->hooks;
  return hooks->now (hooks->data);
}
