/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-rocksdb-filter.h"

#include "tall-row-codec.h"

/* Leaves in @row, whose cells are those of a stored row, what @read wants. */
static void
filter_cells (const TallRead *read, gint64 oldest, TallRow *row)
{
  gint64 min_timestamp = MAX (read->min_timestamp, oldest);
  guint n = 0;
  guint versions = 0;
  for (guint i = 0; i < row->n_cells; i++)
    {
      TallCell cell = row->cells[i];
      if (cell.timestamp < min_timestamp || cell.timestamp >= read->max_timestamp
          || !tall_read_wants_qualifier (read, cell.qualifier))
        continue;
      if (n == 0 || !tall_slice_equal (row->cells[n - 1].qualifier, cell.qualifier))
        versions = 0;
      if (read->max_versions != 0 && versions == read->max_versions)
        continue;
      versions++;
      row->cells[n++] = cell;
    }
  row->n_cells = n;
  if (read->keys_only && n > 0)
    {
      row->n_cells = 1;
      row->cells[0].value = (TallSlice)TALL_SLICE_INIT;
    }
}

static gboolean
wants_all (const TallRead *read, gint64 oldest)
{
  return tall_read_wants_all (read) && oldest <= 1;
}

/**
 * tall_rocksdb_filter_wants_all:
 *
 * Returns: whether the step wants all cells of each row
 */
gboolean
tall_rocksdb_filter_wants_all (const TallRocksdbStep *step)
{
  return wants_all (step->read, tall_rocksdb_family_get_oldest (step->family));
}

/**
 * tall_rocksdb_filter_decode:
 * @row: (out): has no cells if none is wanted; they point into @stored
 *
 * Takes what the step wants from a stored row.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED or %TALL_ERROR_NEWER_VERSION
 */
gboolean
tall_rocksdb_filter_decode (const TallRocksdbStep *step,
                            TallArena *arena,
                            TallSlice key,
                            TallSlice stored,
                            TallRow *row,
                            GError **error)
{
  TallStoredRow decoded;
  if (!tall_row_decode (arena, stored, &decoded, error))
    {
      tall_rocksdb_family_prefix_row (step->family, key, error);
      return FALSE;
    }

  *row = (TallRow){ key, decoded.cells, decoded.n_cells };
  gint64 oldest = tall_rocksdb_family_get_oldest (step->family);
  if (!wants_all (step->read, oldest))
    filter_cells (step->read, oldest, row);
  return TRUE;
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

/* Copies the cells, and nothing that they are among. */
static void
copy_cells (TallArena *arena, TallRow *row)
{
  TallCell *cells = tall_arena_memdup (arena, row->cells, row->n_cells * sizeof (TallCell));
  gsize size = 0;
  for (guint i = 0; i < row->n_cells; i++)
    size += cells[i].qualifier.len + cells[i].value.len;
  guint8 *end = tall_arena_alloc (arena, size);
  for (guint i = 0; i < row->n_cells; i++)
    {
      cells[i].qualifier = append_bytes (&end, cells[i].qualifier);
      cells[i].value = append_bytes (&end, cells[i].value);
    }
  row->cells = cells;
}

/**
 * tall_rocksdb_filter_copy:
 *
 * Of a stored row that will not stay, copies what is wanted of it, so that many long rows may be
 * looked through for little. Otherwise as tall_rocksdb_filter_decode().
 */
gboolean
tall_rocksdb_filter_copy (
    const TallRocksdbStep *step, TallSlice key, TallSlice stored, TallRow *row, GError **error)
{
  tall_arena_reset (step->passing);
  if (!tall_rocksdb_filter_decode (step, step->passing, key, stored, row, error))
    return FALSE;
  if (row->n_cells > 0)
    {
      row->key = tall_slice_dup (step->arena, key);
      copy_cells (step->arena, row);
    }
  return TRUE;
}
