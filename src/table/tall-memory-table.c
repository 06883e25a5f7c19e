/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-memory-table.h"

#include "tall-error.h"

typedef struct
{
  GBytes *qualifier;
  gint64 timestamp;
  GBytes *value;
} Cell;

/* Only visible cells are kept: what a marker masks is removed by it or not put at all. */
typedef struct
{
  GArray *cells; /* of Cell, by qualifier, then from the newest to the oldest */
  gint64 up_to;  /* cells at or below it are deleted; 0 = none */
  GArray *exact; /* of gint64: timestamps above up_to whose cells are deleted */
} Row;

typedef struct
{
  TallTableSpec *spec;
  GTree *rows; /* GBytes row key → Row */
} Table;

struct _TallMemoryTable
{
  TallTable parent_instance;

  GMutex mutex;       /* for everything below */
  GHashTable *tables; /* short name → Table */
};

G_DEFINE_FINAL_TYPE (TallMemoryTable, tall_memory_table, TALL_TYPE_TABLE)

static TallSlice
bytes_slice (GBytes *bytes)
{
  gsize len;
  const guint8 *data = g_bytes_get_data (bytes, &len);
  return tall_slice (data, len);
}

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

static Row *
row_new (void)
{
  Row *row = g_new0 (Row, 1);
  row->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  g_array_set_clear_func (row->cells, cell_clear);
  row->exact = g_array_new (FALSE, FALSE, sizeof (gint64));
  return row;
}

static void
row_free (gpointer data)
{
  Row *row = data;
  g_array_unref (row->cells);
  g_array_unref (row->exact);
  g_free (row);
}

static int
row_key_compare (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return g_bytes_compare (a, b);
}

static Table *
table_new (const TallTableSpec *spec)
{
  Table *table = g_new (Table, 1);
  table->spec = tall_table_spec_copy (spec);
  table->rows = g_tree_new_full (row_key_compare, NULL, (GDestroyNotify)g_bytes_unref, row_free);
  return table;
}

static void
table_free (gpointer data)
{
  Table *table = data;
  tall_table_spec_free (table->spec);
  g_tree_unref (table->rows);
  g_free (table);
}

static Table *
find_table (TallMemoryTable *self, const char *name, GError **error)
{
  Table *table = g_hash_table_lookup (self->tables, name);
  if (table == NULL)
    tall_error_set_detailed (error, TALL_ERROR_NOT_FOUND, "in memory", "Table %s does not exist",
                             name);
  return table;
}

static Row *
find_row (Table *table, TallSlice key)
{
  g_autoptr (GBytes) bytes = slice_bytes (key);
  return g_tree_lookup (table->rows, bytes);
}

static Row *
ensure_row (Table *table, TallSlice key)
{
  Row *row = find_row (table, key);
  if (row == NULL)
    {
      row = row_new ();
      g_tree_insert (table->rows, slice_bytes (key), row);
    }
  return row;
}

/* Milliseconds: cells below it have outlived the table's TTL. */
static gint64
table_get_oldest (const Table *table)
{
  gint64 now = g_get_real_time () / 1000;
  if (table->spec->ttl == 0 || table->spec->ttl > (guint64)now / 1000)
    return 0;
  return now - (gint64)table->spec->ttl * 1000;
}

/* Reading */

static gboolean
read_wants_qualifier (const TallRead *read, TallSlice qualifier)
{
  for (guint i = 0; i < read->n_qualifiers; i++)
    if (tall_slice_equal (read->qualifiers[i], qualifier))
      return TRUE;
  return read->n_qualifiers == 0;
}

static gboolean
read_wants_cell (const TallRead *read, gint64 oldest, const Cell *cell)
{
  return cell->timestamp >= MAX (read->min_timestamp, oldest)
         && cell->timestamp < read->max_timestamp
         && read_wants_qualifier (read, bytes_slice (cell->qualifier));
}

