/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/row-codec.h"

#include "tall-error.h"

#define HEADER_SIZE 17      /* format, up_to, n_exact, n_cells */
#define MARKED_SIZE 8       /* after the header in format 2 */
#define CELL_HEADER_SIZE 14 /* lengths of qualifier and value, timestamp */

static gboolean
damaged (GError **error, const char *what)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "A stored row is damaged: %s", what);
  return FALSE;
}

/* What a stored row has before its cells. */
typedef struct
{
  TallStoredRow row; /* without its arrays */
  TallReader exact;  /* its exact markers */
  TallRowCells cells;
} Opened;

/* Ascending and above up_to, as tall_row_encode() is given them. */
static gboolean
check_exact (TallReader exact, gint64 up_to)
{
  gint64 previous = up_to;
  while (exact.rest.len > 0)
    {
      gint64 next = (gint64)tall_reader_u64 (&exact);
      if (next <= previous)
        return FALSE;
      previous = next;
    }
  return up_to >= 0;
}

/* Reads all but the cells. */
static gboolean
open_row (TallSlice stored, Opened *self, GError **error)
{
  TallReader reader = tall_reader (stored);
  guint8 format = tall_reader_u8 (&reader);
  TallStoredRow row = { .up_to = (gint64)tall_reader_u64 (&reader) };
  row.n_exact = tall_reader_u32 (&reader);
  row.n_cells = tall_reader_u32 (&reader);
  if (stored.len > 0 && format > TALL_ROW_FORMAT)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
                   "A stored row has format %u, this version knows formats up to %u", format,
                   TALL_ROW_FORMAT);
      return FALSE;
    }
  if (format == TALL_ROW_FORMAT)
    row.marked = tall_reader_u64 (&reader);
  if (reader.failed || format < TALL_ROW_FORMAT_PLAIN
      || (format == TALL_ROW_FORMAT) != (row.marked != 0))
    return damaged (error, "it has no header");

  TallReader exact = tall_reader (tall_reader_take (&reader, row.n_exact * sizeof (guint64)));
  if (reader.failed || !check_exact (exact, row.up_to))
    return damaged (error, "its delete markers make no sense");
  if (row.n_cells > reader.rest.len / CELL_HEADER_SIZE)
    return damaged (error, "its cells make no sense");
  *self = (Opened){ row, exact, { .rest = reader, .n_left = row.n_cells } };
  return TRUE;
}

/**
 * tall_row_cells_init:
 * @stored: the bytes of a row
 *
 * Begins to go through the cells of a stored row; its delete markers are only checked.
 *
 * Returns: FALSE like tall_row_decode()
 */
gboolean
tall_row_cells_init (TallRowCells *self, TallSlice stored, GError **error)
{
  Opened opened;
  if (!open_row (stored, &opened, error))
    return FALSE;
  *self = opened.cells;
  return TRUE;
}

static inline gboolean
ascends (const TallRowCells *self, const TallCell *cell)
{
  int order = tall_slice_compare (self->qualifier, cell->qualifier);
  return order < 0 || (order == 0 && self->timestamp > cell->timestamp);
}

/* The hot loop of every read. */
static inline gboolean
read_cell (TallRowCells *self, TallCell *cell)
{
  if (self->n_left == 0)
    return FALSE;
  TallReader header = tall_reader (tall_reader_take (&self->rest, CELL_HEADER_SIZE));
  gsize qualifier_len = tall_reader_u16 (&header);
  gsize value_len = tall_reader_u32 (&header);
  cell->timestamp = (gint64)tall_reader_u64 (&header);
  cell->qualifier = tall_reader_take (&self->rest, qualifier_len);
  cell->value = tall_reader_take (&self->rest, value_len);
  if (self->rest.failed || cell->timestamp < 1 || (self->timestamp != 0 && !ascends (self, cell)))
    {
      self->rest.failed = TRUE;
      return FALSE;
    }
  self->qualifier = cell->qualifier;
  self->timestamp = cell->timestamp;
  self->n_left--;
  return TRUE;
}

/**
 * tall_row_cells_next:
 * @cell: (out caller-allocates): points into the stored row
 *
 * Returns: FALSE after the last cell, or if the next one is damaged
 */
gboolean
tall_row_cells_next (TallRowCells *self, TallCell *cell)
{
  return read_cell (self, cell);
}

/**
 * tall_row_cells_finish:
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED unless tall_row_cells_next() has given all that the row
 *   holds
 */
gboolean
tall_row_cells_finish (const TallRowCells *self, GError **error)
{
  return tall_reader_done (&self->rest) || damaged (error, "its cells make no sense");
}

/**
 * tall_row_decode:
 * @arena: for the arrays of @row
 * @stored: the bytes; qualifiers and values of @row point into them
 * @row: (out caller-allocates): the row
 *
 * Any bytes may be given: nothing outside of them is read, and what tall_row_encode() does not
 * write is refused.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED, or %TALL_ERROR_NEWER_VERSION if the format is not ours
 */
