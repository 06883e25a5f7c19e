/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/index.h"

#include "store/read/fetch.h"

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

/* ---- The hints of an order ---- */

static void
hint_clear (gpointer data)
{
  g_byte_array_unref (((TallHint *)data)->row);
}

static GArray *
hints_new (void)
{
  GArray *hints = g_array_new (FALSE, FALSE, sizeof (TallHint));
  g_array_set_clear_func (hints, hint_clear);
  return hints;
}

static void
add_by_date (const TallOrderKey *key, gint64 sales_date, GArray *hints)
{
  TallHint hint = { TALL_INDEX_TABLE, g_byte_array_sized_new (64) };
  tall_index_append_row (key->customer, sales_date, hint.row);
  tall_bytes_append (hint.row, key->order);
  g_array_append_val (hints, hint);
}

/* @order: with its numbers at least, if no index needs more */
static void
add_entries (const TallStoreContext *context, const TallOrder *order, GArray *hints)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (guint i = 0; i < context->indexes->len; i++)
    {
      const TallIndex *index = g_ptr_array_index (context->indexes, i);
      tall_template_append_keys (index->template, order, (guint8)(i + 1), keys);
    }
  for (guint i = 0; i < keys->len; i++)
    {
      TallHint hint = { TALL_ENTRIES_TABLE, g_ptr_array_index (keys, i) };
      g_array_append_val (hints, hint);
    }
}

static GArray *
list (const TallStoreContext *context,
      const TallOrderKey *key,
      const TallOrder *order,
      gboolean by_date)
{
  GArray *hints = hints_new ();
  add_entries (context, order, hints);
  if (by_date)
    add_by_date (key, order->has_sales_date ? order->sales_date : TALL_NO_DATE, hints);
  return hints;
}

/**
 * tall_index_list:
 * @key: of the order
 *
 * Returns: (transfer full) (element-type TallHint): all that lead to an order with that content,
 *   sorted
 */
GArray *
tall_index_list (const TallStoreContext *context, const TallOrderKey *key, const TallOrder *order)
{
  return list (context, key, order, context->has_index);
}

const TallHint *
tall_index_get (const GArray *hints, guint i)
{
  return &g_array_index (hints, TallHint, i);
}

/* Entries come before hints by date. */
static gint
compare (gconstpointer a, gconstpointer b)
{
  const TallHint *one = a, *other = b;
  int order = strcmp (one->table, other->table);
  return order != 0
             ? order
             : tall_slice_compare (tall_slice_array (one->row), tall_slice_array (other->row));
}

/**
 * tall_index_has:
 * @hints: sorted, as tall_index_list() gives them
 */
gboolean
tall_index_has (const GArray *hints, const char *table, TallSlice row)
{
  GByteArray bytes = { (guint8 *)row.data, (guint)row.len }; /* not owned */
  const TallHint hint = { table, &bytes };
  return g_array_binary_search ((GArray *)hints, &hint, compare, NULL);
}

/**
 * tall_index_leads_to:
 *
 * Returns: whether the hint by date is that of an order of that date
 */
gboolean
tall_index_leads_to (TallSlice row, const TallOrderKey *key, gint64 sales_date)
{
  g_autoptr (GArray) own = hints_new ();
  add_by_date (key, sales_date, own);
  return tall_slice_equal (tall_slice_array (tall_index_get (own, 0)->row), row);
}

/**
 * tall_index_put_hint:
 *
 * Adds to @batch that there is, perhaps, an order.
 */
void
tall_index_put_hint (const TallHint *hint,
                     const char *order_number,
                     gint64 revision,
                     TallBatch *batch)
{
  tall_mutation_put (batch, tall_batch_add (batch, hint->table, tall_slice_array (hint->row)),
                     TALL_INDEX_QUALIFIER, revision, tall_slice_str (order_number));
}

/* ---- Rows by date that are exact ---- */

/**
 * tall_index_find_dated:
 * @row: by date
 *
 * Returns: (nullable): the cell by which the row is exact: its timestamp is the revision that is
 *   committed, and its value the summary of that. NULL: it is only a hint. What is written as a
 *   hint over an exact row makes it one
 */
