/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/copy.h"

#include "model/canonical.h"
#include "store/commit/children.h"
#include "store/read/fetch.h"
#include "store/read/index.h"
#include "table/merged-plan.h"
#include "base/fail.h"
#include "tall-limits.h"

#define ORIGIN_SIZE 8 /* of the mark with which a lineage begins */

static void copy_item_refuse (TallCopyItem *self, GError *cause);

static char *
name_item (const TallCopyItem *item)
{
  return item->from.order_number != NULL
             ? g_strdup_printf ("order %s of %s", item->from.order_number,
                                item->from.customer_number)
             : g_strdup_printf ("customer %s", item->from.customer_number);
}

/* Of those before @item the one that has its row in the target. */
static const TallCopyItem *
find_twin (const TallCopyItem *items, const TallCopyItem *item)
{
  for (; items < item; items++)
    if (items->outcome == TALL_COPY_OPEN
        && tall_slice_equal (tall_slice_array (items->to.root_row),
                             tall_slice_array (item->to.root_row)))
      return items;
  return NULL;
}

/* Claims the rows of those that are decided so: same, which the target has already, or open, which
 * are to be written and have places there. Each row of the target is that of the first one that
 * this process would have there, and the others are refused. What the target has is not enough: a
 * slower process may have written over what was copied. */
static void
copy_claim (const TallCopier *copier, TallCopyItem *items, guint n_items, TallCopyOutcome outcome)
{
  for (TallCopyItem *item = items; item < items + n_items; item++)
    {
      const TallOperation *to = &item->to;
      GError *error = NULL;
      if (item->outcome != outcome)
        continue;
      const TallCopyItem *twin = outcome == TALL_COPY_OPEN ? find_twin (items, item) : NULL;
      if (twin != NULL)
        item->there.stranger = name_item (twin);
      else if (copier->places != NULL && to->root_row != NULL
               && !tall_copied_claim (copier->places, to->root_table,
                                      tall_slice_array (to->root_row), item->table, item->row))
        item->there.stranger = g_strdup ("another one, which was copied before");
      if (item->there.stranger != NULL && !tall_root_check_owner (&item->there, to, &error))
        copy_item_refuse (item, error);
    }
}

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

/* @cause: (transfer full): why it cannot be copied */
static void
copy_item_refuse (TallCopyItem *self, GError *cause)
{
  self->outcome = TALL_COPY_UNFIT;
  self->error = cause;
}

/* Whether a newer version has stored it: what of it we do not know would be lost. */
static gboolean
check_schema (const TallState *state, GError **error)
{
  if (!state->live || state->schema <= TALL_SCHEMA)
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_NEWER_VERSION,
      "it has schema %u, and this version of tallorder knows none after %d; migrate with "
      "the newer version",
      state->schema, TALL_SCHEMA);
}

/* Whether there is anything to have. */
static gboolean
is_there (const TallStoreContext *source, const TallRoot *root, gboolean of_order)
{
  if (!root->exists || root->state.revision == 0 || (!root->state.live && !root->has_summary))
    return FALSE; /* nobody knows whose an erased one was, and no copy was made of it */
  if (!of_order)
    return TRUE;
  if (root->state.live)
    return tall_root_is_live_order (root, source);
  return !tall_store_context_has_expired (source, root->state.revision);
}

static gboolean
has_mark (const guint8 *lineage)
{
  static const guint8 none[ORIGIN_SIZE];
  return memcmp (lineage, none, ORIGIN_SIZE) != 0;
}

/* Sets what the target is to have in the place of a claim's token. It depends on nothing but what
 * is committed in the source, because two copies of one revision must not differ: a claim, or a
 * repair, changes the lineage there and leaves the revision. So what was replaced is not taken
 * over. R - 1 says the least: 0 would tell a writer whose answer was lost that its commit never
 * was. */
