/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/database.h"

#include "table/rocksdb/engine.h"
#include "table/rocksdb/row.h"
#include "table/rocksdb/settings.h"
#include "base/fail.h"

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

/* Whether the step wants all cells of each row. */
static gboolean
filter_wants_all (const TallRocksdbStep *step)
{
  return tall_read_wants_all (step->read) && step->oldest <= 1;
}

static gboolean
fail (const TallRocksdbStep *step, TallSlice key, GError **error)
{
  tall_rocksdb_family_prefix_row (step->family, key, error);
  return FALSE;
}

/* Takes what the step wants from a stored row that stays. @row has no cells if none is wanted; they
 * point into @stored. FALSE with %TALL_ERROR_DAMAGED or %TALL_ERROR_NEWER_VERSION. */
static gboolean
filter_decode (
    const TallRocksdbStep *step, TallSlice key, TallSlice stored, TallRow *row, GError **error)
{
  TallStoredRow decoded;
  if (!tall_row_decode (step->arena, stored, &decoded, error))
    return fail (step, key, error);

  *row = (TallRow){ key, decoded.cells, decoded.n_cells };
  if (filter_wants_all (step))
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

/* Of a stored row that will not stay, copies what the step wants, so that many long rows may be
 * looked through for little. */
static gboolean
filter_copy (
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

/* Keys that RocksDB looks up together, and rows between two looks at the clock. */
#define GROUP 256

/* The same, of rows of which only some cells are wanted: those rows are whole in memory meanwhile.
 */
#define FILTERED_GROUP 8

/* So many rows with nothing but delete markers in one scan, and more of them than others, are worth
 * a compaction. */
#define MANY_MARKED 500

/* Rows of a scan of a usual order, and cells that are wanted of one of which not all are. */
#define USUAL_ROWS 16
#define USUAL_CELLS 8

struct _TallRocksdbReader
{
  TallRocksdbDatabase *database; /* not owned: its owner is ours */
  rocksdb_t *db;
  rocksdb_readoptions_t *get_options[2]; /* the second keeps nothing in the cache */
};

/**
 * tall_rocksdb_reader_new:
 * @database: has to live longer
 */
TallRocksdbReader *
tall_rocksdb_reader_new (TallRocksdbDatabase *database)
{
  TallRocksdbReader *self = g_new (TallRocksdbReader, 1);
  self->database = database;
  self->db = database->db;
  for (guint i = 0; i < G_N_ELEMENTS (self->get_options); i++)
    {
      self->get_options[i] = rocksdb_readoptions_create ();
      rocksdb_readoptions_set_verify_checksums (self->get_options[i], 1);
    }
  rocksdb_readoptions_set_fill_cache (self->get_options[1], 0);
  return self;
}

void
tall_rocksdb_reader_free (TallRocksdbReader *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->get_options); i++)
    rocksdb_readoptions_destroy (self->get_options[i]);
  g_free (self);
}

static const rocksdb_readoptions_t *
find_options (const TallRocksdbReader *self, const TallRead *read)
{
  return self->get_options[read->uncached ? 1 : 0];
}

/* Takes over @value, into which the cells point, if it is not NULL. */
static gboolean
add_value (const TallRocksdbStep *step,
           TallSlice key,
           rocksdb_pinnableslice_t *value,
           TallRows *rows,
           GError **error)
{
  if (value == NULL)
    return TRUE;

  size_t len;
  const char *data = rocksdb_pinnableslice_value (value, &len);
  TallRow *row = &rows->rows[rows->n_rows];
  gboolean decoded;
  if (step->read->n_qualifiers > 0 || step->read->keys_only)
    {
      decoded = filter_copy (step, key, tall_slice (data, len), row, error);
      rocksdb_pinnableslice_destroy (value);
    }
  else
    {
      tall_arena_own (step->arena, value, (GDestroyNotify)rocksdb_pinnableslice_destroy);
      decoded = filter_decode (step, tall_slice_dup (step->arena, key), tall_slice (data, len), row,
                               error);
    }
  if (decoded && row->n_cells > 0)
    rows->n_rows++;
  return decoded;
}

static gboolean
take_read_error (const TallRocksdbStep *step, TallSlice key, char *message, GError **error)
{
  if (tall_rocksdb_take_error (message, "Reading it", error))
    return TRUE;
  tall_rocksdb_family_prefix_row (step->family, key, error);
  return FALSE;
}

static gboolean
get_one (TallRocksdbReader *self, const TallRocksdbStep *step, TallRows *rows, GError **error)
{
  TallSlice key = step->read->keys[0];
  char *message = NULL;
  rocksdb_pinnableslice_t *value =
      rocksdb_get_pinned_cf (self->db, find_options (self, step->read), step->family->handle,
                             (const char *)key.data, key.len, &message);
  return take_read_error (step, key, message, error) && add_value (step, key, value, rows, error);
}