/* Adds the cells of one row that @read wants; versions are counted among those only. */
static void
collect_row (
    const Table *table, const TallRead *read, TallSlice key, const Row *row, TallRowsBuilder *rows)
{
  gint64 oldest = table_get_oldest (table);
  GBytes *qualifier = NULL;
  guint versions = 0;

  for (guint i = 0; i < row->cells->len; i++)
    {
      const Cell *cell = &g_array_index (row->cells, Cell, i);
      if (!read_wants_cell (read, oldest, cell))
        continue;
      if (qualifier == NULL || !g_bytes_equal (qualifier, cell->qualifier))
        versions = 0;
      qualifier = cell->qualifier;
      if (read->max_versions != 0 && versions == read->max_versions)
        continue;
      versions++;
      tall_rows_builder_add_cell (
          rows, (TallCell){
                    .qualifier = tall_slice_dup (rows->arena, bytes_slice (cell->qualifier)),
                    .timestamp = cell->timestamp,
                    .value = tall_slice_dup (rows->arena, bytes_slice (cell->value)),
                });
    }

  if (rows->cells->len > 0)
    tall_rows_builder_end_row (rows, tall_slice_dup (rows->arena, key));
}

static void
get_rows (Table *table, const TallRead *read, TallRowsBuilder *rows)
{
  for (guint i = 0; i < read->n_keys; i++)
    {
      const Row *row = find_row (table, read->keys[i]);
      if (row != NULL)
        collect_row (table, read, read->keys[i], row, rows);
    }
}

/* Returns: whether the scan was cut */
static gboolean
scan_rows (Table *table, const TallRead *read, TallRowsBuilder *rows)
{
  gsize n_bytes = 0;
  g_autoptr (GBytes) start = slice_bytes (read->start);
  for (GTreeNode *node = g_tree_lower_bound (table->rows, start); node != NULL;
       node = g_tree_node_next (node))
    {
      TallSlice key = bytes_slice (g_tree_node_key (node));
      if (read->stop.len > 0 && tall_slice_compare (key, read->stop) >= 0)
        return FALSE;
      guint n_rows = rows->rows->len;
      collect_row (table, read, key, g_tree_node_value (node), rows);
      if (read->limit != 0 && rows->rows->len == read->limit)
        return FALSE;
      if (rows->rows->len > n_rows)
        n_bytes += tall_row_get_size (&g_array_index (rows->rows, TallRow, n_rows));
      if (read->max_bytes != 0 && n_bytes >= read->max_bytes)
        return TRUE;
    }
  return FALSE;
}

static TallReadResult *
tall_memory_table_read (TallTable *base,
                        const TallReadPlan *plan,
                        gint64 deadline G_GNUC_UNUSED,
                        GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  g_autoptr (TallReadResult) result = tall_read_result_new (plan->reads->len);

  for (guint i = 0; i < plan->reads->len; i++)
    {
      const TallRead *read = tall_read_plan_get (plan, i);
      Table *table = find_table (self, read->table, error);
      if (table == NULL)
        return NULL;

      TallRowsBuilder rows;
      gboolean cut = FALSE;
      tall_rows_builder_init (&rows, result->arena);
      if (read->kind == TALL_READ_GET)
        get_rows (table, read, &rows);
      else
        cut = scan_rows (table, read, &rows);
      tall_rows_builder_finish (&rows, &result->results[i]);
      result->results[i].cut = cut;
    }

  return g_steal_pointer (&result);
}

/* Writing */

static gboolean
row_masks (const Row *row, gint64 timestamp)
{
  for (guint i = 0; i < row->exact->len; i++)
    if (g_array_index (row->exact, gint64, i) == timestamp)
      return TRUE;
  return timestamp <= row->up_to;
}

static void
row_remove_masked (Row *row)
{
  for (guint i = row->cells->len; i > 0; i--)
    if (row_masks (row, g_array_index (row->cells, Cell, i - 1).timestamp))
      g_array_remove_index (row->cells, i - 1);
}

static void
row_delete (Row *row, const TallChange *change)
{
  if (change->kind == TALL_CHANGE_DELETE_UP_TO)
    row->up_to = MAX (row->up_to, change->timestamp);
  else if (!row_masks (row, change->timestamp))
    g_array_append_val (row->exact, change->timestamp);
  row_remove_masked (row);
}