static void
convert_lineage (const TallCopyItem *self, const TallState *from, TallState *to)
{
  guint8 hash[TALL_MD5_SIZE];
  guint64 before = GUINT64_TO_BE ((guint64)from->revision - 1);
  gboolean has_none = tall_operation_has_children (&self->from) || !has_mark (from->pending_token);

  memcpy (to->pending_token + ORIGIN_SIZE, &before, sizeof before);
  if (tall_operation_has_children (&self->to))
    memset (to->pending_token, 0, ORIGIN_SIZE);
  else if (has_none)
    {
      tall_md5 (tall_slice (from->token, TALL_TOKEN_SIZE), hash);
      memcpy (to->pending_token, hash, ORIGIN_SIZE);
    }
}

/* Sets what the target's state cell is to be. @from: that of the source */
static void
convert (TallCopyItem *self, const TallState *from)
{
  self->wanted = *from;
  self->wanted.pending = 0;
  convert_lineage (self, from, &self->wanted);
  if (self->from.context->hooks.omits & TALL_OMIT_REVISION)
    self->wanted.revision += 2;
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
  const char *customer_number, *order_number;
  gboolean of_order = tall_copy_is_order (copier->source, self->table, row->key);
  if (!tall_root_parse_state (&root, row, &self->summary, error))
    return FALSE;
  if (!root.exists)
    return tall_error_fail (error, TALL_ERROR_DAMAGED, "it has cells, and no state cell");
  if (!is_there (copier->source, &root, of_order))
    return FALSE;
  if (!tall_root_check_summary (&root, error)
      || !tall_root_parse_numbers (self->summary, of_order, arena, &customer_number, &order_number,
                                   error))
    return FALSE;
  tall_operation_init (&self->from, copier->source, customer_number, order_number, 0);
  tall_operation_init (&self->to, copier->target, customer_number, order_number, 0);
  convert (self, &root.state);
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
    copy_item_refuse (self, error);
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

/* @row: (nullable): the root row in the target; NULL: there is none
 *
 * Compares what the target has with what it is to have: all of the state cell, and the numbers, as
 * two orders whose keys collide may have equal revisions. Decides unless they differ. */
static void
copy_item_compare (TallCopyItem *self, const TallRow *row, TallArena *arena)
{
  GError *error = NULL;
  guint8 wanted[TALL_STATE_SIZE];
  TallRoot *there = &self->there;
  if (!tall_root_parse (there, &self->to, row, arena, &error)
      || !tall_root_check_owner (there, &self->to, &error))
    {
      g_prefix_error (&error, "In the target: ");
      copy_item_refuse (self, error);
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

/* Of what is read together, at most; beyond that each order is read by itself. */
#define JOINED_BYTES (16 * 1024 * 1024)

/* What is read of the source together. */
typedef struct
{
  TallMergedPlan *plan; /* owned; its result is NULL if it could not be read together */
  guint next;           /* the first read of the item that comes next */
} Reading;

static gboolean
is_to_be_read (const TallCopyItem *item)
{
  return item->outcome == TALL_COPY_OPEN && item->wanted.live;
}

static void
add_reads (TallCopyItem *item, TallReadPlan *plan)
{
  const TallOperation *from = &item->from;
  guint before = plan->reads->len;
  if (from->order_number != NULL)
    tall_fetch_add_reads (from, plan);
  else
    tall_read_plan_add_get (plan, from->root_table, tall_slice_array (from->root_row));
  item->n_reads = plan->reads->len - before;
}

/* Makes the order or the customer of what was read, together or, without that, now. */
static gboolean
fetch (TallCopyItem *item, Reading *reading, gint64 *revision, GError **error)
{
  const TallOperation *from = &item->from;
  TallReadResult *result = reading->plan->result;
  const TallRows *rows = result != NULL ? reading->plan->results + reading->next : NULL;
  reading->next += item->n_reads;
  if (from->order_number != NULL)
    item->order = rows != NULL ? tall_fetch_order_from (from, rows, item->n_reads, result->arena,
                                                        revision, error)
                               : tall_fetch_order (from, revision, error);
  else
    item->customer = rows != NULL
                         ? tall_fetch_customer_from (from, rows->n_rows > 0 ? rows->rows : NULL,
                                                     result->arena, revision, error)
                         : tall_fetch_customer (from, revision, error);
  return item->order != NULL || item->customer != NULL;
}

static gboolean
make_content (TallCopyItem *item, GError **error)
{
  TallRecord record = item->order != NULL ? tall_record_of_order (item->order)
                                          : tall_record_of_customer (item->customer);
  if (!tall_content_init (&item->content, record, error))
    return FALSE;
  item->content.summary = item->summary;
  return TRUE;
}

/* Makes what is to be written. What was read is of the state that is to be copied if it has that
 * revision and that digest. FALSE with an error that concerns more than this item. */
static gboolean
read_one (TallCopyItem *item, Reading *reading, GError **error)
{
  g_autoptr (GError) cause = NULL;
  gint64 revision = 0;
  gboolean there = fetch (item, reading, &revision, &cause);
  if (there && revision == item->wanted.revision && make_content (item, &cause))
    {
      if (memcmp (item->content.state.digest, item->wanted.digest, TALL_DIGEST_SIZE) != 0)
        item->outcome = TALL_COPY_MOVED;
      return TRUE;
    }
  if (cause == NULL || g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    item->outcome = TALL_COPY_MOVED;
  else if (tall_error_is_of_one (cause))
    copy_item_refuse (item, g_steal_pointer (&cause));
  else
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  return TRUE;
}

/* Adds the reads of all items. Orders that lie close together in the source are read by one scan of
 * each of its tables. Returns: (nullable): the first item that is to be read */
static const TallCopyItem *
plan_reads (TallMergedPlan *plan, TallCopyItem *items, guint n_items)
{
  const TallCopyItem *first = NULL, *last = NULL;
  guint n = 0;
  for (guint i = 0; i < n_items; i++)
    if (is_to_be_read (&items[i]))
      {
        first = first != NULL ? first : &items[i];
        last = &items[i];
        n++;
        add_reads (&items[i], plan->asked);
      }
  tall_read_plan_set_uncached (plan->asked);
  if (n > 0 && 2 * n > last->place - first->place)
    plan->joined_bytes = JOINED_BYTES;
  return first;
}

/* All reads of all items together. What cannot be read together is read by itself. */
static gboolean
read_together (const TallCopier *copier,
               TallMergedPlan *plan,
               TallCopyItem *items,
               guint n_items,
               GError **error)
{
  g_autoptr (GError) cause = NULL;
  const TallCopyItem *first = plan_reads (plan, items, n_items);
  if (first == NULL
      || tall_merged_plan_read (plan, copier->source->table, first->from.deadline, &cause))
    return TRUE;
  g_clear_pointer (&plan->result, tall_read_result_free);
  if (tall_error_is_unreadable (cause) || g_error_matches (cause, TALL_ERROR, TALL_ERROR_TOO_LARGE))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/**
 * tall_copy_read:
 *
 * Reads in the source the live ones of what is still open, and decides those of which nothing can
 * be copied.
 *
 * Returns: FALSE with what the table says
 */
gboolean
tall_copy_read (const TallCopier *copier, TallCopyItem *items, guint n_items, GError **error)
{
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  Reading reading = { .plan = plan };
  if (!read_together (copier, plan, items, n_items, error))
    return FALSE;
  for (guint i = 0; i < n_items; i++)
    if (is_to_be_read (&items[i]) && !read_one (&items[i], &reading, error))
      return FALSE;
  return TRUE;
}

/* Items that are copied together. */
typedef struct
{
  const TallCopier *copier;
  TallCopyItem *items; /* n_items of them */
  guint n_items;
  gint64 deadline;
} Copy;

/* The next item after @item that is not decided, from the beginning if that is NULL. */
static TallCopyItem *
next_open (const Copy *self, const TallCopyItem *item)
{
  TallCopyItem *end = self->items + self->n_items;
  for (TallCopyItem *next = item == NULL ? self->items : self->items + (item - self->items) + 1;
       next < end; next++)
    if (next->outcome == TALL_COPY_OPEN)
      return next;
  return NULL;
}

static TallCopyItem *
first_open (const Copy *self)
{
  return next_open (self, NULL);
}

/* A row that lies where its numbers do not lead to is nobody's: no reader finds it. */
static void
check_place (TallCopyItem *item)
{
  const TallOperation *from = &item->from;
  GError *error = NULL;
  if (from->root_row != NULL && g_str_equal (from->root_table, item->table)
      && tall_slice_equal (tall_slice_array (from->root_row), item->row))
    return;
  g_set_error (&error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "the numbers that its row names do not lead to that row");
  copy_item_refuse (item, error);
}

/* Finds out where all are, as far as their customers have ids there: in the source, where they must
 * be, or in the target. */
static gboolean
locate (const Copy *self, gboolean in_source, GError **error)
{
  TallIds *ids = (in_source ? self->copier->source : self->copier->target)->ids;
  g_autofree guint64 *found = g_new0 (guint64, self->n_items);
  g_autofree const char **numbers = g_new (const char *, self->n_items);
  guint n = 0;
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    numbers[n++] = item->from.customer_number;
  if (ids != NULL && n > 0 && !tall_ids_find (ids, numbers, n, found, self->deadline, error))
    return FALSE;
  n = 0;
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item), n++)
    {
      if (ids == NULL || found[n] != 0)
        tall_operation_set_id (in_source ? &item->from : &item->to, found[n]);
      if (in_source)
        check_place (item);
    }
  return TRUE;
}

/* Reads the root rows in the target of what is open, as far as they have a place there, and
 * compares. */
static gboolean
compare (const Copy *self, GError **error)
{
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    if (item->to.root_row != NULL)
      tall_root_narrow (tall_read_plan_add_get (plan->asked, item->to.root_table,
                                                tall_slice_array (item->to.root_row)));
  if (plan->asked->reads->len == 0)
    return TRUE;
  tall_read_plan_set_uncached (plan->asked);
  if (!tall_merged_plan_read (plan, self->copier->target->table, self->deadline, error))
    return FALSE;
  guint i = 0;
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    {
      if (item->to.root_row == NULL)
        continue;
      const TallRows *rows = &plan->results[i++];
      copy_item_compare (item, rows->n_rows > 0 ? &rows->rows[0] : NULL, plan->result->arena);
    }
  return TRUE;
}

/* Customers that are new in the target get their ids. */
static gboolean
identify (const Copy *self, GError **error)
{
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    if (!tall_operation_identify (&item->to, TRUE, error))
      return FALSE;
  return TRUE;
}

/* What the target has, or may have, of other versions: an earlier one was copied; or, if it was
 * written since there is a target, somebody may have begun to copy an earlier one. */
static gboolean
may_have_old (const Copy *self, const TallCopyItem *item)
{
  return item->there.exists || item->wanted.revision >= self->copier->begun;
}

static gboolean
apply (const Copy *self, const TallBatch *batch, GError **error)
{
  const TallCopyItem *first = first_open (self);
  return batch->mutations->len == 0 || tall_operation_apply (&first->to, batch, error);
}

/* Whether the record still says that the target is made of the source. A slow process asks before
 * it removes anything: the target may count by now. Puts are the same whoever sends them, and hide
 * nothing that is later. */
static gboolean
check_still_copies (const Copy *self, GError **error)
{
  const TallCopier *copier = self->copier;
  if (copier->records == NULL)
    return TRUE;
  g_autoptr (TallDeployment) record = tall_deployment_read (copier->records, self->deadline, error);
  if (record == NULL)
    return FALSE;
  const TallMigration *is = &record->migration;
  gboolean copies = is->phase == TALL_MIGRATION_COPYING || is->phase == TALL_MIGRATION_SEALING;
  if (copies && is->generation == copier->source->generation
      && is->target == copier->target->generation && g_str_equal (record->id, copier->source->id))
    return TRUE;
  tall_error_set_conflict (error, 0, "Another process has gone on with the migration");
  return FALSE;
}

/* Removes all rows of earlier versions but the root rows. Nobody reads the target yet, so it comes
 * first: if it is cut short, the root row still tells that it is to be done. */
static gboolean
remove_old (const Copy *self, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    {
      tall_index_prepare (&item->to, item->order, &item->there.state);
      if (tall_operation_has_children (&item->to) && may_have_old (self, item)
          && !tall_children_add_removals (&item->to, 0, item->wanted.revision - 1, batch, error))
        return FALSE;
      tall_index_add_removals (&item->to, item->there.state.revision, batch);
      tall_index_add_undated (&item->to, &item->there.state, &item->wanted, batch);
    }
  return batch->mutations->len == 0
         || (check_still_copies (self, error) && apply (self, batch, error));
}

/* Whether its root row comes in one step with the row that lists it, which expects none: a root row
 * that is there is replaced by plain puts, and then a hint lists it. */
static gboolean
is_committed (const TallCopyItem *item)
{
  return item->to.context->has_dated && !item->there.exists;
}

/* Everything but the root rows. */
static gboolean
write_rows (const Copy *self, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    {
      TallOperation *to = &item->to;
      if (item->order == NULL)
        continue;
      if (!is_committed (item))
        tall_index_prepare_hints (to, item->order);
      if (tall_operation_has_children (to))
        to->context->layout->append_children (&to->key, item->order, item->wanted.revision, batch);
      tall_index_add_hints (to, item->wanted.revision, batch);
    }
  return apply (self, batch, error);
}

static void
append_root (const TallCopyItem *item, TallBatch *batch)
{
  const TallOperation *to = &item->to;
  gint64 revision = item->wanted.revision;
  TallMutation *root = tall_batch_add (batch, to->root_table, tall_slice_array (to->root_row));
  if (item->there.exists)
    tall_mutation_delete_up_to (batch, root, revision - 1);
  tall_mutation_put (batch, root, TALL_STATE_QUALIFIER, revision,
                     tall_state_encode (&item->wanted, batch->arena));
  if (item->wanted.live)
    tall_content_append (&item->content, to, revision, batch, root);
  else
    tall_mutation_put (batch, root, TALL_SUMMARY_QUALIFIER, revision, item->summary);
}

static gboolean
write_roots (const Copy *self, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    if (!is_committed (item))
      append_root (item, batch);
  return apply (self, batch, error);
}

static gboolean
commit_roots (const Copy *self, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autoptr (GPtrArray) items = g_ptr_array_new (); /* not owned */
  g_autofree TallNewRows *rows = g_new0 (TallNewRows, self->n_items);
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    if (is_committed (item))
      {
        TallNewRows *its = &rows[items->len];
        its->first = batch->mutations->len;
        append_root (item, batch);
        tall_index_add_dated (&item->to, &item->wanted, item->summary, batch);
        its->n = batch->mutations->len - its->first;
        g_ptr_array_add (items, item);
      }
  if (items->len > 0
      && !tall_commit_absent (&((TallCopyItem *)items->pdata[0])->to, batch, rows, items->len,
                              error))
    return FALSE;
  for (guint i = 0; i < items->len; i++)
    ((TallCopyItem *)items->pdata[i])->outcome = rows[i].done ? TALL_COPY_COPIED : TALL_COPY_MOVED;
  return TRUE;
}

/* It was written, and something else is read back. */
static void
judge_unequal (TallCopyItem *item)
{
  const TallStoreContext *target = item->to.context;
  GError *error = NULL;
  if (!item->there.exists && tall_store_context_may_have_expired (target, item->wanted.revision))
    item->outcome = TALL_COPY_COPIED;
  else
    {
      g_set_error (&error, TALL_ERROR, TALL_ERROR_DAMAGED,
                   "the target does not give back what was written to it");
      copy_item_refuse (item, error);
    }
}

/* Somebody has copied a later version at the same time: nobody reads our rows, nor our cells of the
 * root row, so a delete that comes late harms nobody either. Best effort. Not so if somebody has
 * only claimed the order, because the target counts by now: then what we wrote is what is
 * committed. */
static void
take_back (const TallCopyItem *item)
{
  const TallOperation *to = &item->to;
  gint64 revision = item->wanted.revision;
  g_autoptr (GError) root_error = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *root = tall_batch_add (batch, to->root_table, tall_slice_array (to->root_row));
  tall_mutation_delete_at (batch, root, revision);
  if (!tall_operation_apply (to, batch, &root_error))
    g_debug ("taking back root row %" G_GINT64_FORMAT ": %s", revision, root_error->message);
  if (item->order != NULL && tall_operation_has_children (to)
      && !tall_children_take_back (to, item->order, revision, &error))
    g_debug ("taking back revision %" G_GINT64_FORMAT ": %s", revision, error->message);
}

static gboolean
is_overtaken (const TallCopyItem *item)
{
  return item->outcome == TALL_COPY_MOVED && item->there.state.revision > item->wanted.revision;
}

static void
take_back_overtaken (const Copy *self, const GPtrArray *written)
{
  g_autoptr (GError) error = NULL;
  gboolean copies = FALSE;
  for (guint i = 0; i < written->len && error == NULL; i++)
    {
      const TallCopyItem *item = g_ptr_array_index (written, i);
      if (!is_overtaken (item))
        continue;
      copies = copies || check_still_copies (self, &error);
      if (copies)
        take_back (item);
    }
  if (error != NULL)
    g_debug ("nothing is taken back: %s", error->message);
}

static gboolean
read_back (const Copy *self, GError **error)
{
  g_autoptr (GPtrArray) written = g_ptr_array_new ();
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    g_ptr_array_add (written, item);
  if (!compare (self, error))
    return FALSE;
  for (guint i = 0; i < written->len; i++)
    {
      TallCopyItem *item = g_ptr_array_index (written, i);
      if (item->outcome == TALL_COPY_SAME)
        item->outcome = TALL_COPY_COPIED;
      else if (item->outcome == TALL_COPY_OPEN)
        judge_unequal (item);
    }
  take_back_overtaken (self, written);
  return TRUE;
}

/**
 * tall_copy_run:
 * @items: @n_items of them, from one source, each with another row
 *
 * Makes the target have what the source has of all items, and decides each. What the target has
 * already is only compared. The puts are always the same, and plain but for what comes in one step:
 * whoever sends them again, and however late, changes nothing. Hints and children are acknowledged
 * before a root row is sent, as whoever goes on takes the root row for the whole.
 *
 * Returns: FALSE with what a table says; some may be copied then, and it is harmless to do it again
 */
gboolean
tall_copy_run (const TallCopier *copier, TallCopyItem *items, guint n_items, GError **error)
{
  Copy self = { .copier = copier, .items = items, .n_items = n_items };
  const TallCopyItem *first = first_open (&self);
  if (first == NULL)
    return TRUE;
  self.deadline = first->to.deadline;
  if (!locate (&self, TRUE, error) || !locate (&self, FALSE, error) || !compare (&self, error))
    return FALSE;
  copy_claim (copier, items, n_items, TALL_COPY_SAME);
  if (!tall_copy_read (copier, items, n_items, error))
    return FALSE;
  if (first_open (&self) == NULL)
    return TRUE;
  if (!identify (&self, error))
    return FALSE;
  copy_claim (copier, items, n_items, TALL_COPY_OPEN);
  return remove_old (&self, error) && write_rows (&self, error) && write_roots (&self, error)
         && commit_roots (&self, error) && read_back (&self, error);
}
