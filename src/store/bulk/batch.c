/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

#include "base/workers.h"
#include "store/bulk/bulk.h"
#include "store/commit/commit.h"
#include "store/commit/put.h"
#include "store/follow.h"
#include "store/read/index.h"
#include "table/merged-plan.h"
#include "tall-error.h"

#define MAX_TRIES 3 /* of putting what was new, and is not any more, or the other way round */

/* @cause: (transfer full): why it is not stored */
static void
bulk_item_refuse (TallBulkItem *self, GError *cause)
{
  const TallOperation *operation = &self->operation;
  if (operation->order_number != NULL)
    g_prefix_error (&cause, "Storing order %s of %s: ", operation->order_number,
                    operation->customer_number);
  else
    g_prefix_error (&cause, "Storing customer %s: ", operation->customer_number);
  *self->result = (TallBulkResult){ .outcome = TALL_BULK_REFUSED, .error = cause };
  self->step = TALL_BULK_DECIDED;
}

static gboolean
begin (TallBulkItem *self, const TallStoreContext *context, TallRecord record)
{
  GError *error = NULL;
  tall_operation_init (&self->operation, context, tall_record_get_customer_number (&record),
                       tall_record_get_order_number (&record), 0);
  self->step = TALL_BULK_FRESH;
  if (tall_content_init (&self->content, record, &error))
    return TRUE;
  bulk_item_refuse (self, error);
  return FALSE;
}

/* What is wrong with the numbers says so itself. */
static gboolean
refuse_wrong (TallBulkItem *self, GError *cause)
{
  *self->result = (TallBulkResult){ .outcome = TALL_BULK_REFUSED, .error = cause };
  return FALSE;
}

/**
 * tall_bulk_item_init_order:
 * @self: all zero
 * @order: must outlive @self; its lists are sorted
 * @result: all zero; where its result goes
 *
 * Returns: whether it can be stored; otherwise it is refused
 */
gboolean
tall_bulk_item_init_order (TallBulkItem *self,
                           const TallStoreContext *context,
                           TallOrder *order,
                           TallBulkResult *result)
{
  GError *error = NULL;
  self->result = result;
  if (!tall_order_normalize (order, &error))
    return refuse_wrong (self, error);
  return begin (self, context, tall_record_of_order (order));
}

gboolean
tall_bulk_item_init_customer (TallBulkItem *self,
                              const TallStoreContext *context,
                              TallCustomer *customer,
                              TallBulkResult *result)
{
  GError *error = NULL;
  self->result = result;
  if (!tall_customer_normalize (customer, &error))
    return refuse_wrong (self, error);
  return begin (self, context, tall_record_of_customer (customer));
}

void
tall_bulk_item_clear (TallBulkItem *self)
{
  tall_operation_clear (&self->operation);
  tall_content_clear (&self->content);
}

static void
bulk_item_decide (TallBulkItem *self, TallBulkOutcome outcome, gint64 revision)
{
  *self->result = (TallBulkResult){ .outcome = outcome, .revision = revision };
  self->step = TALL_BULK_DECIDED;
}

/* Somebody has written it at the same time. What was there for a moment nobody knows, so it must
 * not be put again. */
static void
bulk_item_overtake (TallBulkItem *self)
{
  GError *error = NULL;
  tall_error_set_conflict (&error, 0,
                           "somebody else has written it at the same time; theirs is left");
  bulk_item_refuse (self, error);
  self->result->outcome = TALL_BULK_OVERTAKEN;
}

/* Returns: whether @state is of the same content */
static gboolean
bulk_item_is_same (const TallBulkItem *self, const TallState *state)
{
  return state->live && memcmp (state->digest, self->content.state.digest, TALL_DIGEST_SIZE) == 0;
}

/* Returns: whether @root is of the same order or customer, and has the same content */
static gboolean
bulk_item_is_stored (const TallBulkItem *self, const TallRoot *root)
{
  return tall_root_is_live (root, &self->operation) && root->has_summary && root->stranger == NULL
         && bulk_item_is_same (self, &root->state);
}