static int
cell_compare (const Cell *cell, TallSlice qualifier, gint64 timestamp)
{
  int order = tall_slice_compare (bytes_slice (cell->qualifier), qualifier);
  if (order != 0)
    return order;
  return cell->timestamp == timestamp ? 0 : cell->timestamp > timestamp ? -1 : 1;
}

/* The position of a cell, or where it would be: of the first one that does not come before it. */
static guint
row_locate (const Row *row, TallSlice qualifier, gint64 timestamp)
{
  guint low = 0;
  guint high = row->cells->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (cell_compare (&g_array_index (row->cells, Cell, middle), qualifier, timestamp) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
row_put (Row *row, TallSlice qualifier, gint64 timestamp, TallSlice value)
{
  if (row_masks (row, timestamp))
    return;

  Cell cell = { slice_bytes (qualifier), timestamp, slice_bytes (value) };
  guint i = row_locate (row, qualifier, timestamp);
  if (i < row->cells->len
      && cell_compare (&g_array_index (row->cells, Cell, i), qualifier, timestamp) == 0)
    g_array_remove_index (row->cells, i);
  g_array_insert_val (row->cells, i, cell);
}

/* Removes the oldest versions of a cell that the table does not keep. */
static void
row_prune (Row *row, TallSlice qualifier, guint max_versions)
{
  guint first = row_locate (row, qualifier, G_MAXINT64);
  guint end = row_locate (row, qualifier, 0);
  if (max_versions != 0 && end - first > max_versions)
    g_array_remove_range (row->cells, first + max_versions, end - first - max_versions);
}

/* Deletes first, so that a deleted version does not push out a new one. */
static void
apply_one (Table *table, const TallMutation *mutation)
{
  Row *row = ensure_row (table, mutation->row);

  for (guint i = 0; i < mutation->n_changes; i++)
    if (mutation->changes[i].kind != TALL_CHANGE_PUT)
      row_delete (row, &mutation->changes[i]);

  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind != TALL_CHANGE_PUT)
        continue;
      row_put (row, change->qualifier, change->timestamp, change->value);
      row_prune (row, change->qualifier, table->spec->max_versions);
    }
}

static gboolean
tall_memory_table_apply (TallTable *base,
                         TallMutation *const *mutations,
                         guint n,
                         TallDurability durability G_GNUC_UNUSED,
                         gint64 deadline G_GNUC_UNUSED,
                         gboolean *done,
                         GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);

  for (guint i = 0; i < n; i++)
    {
      Table *table = find_table (self, mutations[i]->table, error);
      if (table == NULL)
        return FALSE;
      apply_one (table, mutations[i]);
      if (done != NULL)
        done[i] = TRUE;
    }
  return TRUE;
}

static const Cell *
find_latest (Table *table, TallSlice key, TallSlice qualifier)
{
  const Row *row = find_row (table, key);
  if (row == NULL)
    return NULL;

  guint i = row_locate (row, qualifier, G_MAXINT64);
  if (i == row->cells->len)
    return NULL;
  const Cell *cell = &g_array_index (row->cells, Cell, i);
  if (!tall_slice_equal (bytes_slice (cell->qualifier), qualifier)
      || cell->timestamp < table_get_oldest (table))
    return NULL;
  return cell;
}

static gboolean
tall_memory_table_apply_if (TallTable *base,
                            const TallMutation *mutation,
                            TallSlice qualifier,
                            const TallSlice *expected,
                            TallDurability durability G_GNUC_UNUSED,
                            gint64 deadline G_GNUC_UNUSED,
                            gboolean *matched,
                            GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  Table *table = find_table (self, mutation->table, error);
  if (table == NULL)
    return FALSE;

  const Cell *cell = find_latest (table, mutation->row, qualifier);
  if (expected == NULL || cell == NULL)
    *matched = expected == NULL && cell == NULL;
  else
    *matched = tall_slice_equal (bytes_slice (cell->value), *expected);
  if (*matched)
    apply_one (table, mutation);
  return TRUE;
}

