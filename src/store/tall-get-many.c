/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-many.h"

#include "tall-error.h"
#include "tall-fetch.h"
#include "tall-merged-plan.h"

/* Orders that are read together, so that what is in memory at once has a bound. */
#define CHUNK 128

typedef struct
{
  TallOperation operation;
  TallOutcome *outcome; /* not owned */
  guint first_read;     /* of its reads in the chunk's plan */
  guint n_reads;
} Item;

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

/* Finds out where all orders are, by one call at most. Those of customers without an id are not
 * found. */
static gboolean
identify (const TallStoreContext *context, GArray *items, GError **error)
{
  g_autofree guint64 *ids = g_new0 (guint64, items->len);
  g_autofree const char **numbers = g_new (const char *, items->len);
  for (guint i = 0; i < items->len; i++)
    numbers[i] = g_array_index (items, Item, i).operation.customer_number;
  if (context->ids != NULL && items->len > 0
      && !tall_ids_find (context->ids, numbers, items->len, ids,
                         g_array_index (items, Item, 0).operation.deadline, error))
    return FALSE;

  for (guint i = 0; i < items->len; i++)
    {
      Item *item = &g_array_index (items, Item, i);
      if (context->ids == NULL || ids[i] != 0)
        tall_operation_set_id (&item->operation, ids[i]);
      else
        item_fail (item, g_error_new (TALL_ERROR, TALL_ERROR_NOT_FOUND, "there is no such order"));
    }
  return TRUE;
}

/* With @plan, makes the order of what it found; without, reads it by itself. */
static void
finish (Item *item, const TallMergedPlan *plan, gsize *n_bytes)
{
  GError *error = NULL;
  TallOutcome *outcome = item->outcome;
  if (plan != NULL)
    {
      const TallRows *results = plan->results + item->first_read;
      *n_bytes += tall_rows_count_bytes (results, item->n_reads);
      outcome->order = tall_fetch_order_from (&item->operation, results, item->n_reads,
                                              plan->result->arena, &outcome->revision, &error);
    }
  else
    outcome->order = tall_fetch_order (&item->operation, &outcome->revision, &error);
  if (outcome->order != NULL)
    return;
  outcome->revision = 0;
  item_fail (item, error);
}

/* One call for all of them. If something in it cannot be read, each by itself, to find out whose it
 * is; if the call fails otherwise, it has failed for all. */
static void
fetch_chunk (const TallStoreContext *context, GPtrArray *chunk, gsize *n_bytes)
{
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < chunk->len; i++)
    {
      Item *item = g_ptr_array_index (chunk, i);
      item->first_read = plan->asked->reads->len;
      tall_fetch_add_reads (&item->operation, plan->asked);
      item->n_reads = plan->asked->reads->len - item->first_read;
    }
  const Item *first = g_ptr_array_index (chunk, 0);
  gboolean done = tall_merged_plan_read (plan, context->table, first->operation.deadline, &error);
  gboolean singly = tall_error_is_unreadable (error);
  for (guint i = 0; i < chunk->len; i++)
    {
      Item *item = g_ptr_array_index (chunk, i);
      if (done || singly)
        finish (item, done ? plan : NULL, n_bytes);
      else
        item_fail (item, g_error_copy (error));
    }
}

static void
refuse (Item *item)
{
  item_fail (item, g_error_new (TALL_ERROR, TALL_ERROR_TOO_LARGE,
                                "the orders before it have filled the answer, of which %d MiB are "
                                "given at once; ask for it in another call",
                                TALL_MAX_MANY_BYTES / 1024 / 1024));
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
  g_autoptr (GArray) items = make_items (context, ids, n, outcomes);
  g_autoptr (GPtrArray) chunk = g_ptr_array_sized_new (CHUNK);
  gsize n_bytes = 0;
  if (!identify (context, items, error))
    {
      g_prefix_error (error, "Fetching %u orders: ", n);
      return FALSE;
    }

  for (guint i = 0; i < items->len; i++)
    {
      Item *item = &g_array_index (items, Item, i);
      if (item->outcome->error == NULL && n_bytes < TALL_MAX_MANY_BYTES)
        g_ptr_array_add (chunk, item);
      else if (item->outcome->error == NULL)
        refuse (item);
      if (chunk->len < CHUNK && (i + 1 < items->len || chunk->len == 0))
        continue;
      fetch_chunk (context, chunk, &n_bytes);
      g_ptr_array_set_size (chunk, 0);
    }
  return TRUE;
}
