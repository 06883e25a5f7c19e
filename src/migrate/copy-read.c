/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/copy-read.h"

#include "tall-error.h"
#include "store/read/fetch.h"
#include "table/merged-plan.h"

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
  if (!tall_content_init (&item->content, item->order, item->customer, error))
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
    tall_copy_item_refuse (item, g_steal_pointer (&cause));
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
