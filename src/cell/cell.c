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

TallBatch *
tall_batch_new (void)
{
  TallBatch *self = g_new (TallBatch, 1);
  self->arena = tall_arena_new (0);
  self->mutations = g_ptr_array_new ();
  return self;
}

void
tall_batch_free (TallBatch *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->mutations);
  tall_arena_free (self->arena);
  g_free (self);
}

/**
 * tall_batch_add:
 * @table: short name of the table, a static string
 * @row: the row key, copied
 *
 * Returns: (transfer none): a new, empty mutation of that row, owned by the batch. A row must not
 *   be added twice: the order in which two mutations of a batch happen is not defined.
 */
TallMutation *
tall_batch_add (TallBatch *self, const char *table, TallSlice row)
{
  TallMutation *mutation = tall_arena_new0 (self->arena, TallMutation);
  mutation->table = table;
  mutation->row = tall_slice_dup (self->arena, row);
  g_ptr_array_add (self->mutations, mutation);
  return mutation;
}

static TallChange *
mutation_grow (TallBatch *batch, TallMutation *self)
{
  if (self->n_changes == self->n_allocated)
    {
      guint room = self->n_allocated == 0 ? 8 : self->n_allocated * 2;
      TallChange *changes = tall_arena_newa0 (batch->arena, TallChange, room);
      if (self->n_changes > 0)
        memcpy (changes, self->changes, self->n_changes * sizeof (TallChange));
      self->changes = changes;
      self->n_allocated = room;
    }
  return &self->changes[self->n_changes++];
}

/**
 * tall_mutation_put:
 * @batch: the batch of @self
 * @qualifier: not copied: it must live as long as @batch (static, or in its arena)
 * @value: not copied, like @qualifier
 */
void
tall_mutation_put (
    TallBatch *batch, TallMutation *self, TallSlice qualifier, gint64 timestamp, TallSlice value)
{
  *mutation_grow (batch, self) = (TallChange){
    .kind = TALL_CHANGE_PUT,
    .timestamp = timestamp,
    .qualifier = qualifier,
    .value = value,
  };
}

void
tall_mutation_delete_up_to (TallBatch *batch, TallMutation *self, gint64 timestamp)
{
  *mutation_grow (batch, self) =
      (TallChange){ .kind = TALL_CHANGE_DELETE_UP_TO, .timestamp = timestamp };
}

/**
 * tall_mutation_delete_at:
 *
 * Deletes the cells with this timestamp, and leaves what stands below them. A timestamp that is
 * deleted already is not deleted again, so that this may be called for each cell of a row.
 */
void
tall_mutation_delete_at (TallBatch *batch, TallMutation *self, gint64 timestamp)
{
  for (guint i = 0; i < self->n_changes; i++)
    if (self->changes[i].kind == TALL_CHANGE_DELETE_AT && self->changes[i].timestamp == timestamp)
      return;
  *mutation_grow (batch, self) =
      (TallChange){ .kind = TALL_CHANGE_DELETE_AT, .timestamp = timestamp };
}

/**
 * tall_mutation_get_size:
 *
 * Returns: bytes of keys, qualifiers and values, plus 16 for each change. Batches are split by this
 *   size
 */
gsize
tall_mutation_get_size (const TallMutation *self)
{
  gsize size = self->row.len;
  for (guint i = 0; i < self->n_changes; i++)
    size += self->changes[i].qualifier.len + self->changes[i].value.len + 16;
  return size;
}

TallReadPlan *
tall_read_plan_new (void)
{
  TallReadPlan *self = g_new (TallReadPlan, 1);
  self->arena = tall_arena_new (512);
  self->reads = g_ptr_array_new ();
  return self;
}

void
tall_read_plan_free (TallReadPlan *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->reads);
  tall_arena_free (self->arena);
  g_free (self);
}

static TallRead *
plan_add (TallReadPlan *self, TallReadKind kind, const char *table)
{
  TallRead *read = tall_arena_new0 (self->arena, TallRead);
  read->kind = kind;
  read->table = table;
  read->max_timestamp = G_MAXINT64;
  g_ptr_array_add (self->reads, read);
  return read;
}

/**
 * tall_read_plan_add_get:
 * @table: short name of the table, a static string
 * @key: row key, copied
 *
 * Returns: (transfer none): the read, for the caller to narrow
 */
TallRead *
tall_read_plan_add_get (TallReadPlan *self, const char *table, TallSlice key)
{
  return tall_read_plan_add_gets (self, table, &key, 1);
}

/**
 * tall_read_plan_add_gets:
 * @table: short name of the table, a static string
 * @keys: row keys, copied
 *
 * Returns: (transfer none): the read, for the caller to narrow
 */
TallRead *
tall_read_plan_add_gets (TallReadPlan *self, const char *table, const TallSlice *keys, guint n_keys)
{
  TallRead *read = plan_add (self, TALL_READ_GET, table);
  read->keys = tall_arena_newa0 (self->arena, TallSlice, n_keys);
  read->n_keys = n_keys;
  for (guint i = 0; i < n_keys; i++)
    read->keys[i] = tall_slice_dup (self->arena, keys[i]);
  return read;
}

/**
 * tall_read_plan_add_scan:
 * @table: short name of the table, a static string
 * @start: the first row key, copied
 * @stop: the first row key not wanted, copied; empty = to the end of the table
 *
 * Returns: (transfer none): the read, for the caller to narrow
 */
TallRead *
tall_read_plan_add_scan (TallReadPlan *self, const char *table, TallSlice start, TallSlice stop)
{
  TallRead *read = plan_add (self, TALL_READ_SCAN, table);
  read->start = tall_slice_dup (self->arena, start);
  read->stop = tall_slice_dup (self->arena, stop);
  return read;
}

/**
 * tall_read_plan_add_prefix_scan:
 *
 * Adds a scan of all rows whose keys begin with @prefix.
 *
 * Returns: (transfer none): the read, for the caller to narrow
 */
TallRead *
tall_read_plan_add_prefix_scan (TallReadPlan *self, const char *table, TallSlice prefix)
{
  TallSlice stop = tall_slice_after_prefix (self->arena, prefix);
  return tall_read_plan_add_scan (self, table, prefix, stop);
}

/**
 * tall_read_plan_set_timestamp:
 *
 * Narrows every read of the plan to the cells that have exactly this timestamp.
 */
void
tall_read_plan_set_timestamp (TallReadPlan *self, gint64 timestamp)
{
  for (guint i = 0; i < self->reads->len; i++)
    {
      TallRead *read = tall_read_plan_get (self, i);
      read->min_timestamp = timestamp;
      read->max_timestamp = timestamp + 1;
    }
}

/**
 * tall_read_plan_set_uncached:
 *
 * Says of every read of the plan that a table need not keep in memory what it reads.
 */
void
tall_read_plan_set_uncached (TallReadPlan *self)
{
  for (guint i = 0; i < self->reads->len; i++)
    tall_read_plan_get (self, i)->uncached = TRUE;
}

/**
 * tall_read_result_new:
 *
 * Returns: a result without rows, for a table to fill
 */
TallReadResult *
tall_read_result_new (guint n_results)
{
  TallReadResult *self = g_new (TallReadResult, 1);
  self->arena = tall_arena_new (0);
  self->results = tall_arena_newa0 (self->arena, TallRows, n_results);
  self->n_results = n_results;
  return self;
}

void
tall_read_result_free (TallReadResult *self)
{
  if (self == NULL)
    return;
  tall_arena_free (self->arena);
  g_free (self);
}