/* What is there with another content. */
static void
refuse_existing (TallBulkItem *self, gint64 revision)
{
  GError *error = NULL;
  tall_error_set_conflict (&error, revision,
                           "another content is stored, of revision %" G_GINT64_FORMAT
                           "; it is left",
                           revision);
  bulk_item_refuse (self, error);
  self->result->revision = revision;
}

/* Puts it. Returns: whether that, or an error, is its result; FALSE: it is not new any more */
static gboolean
put (TallBulkItem *self, TallCondition condition, TallBulkOutcome outcome)
{
  const TallWriteOptions options = { .condition = condition };
  GError *error = NULL;
  gint64 revision = 0;
  if (tall_put (&self->operation, &self->content, &options, &revision, &error))
    bulk_item_decide (self, outcome, revision);
  else if (condition == TALL_IF_ABSENT && g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    g_clear_error (&error);
  else
    bulk_item_refuse (self, error);
  return self->step == TALL_BULK_DECIDED;
}

/* What is done with it now that @root is there. Returns: whether its result is known */
static gboolean
meet_item (TallBulkItem *self, const TallRoot *root, TallBulkExisting on_existing)
{
  GError *error = NULL;
  gboolean was_deleted = root->exists && root->stranger == NULL && root->state.revision > 0;
  if (!tall_root_is_live (root, &self->operation))
    return put (self, TALL_IF_ABSENT, was_deleted ? TALL_BULK_REVIVED : TALL_BULK_STORED);
  if (!tall_root_check_owner (root, &self->operation, &error))
    bulk_item_refuse (self, error);
  else if (bulk_item_is_stored (self, root))
    bulk_item_decide (self, TALL_BULK_UNCHANGED, root->state.revision);
  else if (on_existing == TALL_BULK_REPLACE)
    return put (self, TALL_IF_ANY, TALL_BULK_REPLACED);
  else if (on_existing == TALL_BULK_SKIP)
    bulk_item_decide (self, TALL_BULK_SKIPPED, root->state.revision);
  else
    refuse_existing (self, root->state.revision);
  return TRUE;
}

static gboolean
look (TallOperation *operation, TallRoot *root, GError **error)
{
  while (tall_follow (operation, error))
    (void)(tall_operation_identify (operation, TRUE, error)
           && tall_root_read (root, operation, error));
  return *error == NULL;
}

/* Puts it as any other: it is new, or the same, or @on_existing says what to do. Its time begins to
 * run now. */
static void
bulk_item_put (TallBulkItem *self, TallBulkExisting on_existing)
{
  TallOperation *operation = &self->operation;
  tall_operation_init (operation, operation->context, operation->customer_number,
                       operation->order_number, 0);
  operation->writes = TRUE;
  for (guint i = 0; i < MAX_TRIES; i++)
    {
      GError *error = NULL;
      g_auto (TallRoot) root = { 0 };
      if (!look (operation, &root, &error))
        {
          bulk_item_refuse (self, error);
          return;
        }
      if (meet_item (self, &root, on_existing))
        return;
    }
  bulk_item_overtake (self);
}

/* @item: (nullable): NULL: the first one is meant
 *
 * Returns: (transfer none) (nullable): the next item of a step after @item */
static TallBulkItem *
bulk_batch_find_next (const TallBulkBatch *self, TallBulkItem *item, TallBulkStep step)
{
  TallBulkItem *end = self->items + self->n_items;
  for (item = item == NULL ? self->items : item + 1; item < end; item++)
    if (item->step == step)
      return item;
  return NULL;
}

/* What is taken for new, one after the other. */
static TallBulkItem *
bulk_batch_first_fresh (const TallBulkBatch *self)
{
  return bulk_batch_find_next (self, NULL, TALL_BULK_FRESH);
}

static TallBulkItem *
bulk_batch_next_fresh (const TallBulkBatch *self, TallBulkItem *item)
{
  return bulk_batch_find_next (self, item, TALL_BULK_FRESH);
}

/* Reads the root rows of what is at @step by one call. @narrow: to the cells that are needed */
static TallMergedPlan *
read_roots (TallBulkBatch *self, TallBulkStep step, void (*narrow) (TallRead *), GError **error)
{
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  gint64 deadline = TALL_NO_DEADLINE;
  for (TallBulkItem *item = bulk_batch_find_next (self, NULL, step); item != NULL;
       item = bulk_batch_find_next (self, item, step))
    {
      deadline = MIN (deadline, item->operation.deadline);
      TallRead *read = tall_read_plan_add_get (plan->asked, item->operation.root_table,
                                               tall_slice_array (item->operation.root_row));
      narrow (read);
      read->uncached = TRUE;
    }
  return tall_merged_plan_read (plan, self->context->table, deadline, error)
             ? g_steal_pointer (&plan)
             : NULL;
}

/* Something is there: mostly the same, where a load goes on. Anything else is put as any other. */
static void
meet (TallBulkItem *item, const TallRow *row, TallArena *arena)
{
  g_auto (TallRoot) root = { 0 };
  item->step = TALL_BULK_ORDINARY;
  if (tall_root_parse (&root, &item->operation, row, arena, NULL)
      && bulk_item_is_stored (item, &root))
    bulk_item_decide (item, TALL_BULK_UNCHANGED, root.state.revision);
}

/* Whether the row holds a state cell that is older than @revision. */
static gboolean
has_older (const TallRow *row, gint64 revision)
{
  for (guint i = 0; i < row->n_cells; i++)
    if (row->cells[i].timestamp < revision
        && tall_slice_equal (row->cells[i].qualifier, TALL_STATE_QUALIFIER))
      return TRUE;
  return FALSE;
}

/* Whether a read has shown the row before ours was written. */
static gboolean
is_before (const TallRoot *root, gint64 revision)
{
  return root->state.revision != revision && root->timestamp < revision;
}

/* What the state cell says once ours was sent. The revision alone tells whether it is ours. An
 * order that is still fresh afterwards is to be sent again. */
static void
judge (TallBulkItem *item, const TallRow *row, gint64 revision)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallRoot) root = { 0 };
  TallSlice summary;
  if (row == NULL)
    return;
  if (!tall_root_parse_state (&root, row, &summary, &error))
    bulk_item_overtake (item);
  else if (is_before (&root, revision))
    return;
  else if (root.state.revision != revision || has_older (row, revision))
    item->step = TALL_BULK_MET;
  else
    bulk_item_decide (item, TALL_BULK_STORED, revision);
}

