/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/put-batch.h"

#include "tall-error.h"
#include "base/workers.h"

/* What became of an object that was tried. */
typedef enum
{
  STORED,
  REFUSED,
  NOT_DONE, /* for a reason that is not its own */
  UNKNOWN,
} Fate;

static Fate
get_fate (const TallJsonItem *item)
{
  if (item->error == NULL)
    return STORED;
  if (tall_error_is_of_one (item->error))
    return REFUSED;
  return tall_error_is_not_done (item->error) ? NOT_DONE : UNKNOWN;
}

void
tall_put_batch_clear (TallPutBatch *self)
{
  for (guint i = 0; i < self->n; i++)
    tall_json_item_clear (&self->items[i]);
  *self = (TallPutBatch){ 0 };
}

/**
 * tall_put_batch_read:
 * @jobs: how many objects at most
 * @stop: read atomically; nothing is read when it is not 0 any more
 *
 * Adds what comes. Waits for the first object only, so that nothing that has come waits for what
 * has not.
 *
 * Returns: %TALL_JSON_ITEM, or why there is nothing behind those that were added
 */
TallJsonStep
tall_put_batch_read (
    TallPutBatch *self, TallJsonFile *file, guint jobs, const gint *stop, GError **error)
{
  while (self->n < jobs && (self->n == 0 || tall_json_file_is_ready (file)))
    {
      if (g_atomic_int_get (stop) != 0)
        return TALL_JSON_STOPPED;
      TallJsonStep step = tall_json_file_next (file, &self->items[self->n], error);
      if (step != TALL_JSON_ITEM)
        return step;
      self->n++;
    }
  return TALL_JSON_ITEM;
}

static gboolean
is_same (const TallJsonItem *a, const TallJsonItem *b)
{
  if (a->customer != NULL && b->customer != NULL)
    return g_str_equal (a->customer->number, b->customer->number);
  return a->order != NULL && b->order != NULL
         && g_str_equal (a->order->order_number, b->order->order_number)
         && g_str_equal (a->order->customer_number, b->order->customer_number);
}

/* Where those end that may be stored at once: before the first that something before it is about,
 * too. */
static guint
find_end (const TallPutBatch *self)
{
  for (guint end = self->n_tried + 1; end < self->n; end++)
    for (guint i = self->n_tried; i < end; i++)
      if (is_same (&self->items[i], &self->items[end]))
        return end;
  return self->n;
}

typedef struct
{
  TallPutBatch *batch;
  TallFront *front;
  const TallWriteOptions *options;
} Round;

static void
store_item (gpointer data, guint i)
{
  const Round *round = data;
  guint at = round->batch->n_tried + i;
  TallJsonItem *item = &round->batch->items[at];
  gint64 *revision = &round->batch->revisions[at];

  if (item->error != NULL)
    return;
  gboolean stored =
      item->order != NULL
          ? tall_front_put_order (round->front, item->order, round->options, revision, &item->error)
          : tall_front_put_customer (round->front, item->customer, round->options, revision,
                                     &item->error);
  g_assert (stored == (item->error == NULL));
}

/**
 * tall_put_batch_store:
 *
 * Tries those that come next, at least one, all at once, and waits for the last of them.
 */
void
tall_put_batch_store (TallPutBatch *self, TallFront *front, const TallWriteOptions *options)
{
  Round round = { .batch = self, .front = front, .options = options };
  guint end = find_end (self);
  tall_workers_run (store_item, &round, end - self->n_tried);
  self->n_tried = end;
}

/* From which line on nothing was done. */
static guint64
find_rest (const TallPutBatch *self, guint64 next, guint *n_before)
{
  guint i = self->n_tried;
  while (i > 0 && get_fate (&self->items[i - 1]) == NOT_DONE)
    i--;
  *n_before = i;
  return i < self->n ? self->items[i].line : next;
}

/**
 * tall_put_batch_find_stop:
 * @next: the line behind the batch
 *
 * Returns: the line that stopped the rest
 */
guint64
tall_put_batch_find_stop (const TallPutBatch *self, guint64 next)
{
  for (guint i = 0; i < self->n_tried; i++)
    if (get_fate (&self->items[i]) >= NOT_DONE)
      return self->items[i].line;
  return self->n_tried < self->n ? self->items[self->n_tried].line : next;
}

/* The lines of the first @n whose fate it is, such as `lines 3, 5 and 6`; NULL: none. */
static char *
name_lines (const TallPutBatch *self, guint n, Fate fate)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++)
    if (get_fate (&self->items[i]) == fate)
      g_ptr_array_add (lines, g_strdup_printf ("%" G_GUINT64_FORMAT, self->items[i].line));
  if (lines->len == 0)
    return NULL;
  g_autofree char *last = g_ptr_array_steal_index (lines, lines->len - 1);
  if (lines->len == 0)
    return g_strdup_printf ("line %s", last);
  g_ptr_array_add (lines, NULL);
  g_autofree char *others = g_strjoinv (", ", (char **)lines->pdata);
  return g_strdup_printf ("lines %s and %s", others, last);
}

/**
 * tall_put_batch_advise:
 * @next: the line behind the batch
 *
 * What was perhaps stored must not be put again unseen: somebody may have written it since. The
 * same holds for what is stored, so nothing that is stored is among the lines to be put again.
 *
 * Returns: (transfer full): how to go on after a stop
 */
char *
tall_put_batch_advise (const TallPutBatch *self, guint64 next)
{
  guint n_before;
  guint64 rest = find_rest (self, next, &n_before);
  g_autofree char *unknown = name_lines (self, n_before, UNKNOWN);
  g_autofree char *missed = name_lines (self, n_before, NOT_DONE);
  g_autofree char *again =
      g_strdup_printf ("%s%sthe lines from %" G_GUINT64_FORMAT " on", missed != NULL ? missed : "",
                       missed != NULL ? " and " : "", rest);
  if (unknown == NULL)
    return g_strdup_printf ("To go on, put %s", again);
  return g_strdup_printf ("What %s %s may be stored: look at it, and put it again if it is not. "
                          "Then go on with %s",
                          unknown, g_str_has_prefix (unknown, "lines") ? "hold" : "holds", again);
}
