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
 * @table: of entries
 * @row: any key
 * @customer: (out): the customer part of the order that it leads to
 * @order: (out): the order part
 *
 * Returns: (transfer none) (nullable): the index whose entry it is; NULL: of none
 */
const TallIndex *
tall_index_split (const TallStoreContext *context,
                  const char *table,
                  TallSlice row,
                  TallSlice *customer,
                  TallSlice *order)
{
  for (guint i = 0; i < context->indexes->len; i++)
    {
      const TallIndex *index = g_ptr_array_index (context->indexes, i);
      if (g_str_equal (index->table, table)
          && tall_key_template_split (index->template, context->key_strategy, row, customer, order))
        return index;
    }
  return NULL;
}

static void
entry_free (gpointer data)
{
  TallEntry *self = data;
  if (self == NULL)
    return;
  g_byte_array_unref (self->row);
  g_free (self);
}

static void
append_entries (const TallIndex *index,
                const TallOrderKey *key,
                const TallOrder *order,
                GPtrArray *entries)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  tall_key_template_append_keys (index->template, key, order, (TallSlice)TALL_SLICE_INIT, keys);
  for (guint i = 0; i < keys->len; i++)
    {
      TallEntry *entry = g_new (TallEntry, 1);
      *entry = (TallEntry){ index, g_ptr_array_index (keys, i) };
      g_ptr_array_add (entries, entry);
    }
}

/**
 * tall_entries_of_order:
 * @key: of @order
 *
 * Returns: (transfer full) (element-type TallEntry): all that an order is to have
 */
GPtrArray *
tall_entries_of_order (const TallStoreContext *context,
                       const TallOrderKey *key,
                       const TallOrder *order)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (entry_free);
  for (guint i = 0; i < context->indexes->len; i++)
    append_entries (g_ptr_array_index (context->indexes, i), key, order, entries);
  return entries;
}

/* What the root row says of an order. */
static TallOrder
make_known (const char *customer_number, const char *order_number, const TallState *state)
{
  TallOrder known;
  tall_pb__order__init (&known);
  known.customer_number = (char *)customer_number;
  known.order_number = (char *)order_number;
  known.has_sales_date = state->sales_date != TALL_NO_DATE;
  known.sales_date = known.has_sales_date ? state->sales_date : 0;
  return known;
}

/**
 * tall_entries_of_state:
 * @operation: on the order, and identified
 *
 * Returns: (transfer full) (element-type TallEntry): what an order of that state has, as far as the
 *   state tells
 */
GPtrArray *
tall_entries_of_state (const TallOperation *operation, const TallState *state)
{
  const TallOrder known = make_known (operation->customer_number, operation->order_number, state);
  return state->live ? tall_entries_of_order (operation->context, &operation->key, &known)
                     : g_ptr_array_new_with_free_func (entry_free);
}

/**
 * tall_entry_counts:
 * @row: an entry of @index
 * @key: of the order that it leads to
 * @state: that of the order, which is live
 * @summary: (nullable): that of the order, if it can be read
 *
 * Returns: whether the order has this entry now. What nobody knows without the summary counts
 */
gboolean
tall_entry_counts (const TallIndex *index,
                   TallSlice row,
                   const TallOrderKey *key,
                   const TallState *state,
                   const TallOrderSummary *summary)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  const TallOrder known = make_known (summary != NULL ? summary->customer_number : NULL,
                                      summary != NULL ? summary->order_number : NULL, state);
  append_entries (index, key, &known, entries);
  return (summary == NULL && entries->len == 0)
         || tall_entries_find (entries, index->table, row) != NULL;
}

/**
 * tall_entries_find:
 *
 * Returns: (nullable): the entry that is this row
 */
const TallEntry *
tall_entries_find (const GPtrArray *self, const char *table, TallSlice row)
{
  for (guint i = 0; i < self->len; i++)
    {
      const TallEntry *entry = g_ptr_array_index (self, i);
      if (tall_slice_equal (tall_slice_array (entry->row), row)
          && g_str_equal (entry->index->table, table))
        return entry;
    }
  return NULL;
}

/**
 * tall_entry_add:
 *
 * Adds to @batch that there is, perhaps, an order.
 *
 * Returns: (transfer none): the mutation of its row
 */
TallMutation *
tall_entry_add (const TallEntry *self,
                const TallOperation *operation,
                gint64 revision,
                TallBatch *batch)
{
  TallMutation *mutation = tall_batch_add (batch, self->index->table, tall_slice_array (self->row));
  tall_mutation_put (batch, mutation, TALL_INDEX_QUALIFIER, revision,
                     tall_slice_str (operation->order_number));
  return mutation;
}

