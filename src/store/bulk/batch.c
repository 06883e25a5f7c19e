/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/batch.h"

#include "store/bulk/customers.h"
#include "store/bulk/roots.h"
#include "store/commit/commit.h"
#include "tall-error.h"
#include "store/follow.h"
#include "store/read/index.h"
#include "base/workers.h"

#define MAX_SENT 2 /* how often root rows are sent */

/* @cause: (transfer full) */
static void
refuse_fresh (TallBulkBatch *self, GError *cause)
{
  for (TallBulkItem *item = tall_bulk_batch_first_fresh (self); item != NULL;
       item = tall_bulk_batch_next_fresh (self, item))
    tall_bulk_item_refuse (item, g_error_copy (cause));
  g_error_free (cause);
}

/* FNV-1a */
static guint
hash_row (gconstpointer data)
{
  const GByteArray *row = data;
  guint hash = 2166136261u;
  for (guint i = 0; i < row->len; i++)
    hash = (hash ^ row->data[i]) * 16777619u;
  return hash;
}

static gboolean
is_same_row (gconstpointer a, gconstpointer b)
{
  return tall_slice_equal (tall_slice_array (a), tall_slice_array (b));
}

/* Finds out where all are. What has the row of one before it waits until that is done. */
static gboolean
identify (TallBulkBatch *self, GError **error)
{
  g_autoptr (GHashTable) rows = g_hash_table_new (hash_row, is_same_row);
  tall_bulk_number_customers (self->context, self->items, self->n_items);
  for (TallBulkItem *item = tall_bulk_batch_first_fresh (self); item != NULL;
       item = tall_bulk_batch_next_fresh (self, item))
    {
      GError *cause = NULL;
      if (item->operation.context != self->context)
        tall_operation_move (&item->operation, self->context);
      if (!tall_operation_identify (&item->operation, TRUE, &cause))
        {
          if (tall_follow_is_of_tables (cause))
            {
              g_propagate_error (error, cause);
              return FALSE;
            }
          tall_bulk_item_refuse (item, cause);
          continue;
        }
      item->is_twice = !g_hash_table_add (rows, item->operation.root_row);
      if (item->is_twice)
        item->step = TALL_BULK_ORDINARY;
    }
  return TRUE;
}

/* The empty row, which sorts first, where that is not known. */
static TallSlice
get_root_row (const TallBulkItem *item)
{
  const GByteArray *row = item->operation.root_row;
  return row != NULL ? tall_slice_array (row) : tall_slice (NULL, 0);
}

static gint
compare_items (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return tall_slice_compare (get_root_row (a), get_root_row (b));
}

/* Rows that are neighbours are found and written faster one after another. Those of one row keep
 * their order. */
static void
sort (TallBulkBatch *self)
{
  if (self->n_items > 0)
    g_qsort_with_data (self->items, (gint)self->n_items, sizeof *self->items, compare_items, NULL);
}

/* Everything but the root rows: children and hints, which nobody sees yet. */
static gboolean
write_rows (TallBulkBatch *self, gint64 revision, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const TallOperation *first = NULL;
  for (TallBulkItem *item = tall_bulk_batch_first_fresh (self); item != NULL;
       item = tall_bulk_batch_next_fresh (self, item))
    {
      const TallOperation *operation = first = &item->operation;
      if (tall_operation_has_children (operation))
        self->context->layout->append_children (&operation->key, item->content.order, revision,
                                                batch);
      tall_index_add_hint (operation, item->content.state.sales_date, revision, batch);
    }
  return batch->mutations->len == 0 || tall_operation_apply (first, batch, error);
}

/* What a load's commit would leave in the place of a claim's token; the same for the whole batch,
 * as nobody looks for the one who made these rows. */
static void
make_lineage (const TallBulkItem *item, TallState *state)
{
  const TallRoot none = { 0 };
  tall_state_set_lineage (state, &item->operation, &none);
}

static void
append_root (const TallBulkBatch *self,
             const TallBulkItem *item,
             const TallState *like,
             TallBatch *batch)
{
  const TallOperation *operation = &item->operation;
  TallState state = item->content.state;
  state.revision = like->revision;
  memcpy (state.token, self->token, TALL_TOKEN_SIZE);
  memcpy (state.pending_token, like->pending_token, TALL_TOKEN_SIZE);
  TallMutation *mutation =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, state.revision,
                     tall_state_encode (&state, batch->arena));
  tall_content_append (&item->content, operation, state.revision, batch, mutation);
}

/* Where nothing was before, ours was all that the row said when it was written: that is as good as
 * reading it back in that moment. */
