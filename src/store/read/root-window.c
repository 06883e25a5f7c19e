/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/root-window.h"

#include "store/commit/root.h"
#include "tall-bytes.h"
#include "tall-error.h"

#define WINDOW 64     /* rows of a table in one scan */
#define BEHIND_ALL 64 /* so many bytes ff are behind all row keys */

void
tall_root_window_init (TallRootWindow *self, const TallLayout *layout, gsize most_bytes)
{
  const char *customers = tall_layout_get_customer_table (layout);
  const char *orders = tall_layout_get_order_table (layout);
  *self = (TallRootWindow){
    .tables = { customers, g_str_equal (orders, customers) ? NULL : orders },
    .most_bytes = most_bytes,
    .limit = WINDOW,
  };
}

void
tall_root_window_clear (TallRootWindow *self)
{
  g_clear_pointer (&self->result, tall_read_result_free);
  for (guint i = 0; i < TALL_ROOT_TABLES; i++)
    g_clear_pointer (&self->from[i], g_byte_array_unref);
}

/* Where the rows of a table are read from: @start, or what comes after rows that cannot be read. */
static TallSlice
find_start (const TallRootWindow *self, guint i, TallSlice start)
{
  if (self->from[i] == NULL || tall_slice_compare (tall_slice_array (self->from[i]), start) < 0)
    return start;
  return tall_slice_array (self->from[i]);
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
      TallRead *read = tall_read_plan_add_scan (plan, self->tables[i], find_start (self, i, start),
                                                (TallSlice)TALL_SLICE_INIT);
      read->limit = self->limit;
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
  if (rows->n_rows < self->limit && !rows->cut)
    return;
  TallSlice last = rows->rows[rows->n_rows - 1].key;
  if (self->horizon.len == 0 || tall_slice_compare (last, self->horizon) < 0)
    self->horizon = last;
}

/* Reports rows of a table that cannot be read, if there are any from where the window begins, and
 * has it go on behind them. */
static gboolean
pass_gap (TallRootWindow *self, guint i, TallPager *pager, GError **error)
{
  const TallOperation *operation = pager->operation;
  TallSlice start = find_start (self, i, tall_slice_array (pager->start));
  g_autoptr (GByteArray) next = g_byte_array_new ();
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, self->tables[i], start, (TallSlice)TALL_SLICE_INIT)->limit = 1;
  g_autoptr (TallReadResult) first_row = tall_operation_read (operation, plan, &cause);
  if (!tall_error_is_unreadable (cause))
    return TRUE; /* it is read again, with what it fails of */
  if (!tall_table_find_readable (operation->context->table, self->tables[i], start,
                                 (TallSlice)TALL_SLICE_INIT, operation->deadline, next, error))
    return FALSE;
  gboolean to_end = next->len == 0;
  g_autofree char *first = start.len == 0 ? g_strdup ("the first") : tall_slice_to_debug (start);
  g_autofree char *last =
      to_end ? g_strdup ("the last") : tall_slice_to_debug (tall_slice_array (next));
  g_autofree char *what = g_strdup_printf ("Rows of table %s from %s to %s, and whom they name",
                                           self->tables[i], first, last);
  tall_pager_add_unreadable (pager, NULL, what, cause);
  while (to_end && next->len < BEHIND_ALL)
    tall_bytes_append_u8 (next, 0xff);
  g_clear_pointer (&self->from[i], g_byte_array_unref);
  self->from[i] = g_steal_pointer (&next);
  return TRUE;
}

/* What a table itself cannot read, such as a damaged block of a file, is passed. Smaller windows
 * find the place. */
static gboolean
fail (TallRootWindow *self, TallPager *pager, const GError *cause, GError **error)
{
  if (!tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_error_copy (cause));
      return FALSE;
    }
  if (self->limit > 1)
    {
      self->limit /= 2;
      return TRUE;
    }
  for (guint i = 0; i < TALL_ROOT_TABLES && self->tables[i] != NULL; i++)
    if (!pass_gap (self, i, pager, error))
      return FALSE;
  self->limit = WINDOW;
  return TRUE;
}

/**
 * tall_root_window_read:
 * @pager: from whose start on rows are read, and which lists what cannot be read
 *
 * Reads the next rows. Those that were read before are gone.
 */
gboolean
tall_root_window_read (TallRootWindow *self, TallPager *pager, GError **error)
{
  for (;;)
    {
      g_autoptr (GError) cause = NULL;
      g_clear_pointer (&self->result, tall_read_result_free);
      self->horizon = (TallSlice)TALL_SLICE_INIT;
      self->result = read_tables (self, pager->operation, tall_slice_array (pager->start), &cause);
      for (guint i = 0; self->result != NULL && i < self->result->n_results; i++)
        take_rows (self, i);
      if (self->result != NULL)
        return TRUE;
      if (!fail (self, pager, cause, error))
        return FALSE;
    }
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
