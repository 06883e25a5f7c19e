/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/storer.h"

#include "model/json.h"
#include "tall-error.h"

/* An item has room for so much at first. */
#define USUAL_ROWS 8
#define USUAL_BYTES 1024

TallLoadItem *
tall_load_item_new (void)
{
  TallLoadItem *self = g_new0 (TallLoadItem, 1);
  self->rows = g_array_sized_new (FALSE, FALSE, sizeof (TallItemRow), USUAL_ROWS);
  self->raw = g_byte_array_sized_new (USUAL_BYTES);
  return self;
}

void
tall_load_item_free (TallLoadItem *self)
{
  if (self == NULL)
    return;
  tall_order_free (self->order);
  tall_customer_free (self->customer);
  g_array_unref (self->rows);
  g_byte_array_unref (self->raw);
  g_clear_error (&self->unknown);
  g_free (self);
}

void
tall_load_item_add_row (TallLoadItem *self, const TallCsvRow *row)
{
  TallItemRow added = {
    .file = row->file, .line = row->line, .offset = self->raw->len, .len = row->raw.len
  };
  g_array_append_val (self->rows, added);
  tall_bytes_append (self->raw, row->raw);
}

/* @same: (out) what is stored is the item. Returns: (transfer full) (nullable): where it differs
 * first; NULL: nowhere, or with an error if it cannot be fetched; %TALL_ERROR_NOT_FOUND: nothing is
 * stored */
char *
tall_load_item_compare (const TallLoadItem *self, TallFront *front, gboolean *same, GError **error)
{
  g_autoptr (TallOrder) order = NULL;
  g_autoptr (TallCustomer) customer = NULL;
  if (self->order != NULL)
    order = tall_front_get_order (front, self->order->customer_number, self->order->order_number,
                                  NULL, error);
  else
    customer = tall_front_get_customer (front, self->customer->number, NULL, error);
  if ((order == NULL && customer == NULL)
      || !(order != NULL ? tall_order_normalize (self->order, error)
                         : tall_customer_normalize (self->customer, error)))
    return NULL;
  g_autofree char *given = order != NULL ? tall_order_to_json (self->order, FALSE)
                                         : tall_customer_to_json (self->customer, FALSE);
  g_autofree char *there =
      order != NULL ? tall_order_to_json (order, FALSE) : tall_customer_to_json (customer, FALSE);
  *same = g_str_equal (given, there); /* different ones have different texts */
  return tall_json_find_difference (given, there);
}

/* Rejects every row of the item, and forgets them. @kind: what to count them under. */
void
tall_load_item_reject (TallLoadItem *self,
                       TallRejects *rejects,
                       const char *kind,
                       const char *reason)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      const TallItemRow *row = &g_array_index (self->rows, TallItemRow, i);
      const TallCsvRow rejected = { .file = row->file,
                                    .line = row->line,
                                    .raw = tall_slice (self->raw->data + row->offset, row->len) };
      tall_rejects_add (rejects, &rejected, NULL, kind, reason);
    }
  g_array_set_size (self->rows, 0);
  g_byte_array_set_size (self->raw, 0);
}

typedef guint64 FileRows[TALL_LOAD_N_ENDS];

void
tall_load_ledger_init (TallLoadLedger *self)
{
  *self = (TallLoadLedger){ .files = g_array_new (FALSE, TRUE, sizeof (FileRows)) };
}

void
tall_load_ledger_clear (TallLoadLedger *self)
{
  g_clear_pointer (&self->files, g_array_unref);
}

static guint64 *
get_file (TallLoadLedger *self, guint file)
{
  if (file >= self->files->len)
    g_array_set_size (self->files, file + 1);
  return g_array_index (self->files, FileRows, file);
}

void
tall_load_ledger_add (TallLoadLedger *self, const TallLoadItem *item, TallLoadEnd end)
{
  TallLoadTally *tally = &self->ends[end];
  tally->items++;
  if (item->order != NULL)
    tally->lines += tall_order_count_lines (item->order);
  for (guint i = 0; i < item->rows->len; i++)
    {
      const TallItemRow *row = &g_array_index (item->rows, TallItemRow, i);
      TallLoadEnd of_row = row->is_repeated ? TALL_LOAD_REPEATED : end;
      self->ends[of_row].rows++;
      get_file (self, row->file)[of_row]++;
    }
}