gboolean
tall_row_decode (TallArena *arena, TallSlice stored, TallStoredRow *row, GError **error)
{
  Opened opened;
  if (!open_row (stored, &opened, error))
    return FALSE;
  *row = opened.row;
  if (row->n_exact > 0)
    row->exact = tall_arena_alloc (arena, row->n_exact * sizeof (gint64));
  for (guint i = 0; i < row->n_exact; i++)
    row->exact[i] = (gint64)tall_reader_u64 (&opened.exact);

  row->cells = tall_arena_alloc (arena, row->n_cells * sizeof (TallCell));
  TallCell *cell = row->cells;
  while (read_cell (&opened.cells, cell))
    cell++;
  return tall_row_cells_finish (&opened.cells, error);
}

static gsize
row_get_size (const TallStoredRow *row)
{
  gsize size = HEADER_SIZE + (row->marked != 0 ? MARKED_SIZE : 0) + row->n_exact * sizeof (guint64)
               + row->n_cells * CELL_HEADER_SIZE;
  for (guint i = 0; i < row->n_cells; i++)
    size += row->cells[i].qualifier.len + row->cells[i].value.len;
  return size;
}

/* Writes and steps on. */
static guint8 *
put_be (guint8 *data, guint64 value, guint bytes)
{
  for (guint i = bytes; i > 0; i--)
    {
      data[i - 1] = value & 0xff;
      value >>= 8;
    }
  return data + bytes;
}

static guint8 *
put_slice (guint8 *data, TallSlice slice)
{
  if (slice.len > 0)
    memcpy (data, slice.data, slice.len);
  return data + slice.len;
}

/**
 * tall_row_encode:
 * @row: a row whose qualifiers are shorter than 64 KiB and values shorter than 4 GiB
 * @stored: (out caller-allocates): set to its bytes; what was in it is lost
 *
 * The drawing is in README.md.
 */
void
tall_row_encode (const TallStoredRow *row, GByteArray *stored)
{
  g_byte_array_set_size (stored, row_get_size (row));
  guint8 *data = stored->data;
  *data++ = row->marked != 0 ? TALL_ROW_FORMAT : TALL_ROW_FORMAT_PLAIN;
  data = put_be (data, (guint64)row->up_to, 8);
  data = put_be (data, row->n_exact, 4);
  data = put_be (data, row->n_cells, 4);
  if (row->marked != 0)
    data = put_be (data, row->marked, MARKED_SIZE);
  for (guint i = 0; i < row->n_exact; i++)
    data = put_be (data, (guint64)row->exact[i], 8);
  for (guint i = 0; i < row->n_cells; i++)
    {
      const TallCell *cell = &row->cells[i];
      data = put_be (data, cell->qualifier.len, 2);
      data = put_be (data, cell->value.len, 4);
      data = put_be (data, (guint64)cell->timestamp, 8);
      data = put_slice (data, cell->qualifier);
      data = put_slice (data, cell->value);
    }
}

/* A row with markers, of which the exact ones are passed. */
typedef struct
{
  guint32 n_cells;
  guint64 marked;
  TallSlice cells;
} Marked;

/* FALSE: it has none, or is no row of ours. */
static gboolean
find_markers (TallSlice stored, Marked *row)
{
  TallReader reader = tall_reader (stored);
  guint8 format = tall_reader_u8 (&reader);
  guint64 up_to = tall_reader_u64 (&reader);
  guint32 n_exact = tall_reader_u32 (&reader);
  row->n_cells = tall_reader_u32 (&reader);
  row->marked = format == TALL_ROW_FORMAT ? tall_reader_u64 (&reader) : 0;
  tall_reader_take (&reader, (gsize)n_exact * sizeof (guint64));
  row->cells = reader.rest;
  return !reader.failed && format >= TALL_ROW_FORMAT_PLAIN && format <= TALL_ROW_FORMAT
         && (up_to != 0 || n_exact != 0) && (row->n_cells == 0) == (row->cells.len == 0);
}

/**
 * tall_row_has_only_markers:
 * @marked: (out): number of the last marker; 0 = not known
 *
 * Returns: whether the stored row has nothing but delete markers
 */
gboolean
tall_row_has_only_markers (TallSlice stored, guint64 *marked)
{
  Marked row;
  gboolean found = find_markers (stored, &row) && row.n_cells == 0;
  *marked = row.marked;
  return found;
}

/**
 * tall_row_strip:
 * @forgotten: markers that came with this number or a lower one can go
 * @stripped: (out caller-allocates): the row without them, if they are gone
 *
 * Works on the bytes, as compactions do it with every row. What is no row of ours stays as it is,
 * so that reading it says so.
 */
TallRowStripped
tall_row_strip (TallSlice stored, guint64 forgotten, GByteArray *stripped)
{
  Marked row;
  if (!find_markers (stored, &row) || row.marked > forgotten)
    return TALL_ROW_AS_IT_WAS;
  if (row.n_cells == 0)
    return TALL_ROW_EMPTY;

  g_byte_array_set_size (stripped, 0);
  tall_bytes_append_u8 (stripped, TALL_ROW_FORMAT_PLAIN);
  tall_bytes_append_u64 (stripped, 0);
  tall_bytes_append_u32 (stripped, 0);
  tall_bytes_append_u32 (stripped, row.n_cells);
  tall_bytes_append (stripped, row.cells);
  return TALL_ROW_STRIPPED;
}
