/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-row-codec.h"

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

/* Ascending and above up_to, as tall_row_encode() is given them. */
static gboolean
decode_exact (TallReader *reader, TallArena *arena, TallStoredRow *row)
{
  if (row->n_exact > reader->rest.len / sizeof (guint64))
    return FALSE;
  if (row->n_exact > 0)
    row->exact = tall_arena_alloc (arena, row->n_exact * sizeof (gint64));

  gint64 previous = row->up_to;
  for (guint i = 0; i < row->n_exact; i++)
    {
      row->exact[i] = (gint64)tall_reader_u64 (reader);
      if (row->exact[i] <= previous)
        return FALSE;
      previous = row->exact[i];
    }
  return TRUE;
}

static gboolean
cells_ascend (const TallCell *a, const TallCell *b)
{
  int order = tall_slice_compare (a->qualifier, b->qualifier);
  return order < 0 || (order == 0 && a->timestamp > b->timestamp);
}

static inline guint64
get_be (const guint8 *data, guint bytes)
{
  guint64 value = 0;
  for (guint i = 0; i < bytes; i++)
    value = value << 8 | data[i];
  return value;
}

/* The hot loop of every read: one check of the length for the header, one for the rest. */
static gboolean
decode_cells (TallSlice rest, TallArena *arena, TallStoredRow *row)
{
  if (row->n_cells > rest.len / CELL_HEADER_SIZE)
    return FALSE;
  row->cells = tall_arena_alloc (arena, row->n_cells * sizeof (TallCell));

  const guint8 *data = rest.data;
  gsize left = rest.len;
  for (guint i = 0; i < row->n_cells; i++)
    {
      TallCell *cell = &row->cells[i];
      if (left < CELL_HEADER_SIZE)
        return FALSE;
      gsize qualifier_len = get_be (data, 2);
      gsize value_len = get_be (data + 2, 4);
      cell->timestamp = (gint64)get_be (data + 6, 8);
      data += CELL_HEADER_SIZE;
      left -= CELL_HEADER_SIZE;
      if (left < qualifier_len + value_len || cell->timestamp < 1)
        return FALSE;
      cell->qualifier = tall_slice (data, qualifier_len);
      cell->value = tall_slice (data + qualifier_len, value_len);
      data += qualifier_len + value_len;
      left -= qualifier_len + value_len;
      if (i > 0 && !cells_ascend (cell - 1, cell))
        return FALSE;
    }
  return left == 0;
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
  TallReader reader = tall_reader (stored);
  guint8 format = tall_reader_u8 (&reader);

  *row = (TallStoredRow){ .up_to = (gint64)tall_reader_u64 (&reader) };
  row->n_exact = tall_reader_u32 (&reader);
  row->n_cells = tall_reader_u32 (&reader);
  if (stored.len > 0 && format > TALL_ROW_FORMAT)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
                   "A stored row has format %u, this version knows formats up to %u", format,
                   TALL_ROW_FORMAT);
      return FALSE;
    }
  if (format == TALL_ROW_FORMAT)
    row->marked = tall_reader_u64 (&reader);
  if (reader.failed || format < TALL_ROW_FORMAT_PLAIN
      || (format == TALL_ROW_FORMAT) != (row->marked != 0))
    return damaged (error, "it has no header");
  if (row->up_to < 0 || !decode_exact (&reader, arena, row))
    return damaged (error, "its delete markers make no sense");
  if (!decode_cells (reader.rest, arena, row))
    return damaged (error, "its cells make no sense");
  return TRUE;
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