/* Adds what another has, which is empty then. */
void
tall_load_ledger_move (TallLoadLedger *self, TallLoadLedger *from)
{
  for (guint end = 0; end < TALL_LOAD_N_ENDS; end++)
    {
      self->ends[end].items += from->ends[end].items;
      self->ends[end].rows += from->ends[end].rows;
      self->ends[end].lines += from->ends[end].lines;
      for (guint i = 0; i < from->files->len; i++)
        get_file (self, i)[end] += get_file (from, i)[end];
      from->ends[end] = (TallLoadTally){ 0 };
    }
  g_array_set_size (from->files, 0);
}

/* The rows of one file that had one end. */
guint64
tall_load_ledger_count_rows (const TallLoadLedger *self, guint file, TallLoadEnd end)
{
  return file < self->files->len ? g_array_index (self->files, FileRows, file)[end] : 0;
}

TallLoadBatch *
tall_load_batch_new (void)
{
  TallLoadBatch *self = g_new0 (TallLoadBatch, 1);
  self->items = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_load_item_free);
  return self;
}

void
tall_load_batch_free (TallLoadBatch *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->items);
  g_free (self);
}

/* @item: (transfer full): an order if the others are, or a customer. */
void
tall_load_batch_add (TallLoadBatch *self, TallLoadItem *item)
{
  self->bytes += item->raw->len;
  g_ptr_array_add (self->items, item);
}

/* Looks whether a put of unknown outcome was done. If something else is stored, a second put could
 * replace what another program has written since: people decide. Returns: FALSE if nothing is
 * stored, so that it is to be put */
static gboolean
find_out (const TallLoadItem *item, TallFront *front, TallBulkResult *result)
{
  gboolean same = FALSE;
  g_autoptr (GError) error = NULL;
  g_autofree char *difference = tall_load_item_compare (item, front, &same, &error);
  result->outcome = TALL_BULK_STORED;
  if (same)
    return TRUE;
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return FALSE;
  result->outcome = TALL_BULK_REFUSED;
  if (error != NULL)
    result->error = g_steal_pointer (&error);
  else
    tall_error_set_conflict (
        &result->error, 0,
        "%s. Something else is stored there (%s): it was there before, or another program has "
        "written it since. Look which one counts, and load this again if it is this one",
        item->unknown->message, difference);
  return TRUE;
}

/* Finds another customer with an order of the same number, by an index that begins with it.
 * Returns: (transfer full) (nullable): the customer's number; NULL: there is none, or an error:
 * %TALL_ERROR_UNSUPPORTED or %TALL_ERROR_INVALID if there is no such index; that of an order of
 * this number that cannot be read, as it may be another customer's */
char *
tall_load_item_find_namesake (const TallLoadItem *self, TallFront *front, GError **error)
{
  g_autofree char *value = g_strconcat ("order_number=", self->order->order_number, NULL);
  const char *const values[] = { value };
  g_autoptr (TallFound) page = NULL;
  do
    {
      const TallFindOptions find = { .values = values,
                                     .n_values = 1,
                                     .page = page != NULL ? page->next_page : NULL,
                                     .part = { .kind = TALL_PART_SUMMARY } };
      TallFound *next = tall_front_find_orders (front, &find, error);
      g_clear_pointer (&page, tall_found_free);
      page = next;
      for (guint i = 0; page != NULL && i < page->n_orders; i++)
        {
          const TallOutcome *one = &page->orders[i];
          if (one->order == NULL)
            {
              g_propagate_error (error, g_error_copy (one->error));
              return NULL;
            }
          if (!g_str_equal (one->order->customer_number, self->order->customer_number))
            return g_strdup (one->order->customer_number);
        }
    }
  while (page != NULL && page->next_page != NULL);
  return NULL;
}

/* @numbers: of the orders before it in the batch, with their customers. Returns: whether nobody
 * else has its number; otherwise it is refused */
