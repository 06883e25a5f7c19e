/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/sample.h"

#include "migrate/copy-read.h"
#include "store/read/index.h"

#define ANY_ID 1 /* all have the same size */

/* Bytes of all mutations that store it. */
static guint64
measure (const TallOperation *operation, const TallCopyItem *item)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  guint64 n_bytes = 0;
  TallMutation *root =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  tall_mutation_put (batch, root, TALL_STATE_QUALIFIER, 1,
                     tall_state_encode (&item->wanted, batch->arena));
  tall_content_append (&item->content, operation, 1, batch, root);
  if (item->order != NULL && tall_operation_has_children (operation))
    operation->context->layout->append_children (&operation->key, item->order, 1, batch);
  if (item->order != NULL)
    tall_index_add_hint (operation, item->wanted.sales_date, 1, batch);
  for (guint i = 0; i < batch->mutations->len; i++)
    n_bytes += tall_mutation_get_size (g_ptr_array_index (batch->mutations, i));
  return n_bytes;
}

/* Whether it is to be measured: live, and where its numbers lead to. */
static gboolean
is_measured (TallCopyItem *item)
{
  return item->outcome == TALL_COPY_OPEN && item->wanted.live
         && tall_operation_identify (&item->from, FALSE, NULL);
}

/**
 * tall_sample_add:
 * @rows: root rows of the source
 * @n: %TALL_SAMPLE_ROWS at most
 *
 * Measures them in both places, and how long it takes to read them together, as a copy does. What
 * is deleted, or cannot be read, is not counted.
 */
void
tall_sample_add (
    TallSample *self, const TallCopier *copier, const char *table, const TallRow *rows, guint n)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCopyItem items[TALL_SAMPLE_ROWS];
  gint64 begun = g_get_monotonic_time ();
  g_return_if_fail (n <= TALL_SAMPLE_ROWS);
  for (guint i = 0; i < n; i++)
    {
      tall_copy_item_init (&items[i], copier, table, &rows[i], arena);
      if (!is_measured (&items[i]) && items[i].outcome == TALL_COPY_OPEN)
        items[i].outcome = TALL_COPY_NOTHING;
    }
  gboolean read = tall_copy_read (copier, items, n, NULL);
  self->duration += read ? g_get_monotonic_time () - begun : 0;
  self->n_read += read ? n : 0;
  for (guint i = 0; i < n; i++)
    {
      TallCopyItem *item = &items[i];
      if (read && item->outcome == TALL_COPY_OPEN)
        {
          tall_operation_set_id (&item->to, copier->target->ids != NULL ? ANY_ID : 0);
          self->n_from += measure (&item->from, item);
          self->n_to += measure (&item->to, item);
        }
      tall_copy_item_clear (item);
    }
}

/**
 * tall_sample_scale:
 *
 * Returns: what @n_bytes of @n_sampled are of @n_all
 */
guint64
tall_sample_scale (guint64 n_bytes, guint64 n_sampled, guint64 n_all)
{
  return n_sampled == 0 ? 0 : (guint64)((gdouble)n_bytes / (gdouble)n_sampled * (gdouble)n_all);
}
