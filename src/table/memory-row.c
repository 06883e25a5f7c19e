/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/memory-row.h"

typedef struct
{
  GBytes *qualifier;
  gint64 timestamp;
  GBytes *value;
} Cell;

/* Only visible cells are kept: what a marker masks is removed by it or not put at all. */
struct _TallMemoryRow
{
  GArray *cells; /* of Cell, by qualifier, then from the newest to the oldest */
  gint64 up_to;  /* cells at or below it are deleted; 0 = none */
  GArray *exact; /* of gint64: timestamps above up_to whose cells are deleted */
};

static GBytes *
slice_bytes (TallSlice slice)
{
  return g_bytes_new (slice.data, slice.len);
}

static void
cell_clear (gpointer data)
{
  Cell *cell = data;
  g_bytes_unref (cell->qualifier);
  g_bytes_unref (cell->value);
}

/**
 * tall_memory_row_new:
 *
 * Returns: (transfer full): a row without cells
 */
TallMemoryRow *
tall_memory_row_new (void)
{
  TallMemoryRow *self = g_new0 (TallMemoryRow, 1);
  self->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  g_array_set_clear_func (self->cells, cell_clear);
  self->exact = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

void
tall_memory_row_free (TallMemoryRow *self)
{
  g_array_unref (self->cells);
  g_array_unref (self->exact);
  g_free (self);
}

static gboolean
wants_cell (const TallRead *read, gint64 oldest, const Cell *cell)
{
  return cell->timestamp >= MAX (read->min_timestamp, oldest)
         && cell->timestamp < read->max_timestamp
         && tall_read_wants_qualifier (read, tall_slice_bytes (cell->qualifier));
}

/**
 * tall_memory_row_collect:
 * @key: the row's
 * @oldest: milliseconds: cells below it have outlived the table's TTL
 * @rows: what is added to, unless there are none
 *
 * Adds the cells that @read wants; versions are counted among those only.
 */
void
tall_memory_row_collect (const TallMemoryRow *self,
                         TallSlice key,
                         const TallRead *read,
                         gint64 oldest,
                         TallRowsBuilder *rows)
{
  GBytes *qualifier = NULL;
  guint versions = 0;

  for (guint i = 0; i < self->cells->len; i++)
    {
      const Cell *cell = &g_array_index (self->cells, Cell, i);
      if (!wants_cell (read, oldest, cell))
        continue;
      if (qualifier == NULL || !g_bytes_equal (qualifier, cell->qualifier))
        versions = 0;
      qualifier = cell->qualifier;
      if (read->max_versions != 0 && versions == read->max_versions)
        continue;
      versions++;
      tall_rows_builder_add_cell (
          rows, (TallCell){
                    .qualifier = tall_slice_dup (rows->arena, tall_slice_bytes (cell->qualifier)),
                    .timestamp = cell->timestamp,
                    .value = tall_slice_dup (rows->arena, tall_slice_bytes (cell->value)),
                });
    }

  if (rows->cells->len > 0)
    tall_rows_builder_end_row (rows, tall_slice_dup (rows->arena, key));
}

static gboolean
masks (const TallMemoryRow *self, gint64 timestamp)
{
  for (guint i = 0; i < self->exact->len; i++)
    if (g_array_index (self->exact, gint64, i) == timestamp)
      return TRUE;
  return timestamp <= self->up_to;
}

static void
remove_masked (TallMemoryRow *self)
{
  for (guint i = self->cells->len; i > 0; i--)
    if (masks (self, g_array_index (self->cells, Cell, i - 1).timestamp))
      g_array_remove_index (self->cells, i - 1);
}

static void delete (TallMemoryRow *self, const TallChange *change)
{
  if (change->kind == TALL_CHANGE_DELETE_UP_TO)
    self->up_to = MAX (self->up_to, change->timestamp);
  else if (!masks (self, change->timestamp))
    g_array_append_val (self->exact, change->timestamp);
  remove_masked (self);
}

static int
compare_cell (const Cell *cell, TallSlice qualifier, gint64 timestamp)
{
  int order = tall_slice_compare (tall_slice_bytes (cell->qualifier), qualifier);
  if (order != 0)
    return order;
  return cell->timestamp == timestamp ? 0 : cell->timestamp > timestamp ? -1 : 1;
}

/* The position of a cell, or where it would be: of the first one that does not come before it. */
static guint
locate (const TallMemoryRow *self, TallSlice qualifier, gint64 timestamp)
{
  guint low = 0;
  guint high = self->cells->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (compare_cell (&g_array_index (self->cells, Cell, middle), qualifier, timestamp) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Removes the oldest versions of a cell that the table does not keep. */
static void
prune (TallMemoryRow *self, TallSlice qualifier, guint max_versions)
{
  guint first = locate (self, qualifier, G_MAXINT64);
  guint end = locate (self, qualifier, 0);
  if (max_versions != 0 && end - first > max_versions)
    g_array_remove_range (self->cells, first + max_versions, end - first - max_versions);
}

/**
 * tall_memory_row_put:
 * @cell: copied, unless a marker masks it
 * @max_versions: that the table keeps of a qualifier; 0 = all
 */
void
tall_memory_row_put (TallMemoryRow *self, TallCell cell, guint max_versions)
{
  if (!masks (self, cell.timestamp))
    {
      Cell stored = { slice_bytes (cell.qualifier), cell.timestamp, slice_bytes (cell.value) };
      guint i = locate (self, cell.qualifier, cell.timestamp);
      if (i < self->cells->len
          && compare_cell (&g_array_index (self->cells, Cell, i), cell.qualifier, cell.timestamp)
                 == 0)
        g_array_remove_index (self->cells, i);
      g_array_insert_val (self->cells, i, stored);
    }
  prune (self, cell.qualifier, max_versions);
}

/**
 * tall_memory_row_apply:
 *
 * Does what the mutation says. Deletes first, so that a deleted version does not push out a new
 * one.
 */
void
tall_memory_row_apply (TallMemoryRow *self, const TallMutation *mutation, guint max_versions)
{
  for (guint i = 0; i < mutation->n_changes; i++)
    if (mutation->changes[i].kind != TALL_CHANGE_PUT)
      delete (self, &mutation->changes[i]);

  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind == TALL_CHANGE_PUT)
        tall_memory_row_put (self,
                             (TallCell){ change->qualifier, change->timestamp, change->value },
                             max_versions);
    }
}

/**
 * tall_memory_row_find_latest:
 * @oldest: milliseconds: cells below it have outlived the table's TTL
 * @cell: (out): the newest version of that qualifier, as long as the row is not changed
 *
 * Returns: whether there is one
 */
gboolean
tall_memory_row_find_latest (const TallMemoryRow *self,
                             TallSlice qualifier,
                             gint64 oldest,
                             TallCell *cell)
{
  guint i = locate (self, qualifier, G_MAXINT64);
  if (i == self->cells->len)
    return FALSE;
  const Cell *found = &g_array_index (self->cells, Cell, i);
  *cell = (TallCell){ tall_slice_bytes (found->qualifier), found->timestamp,
                      tall_slice_bytes (found->value) };
  return tall_slice_equal (cell->qualifier, qualifier) && cell->timestamp >= oldest;
}
