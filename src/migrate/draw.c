/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/draw.h"

#include "model/canonical.h"
#include "migrate/copy-item.h"
#include "store/commit/root.h"

void
tall_draw_init (TallDraw *self)
{
  g_mutex_init (&self->mutex);
  self->numbers = g_ptr_array_new_with_free_func (g_free);
  self->n_seen = 0;
}

void
tall_draw_clear (TallDraw *self)
{
  g_mutex_clear (&self->mutex);
  g_clear_pointer (&self->numbers, g_ptr_array_unref);
}

/* Returns: (transfer full) (nullable): whose order a root row is; NULL: it is no order, or a
 * deleted one, or says nothing */
static char *
find_customer (const TallStoreContext *source, const char *table, const TallRow *row)
{
  TallRoot root = { 0 }; /* no stranger's, so that it owns nothing */
  TallSlice summary;
  TallOrderSummary order;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  if (!tall_root_parse_state (&root, row, &summary, NULL)
      || !tall_root_is_live_order (&root, source) || !tall_copy_is_order (source, table, row->key)
      || !tall_order_summary_parse (summary, arena, &order, NULL))
    return NULL;
  return g_strdup (order.customer_number);
}

/* The place of the next order among those that are drawn; TALL_DRAW_MOST or more: it is not. */
static guint64
choose_place (TallDraw *self)
{
  guint64 n = self->n_seen++;
  return n < TALL_DRAW_MOST ? n : (guint64)(g_random_double () * (gdouble)(n + 1));
}

/**
 * tall_draw_add:
 * @rows: root rows of @source
 *
 * Draws among these, too.
 */
void
tall_draw_add (TallDraw *self,
               const TallStoreContext *source,
               const char *table,
               const TallRows *rows)
{
  for (guint i = 0; i < rows->n_rows; i++)
    {
      g_autofree char *customer = find_customer (source, table, &rows->rows[i]);
      if (customer == NULL)
        continue;
      g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
      guint64 place = choose_place (self);
      if (place < self->numbers->len)
        {
          g_free (self->numbers->pdata[place]);
          self->numbers->pdata[place] = g_steal_pointer (&customer);
        }
      else if (place < TALL_DRAW_MOST)
        g_ptr_array_add (self->numbers, g_steal_pointer (&customer));
    }
}

/**
 * tall_draw_finish:
 *
 * Returns: (transfer full): the numbers of customers, one for each order that was drawn; nothing is
 *   left
 */
GStrv
tall_draw_finish (TallDraw *self)
{
  g_ptr_array_add (self->numbers, NULL);
  GPtrArray *numbers = g_steal_pointer (&self->numbers);
  return (GStrv)g_ptr_array_free (numbers, FALSE);
}
