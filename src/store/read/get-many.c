/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/many.h"

#include "tall-error.h"
#include "store/read/fetch.h"
#include "store/follow.h"
#include "table/merged-plan.h"

/* Orders that are read together, so that what is in memory at once has a bound. */
#define CHUNK 128

typedef struct
{
  TallOperation operation;
  TallOutcome *outcome; /* not owned */
  guint first_read;     /* of its reads in the chunk's plan */
  guint n_reads;
} Item;

/* Everything that is to be read. */
typedef struct
{
  GArray *items;    /* owned: of Item */
  guint next;       /* the first one that is in no chunk yet */
  GPtrArray *chunk; /* owned: those that are being read: Item */
  gsize n_bytes;    /* of what was found */
} Work;

static void
item_clear (gpointer data)
{
  tall_operation_clear (&((Item *)data)->operation);
}

/* A wrong number is its own outcome's error; of the others an item each. */
static GArray *
make_items (const TallStoreContext *context, const TallOrderId *ids, guint n, TallOutcome *outcomes)
{
  GArray *items = g_array_sized_new (FALSE, TRUE, sizeof (Item), n);
  g_array_set_clear_func (items, item_clear);
  for (guint i = 0; i < n; i++)
    {
      if (!tall_validate_number (ids[i].customer_number, "customer_number", &outcomes[i].error)
          || !tall_validate_number (ids[i].order_number, "order_number", &outcomes[i].error))
        continue;
      Item item = { .outcome = &outcomes[i] };
      tall_operation_init (&item.operation, context, ids[i].customer_number, ids[i].order_number,
                           0);
      g_array_append_val (items, item);
    }
  return items;
}

/* @cause: (transfer full) */
static void
item_fail (Item *item, GError *cause)
{
  g_propagate_prefixed_error (&item->outcome->error, cause,
                              "Fetching order %s of %s: ", item->operation.order_number,
                              item->operation.customer_number);
}

static gboolean
is_done (const Item *item)
{
  return item->outcome->error != NULL || item->outcome->order != NULL;
}

/* Finds out where the orders are that are not done yet, by one call at most. Those of customers
 * without an id are not found. */
static gboolean
identify (const Work *self, const TallOperation *operation, GError **error)
{
  const TallStoreContext *context = operation->context;
  g_autofree guint64 *ids = g_new0 (guint64, self->items->len);
  g_autofree const char **numbers = g_new (const char *, self->items->len);
  for (guint i = 0; i < self->items->len; i++)
    numbers[i] = g_array_index (self->items, Item, i).operation.customer_number;
  if (context->ids != NULL && self->items->len > 0
      && !tall_ids_find (context->ids, numbers, self->items->len, ids, operation->deadline, error))
    return FALSE;

  for (guint i = 0; i < self->items->len; i++)
    {
      Item *item = &g_array_index (self->items, Item, i);
      if (is_done (item))
        continue;
      tall_operation_move (&item->operation, context);
      if (context->ids == NULL || ids[i] != 0)
        tall_operation_set_id (&item->operation, ids[i]);
      else
        item_fail (item, g_error_new (TALL_ERROR, TALL_ERROR_NOT_FOUND, "there is no such order"));
    }
  return TRUE;
}

/* With @plan, makes the order of what it found; without, reads it by itself. Returns: FALSE if
 * tables are shut or missing by now; then it is not done */
static gboolean
finish (Item *item, const TallMergedPlan *plan, gsize *n_bytes, GError **error)
{
  GError *cause = NULL;
  TallOutcome *outcome = item->outcome;
  if (plan != NULL)
    {
      const TallRows *results = plan->results + item->first_read;
      *n_bytes += tall_rows_count_bytes (results, item->n_reads);
      outcome->order = tall_fetch_order_from (&item->operation, results, item->n_reads,
                                              plan->result->arena, &outcome->revision, &cause);
    }
  else
    outcome->order = tall_fetch_order (&item->operation, &outcome->revision, &cause);
  if (outcome->order != NULL)
    return TRUE;
  outcome->revision = 0;
  if (!tall_follow_is_of_tables (cause))
    {
      item_fail (item, cause);
      return TRUE;
    }
  g_propagate_error (error, cause);
  return FALSE;
}

