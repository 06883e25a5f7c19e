/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/list.h"

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
  };
}

void
tall_root_window_clear (TallRootWindow *self)
{
  for (guint i = 0; i < TALL_ROOT_TABLES; i++)
    {
      g_clear_pointer (&self->results[i], tall_read_result_free);
      g_clear_pointer (&self->from[i], g_byte_array_unref);
    }
}

/* Where the rows of a table are read from: @start, or what comes after rows that cannot be read. */
static TallSlice
find_start (const TallRootWindow *self, guint i, TallSlice start)
{
  if (self->from[i] == NULL || tall_slice_compare (tall_slice_array (self->from[i]), start) < 0)
    return start;
  return tall_slice_array (self->from[i]);
}

static TallRead *
add_scan (const TallRootWindow *self, guint i, TallSlice start, TallReadPlan *plan)
{
  TallRead *read = tall_read_plan_add_scan (plan, self->tables[i], find_start (self, i, start),
                                            (TallSlice)TALL_SLICE_INIT);
  read->limit = WINDOW;
  read->max_bytes = self->most_bytes;
  tall_root_narrow (read);
  return read;
}

/* More rows may come after the last one of a table. */
static void
take_rows (TallRootWindow *self, guint i, const TallRows *rows, guint limit)
{
  self->rows[i] = rows;
  self->next[i] = 0;
  if (rows->n_rows < limit && !rows->cut)
    return;
  TallSlice last = rows->rows[rows->n_rows - 1].key;
  if (self->horizon.len == 0 || tall_slice_compare (last, self->horizon) < 0)
    self->horizon = last;
}

static gboolean
has_table (const TallRootWindow *self, guint i)
{
  return i < TALL_ROOT_TABLES && self->tables[i] != NULL;
}

/* All tables at once. */
static gboolean
read_together (TallRootWindow *self, TallPager *pager, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  for (guint i = 0; has_table (self, i); i++)
    add_scan (self, i, tall_slice_array (pager->start), plan);
  self->results[0] = tall_operation_read (pager->operation, plan, error);
  for (guint i = 0; self->results[0] != NULL && has_table (self, i); i++)
    take_rows (self, i, &self->results[0]->results[i], WINDOW);
  return self->results[0] != NULL;
}

/* Reports rows of a table that cannot be read, and has the window go on behind them. */
static void
pass_gap (TallRootWindow *self, guint i, TallPager *pager, TallSlice start, TallGap *gap)
{
  gboolean to_end = gap->next->len == 0;
  g_autofree char *first = start.len == 0 ? g_strdup ("the first") : tall_slice_to_debug (start);
  g_autofree char *last =
      to_end ? g_strdup ("the last") : tall_slice_to_debug (tall_slice_array (gap->next));
  g_autofree char *what = g_strdup_printf ("Rows of table %s from %s to %s, and whom they name",
                                           self->tables[i], first, last);
  tall_pager_add_unreadable (pager, NULL, what, gap->cause);
  while (to_end && gap->next->len < BEHIND_ALL)
    tall_bytes_append_u8 (gap->next, 0xff);
  g_clear_pointer (&self->from[i], g_byte_array_unref);
  self->from[i] = g_steal_pointer (&gap->next);
}

/* A table by itself. Sets @passed if it begins with rows that cannot be read. */
static gboolean
read_one (TallRootWindow *self, guint i, TallPager *pager, gboolean *passed, GError **error)
{
  const TallOperation *operation = pager->operation;
  g_auto (TallGap) gap = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  const TallRead *read = add_scan (self, i, tall_slice_array (pager->start), plan);
  self->results[i] =
      tall_table_scan_past (operation->context->table, plan, operation->deadline, &gap, error);
  if (self->results[i] != NULL)
    take_rows (self, i, &self->results[i]->results[0], read->limit);
  else if (gap.cause != NULL)
    {
      *passed = TRUE;
      pass_gap (self, i, pager, read->start, &gap);
    }
  return self->results[i] != NULL || *passed;
}

static void
clear_results (TallRootWindow *self)
{
  self->horizon = (TallSlice)TALL_SLICE_INIT;
  for (guint i = 0; i < TALL_ROOT_TABLES; i++)
    {
      self->rows[i] = NULL;
      g_clear_pointer (&self->results[i], tall_read_result_free);
    }
}

/**
 * tall_root_window_read:
 * @pager: from whose start on rows are read, and which lists what cannot be read
 *
 * Reads the next rows. Those that were read before are gone. What a table itself cannot read, such
 * as a damaged block of a file, is passed.
 */
gboolean
tall_root_window_read (TallRootWindow *self, TallPager *pager, GError **error)
{
  g_autoptr (GError) cause = NULL;
  clear_results (self);
  if (read_together (self, pager, &cause))
    return TRUE;
  if (!tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  for (gboolean passed = TRUE; passed;)
    {
      passed = FALSE;
      clear_results (self);
      for (guint i = 0; has_table (self, i); i++)
        if (!read_one (self, i, pager, &passed, error))
          return FALSE;
    }
  return TRUE;
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