static gboolean
is_unique (const TallLoadItem *item, TallFront *front, GHashTable *numbers, TallBulkResult *result)
{
  const TallOrder *order = item->order;
  const char *before = g_hash_table_lookup (numbers, order->order_number);
  g_autofree char *other = before != NULL && !g_str_equal (before, order->customer_number)
                               ? g_strdup (before)
                               : tall_load_item_find_namesake (item, front, &result->error);
  if (other != NULL)
    tall_error_set_invalid (&result->error, TALL_LOAD_NAMESAKE,
                            "customer %s has an order %s already, and this one is of customer %s",
                            other, order->order_number, order->customer_number);
  else if (result->error == NULL)
    g_hash_table_insert (numbers, order->order_number, order->customer_number);
  result->outcome = result->error != NULL ? TALL_BULK_REFUSED : TALL_BULK_STORED;
  return result->error == NULL;
}

/* Where one cannot be looked for now, which may take long, nor can the others. @numbers:
 * (nullable): as for is_unique(); @cause: (inout): why. Returns: whether it is to be put; FALSE:
 * @result is known */
static gboolean
is_new (const TallLoadItem *item,
        TallFront *front,
        GHashTable *numbers,
        const GError **cause,
        TallBulkResult *result)
{
  gboolean asks = item->order != NULL && numbers != NULL;
  if (*cause != NULL && (item->unknown != NULL || asks))
    *result = (TallBulkResult){ TALL_BULK_REFUSED, 0, g_error_copy (*cause) };
  else if ((item->unknown == NULL || !find_out (item, front, result))
           && (!asks || is_unique (item, front, numbers, result)))
    return TRUE;
  else if (tall_error_is_passing (result->error))
    *cause = result->error;
  return FALSE;
}

/* Keeps those that are to be put again, and the first error after which they may be stored. */
static void
settle_all (TallLoadBatch *self, TallBulkResult *results, TallLoadSettle settle, gpointer data)
{
  g_autoptr (GPtrArray) items = g_steal_pointer (&self->items);
  self->items = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_load_item_free);
  for (guint i = 0; i < items->len; i++)
    {
      TallLoadItem *item = g_ptr_array_index (items, i);
      TallBulkResult *result = &results[i];
      if (item->unknown == NULL
          && g_error_matches (result->error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
        item->unknown = g_error_copy (result->error);
      if (!settle (item, result, data))
        g_ptr_array_add (self->items, g_steal_pointer (&items->pdata[i]));
      tall_bulk_result_clear (result);
    }
}

/* Puts what is not settled yet. An item whose put may have been done is looked for first: it is not
 * put again if it is stored, nor if something else is. What fails altogether fails for each.
 * @front: of @bulk. */
void
tall_load_batch_put (
    TallLoadBatch *self, TallBulk *bulk, TallFront *front, TallLoadSettle settle, gpointer data)
{
  guint n = self->items->len, n_put = 0;
  const GError *cause = NULL;
  gboolean done = TRUE;
  g_autoptr (GError) error = NULL;
  g_autofree TallBulkResult *results = g_new0 (TallBulkResult, n);
  g_autofree TallBulkResult *put = g_new0 (TallBulkResult, n);
  g_autofree guint *positions = g_new (guint, n); /* of what is put now */
  g_autofree gpointer *values = g_new (gpointer, n);
  g_autoptr (GHashTable) numbers = self->unique ? g_hash_table_new (g_str_hash, g_str_equal) : NULL;
  const TallLoadItem *item = NULL;
  for (guint i = 0; i < n; i++)
    {
      item = g_ptr_array_index (self->items, i);
      if (!is_new (item, front, numbers, &cause, &results[i]))
        continue;
      positions[n_put] = i;
      values[n_put++] = item->order != NULL ? (gpointer)item->order : (gpointer)item->customer;
    }
  if (n_put > 0)
    done = item->order != NULL
               ? tall_bulk_put_orders (bulk, (TallOrder *const *)values, n_put, put, &error)
               : tall_bulk_put_customers (bulk, (TallCustomer *const *)values, n_put, put, &error);
  for (guint i = 0; i < n_put; i++)
    results[positions[i]] =
        done ? put[i] : (TallBulkResult){ TALL_BULK_REFUSED, 0, g_error_copy (error) };
  settle_all (self, results, settle, data);
}