static void
settle_alone (TallBulkBatch *self, const TallDone *done, gint64 revision)
{
  for (TallBulkItem *item = tall_bulk_batch_first_fresh (self); item != NULL;
       item = tall_bulk_batch_next_fresh (self, item))
    if (*done++ == TALL_DONE_ALONE)
      tall_bulk_item_decide (item, TALL_BULK_STORED, revision);
}

/* Sends the root rows. What is not fresh any more afterwards is known to be stored. */
static gboolean
write_roots (TallBulkBatch *self, gint64 revision, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallBulkItem *first = tall_bulk_batch_first_fresh (self);
  TallState like = { .revision = revision };
  make_lineage (first, &like);
  for (TallBulkItem *item = tall_bulk_batch_first_fresh (self); item != NULL;
       item = tall_bulk_batch_next_fresh (self, item))
    append_root (self, item, &like, batch);
  g_autofree TallDone *done = g_new0 (TallDone, batch->mutations->len);
  gboolean written = tall_operation_apply_known (&first->operation, batch, done, error);
  settle_alone (self, done, revision);
  return written;
}

/* As write_roots(), until it is known what became of each. */
static gboolean
send_roots (TallBulkBatch *self, GError **error)
{
  g_autoptr (GError) cause = NULL;
  self->has_sent = TRUE;
  for (guint i = 0; i < MAX_SENT && tall_bulk_batch_first_fresh (self) != NULL
                    && !tall_follow_is_of_tables (cause);
       i++)
    {
      g_autoptr (GError) unread = NULL;
      g_clear_error (&cause);
      (void)write_roots (self, self->revision, &cause);
      if (!tall_bulk_batch_read_back (self, &unread)
          && (cause == NULL || tall_follow_is_of_tables (unread)))
        {
          g_clear_error (&cause);
          cause = g_steal_pointer (&unread);
        }
    }
  if (tall_bulk_batch_first_fresh (self) == NULL)
    return TRUE;
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
                 "it was written, and is not found; put it again");
  return FALSE;
}

/* What is new. In other tables than those in which it was begun it is looked for first, whatever
 * was promised: it may have been copied, and replaced since. */
static gboolean
try_fresh (TallOperation *operation, gpointer data, GError **error)
{
  TallBulkBatch *self = data;
  self->context = operation->context;
  if (!identify (self, error))
    return FALSE;
  sort (self);
  if (tall_bulk_batch_first_fresh (self) != NULL
      && (self->has_sent || self->has_begun || !self->assume_new)
      && !(self->has_sent ? tall_bulk_batch_read_back (self, error)
                          : tall_bulk_batch_look (self, error)))
    return FALSE;
  if (tall_bulk_batch_first_fresh (self) == NULL)
    return TRUE;
  self->has_begun = TRUE;
  if (self->revision == 0)
    self->revision = tall_loads_take (self->loads, error);
  return self->revision != 0 && write_rows (self, self->revision, error)
         && send_roots (self, error);
}

static void
run_fresh (TallBulkBatch *self)
{
  GError *error = NULL;
  g_auto (TallOperation) operation = { 0 };
  tall_operation_init (&operation, self->context, NULL, NULL, 0);
  operation.writes = TRUE;
  if (tall_follow (&operation, try_fresh, self, &error))
    return;
  if (self->has_sent)
    error->code = TALL_ERROR_OUTCOME_UNKNOWN;
  refuse_fresh (self, error);
}

static void
put_one (gpointer data, guint i)
{
  TallBulkBatch *self = data;
  TallBulkItem *item = &self->items[i];
  if (item->step == TALL_BULK_ORDINARY && !item->is_twice)
    tall_bulk_item_put (item, self->on_existing);
}

/**
 * tall_bulk_batch_run:
 *
 * Puts all items, and sets their results. What is new is written without any condition, at a
 * revision that nobody else ever has, and that is below all that others choose: whatever anybody
 * else writes hides it. Reading back tells whether somebody did.
 */
void
tall_bulk_batch_run (TallBulkBatch *self)
{
  if (tall_bulk_batch_first_fresh (self) != NULL)
    run_fresh (self);
  if (tall_bulk_batch_find_next (self, NULL, TALL_BULK_ORDINARY) == NULL)
    return;
  tall_workers_run (put_one, self, self->n_items);
  for (TallBulkItem *item = tall_bulk_batch_find_next (self, NULL, TALL_BULK_ORDINARY);
       item != NULL; item = tall_bulk_batch_find_next (self, item, TALL_BULK_ORDINARY))
    tall_bulk_item_put (item, self->on_existing);
}
