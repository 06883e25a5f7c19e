/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/index.h"

/* What comes after all dates: 2⁶³−1 minus the earliest date is far below it. */
#define NO_DATE G_MAXUINT64

/**
 * tall_index_append_row:
 * @customer: the customer part of the row keys
 * @sales_date: %TALL_NO_DATE for none
 *
 * Appends what the row keys of a customer's orders of one date begin with. As unsigned numbers,
 * 2⁶³−1 minus a date descend over all dates, also those before 1970: the newest comes first.
 */
void
tall_index_append_row (TallSlice customer, gint64 sales_date, GByteArray *row)
{
  tall_bytes_append (row, customer);
  tall_bytes_append_u64 (row, sales_date == TALL_NO_DATE
                                  ? NO_DATE
                                  : (guint64)G_MAXINT64 - (guint64)sales_date);
}

/**
 * tall_index_split:
 * @row: any key
 * @customer: (out): the customer part of the order that it leads to
 * @order: (out): the order part
 *
 * Returns: FALSE if it is not the key of a hint
 */
gboolean
tall_index_split (const TallStoreContext *context,
                  TallSlice row,
                  TallSlice *customer,
                  TallSlice *order)
{
  gssize len = context->key_strategy->measure_customer (row);
  if (len < 0 || (gsize)len + TALL_INDEX_DATE_SIZE >= row.len)
    return FALSE;
  gsize begin = (gsize)len + TALL_INDEX_DATE_SIZE;
  *customer = tall_slice (row.data, (gsize)len);
  *order = tall_slice (row.data + begin, row.len - begin);
  return context->key_strategy->measure_order (*order) == (gssize)order->len;
}

static GByteArray *
make_row (const TallOrderKey *key, gint64 sales_date)
{
  GByteArray *row = g_byte_array_sized_new (64);
  tall_index_append_row (key->customer, sales_date, row);
  tall_bytes_append (row, key->order);
  return row;
}

/**
 * tall_index_make_row:
 * @sales_date: %TALL_NO_DATE for none
 *
 * Returns: (transfer full) (nullable): the key of an order's hint; NULL: there is no index
 */
GByteArray *
tall_index_make_row (const TallStoreContext *context, const TallOrderKey *key, gint64 sales_date)
{
  return context->has_index ? make_row (key, sales_date) : NULL;
}

/**
 * tall_index_leads_to:
 *
 * Returns: whether the hint is that of an order of that date
 */
gboolean
tall_index_leads_to (TallSlice row, const TallOrderKey *key, gint64 sales_date)
{
  g_autoptr (GByteArray) own = make_row (key, sales_date);
  return tall_slice_equal (tall_slice_array (own), row);
}

/**
 * tall_index_put_hint:
 *
 * Adds to @batch that there is, perhaps, an order.
 */
void
tall_index_put_hint (const GByteArray *row,
                     const char *order_number,
                     gint64 revision,
                     TallBatch *batch)
{
  tall_mutation_put (batch, tall_batch_add (batch, TALL_INDEX_TABLE, tall_slice_array (row)),
                     TALL_INDEX_QUALIFIER, revision, tall_slice_str (order_number));
}

/**
 * tall_index_prepare:
 * @order: (nullable): what is to be stored; NULL: it is deleted
 * @replaced: (nullable): what is committed now; NULL: nothing, as far as is known
 *
 * Finds out which hint comes and which goes with the commit that @operation is about to make. One
 * that both have comes again, as its age counts where rows expire.
 */
void
tall_index_prepare (TallOperation *operation, const TallOrder *order, const TallState *replaced)
{
  const TallStoreContext *context = operation->context;
  g_clear_pointer (&operation->coming, g_byte_array_unref);
  g_clear_pointer (&operation->going, g_byte_array_unref);
  if (operation->order_number == NULL)
    return;
  gint64 date = order != NULL && order->has_sales_date ? order->sales_date : TALL_NO_DATE;
  if (order != NULL)
    operation->coming = tall_index_make_row (context, &operation->key, date);
  if (replaced != NULL && replaced->live && (order == NULL || date != replaced->sales_date))
    operation->going = tall_index_make_row (context, &operation->key, replaced->sales_date);
}

/**
 * tall_index_goes_before:
 *
 * Returns: whether a put writes its hint before it knows whether it is refused: where no claim
 * comes first that would find out, and the commit does not bring it
 */
gboolean
tall_index_goes_before (const TallOperation *operation)
{
  return operation->coming != NULL && !tall_operation_has_children (operation)
         && !tall_operation_has_room (operation, 0);
}

/**
 * tall_index_add_hint:
 *
 * Adds to @batch the hint that comes. It is to be acknowledged before @revision is committed, or to
 * come in the same step. What of it fails to be true costs a listing one look at the order, and
 * nothing else.
 */
void
tall_index_add_hint (const TallOperation *operation, gint64 revision, TallBatch *batch)
{
  if (operation->coming != NULL)
    tall_index_put_hint (operation->coming, operation->order_number, revision, batch);
}

/**
 * tall_index_add_removal:
 * @replaced: the revision that was committed before
 *
 * Adds to @batch that the hint goes which leads nowhere any more. Nothing younger than what was
 * replaced is touched: that may be somebody's who is going to commit.
 */
void
tall_index_add_removal (const TallOperation *operation, gint64 replaced, TallBatch *batch)
{
  if (operation->going != NULL)
    tall_mutation_delete_up_to (
        batch, tall_batch_add (batch, TALL_INDEX_TABLE, tall_slice_array (operation->going)),
        replaced);
}

/**
 * tall_index_write:
 * @root: what is going to be replaced
 *
 * Writes the hint by itself, for an order that has no other rows to travel with. One that this
 * operation has written before will do, if it is younger than everything that its root row has
 * seen: then nobody removes it.
 */
gboolean
tall_index_write (TallOperation *operation, const TallRoot *root, gint64 revision, GError **error)
{
  gint64 hinted = operation->hinted;
  gboolean there = hinted > 0
                   && (!root->exists
                       || (hinted > root->state.revision && hinted > root->state.pending
                           && hinted > root->timestamp));
  if (there || operation->coming == NULL)
    return TRUE;

  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_index_add_hint (operation, revision, batch);
  if (!tall_operation_apply (operation, batch, error))
    return FALSE;
  operation->hinted = revision;
  return TRUE;
}
