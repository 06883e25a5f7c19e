/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/row.h"

#include <stdlib.h>

#include "base/fail.h"

#define HEADER_SIZE 17      /* format, up_to, n_exact, n_cells */
#define MARKED_SIZE 8       /* after the header in format 2 */
#define CELL_HEADER_SIZE 14 /* lengths of qualifier and value, timestamp */

static gboolean
damaged (GError **error, const char *what)
{
  return tall_error_fail (error, TALL_ERROR_DAMAGED, "A stored row is damaged: %s", what);
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
    return tall_error_fail (error, TALL_ERROR_NEWER_VERSION,
                            "A stored row has format %u, this version knows formats up to %u",
                            format, TALL_ROW_FORMAT);
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

/* FALSE: it has none, or is not a row of ours. */
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
 * Works on the bytes, as compactions do it with every row. A row that is not ours stays as it is,
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

static int
compare_timestamps (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

static gboolean
row_masks (const TallStoredRow *row, gint64 timestamp)
{
  if (timestamp <= row->up_to)
    return TRUE;
  return row->n_exact > 0
         && bsearch (&timestamp, row->exact, row->n_exact, sizeof (gint64), compare_timestamps)
                != NULL;
}

/* Leaves one of each, and none that up_to covers. */
static void
fold_exact (TallStoredRow *row)
{
  guint n = 0;
  qsort (row->exact, row->n_exact, sizeof (gint64), compare_timestamps);
  for (guint i = 0; i < row->n_exact; i++)
    if (row->exact[i] > row->up_to && (n == 0 || row->exact[n - 1] != row->exact[i]))
      row->exact[n++] = row->exact[i];
  row->n_exact = n;
}

static void
merge_markers (TallArena *arena,
               const TallStoredRow *old,
               const TallMutation *mutation,
               guint64 mark,
               TallStoredRow *merged)
{
  guint n_deletes = 0;
  for (guint i = 0; i < mutation->n_changes; i++)
    if (mutation->changes[i].kind != TALL_CHANGE_PUT)
      n_deletes++;

  merged->up_to = old->up_to;
  merged->exact = old->exact;
  merged->n_exact = old->n_exact;
  merged->marked = old->marked;
  if (n_deletes == 0)
    return;
  merged->marked = mark;

  merged->exact = tall_arena_newa0 (arena, gint64, old->n_exact + n_deletes);
  if (old->n_exact > 0)
    memcpy (merged->exact, old->exact, old->n_exact * sizeof (gint64));
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind == TALL_CHANGE_DELETE_UP_TO)
        merged->up_to = MAX (merged->up_to, change->timestamp);
      else if (change->kind == TALL_CHANGE_DELETE_AT)
        merged->exact[merged->n_exact++] = change->timestamp;
    }
  fold_exact (merged);
}

static int
compare_cells (const TallCell *a, const TallCell *b)
{
  int order = tall_slice_compare (a->qualifier, b->qualifier);
  if (order != 0)
    return order;
  return (a->timestamp < b->timestamp) - (a->timestamp > b->timestamp);
}

static int
compare_puts (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return compare_cells (a, b);
}

/* The cells of the puts that no marker of @row masks, in the order of a row, which they mostly have
 * already; of two for the same cell the later one. */
static guint
sort_puts (const TallMutation *mutation, const TallStoredRow *row, TallCell *puts)
{
  guint n = 0;
  gboolean sorted = TRUE;
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind != TALL_CHANGE_PUT || row_masks (row, change->timestamp))
        continue;
      puts[n++] = (TallCell){ change->qualifier, change->timestamp, change->value };
      if (n > 1 && compare_cells (&puts[n - 2], &puts[n - 1]) >= 0)
        sorted = FALSE;
    }
  if (sorted)
    return n;

  /* Stable, so that the last of equal ones is the latest. */
  g_qsort_with_data (puts, (int)n, sizeof (TallCell), compare_puts, NULL);
  guint n_unique = 0;
  for (guint i = 0; i < n; i++)
    if (i + 1 == n || compare_cells (&puts[i], &puts[i + 1]) != 0)
      puts[n_unique++] = puts[i];
  return n_unique;
}

/* Appends a cell to @merged unless enough newer versions are there. */
static void
keep_cell (TallStoredRow *merged, const TallCell *cell, guint max_versions, guint *versions)
{
  const TallCell *last = merged->n_cells > 0 ? &merged->cells[merged->n_cells - 1] : NULL;
  if (max_versions == 0)
    {
      merged->cells[merged->n_cells++] = *cell;
      return;
    }

  if (last == NULL || !tall_slice_equal (last->qualifier, cell->qualifier))
    *versions = 0;
  if (*versions == max_versions)
    return;
  ++*versions;
  merged->cells[merged->n_cells++] = *cell;
}

static void
merge_cells (const TallStoredRow *old,
             const TallCell *puts,
             guint n_puts,
             TallRetention retention,
             TallStoredRow *merged)
{
  guint versions = 0;
  guint i = 0;
  guint j = 0;

  while (i < old->n_cells || j < n_puts)
    {
      const TallCell *before = i < old->n_cells ? &old->cells[i] : NULL;
      const TallCell *put = j < n_puts ? &puts[j] : NULL;
      int order = before == NULL ? 1 : put == NULL ? -1 : compare_cells (before, put);
      if (order <= 0)
        i++;
      if (order >= 0)
        j++;
      if (order >= 0)
        keep_cell (merged, put, retention.max_versions, &versions);
      else if (before->timestamp >= retention.oldest && !row_masks (merged, before->timestamp))
        keep_cell (merged, before, retention.max_versions, &versions);
    }
}

static gboolean
check_size (const TallStoredRow *row, const TallMutation *mutation, GError **error)
{
  gsize size = 0;
  for (guint i = 0; i < row->n_cells; i++)
    size += row->cells[i].qualifier.len + row->cells[i].value.len;
  if (size <= TALL_ROW_MAX_SIZE)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                          "Table %s: a row of %" G_GSIZE_FORMAT
                          " bytes; the embedded store keeps rows of up to %d",
                          mutation->table, size, TALL_ROW_MAX_SIZE);
}

/**
 * tall_row_merge:
 * @arena: for the arrays of @merged
 * @old: the row so far; all zero if there is none
 * @mutation: what happens to it; its deletes come first
 * @retention: what is kept
 * @merged: (out caller-allocates): the row afterwards; qualifiers and values are those of @old and
 *   @mutation, not copied
 *
 * Markers are kept, for they mask puts that come later; the cells that they mask are not. All
 * markers of a row are as young as the last one.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE if the row would be larger than %TALL_ROW_MAX_SIZE
 */
gboolean
tall_row_merge (TallArena *arena,
                const TallStoredRow *old,
                const TallMutation *mutation,
                TallRetention retention,
                TallStoredRow *merged,
                GError **error)
{
  *merged = (TallStoredRow){ 0 };
  merge_markers (arena, old, mutation, retention.mark, merged);

  TallCell *puts = tall_arena_alloc (arena, mutation->n_changes * sizeof (TallCell));
  guint n_puts = sort_puts (mutation, merged, puts);
  if (old->n_cells == 0 && retention.max_versions == 0)
    {
      merged->cells = puts;
      merged->n_cells = n_puts;
      return check_size (merged, mutation, error);
    }

  merged->cells = tall_arena_alloc (arena, (old->n_cells + n_puts) * sizeof (TallCell));
  merge_cells (old, puts, n_puts, retention, merged);
  return check_size (merged, mutation, error);
}