/* An order or customer that has the same row. */
typedef struct
{
  const char *name;
  const char *order_number; /* NULL: of a customer */
  gint64 sales_date;
} Other;

/* Finds another order or customer that has written any version of the row. In @arena. */
static gboolean
find_other (const TallBulkItem *item, const TallRow *row, TallArena *arena, Other *other)
{
  for (guint i = 0; i < row->n_cells; i++)
    {
      g_autofree char *stranger = NULL;
      TallOrderSummary summary;
      TallState state;
      const TallCell *cell = &row->cells[i];
      if (!tall_slice_equal (cell->qualifier, TALL_SUMMARY_QUALIFIER)
          || !tall_root_find_stranger (&item->operation, cell->value, arena, &stranger, NULL)
          || stranger == NULL)
        continue;
      *other = (Other){ .name = tall_arena_strdup (arena, stranger), .sales_date = TALL_NO_DATE };
      const TallCell *by = tall_row_find_at (row, TALL_STATE_QUALIFIER, cell->timestamp);
      if (by != NULL && tall_state_decode (by->value, &state, NULL))
        other->sales_date = state.sales_date;
      if (item->operation.order_number != NULL
          && tall_order_summary_parse (cell->value, arena, &summary, NULL))
        other->order_number = summary.order_number;
      return TRUE;
    }
  return FALSE;
}

static gboolean
has_steps (const TallBulkBatch *self)
{
  return self->context->together > 1;
}

/* Removes the hints that were written of an item. If one is the other's, too, of which one version
 * is kept, it is written as the other's was; entries have the numbers of their order. */