/* Those of the chunk that are not done. */
static GPtrArray *
list_undone (const GPtrArray *chunk, TallMergedPlan *plan)
{
  GPtrArray *undone = g_ptr_array_new ();
  for (guint i = 0; i < chunk->len; i++)
    {
      Item *item = g_ptr_array_index (chunk, i);
      if (is_done (item))
        continue;
      item->first_read = plan->asked->reads->len;
      tall_fetch_add_reads (&item->operation, plan->asked);
      item->n_reads = plan->asked->reads->len - item->first_read;
      g_ptr_array_add (undone, item);
    }
  return undone;
}

/* One call for all of them. If something in it cannot be read, each by itself, to find out whose it
 * is; if the call fails otherwise, it has failed for all. */
static gboolean
try_chunk (Work *self, const TallOperation *operation, GError **error)
{
  const Item *first = g_ptr_array_index (self->chunk, 0);
  if (first->operation.context != operation->context && !identify (self, operation, error))
    return FALSE;

  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  g_autoptr (GPtrArray) undone = list_undone (self->chunk, plan);
  g_autoptr (GError) cause = NULL;
  gboolean done =
      tall_merged_plan_read (plan, operation->context->table, operation->deadline, &cause);
  if (!done && !tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  for (guint i = 0; i < undone->len; i++)
    if (!finish (g_ptr_array_index (undone, i), done ? plan : NULL, &self->n_bytes, error))
      return FALSE;
  return TRUE;
}

static void
refuse (Item *item)
{
  item_fail (item, g_error_new (TALL_ERROR, TALL_ERROR_TOO_LARGE,
                                "the orders before it have filled the answer, of which %d MiB are "
                                "given at once; ask for it in another call",
                                TALL_MAX_MANY_BYTES / 1024 / 1024));
}

/* Returns: FALSE if there are none left */
static gboolean
take_chunk (Work *self)
{
  g_ptr_array_set_size (self->chunk, 0);
  while (self->chunk->len < CHUNK && self->next < self->items->len)
    {
      Item *item = &g_array_index (self->items, Item, self->next++);
      if (is_done (item))
        continue;
      if (self->n_bytes < TALL_MAX_MANY_BYTES)
        g_ptr_array_add (self->chunk, item);
      else
        refuse (item);
    }
  return self->chunk->len > 0;
}

static void
read_chunk (Work *self, TallOperation *operation)
{
  g_autoptr (GError) error = NULL;
  while (tall_follow (operation, &error))
    (void)try_chunk (self, operation, &error);
  for (guint i = 0; error != NULL && i < self->chunk->len; i++)
    {
      Item *item = g_ptr_array_index (self->chunk, i);
      if (!is_done (item))
        item_fail (item, g_error_copy (error));
    }
}

/**
 * tall_get_many:
 *
 * Reads @n orders together, some hundred by one call of the table. What does not fit together
 * within an order is read again for that order alone.
 *
 * Returns: FALSE if nothing could be asked at all; else each outcome tells
 */
gboolean
tall_get_many (const TallStoreContext *context,
               const TallOrderId *ids,
               guint n,
               TallOutcome *outcomes,
               GError **error)
{
  g_auto (TallOperation) operation = { 0 };
  g_autoptr (GArray) items = make_items (context, ids, n, outcomes);
  g_autoptr (GPtrArray) chunk = g_ptr_array_sized_new (CHUNK);
  Work work = { .items = items, .chunk = chunk };
  GError *cause = NULL;
  tall_operation_init (&operation, context, NULL, NULL, 0);
  while (tall_follow (&operation, &cause))
    (void)identify (&work, &operation, &cause);
  if (cause != NULL)
    {
      g_propagate_prefixed_error (error, cause, "Fetching %u orders: ", n);
      return FALSE;
    }
  while (take_chunk (&work))
    read_chunk (&work, &operation);
  return TRUE;
}