static gboolean
tall_memory_table_increment (TallTable *base,
                             const char *name,
                             TallSlice key,
                             TallSlice qualifier,
                             gint64 delta,
                             gint64 deadline G_GNUC_UNUSED,
                             gint64 *value,
                             GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  Table *table = find_table (self, name, error);
  if (table == NULL)
    return FALSE;

  const Cell *cell = find_latest (table, key, qualifier);
  gint64 timestamp = g_get_real_time () / 1000;
  guint64 counter = 0;
  if (cell != NULL)
    {
      TallReader reader = tall_reader (bytes_slice (cell->value));
      counter = tall_reader_u64 (&reader);
      timestamp = MAX (timestamp, cell->timestamp);
      if (!tall_reader_done (&reader))
        {
          tall_error_set_invalid (error, NULL, "Table %s: the cell is not a counter of 8 bytes",
                                  name);
          return FALSE;
        }
    }

  counter += (guint64)delta;
  guint64 stored = GUINT64_TO_BE (counter);
  Row *row = ensure_row (table, key);
  row_put (row, qualifier, timestamp, tall_slice (&stored, sizeof stored));
  row_prune (row, qualifier, table->spec->max_versions);
  *value = (gint64)counter;
  return TRUE;
}

/* Tables */

static gboolean
tall_memory_table_create_table (TallTable *base,
                                const TallTableSpec *spec,
                                gint64 deadline G_GNUC_UNUSED,
                                GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);

  if (g_hash_table_contains (self->tables, spec->name))
    {
      tall_error_set_conflict (error, 0, "Table %s exists already", spec->name);
      return FALSE;
    }
  g_hash_table_insert (self->tables, g_strdup (spec->name), table_new (spec));
  return TRUE;
}

static gboolean
tall_memory_table_drop_table (TallTable *base,
                              const char *name,
                              gint64 deadline G_GNUC_UNUSED,
                              GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);

  if (find_table (self, name, error) == NULL)
    return FALSE;
  g_hash_table_remove (self->tables, name);
  return TRUE;
}

static TallTableSpec *
tall_memory_table_describe_table (TallTable *base,
                                  const char *name,
                                  gint64 deadline G_GNUC_UNUSED,
                                  GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  const Table *table = find_table (self, name, error);
  return table == NULL ? NULL : tall_table_spec_copy (table->spec);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static GStrv
tall_memory_table_list_tables (TallTable *base,
                               gint64 deadline G_GNUC_UNUSED,
                               GError **error G_GNUC_UNUSED)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, self->tables);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (GStrv)g_ptr_array_steal (names, NULL);
}

static void
tall_memory_table_get_info (TallTable *base G_GNUC_UNUSED, TallTableInfo *info)
{
  info->kind = "memory";
  info->false_is_final = TRUE;
}

static void
tall_memory_table_init (TallMemoryTable *self)
{
  g_mutex_init (&self->mutex);
  self->tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, table_free);
}

static void
tall_memory_table_finalize (GObject *object)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (object);
  g_hash_table_unref (self->tables);
  g_mutex_clear (&self->mutex);
  G_OBJECT_CLASS (tall_memory_table_parent_class)->finalize (object);
}

static void
tall_memory_table_class_init (TallMemoryTableClass *klass)
{
  TallTableClass *table = TALL_TABLE_CLASS (klass);
  table->read = tall_memory_table_read;
  table->apply = tall_memory_table_apply;
  table->apply_if = tall_memory_table_apply_if;
  table->increment = tall_memory_table_increment;
  table->create_table = tall_memory_table_create_table;
  table->drop_table = tall_memory_table_drop_table;
  table->describe_table = tall_memory_table_describe_table;
  table->list_tables = tall_memory_table_list_tables;
  table->get_info = tall_memory_table_get_info;
  G_OBJECT_CLASS (klass)->finalize = tall_memory_table_finalize;
}

/**
 * tall_memory_table_new:
 *
 * A store in memory, for tests and as the reference that the others are compared with: everything
 * under one mutex, nothing clever. Its content is freed with its last reference.
 *
 * Returns: (transfer full): a store without tables
 */
TallTable *
tall_memory_table_new (void)
{
  return g_object_new (TALL_TYPE_MEMORY_TABLE, NULL);
}
