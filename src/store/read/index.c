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
 * tall_index_parse_date:
 *
 * Returns: the date in a row key, %TALL_NO_DATE for none
 */
gint64
tall_index_parse_date (const guint8 bytes[TALL_INDEX_DATE_SIZE])
{
  TallReader reader = tall_reader (tall_slice (bytes, TALL_INDEX_DATE_SIZE));
  guint64 number = tall_reader_u64 (&reader);
  return number == NO_DATE ? TALL_NO_DATE : (gint64)((guint64)G_MAXINT64 - number);
}

static TallMutation *
add_row (const TallOperation *operation, gint64 sales_date, TallBatch *batch)
{
  g_autoptr (GByteArray) row = g_byte_array_sized_new (64);
  tall_index_append_row (operation->key.customer, sales_date, row);
  tall_bytes_append (row, operation->key.order);
  return tall_batch_add (batch, TALL_INDEX_TABLE, tall_slice_array (row));
}

static gboolean
has_hints (const TallOperation *operation)
{
  return operation->order_number != NULL && operation->context->has_index;
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
  return has_hints (operation) && !tall_operation_has_children (operation)
         && !tall_operation_has_room (operation, 0);
}

/**
 * tall_index_add_hint:
 *
 * Adds to @batch that there is, perhaps, an order of that date; nothing if there is no index. It is
 * to be acknowledged before @revision is committed, or to come in the same step. What of it fails
 * to be true costs a listing one look at the order, and nothing else.
 */
void
tall_index_add_hint (const TallOperation *operation,
                     gint64 sales_date,
                     gint64 revision,
                     TallBatch *batch)
{
  if (!has_hints (operation))
    return;
  tall_mutation_put (batch, add_row (operation, sales_date, batch), TALL_INDEX_QUALIFIER, revision,
                     tall_slice_str (operation->order_number));
}

/**
 * tall_index_add_removal:
 * @replaced: what was committed before
 * @now: what is committed now
 *
 * Adds to @batch that the hint at the date of @replaced goes, if it leads nowhere any more. Nothing
 * younger than what was replaced is touched: that may be somebody's who is going to commit.
 */
void
tall_index_add_removal (const TallOperation *operation,
                        const TallState *replaced,
                        const TallState *now,
                        TallBatch *batch)
{
  if (!has_hints (operation) || !replaced->live
      || (now->live && now->sales_date == replaced->sales_date))
    return;
  tall_mutation_delete_up_to (batch, add_row (operation, replaced->sales_date, batch),
                              replaced->revision);
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
tall_index_write (TallOperation *operation,
                  const TallRoot *root,
                  gint64 sales_date,
                  gint64 revision,
                  GError **error)
{
  gint64 hinted = operation->hinted;
  gboolean there = hinted > 0
                   && (!root->exists
                       || (hinted > root->state.revision && hinted > root->state.pending
                           && hinted > root->timestamp));
  if (there || !has_hints (operation))
    return TRUE;

  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_index_add_hint (operation, sales_date, revision, batch);
  if (!tall_operation_apply (operation, batch, error))
    return FALSE;
  operation->hinted = revision;
  return TRUE;
}
