/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/filter.h"

#include "table/rocksdb/row-codec.h"

/* Goes through the cells of a row, and says which are wanted. */
typedef struct
{
  const TallRead *read;
  gint64 min_timestamp;
  TallSlice qualifier; /* of the last one wanted */
  guint versions;      /* wanted ones of that qualifier */
} Selection;

static Selection
selection (const TallRocksdbStep *step)
{
  return (Selection){ .read = step->read,
                      .min_timestamp = MAX (step->read->min_timestamp, step->oldest) };
}

static gboolean
selects (Selection *self, const TallCell *cell)
{
  const TallRead *read = self->read;
  if (cell->timestamp < self->min_timestamp || cell->timestamp >= read->max_timestamp
      || !tall_read_wants_qualifier (read, cell->qualifier))
    return FALSE;
  if (self->versions > 0 && !tall_slice_equal (self->qualifier, cell->qualifier))
    self->versions = 0;
  if (read->max_versions != 0 && self->versions == read->max_versions)
    return FALSE;
  self->versions++;
  self->qualifier = cell->qualifier;
  return TRUE;
}

/**
 * tall_rocksdb_filter_wants_all:
 *
 * Returns: whether the step wants all cells of each row
 */
gboolean
tall_rocksdb_filter_wants_all (const TallRocksdbStep *step)
{
  return tall_read_wants_all (step->read) && step->oldest <= 1;
}

static gboolean
fail (const TallRocksdbStep *step, TallSlice key, GError **error)
{
  tall_rocksdb_family_prefix_row (step->family, key, error);
  return FALSE;
}

/**
 * tall_rocksdb_filter_decode:
 * @row: (out): has no cells if none is wanted; they point into @stored
 *
 * Takes what the step wants from a stored row that stays.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED or %TALL_ERROR_NEWER_VERSION
 */
gboolean
tall_rocksdb_filter_decode (
    const TallRocksdbStep *step, TallSlice key, TallSlice stored, TallRow *row, GError **error)
{
  TallStoredRow decoded;
  if (!tall_row_decode (step->arena, stored, &decoded, error))
    return fail (step, key, error);

  *row = (TallRow){ key, decoded.cells, decoded.n_cells };
  if (tall_rocksdb_filter_wants_all (step))
    return TRUE;
  Selection wanted = selection (step);
  row->n_cells = 0;
  for (guint i = 0; i < decoded.n_cells; i++)
    if (selects (&wanted, &decoded.cells[i]))
      row->cells[row->n_cells++] = decoded.cells[i];
  return TRUE;
}

static gboolean
collect_cells (const TallRocksdbStep *step, TallSlice stored, GError **error)
{
  Selection wanted = selection (step);
  TallRowCells cells;
  TallCell cell;
  g_array_set_size (step->passing, 0);
  if (!tall_row_cells_init (&cells, stored, error))
    return FALSE;
  while (tall_row_cells_next (&cells, &cell))
    if (selects (&wanted, &cell))
      g_array_append_val (step->passing, cell);
  if (step->read->keys_only && step->passing->len > 0)
    {
      g_array_set_size (step->passing, 1);
      g_array_index (step->passing, TallCell, 0).value = (TallSlice)TALL_SLICE_INIT;
    }
  return tall_row_cells_finish (&cells, error);
}

static TallSlice
append_bytes (guint8 **end, TallSlice bytes)
{
  guint8 *start = *end;
  if (bytes.len > 0)
    memcpy (start, bytes.data, bytes.len);
  *end += bytes.len;
  return tall_slice (start, bytes.len);
}

/**
 * tall_rocksdb_filter_copy:
 * @row: (out): has no cells if none is wanted
 *
 * Of a stored row that will not stay, copies what the step wants, so that many long rows may be
 * looked through for little.
 *
 * Returns: FALSE like tall_rocksdb_filter_decode()
 */
gboolean
tall_rocksdb_filter_copy (
    const TallRocksdbStep *step, TallSlice key, TallSlice stored, TallRow *row, GError **error)
{
  *row = (TallRow){ .key = key };
  if (!collect_cells (step, stored, error))
    return fail (step, key, error);
  if (step->passing->len == 0)
    return TRUE;

  row->n_cells = step->passing->len;
  row->cells =
      tall_arena_memdup (step->arena, step->passing->data, row->n_cells * sizeof (TallCell));
  gsize size = key.len;
  for (guint i = 0; i < row->n_cells; i++)
    size += row->cells[i].qualifier.len + row->cells[i].value.len;
  guint8 *end = tall_arena_alloc (step->arena, size);
  row->key = append_bytes (&end, key);
  for (guint i = 0; i < row->n_cells; i++)
    {
      row->cells[i].qualifier = append_bytes (&end, row->cells[i].qualifier);
      row->cells[i].value = append_bytes (&end, row->cells[i].value);
    }
  return TRUE;
}