const TallCell *
tall_index_find_dated (const TallRow *row)
{
  const TallCell *dated = tall_row_find_latest (row, TALL_DATED_QUALIFIER);
  const TallCell *hint = tall_row_find_latest (row, TALL_INDEX_QUALIFIER);
  return dated != NULL && hint != NULL && hint->timestamp >= dated->timestamp ? NULL : dated;
}

/**
 * tall_index_add_dated:
 * @committed: what @batch commits
 * @summary: of that
 *
 * Where a commit changes several rows in one step, adds to @batch that the order is listed by its
 * date, with its summary. Nobody but who commits writes or removes such a row, and nobody commits
 * without: so a listing needs to look at nothing else.
 */
void
tall_index_add_dated (const TallOperation *operation,
                      const TallState *committed,
                      TallSlice summary,
                      TallBatch *batch)
{
  if (!operation->context->has_dated || operation->order_number == NULL || !committed->live)
    return;
  g_autoptr (GArray) rows = hints_new ();
  add_by_date (&operation->key, committed->sales_date, rows);
  TallSlice row = tall_slice_array (tall_index_get (rows, 0)->row);
  tall_mutation_put (batch, tall_batch_add (batch, TALL_INDEX_TABLE, row), TALL_DATED_QUALIFIER,
                     committed->revision, summary);
}

/**
 * tall_index_add_undated:
 * @replaced: what was committed before
 * @committed: what is in its place
 *
 * The same for the row by which @replaced is listed, which goes unless the new one takes its place.
 */
void
tall_index_add_undated (const TallOperation *operation,
                        const TallState *replaced,
                        const TallState *committed,
                        TallBatch *batch)
{
  gboolean stays = committed->live && committed->sales_date == replaced->sales_date;
  if (!operation->context->has_dated || operation->order_number == NULL || !replaced->live || stays)
    return;
  g_autoptr (GArray) rows = hints_new ();
  add_by_date (&operation->key, replaced->sales_date, rows);
  TallSlice row = tall_slice_array (tall_index_get (rows, 0)->row);
  tall_mutation_delete_up_to (batch, tall_batch_add (batch, TALL_INDEX_TABLE, row),
                              replaced->revision);
}

/* ---- Which come and go ---- */

/**
 * tall_index_remember:
 * @order: (nullable): what was read at @revision; NULL: it could not be read
 *
 * Remembers what hints a version has, for the case that it is replaced. If it cannot be read, its
 * entries stay, and lead nowhere.
 */
void
tall_index_remember (TallOperation *operation, const TallOrder *order, gint64 revision)
{
  g_clear_pointer (&operation->replaced, g_array_unref);
  operation->replaced = hints_new ();
  operation->replaced_revision = revision;
  if (order != NULL)
    add_entries (operation->context, order, operation->replaced);
}

/* Reads what is replaced, if its entries are not known without that. Whatever version it is that is
 * read: once the commit is made, what does not come with it is dead, up to what was replaced. */
static void
find_replaced (TallOperation *operation, const TallState *replaced)
{
  const TallOrder numbers = { .customer_number = (char *)operation->customer_number,
                              .order_number = (char *)operation->order_number };
  if (operation->replaced != NULL && operation->replaced_revision == replaced->revision)
    return;
  if (operation->context->of_numbers)
    {
      tall_index_remember (operation, &numbers, replaced->revision);
      return;
    }
  gint64 revision;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_fetch_order (operation, &revision, &error);
  tall_index_remember (operation, order, replaced->revision);
  if (error != NULL)
    g_debug ("reading what is replaced: %s", error->message);
}

/* Adds those that do not come. */
static void
add_going (TallOperation *operation, const GArray *hints)
{
  for (guint i = 0; i < hints->len; i++)
    {
      TallHint hint = *tall_index_get (hints, i);
      if (tall_index_has (operation->coming, hint.table, tall_slice_array (hint.row)))
        continue;
      g_byte_array_ref (hint.row);
      g_array_append_val (operation->going, hint);
    }
}