static void
withdraw_hints (const TallBulkBatch *self,
                const TallBulkItem *item,
                const Other *other,
                TallBatch *batch)
{
  const TallOperation *operation = &item->operation;
  for (guint i = 0; operation->coming != NULL && i < operation->coming->len; i++)
    {
      const TallHint *hint = tall_index_get (operation->coming, i);
      TallSlice row = tall_slice_array (hint->row);
      if (g_str_equal (hint->table, TALL_INDEX_TABLE) && other->order_number != NULL
          && tall_index_leads_to (row, &operation->key, other->sales_date))
        tall_index_put_hint (hint, other->order_number, self->revision, batch);
      else
        tall_mutation_delete_at (batch, tall_batch_add (batch, hint->table, row), self->revision);
    }
}

/* Removes all that was written of an item, and nothing else. */
static gboolean
withdraw (const TallBulkBatch *self, const TallBulkItem *item, const Other *other, GError **error)
{
  const TallOperation *operation = &item->operation;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  if (tall_operation_has_children (operation))
    self->context->layout->append_children (&operation->key, item->content.record.order,
                                            self->revision, batch);
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      TallMutation *mutation = g_ptr_array_index (batch->mutations, i);
      mutation->n_changes = 0;
      tall_mutation_delete_at (batch, mutation, self->revision);
    }
  if (!has_steps (self))
    withdraw_hints (self, item, other, batch);
  return tall_operation_apply (operation, batch, error);
}

/* The row is another's as well, who may have the answer that theirs is stored. Ours goes, of which
 * nobody has an answer yet; then it is put as any other, which refuses it if the other is there. So
 * of several that meet at once, one is stored. @covers: ours is in the other's place */
static void
collide (const TallBulkBatch *self, TallBulkItem *item, const Other *other, gboolean covers)
{
  g_autoptr (GError) stays = NULL;
  item->step = TALL_BULK_ORDINARY;
  if (withdraw (self, item, other, &stays) || !covers)
    return;
  bulk_item_refuse (item, g_error_new (TALL_ERROR, TALL_ERROR_KEY_COLLISION,
                                       "it has the row key of %s, and is in its place, as it "
                                       "could not be removed again (%s): delete it, and load "
                                       "the other one again",
                                       other->name, stays->message));
}

/* Whether what ours has hidden has another content. */
static gboolean
has_replaced (const TallBulkItem *item, const TallRow *row, gint64 revision)
{
  for (guint i = 0; i < row->n_cells; i++)
    {
      const TallCell *cell = &row->cells[i];
      TallState state;
      if (cell->timestamp < revision && tall_slice_equal (cell->qualifier, TALL_STATE_QUALIFIER)
          && tall_state_decode (cell->value, &state, NULL))
        return !bulk_item_is_same (item, &state);
    }
  return FALSE;
}

/* What others have written to the row, above ours or below it. */
static void
settle_met (const TallBulkBatch *self, TallBulkItem *item, const TallRow *row, TallArena *arena)
{
  g_auto (TallRoot) root = { 0 };
  Other other;
  item->step = TALL_BULK_FRESH;
  if (row == NULL)
    return;
  if (!tall_root_parse (&root, &item->operation, row, arena, NULL))
    {
      bulk_item_overtake (item);
      return;
    }
  if (is_before (&root, self->revision))
    return;
  gboolean is_ours = root.state.revision == self->revision;
  if (find_other (item, row, arena, &other))
    collide (self, item, &other, is_ours);
  if (item->step == TALL_BULK_DECIDED || root.stranger != NULL)
    return;
  if (is_ours && item->step == TALL_BULK_FRESH)
    bulk_item_decide (item,
                      has_replaced (item, row, self->revision) ? TALL_BULK_REPLACED
                                                               : TALL_BULK_STORED,
                      self->revision);
  else if (is_ours || root.state.revision == 0 || (self->assume_new && !root.state.live))
    item->step = TALL_BULK_ORDINARY; /* a claim or a tombstone hides ours for ever */
  else if (bulk_item_is_same (item, &root.state))
    bulk_item_decide (item, TALL_BULK_UNCHANGED, root.state.revision);
  else
    bulk_item_overtake (item);
}