/* All values are taken over, also after an error. */
static gboolean
get_group (TallRocksdbReader *self,
           const TallRocksdbStep *step,
           const TallSlice *keys,
           guint n,
           TallRows *rows,
           GError **error)
{
  const char *data[GROUP] = { NULL };
  size_t lens[GROUP] = { 0 };
  rocksdb_pinnableslice_t *values[GROUP] = { NULL };
  char *messages[GROUP] = { NULL };
  gboolean succeeded = TRUE;

  for (guint i = 0; i < n; i++)
    {
      data[i] = (const char *)keys[i].data;
      lens[i] = keys[i].len;
    }
  rocksdb_batched_multi_get_cf (self->db, find_options (self, step->read), step->family->handle, n,
                                data, lens, values, messages, FALSE);
  for (guint i = 0; i < n; i++)
    {
      GError **first = succeeded ? error : NULL;
      if (!take_read_error (step, keys[i], messages[i], first)
          || !add_value (step, keys[i], values[i], rows, first))
        succeeded = FALSE;
    }
  return succeeded;
}

static gboolean
check_deadline (gint64 deadline, GError **error)
{
  if (deadline == TALL_NO_DEADLINE || g_get_monotonic_time () < deadline)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_TIMED_OUT, "The deadline passed while rows were read");
}

/* Adds the rows from @first on to @n_bytes. */
static gboolean
check_bytes (
    const TallRocksdbStep *step, const TallRows *rows, guint first, gsize *n_bytes, GError **error)
{
  for (guint i = first; i < rows->n_rows; i++)
    *n_bytes += tall_row_get_size (&rows->rows[i]);
  if (step->read->max_bytes == 0 || *n_bytes <= step->read->max_bytes)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                          "Table %s: %u rows have more than %" G_GSIZE_FORMAT " bytes",
                          step->family->spec->name, step->read->n_keys, step->read->max_bytes);
}

static gboolean
get_rows (TallRocksdbReader *self, const TallRocksdbStep *step, TallRows *rows, GError **error)
{
  const TallRead *read = step->read;
  guint group = read->n_qualifiers > 0 || read->max_bytes > 0 ? FILTERED_GROUP : GROUP;
  gsize n_bytes = 0;
  rows->rows = tall_arena_newa0 (step->arena, TallRow, read->n_keys);
  if (read->n_keys == 1)
    return get_one (self, step, rows, error);

  for (guint i = 0; i < read->n_keys; i += group)
    {
      guint first = rows->n_rows;
      if (!check_deadline (step->deadline, error)
          || !get_group (self, step, &read->keys[i], MIN (group, read->n_keys - i), rows, error)
          || !check_bytes (step, rows, first, &n_bytes, error))
        return FALSE;
    }
  return TRUE;
}

static TallSlice
copy_bytes (TallArena *arena, const char *data, size_t len)
{
  return tall_slice (tall_arena_memdup (arena, data, len), len);
}

/* What the iterator points to lives until its next step, so it is copied: all at once where all is
 * wanted. */
static gboolean
decode_current (const TallRocksdbStep *step,
                rocksdb_iterator_t *iterator,
                TallRow *row,
                GError **error)
{
  size_t key_len, value_len;
  const char *key = rocksdb_iter_key (iterator, &key_len);
  const char *value = rocksdb_iter_value (iterator, &value_len);
  if (!filter_wants_all (step))
    return filter_copy (step, tall_slice (key, key_len), tall_slice (value, value_len), row, error);
  return filter_decode (step, copy_bytes (step->arena, key, key_len),
                        copy_bytes (step->arena, value, value_len), row, error);
}

/* Rows without a cell that a scan came by, as they have only delete markers. */
typedef struct
{
  guint64 forgotten; /* number of the last marker that nobody needs */
  guint n_needless;
  guint n_needed;
} Passed;

static TallSlice
get_key (rocksdb_iterator_t *iterator)
{
  size_t len;
  const char *key = rocksdb_iter_key (iterator, &len);
  return tall_slice (key, len);
}

static void
pass (Passed *self, rocksdb_iterator_t *iterator)
{
  guint64 marked;
  size_t len;
  const char *value = rocksdb_iter_value (iterator, &len);
  if (!tall_row_has_only_markers (tall_slice (value, len), &marked))
    return;
  if (marked <= self->forgotten)
    self->n_needless++;
  else
    self->n_needed++;
}

/* @start: the first row; may be empty
 * @stop: the row after the last one; empty: to the end of the table
 *
 * Removes the delete markers which nobody needs from these rows, in the background. */
static void
sweep_range (TallRocksdbDatabase *self, TallRocksdbFamily *family, TallSlice start, TallSlice stop)
{
  g_autoptr (GError) no_room = NULL;
  if (tall_rocksdb_database_check_writable (self, 0, "Sweeping a table", &no_room))
    tall_rocksdb_sweeper_sweep (self->sweeper, family, start, stop);
}

/* Lets go of markers of which a scan has met many on its way to @stop. Where nobody writes, nobody
 * else finds out that markers are not needed any more. */
static void
sweep (TallRocksdbReader *self,
       const TallRocksdbStep *step,
       TallSlice stop,
       const Passed *passed,
       guint n_found)
{
  TallRocksdbDatabase *database = self->database;
  if (passed->n_needless >= MAX (MANY_MARKED, n_found))
    sweep_range (database, step->family, step->read->start, stop);
  else if (passed->n_needed >= MANY_MARKED)
    tall_rocksdb_horizon_leave (database->horizon, tall_rocksdb_database_enter (database));
}

