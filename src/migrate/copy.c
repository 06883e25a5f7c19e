/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/copy.h"

#include "store/commit/children.h"
#include "migrate/copy-claim.h"
#include "migrate/copy-read.h"
#include "tall-error.h"
#include "store/read/index.h"
#include "table/merged-plan.h"

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

static gboolean
find_ids (const Copy *self, const TallStoreContext *context, guint64 *ids, GError **error)
{
  g_autofree const char **numbers = g_new (const char *, self->n_items + 1);
  guint n = 0;
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    numbers[n++] = item->from.customer_number;
  if (context->ids == NULL || n == 0)
    return TRUE;
  return tall_ids_find (context->ids, numbers, n, ids, self->deadline, error);
}

/* A row that lies where its numbers do not lead to is nobody's: no reader finds it. */
static void
check_place (TallCopyItem *item, gboolean has_id)
{
  const TallOperation *from = &item->from;
  GError *error = NULL;
  if (has_id && g_str_equal (from->root_table, item->table)
      && tall_slice_equal (tall_slice_array (from->root_row), item->row))
    return;
  g_set_error (&error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "the numbers that its row names do not lead to that row");
  tall_copy_item_refuse (item, error);
}

/* Finds out where all are in the source, and makes sure that they are there. */
static gboolean
locate_in_source (const Copy *self, GError **error)
{
  const TallStoreContext *source = self->copier->source;
  g_autofree guint64 *ids = g_new0 (guint64, self->n_items);
  if (!find_ids (self, source, ids, error))
    return FALSE;
  guint i = 0;
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item), i++)
    {
      gboolean has_id = source->ids == NULL || ids[i] != 0;
      if (has_id)
        tall_operation_set_id (&item->from, ids[i]);
      check_place (item, has_id);
    }
  return TRUE;
}

/* Finds out where all are in the target, as far as their customers have ids there. */
static gboolean
locate_in_target (const Copy *self, GError **error)
{
  const TallStoreContext *target = self->copier->target;
  g_autofree guint64 *ids = g_new0 (guint64, self->n_items);
  if (!find_ids (self, target, ids, error))
    return FALSE;
  guint i = 0;
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item), i++)
    if (target->ids == NULL || ids[i] != 0)
      tall_operation_set_id (&item->to, ids[i]);
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
      tall_copy_item_compare (item, rows->n_rows > 0 ? &rows->rows[0] : NULL, plan->result->arena);
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
      if (tall_operation_has_children (&item->to) && may_have_old (self, item)
          && !tall_children_add_removals (&item->to, 0, item->wanted.revision - 1, batch, error))
        return FALSE;
      tall_index_add_removal (&item->to, &item->there.state, &item->wanted, batch);
    }
  return batch->mutations->len == 0
         || (check_still_copies (self, error) && apply (self, batch, error));
}

/* Everything but the root rows. */
static gboolean
write_rows (const Copy *self, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (TallCopyItem *item = first_open (self); item != NULL; item = next_open (self, item))
    {
      const TallOperation *to = &item->to;
      if (item->order == NULL)
        continue;
      if (tall_operation_has_children (to))
        to->context->layout->append_children (&to->key, item->order, item->wanted.revision, batch);
      tall_index_add_hint (to, item->wanted.sales_date, item->wanted.revision, batch);
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
    append_root (item, batch);
  return apply (self, batch, error);
}

/* What was written, and is not what is there. */
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
      tall_copy_item_refuse (item, error);
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
 * already is only compared. The puts are plain and always the same: whoever sends them again, and
 * however late, changes nothing. Hints and children are acknowledged before a root row is sent, as
 * whoever goes on takes the root row for the whole.
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
  if (!locate_in_source (&self, error) || !locate_in_target (&self, error)
      || !compare (&self, error))
    return FALSE;
  tall_copy_claim_equal (copier, items, n_items);
  if (!tall_copy_read (copier, items, n_items, error))
    return FALSE;
  if (first_open (&self) == NULL)
    return TRUE;
  if (!identify (&self, error))
    return FALSE;
  tall_copy_claim_open (copier, items, n_items);
  return remove_old (&self, error) && write_rows (&self, error) && write_roots (&self, error)
         && read_back (&self, error);
}
