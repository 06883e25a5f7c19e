/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/root-window.h"

#include "store/commit/root.h"

#define WINDOW 64 /* rows of a table in one scan */

void
tall_root_window_init (TallRootWindow *self, const TallLayout *layout, gsize most_bytes)
{
  const char *customers = tall_layout_get_customer_table (layout);
  const char *orders = tall_layout_get_order_table (layout);
  *self = (TallRootWindow){
    .tables = { customers, g_str_equal (orders, customers) ? NULL : orders },
    .most_bytes = most_bytes,
  };
}

void
tall_root_window_clear (TallRootWindow *self)
{
  g_clear_pointer (&self->result, tall_read_result_free);
}

static TallReadResult *
read_tables (const TallRootWindow *self,
             const TallOperation *operation,
             TallSlice start,
             GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  for (guint i = 0; i < G_N_ELEMENTS (self->tables) && self->tables[i] != NULL; i++)
    {
      TallRead *read =
          tall_read_plan_add_scan (plan, self->tables[i], start, (TallSlice)TALL_SLICE_INIT);
      read->limit = WINDOW;
      read->max_bytes = self->most_bytes;
      tall_root_narrow (read);
    }
  return tall_operation_read (operation, plan, error);
}

/* More rows may come after the last one of a table. */
static void
take_rows (TallRootWindow *self, guint i)
{
  const TallRows *rows = self->rows[i] = &self->result->results[i];
  self->next[i] = 0;
  if (rows->n_rows < WINDOW && !rows->cut)
    return;
  TallSlice last = rows->rows[rows->n_rows - 1].key;
  if (self->horizon.len == 0 || tall_slice_compare (last, self->horizon) < 0)
    self->horizon = last;
}

/**
 * tall_root_window_read:
 *
 * Reads the rows from @start on. Those that were read before are gone.
 */
gboolean
tall_root_window_read (TallRootWindow *self,
                       const TallOperation *operation,
                       TallSlice start,
                       GError **error)
{
  tall_root_window_clear (self);
  self->horizon = (TallSlice)TALL_SLICE_INIT;
  self->result = read_tables (self, operation, start, error);
  for (guint i = 0; self->result != NULL && i < self->result->n_results; i++)
    take_rows (self, i);
  return self->result != NULL;
}

/* The table with the least key of those that come next; TALL_ROOT_TABLES: nothing comes. */
static guint
find_least (const TallRootWindow *self)
{
  guint least = TALL_ROOT_TABLES;
  for (guint i = 0; i < TALL_ROOT_TABLES; i++)
    {
      if (self->rows[i] == NULL || self->next[i] == self->rows[i]->n_rows)
        continue;
      if (least == TALL_ROOT_TABLES
          || tall_slice_compare (self->rows[i]->rows[self->next[i]].key,
                                 self->rows[least]->rows[self->next[least]].key)
                 < 0)
        least = i;
    }
  return least;
}

/**
 * tall_root_window_next:
 *
 * Returns: (transfer none) (nullable): the next row of all tables, until the next read; NULL if no
 *   more are known
 */
const TallRow *
tall_root_window_next (TallRootWindow *self)
{
  guint least = find_least (self);
  if (least == TALL_ROOT_TABLES)
    return NULL;
  const TallRow *row = &self->rows[least]->rows[self->next[least]++];
  if (self->horizon.len > 0 && tall_slice_compare (row->key, self->horizon) > 0)
    return NULL;
  return row;
}