static int
compare (const TallEntry *a, const TallEntry *b)
{
  int order = strcmp (a->index->table, b->index->table);
  return order != 0 ? order
                    : tall_slice_compare (tall_slice_array (a->row), tall_slice_array (b->row));
}

/* Leaves out what is in @others, too. Both come in the same order. */
static void
leave_out (GPtrArray *self, const GPtrArray *others)
{
  guint n = 0;
  for (guint i = 0, at = 0; i < self->len; i++)
    {
      TallEntry *entry = g_ptr_array_index (self, i);
      while (at < others->len && compare (g_ptr_array_index (others, at), entry) < 0)
        at++;
      if (at < others->len && compare (g_ptr_array_index (others, at), entry) == 0)
        entry_free (entry);
      else
        self->pdata[n++] = entry;
    }
  for (guint i = n; i < self->len; i++)
    self->pdata[i] = NULL;
  g_ptr_array_set_size (self, (gint)n);
}

/**
 * tall_entries_prepare:
 * @order: (nullable): what is to be stored; NULL: it is deleted
 * @replaced: (nullable): what is committed now; NULL: nothing, as far as is known
 *
 * Finds out which entries come and which go with the commit that @operation is about to make. What
 * both have comes again, as its age counts where rows expire.
 */
void
tall_entries_prepare (TallOperation *operation, const TallOrder *order, const TallState *replaced)
{
  g_clear_pointer (&operation->coming, g_ptr_array_unref);
  g_clear_pointer (&operation->going, g_ptr_array_unref);
  if (operation->order_number == NULL || operation->context->indexes->len == 0)
    return;
  if (order != NULL)
    operation->coming = tall_entries_of_order (operation->context, &operation->key, order);
  if (replaced == NULL)
    return;
  operation->going = tall_entries_of_state (operation, replaced);
  if (operation->coming != NULL)
    leave_out (operation->going, operation->coming);
}

/**
 * tall_entries_go_before:
 *
 * Returns: whether a put writes its entries before it knows whether it is refused: where no claim
 * comes first that would find out, and the commit does not bring them
 */
gboolean
tall_entries_go_before (const TallOperation *operation)
{
  return operation->coming != NULL && !tall_operation_has_children (operation)
         && !tall_operation_has_room (operation, 0);
}

/**
 * tall_entries_add:
 *
 * Adds to @batch the entries that come. They are to be acknowledged before @revision is committed,
 * or to come in the same step. What of them fails to be true costs a listing one look at the order,
 * and nothing else.
 */
void
tall_entries_add (const TallOperation *operation, gint64 revision, TallBatch *batch)
{
  for (guint i = 0; operation->coming != NULL && i < operation->coming->len; i++)
    (void)tall_entry_add (g_ptr_array_index (operation->coming, i), operation, revision, batch);
}

/**
 * tall_entries_add_removal:
 * @replaced: the revision that was committed before
 *
 * Adds to @batch that the entries go which lead nowhere any more. Nothing younger than what was
 * replaced is touched: that may be somebody's who is going to commit.
 */
void
tall_entries_add_removal (const TallOperation *operation, gint64 replaced, TallBatch *batch)
{
  for (guint i = 0; operation->going != NULL && i < operation->going->len; i++)
    {
      const TallEntry *entry = g_ptr_array_index (operation->going, i);
      tall_mutation_delete_up_to (
          batch, tall_batch_add (batch, entry->index->table, tall_slice_array (entry->row)),
          replaced);
    }
}

/**
 * tall_entries_write:
 * @root: what is going to be replaced
 *
 * Writes the entries by themselves, for an order that has no other rows to travel with. Those that
 * this operation has written before will do, if they are younger than everything that its root row
 * has seen: then nobody removes them.
 */
gboolean
tall_entries_write (TallOperation *operation, const TallRoot *root, gint64 revision, GError **error)
{
  gint64 hinted = operation->hinted;
  gboolean there = hinted > 0
                   && (!root->exists
                       || (hinted > root->state.revision && hinted > root->state.pending
                           && hinted > root->timestamp));
  if (there || operation->coming == NULL || operation->coming->len == 0)
    return TRUE;

  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_entries_add (operation, revision, batch);
  if (!tall_operation_apply (operation, batch, error))
    return FALSE;
  operation->hinted = revision;
  return TRUE;
}