/* Finds out whose it is that was met. */
static gboolean
settle_all_met (TallBulkBatch *self, GError **error)
{
  TallBulkItem *item = bulk_batch_find_next (self, NULL, TALL_BULK_MET);
  if (item == NULL)
    return TRUE;
  g_autoptr (TallMergedPlan) plan = read_roots (self, TALL_BULK_MET, tall_root_narrow, error);
  for (guint i = 0; item != NULL; item = bulk_batch_find_next (self, item, TALL_BULK_MET))
    {
      const TallRows *rows = plan != NULL ? &plan->results[i++] : NULL;
      if (rows == NULL)
        item->step = TALL_BULK_FRESH;
      else
        settle_met (self, item, rows->n_rows > 0 ? &rows->rows[0] : NULL, plan->result->arena);
    }
  return plan != NULL;
}

/* Finds out which of those that are fresh exist already. Where something cannot be read, each is
 * read again by itself. */
static gboolean
bulk_batch_look (TallBulkBatch *self, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallMergedPlan) plan = read_roots (self, TALL_BULK_FRESH, tall_root_narrow, &cause);
  if (plan == NULL && !tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  guint i = 0;
  for (TallBulkItem *item = bulk_batch_first_fresh (self); item != NULL;
       item = bulk_batch_next_fresh (self, item))
    {
      const TallRows *rows = plan != NULL ? &plan->results[i++] : NULL;
      if (rows == NULL)
        item->step = TALL_BULK_ORDINARY;
      else if (rows->n_rows > 0)
        meet (item, &rows->rows[0], plan->result->arena);
    }
  return TRUE;
}

/* Finds out what became of root rows that were sent. */
static gboolean
bulk_batch_read_back (TallBulkBatch *self, GError **error)
{
  if (bulk_batch_first_fresh (self) == NULL)
    return TRUE;
  g_autoptr (TallMergedPlan) plan =
      read_roots (self, TALL_BULK_FRESH, tall_root_narrow_to_state, error);
  if (plan == NULL)
    return FALSE;
  guint i = 0;
  for (TallBulkItem *item = bulk_batch_first_fresh (self); item != NULL;
       item = bulk_batch_next_fresh (self, item))
    {
      const TallRows *rows = &plan->results[i++];
      judge (item, rows->n_rows > 0 ? &rows->rows[0] : NULL, self->revision);
    }
  return settle_all_met (self, error);
}

#define MAX_SENT 2 /* how often root rows are sent */