/**
 * tall_index_prepare:
 * @order: (nullable): what is to be stored; NULL: it is deleted
 * @replaced: (nullable): what is committed now; NULL: nothing, as far as is known
 *
 * Finds out which hints come and which go with the commit that @operation is about to make. One
 * that both have comes again, as its age counts where rows expire.
 */
void
tall_index_prepare (TallOperation *operation, const TallOrder *order, const TallState *replaced)
{
  const TallStoreContext *context = operation->context;
  g_clear_pointer (&operation->coming, g_array_unref);
  g_clear_pointer (&operation->going, g_array_unref);
  if (operation->order_number == NULL)
    return;
  operation->going = hints_new ();
  operation->coming = order != NULL ? list (context, &operation->key, order,
                                            context->has_index && !context->has_dated)
                                    : hints_new ();
  if (replaced == NULL || !replaced->live)
    return;
  g_autoptr (GArray) by_date = hints_new ();
  if (context->has_index && !context->has_dated)
    add_by_date (&operation->key, replaced->sales_date, by_date);
  add_going (operation, by_date);
  if (context->indexes->len == 0)
    return;
  find_replaced (operation, replaced);
  add_going (operation, operation->replaced);
}

/**
 * tall_index_prepare_hints:
 *
 * Takes all that lead to the order for hints that come, for what is written without a commit's
 * step.
 */
void
tall_index_prepare_hints (TallOperation *operation, const TallOrder *order)
{
  g_clear_pointer (&operation->coming, g_array_unref);
  operation->coming = tall_index_list (operation->context, &operation->key, order);
}

/**
 * tall_index_goes_before:
 *
 * Returns: whether a put writes its hints before it knows whether it is refused: where no claim
 * comes first that would find out, and the commit does not bring them
 */
gboolean
tall_index_goes_before (const TallOperation *operation)
{
  return operation->coming != NULL && operation->coming->len > 0
         && !tall_operation_has_children (operation) && !tall_operation_has_room (operation, 0);
}

/**
 * tall_index_add_hints:
 *
 * Adds to @batch the hints that come. They are to be acknowledged before @revision is committed, or
 * to come in the same step. What of them fails to be true costs whoever looks for orders one look,
 * and nothing else.
 */
void
tall_index_add_hints (const TallOperation *operation, gint64 revision, TallBatch *batch)
{
  for (guint i = 0; operation->coming != NULL && i < operation->coming->len; i++)
    tall_index_put_hint (tall_index_get (operation->coming, i), operation->order_number, revision,
                         batch);
}

/**
 * tall_index_add_removals:
 * @replaced: the revision that was committed before
 *
 * Adds to @batch that the hints go which lead nowhere any more. Nothing younger than what was
 * replaced is touched: that may be somebody's who is going to commit.
 */
void
tall_index_add_removals (const TallOperation *operation, gint64 replaced, TallBatch *batch)
{
  for (guint i = 0; operation->going != NULL && i < operation->going->len; i++)
    {
      const TallHint *hint = tall_index_get (operation->going, i);
      tall_mutation_delete_up_to (batch,
                                  tall_batch_add (batch, hint->table, tall_slice_array (hint->row)),
                                  replaced);
    }
}

/**
 * tall_index_write:
 * @root: what is going to be replaced
 *
 * Writes the hints by themselves, for an order that has no other rows to travel with. Those that
 * this operation has written before will do, if they are younger than everything that its root row
 * has seen: then nobody removes them.
 */
gboolean
tall_index_write (TallOperation *operation, const TallRoot *root, gint64 revision, GError **error)
{
  gint64 hinted = operation->hinted;
  gboolean there = hinted > 0
                   && (!root->exists
                       || (hinted > root->state.revision && hinted > root->state.pending
                           && hinted > root->timestamp));
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_index_add_hints (operation, revision, batch);
  if (there || batch->mutations->len == 0)
    return TRUE;
  if (!tall_operation_apply (operation, batch, error))
    return FALSE;
  operation->hinted = revision;
  return TRUE;
}