static gboolean
collect_rows (const TallRocksdbStep *step,
              rocksdb_iterator_t *iterator,
              GArray *found,
              Passed *passed,
              gboolean *cut,
              GError **error)
{
  const TallRead *read = step->read;
  gsize n_bytes = 0;
  guint n_seen = 0;
  for (; rocksdb_iter_valid (iterator); rocksdb_iter_next (iterator))
    {
      TallRow row;
      if (++n_seen % GROUP == 0 && !check_deadline (step->deadline, error))
        return FALSE;
      if (!decode_current (step, iterator, &row, error))
        return FALSE;
      if (row.n_cells == 0)
        {
          pass (passed, iterator);
          continue;
        }
      g_array_append_val (found, row);
      if (read->limit != 0 && found->len == read->limit)
        return TRUE;
      n_bytes += tall_row_get_size (&row);
      *cut = read->max_bytes != 0 && n_bytes >= read->max_bytes;
      if (*cut)
        return TRUE;
    }

  char *message = NULL;
  rocksdb_iter_get_error (iterator, &message);
  TallSlice last =
      found->len > 0 ? g_array_index (found, TallRow, found->len - 1).key : read->start;
  const char *what = last.len > 0 ? "Scanning the rows after it" : "Scanning its first rows";
  if (tall_rocksdb_take_error (message, what, error))
    return TRUE;
  tall_rocksdb_family_prefix_row (step->family, last, error);
  return FALSE;
}

/* Whether all rows of the scan begin with the same bytes that the filters have: it ends at the
 * next prefix, or before. */
static gboolean
has_one_prefix (const TallRead *read)
{
  guint8 next[TALL_ROCKSDB_PREFIX];
  guint i = TALL_ROCKSDB_PREFIX;
  if (read->start.len < TALL_ROCKSDB_PREFIX || read->stop.len == 0)
    return FALSE;
  memcpy (next, read->start.data, TALL_ROCKSDB_PREFIX);
  while (i > 0 && ++next[i - 1] == 0)
    i--;
  return i > 0 && tall_slice_compare (read->stop, tall_slice (next, i)) <= 0;
}

static gboolean
scan_rows (TallRocksdbReader *self, const TallRocksdbStep *step, TallRows *rows, GError **error)
{
  const TallRead *read = step->read;
  if (read->stop.len > 0 && tall_slice_compare (read->start, read->stop) >= 0)
    return TRUE;

  g_autoptr (rocksdb_readoptions_t) options = rocksdb_readoptions_create ();
  rocksdb_readoptions_set_verify_checksums (options, 1);
  rocksdb_readoptions_set_fill_cache (options, !read->uncached);
  rocksdb_readoptions_set_total_order_seek (options, !has_one_prefix (read));
  if (read->stop.len > 0)
    rocksdb_readoptions_set_iterate_upper_bound (options, (const char *)read->stop.data,
                                                 read->stop.len);
  g_autoptr (rocksdb_iterator_t) iterator =
      rocksdb_create_iterator_cf (self->db, options, step->family->handle);
  rocksdb_iter_seek (iterator, (const char *)read->start.data, read->start.len);

  g_autoptr (GArray) found = g_array_sized_new (FALSE, FALSE, sizeof (TallRow), USUAL_ROWS);
  Passed passed = { .forgotten = tall_rocksdb_horizon_get (self->database->horizon) };
  gboolean collected = collect_rows (step, iterator, found, &passed, &rows->cut, error);
  sweep (self, step, rocksdb_iter_valid (iterator) ? get_key (iterator) : read->stop, &passed,
         found->len);
  if (!collected)
    return FALSE;
  rows->rows = tall_arena_memdup (step->arena, found->data, found->len * sizeof (TallRow));
  rows->n_rows = found->len;
  return TRUE;
}

/**
 * tall_rocksdb_reader_read:
 * @rows: (out caller-allocates): zeroed before, what was found after
 *
 * In the calling thread RocksDB no longer counts what each look-up and comparison did: nobody here
 * reads that, and of a page of orders it is a tenth of all instructions.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED, %TALL_ERROR_TIMED_OUT or what RocksDB says
 */
gboolean
tall_rocksdb_reader_read (TallRocksdbReader *self,
                          const TallRocksdbStep *step,
                          TallRows *rows,
                          GError **error)
{
  TallRocksdbStep own = *step;
  own.oldest = tall_rocksdb_family_get_oldest (step->family);
  g_autoptr (GArray) passing =
      filter_wants_all (&own) ? NULL
                              : g_array_sized_new (FALSE, FALSE, sizeof (TallCell), USUAL_CELLS);
  own.passing = passing;
  rocksdb_set_perf_level (rocksdb_disable);
  if (own.read->kind == TALL_READ_GET)
    return get_rows (self, &own, rows, error);
  return scan_rows (self, &own, rows, error);
}