/* @cause: (transfer full) */
static void
refuse_fresh (TallBulkBatch *self, GError *cause)
{
  for (TallBulkItem *item = bulk_batch_first_fresh (self); item != NULL;
       item = bulk_batch_next_fresh (self, item))
    bulk_item_refuse (item, g_error_copy (cause));
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
  for (TallBulkItem *item = bulk_batch_first_fresh (self); item != NULL;
       item = bulk_batch_next_fresh (self, item))
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
          bulk_item_refuse (item, cause);
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

/* What comes before the root rows: children and hints, which nobody sees yet. In steps hints come
 * with the root row: one written before would take the place of that of an order that is there. */
static gboolean
write_rows (TallBulkBatch *self, gint64 revision, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const TallOperation *first = NULL;
  for (TallBulkItem *item = bulk_batch_first_fresh (self); item != NULL;
       item = bulk_batch_next_fresh (self, item))
    {
      TallOperation *operation = &item->operation;
      first = operation;
      tall_index_prepare (operation, item->content.record.order, NULL);
      guint n_hints = operation->coming != NULL ? operation->coming->len : 0; /* 0: a customer */
      if (has_steps (self) && n_hints + 2 > self->context->together) /* root row, row by date */
        {
          item->step = TALL_BULK_ORDINARY;
          continue;
        }
      if (tall_operation_has_children (operation))
        self->context->layout->append_children (&operation->key, item->content.record.order,
                                                revision, batch);
      if (!has_steps (self))
        tall_index_add_hints (operation, revision, batch);
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

/* Sends the root rows. */
static gboolean
write_roots (TallBulkBatch *self, gint64 revision, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallBulkItem *first = bulk_batch_first_fresh (self);
  TallState like = { .revision = revision };
  make_lineage (first, &like);
  for (TallBulkItem *item = bulk_batch_first_fresh (self); item != NULL;
       item = bulk_batch_next_fresh (self, item))
    append_root (self, item, &like, batch);
  return tall_operation_apply (&first->operation, batch, error);
}

/* As write_roots(), until it is known what became of each. */
static gboolean
send_roots (TallBulkBatch *self, GError **error)
{
  g_autoptr (GError) cause = NULL;
  self->has_sent = TRUE;
  for (guint i = 0;
       i < MAX_SENT && bulk_batch_first_fresh (self) != NULL && !tall_follow_is_of_tables (cause);
       i++)
    {
      g_autoptr (GError) unread = NULL;
      g_clear_error (&cause);
      (void)write_roots (self, self->revision, &cause);
      if (!bulk_batch_read_back (self, &unread)
          && (cause == NULL || tall_follow_is_of_tables (unread)))
        {
          g_clear_error (&cause);
          cause = g_steal_pointer (&unread);
        }
    }
  if (bulk_batch_first_fresh (self) == NULL)
    return TRUE;
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
                 "it was written, and is not found; put it again");
  return FALSE;
}

/* Where a table changes several rows in one step, what is new is stored by that. Where something is
 * there, the rows that were written before go again, and it is put as any other. */
static gboolean
commit_roots (TallBulkBatch *self, GError **error)
{
  const Other nobody = { 0 };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree TallNewRows *rows = g_new0 (TallNewRows, self->n_items);
  TallBulkItem *first = bulk_batch_first_fresh (self);
  TallState like = { .revision = self->revision };
  guint n = 0;
  make_lineage (first, &like);
  for (TallBulkItem *item = first; item != NULL; item = bulk_batch_next_fresh (self, item), n++)
    {
      TallState state = item->content.state;
      state.revision = self->revision;
      rows[n].first = batch->mutations->len;
      append_root (self, item, &like, batch);
      tall_index_add_dated (&item->operation, &state, item->content.summary, batch);
      tall_index_add_hints (&item->operation, self->revision, batch);
      rows[n].n = batch->mutations->len - rows[n].first;
    }
  self->has_sent = TRUE;
  gboolean sent = tall_commit_absent (&first->operation, batch, rows, n, error);
  n = 0;
  for (TallBulkItem *item = first; item != NULL; item = bulk_batch_next_fresh (self, item), n++)
    if (rows[n].done)
      bulk_item_decide (item, TALL_BULK_STORED, self->revision);
    else if (sent)
      collide (self, item, &nobody, FALSE);
  return sent;
}

/* What is new. In other tables than those in which it was begun it is looked for first, whatever
 * was promised: it may have been copied, and replaced since. */
static gboolean
try_fresh (TallBulkBatch *self, const TallStoreContext *context, GError **error)
{
  self->context = context;
  if (!identify (self, error))
    return FALSE;
  sort (self);
  if (bulk_batch_first_fresh (self) != NULL
      && (self->has_sent || self->has_begun || !self->assume_new)
      && !(self->has_sent ? bulk_batch_read_back (self, error) : bulk_batch_look (self, error)))
    return FALSE;
  if (bulk_batch_first_fresh (self) == NULL)
    return TRUE;
  self->has_begun = TRUE;
  if (self->revision == 0)
    self->revision = tall_loads_take (self->loads, error);
  return self->revision != 0 && write_rows (self, self->revision, error)
         && (bulk_batch_first_fresh (self) == NULL
             || (has_steps (self) ? commit_roots : send_roots) (self, error));
}

static void
run_fresh (TallBulkBatch *self)
{
  GError *error = NULL;
  g_auto (TallOperation) operation = { 0 };
  tall_operation_init (&operation, self->context, NULL, NULL, 0);
  operation.writes = TRUE;
  while (tall_follow (&operation, &error))
    (void)try_fresh (self, operation.context, &error);
  if (error == NULL)
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
    bulk_item_put (item, self->on_existing);
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
  if (bulk_batch_first_fresh (self) != NULL)
    run_fresh (self);
  if (bulk_batch_find_next (self, NULL, TALL_BULK_ORDINARY) == NULL)
    return;
  tall_workers_run (put_one, self, self->n_items);
  for (TallBulkItem *item = bulk_batch_find_next (self, NULL, TALL_BULK_ORDINARY); item != NULL;
       item = bulk_batch_find_next (self, item, TALL_BULK_ORDINARY))
    bulk_item_put (item, self->on_existing);
}
