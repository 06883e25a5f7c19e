/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell/cell.h"

/**
 * tall_row_get_size:
 *
 * Returns: bytes that the row takes in memory
 */
gsize
tall_row_get_size (const TallRow *row)
{
  gsize size = sizeof (TallRow) + row->key.len + row->n_cells * sizeof (TallCell);
  for (guint i = 0; i < row->n_cells; i++)
    size += row->cells[i].qualifier.len + row->cells[i].value.len;
  return size;
}

/**
 * tall_rows_count_bytes:
 *
 * Returns: bytes of the values in all rows of @n_results results
 */
gsize
tall_rows_count_bytes (const TallRows *results, guint n_results)
{
  gsize n = 0;
  for (guint i = 0; i < n_results; i++)
    for (guint j = 0; j < results[i].n_rows; j++)
      for (guint k = 0; k < results[i].rows[j].n_cells; k++)
        n += results[i].rows[j].cells[k].value.len;
  return n;
}

/**
 * tall_row_find_latest:
 * @row: (nullable): a row; NULL has no cells
 *
 * Returns: (nullable) (transfer none): the newest cell of @qualifier
 */
const TallCell *
tall_row_find_latest (const TallRow *row, TallSlice qualifier)
{
  for (guint i = 0; row != NULL && i < row->n_cells; i++)
    if (tall_slice_equal (row->cells[i].qualifier, qualifier))
      return &row->cells[i];
  return NULL;
}

/**
 * tall_row_find_at:
 * @row: (nullable): a row; NULL has no cells
 *
 * Returns: (nullable) (transfer none): the cell of @qualifier that has exactly @timestamp
 */
const TallCell *
tall_row_find_at (const TallRow *row, TallSlice qualifier, gint64 timestamp)
{
  for (guint i = 0; row != NULL && i < row->n_cells; i++)
    if (row->cells[i].timestamp == timestamp
        && tall_slice_equal (row->cells[i].qualifier, qualifier))
      return &row->cells[i];
  return NULL;
}

/**
 * tall_rows_find:
 *
 * Returns: (nullable) (transfer none): the row that has exactly this key
 */
const TallRow *
tall_rows_find (const TallRows *rows, TallSlice key)
{
  for (guint i = 0; i < rows->n_rows; i++)
    if (tall_slice_equal (rows->rows[i].key, key))
      return &rows->rows[i];
  return NULL;
}

/**
 * tall_rows_builder_init:
 * @arena: where the rows and cells are put; the slices added must live as long
 */
void
tall_rows_builder_init (TallRowsBuilder *self, TallArena *arena)
{
  self->arena = arena;
  self->rows = g_array_new (FALSE, FALSE, sizeof (TallRow));
  self->cells = g_array_new (FALSE, FALSE, sizeof (TallCell));
}

void
tall_rows_builder_add_cell (TallRowsBuilder *self, TallCell cell)
{
  g_array_append_val (self->cells, cell);
}

/**
 * tall_rows_builder_end_row:
 *
 * Ends a row, which consists of the cells added since the last call. Without cells there is no row.
 */
void
tall_rows_builder_end_row (TallRowsBuilder *self, TallSlice key)
{
  if (self->cells->len == 0)
    return;

  TallRow row = {
    .key = key,
    .cells =
        tall_arena_memdup (self->arena, self->cells->data, self->cells->len * sizeof (TallCell)),
    .n_cells = self->cells->len,
  };
  g_array_append_val (self->rows, row);
  g_array_set_size (self->cells, 0);
}

/**
 * tall_rows_builder_finish:
 * @rows: (out caller-allocates): the rows, in the builder's arena
 *
 * Ends the builder. Initialise it before it is used again.
 */
void
tall_rows_builder_finish (TallRowsBuilder *self, TallRows *rows)
{
  rows->n_rows = self->rows->len;
  rows->rows = tall_arena_memdup (self->arena, self->rows->data, rows->n_rows * sizeof (TallRow));
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->cells, g_array_unref);
}
