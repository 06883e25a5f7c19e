/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/memory-table.h"

#include "table/table-checks.h"
#include "base/fail.h"

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
} TallMemoryRow;

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

/* Returns: (transfer full): a row without cells */
static TallMemoryRow *
memory_row_new (void)
{
  TallMemoryRow *self = g_new0 (TallMemoryRow, 1);
  self->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  g_array_set_clear_func (self->cells, cell_clear);
  self->exact = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

static void
memory_row_free (TallMemoryRow *self)
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

/* @key: the row's
 * @oldest: milliseconds: cells below it have outlived the table's TTL
 * @rows: what is added to, unless there are none
 *
 * Adds the cells that @read wants; versions are counted among those only. */
static void
memory_row_collect (const TallMemoryRow *self,
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

/* @cell: copied, unless a marker masks it
 * @max_versions: that the table keeps of a qualifier; 0 = all */
static void
memory_row_put (TallMemoryRow *self, TallCell cell, guint max_versions)
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

/* Does what the mutation says. Deletes first, so that a deleted version does not push out a new
 * one. */
static void
memory_row_apply (TallMemoryRow *self, const TallMutation *mutation, guint max_versions)
{
  for (guint i = 0; i < mutation->n_changes; i++)
    if (mutation->changes[i].kind != TALL_CHANGE_PUT)
      delete (self, &mutation->changes[i]);

  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind == TALL_CHANGE_PUT)
        memory_row_put (self, (TallCell){ change->qualifier, change->timestamp, change->value },
                        max_versions);
    }
}

/* @oldest: milliseconds: cells below it have outlived the table's TTL
 * @cell: (out): the newest version of that qualifier, as long as the row is not changed
 *
 * Returns: whether there is one */
static gboolean
memory_row_find_latest (const TallMemoryRow *self,
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

typedef struct
{
  TallTableSpec *spec;
  GTree *rows; /* GBytes row key → TallMemoryRow */
} Table;

struct _TallMemoryTable
{
  TallTable parent_instance;

  gint together;      /* atomic: rows that one step changes at most */
  GMutex mutex;       /* for everything below */
  GHashTable *tables; /* short name → Table */
};

G_DEFINE_FINAL_TYPE (TallMemoryTable, tall_memory_table, TALL_TYPE_TABLE)

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
  table->rows = g_tree_new_full (row_key_compare, NULL, (GDestroyNotify)g_bytes_unref,
                                 (GDestroyNotify)memory_row_free);
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

/* Finds a table whose access admits the call. */
static Table *
enter_table (TallMemoryTable *self, const char *name, gboolean writes, GError **error)
{
  Table *table = find_table (self, name, error);
  return table != NULL && tall_table_access_admits (table->spec->access, name, writes, error)
             ? table
             : NULL;
}

static TallMemoryRow *
find_row (Table *table, TallSlice key)
{
  g_autoptr (GBytes) bytes = slice_bytes (key);
  return g_tree_lookup (table->rows, bytes);
}

static TallMemoryRow *
ensure_row (Table *table, TallSlice key)
{
  TallMemoryRow *row = find_row (table, key);
  if (row == NULL)
    {
      row = memory_row_new ();
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

static void
get_rows (Table *table, const TallRead *read, TallRowsBuilder *rows)
{
  gint64 oldest = table_get_oldest (table);
  for (guint i = 0; i < read->n_keys; i++)
    {
      const TallMemoryRow *row = find_row (table, read->keys[i]);
      if (row != NULL)
        memory_row_collect (row, read->keys[i], read, oldest, rows);
    }
}

/* Returns: whether the scan was cut */
static gboolean
scan_rows (Table *table, const TallRead *read, TallRowsBuilder *rows)
{
  gsize n_bytes = 0;
  gint64 oldest = table_get_oldest (table);
  g_autoptr (GBytes) start = slice_bytes (read->start);
  for (GTreeNode *node = g_tree_lower_bound (table->rows, start); node != NULL;
       node = g_tree_node_next (node))
    {
      TallSlice key = tall_slice_bytes (g_tree_node_key (node));
      if (read->stop.len > 0 && tall_slice_compare (key, read->stop) >= 0)
        return FALSE;
      guint n_rows = rows->rows->len;
      memory_row_collect (g_tree_node_value (node), key, read, oldest, rows);
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
      Table *table = enter_table (self, read->table, FALSE, error);
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

static void
apply_one (Table *table, const TallMutation *mutation)
{
  memory_row_apply (ensure_row (table, mutation->row), mutation, table->spec->max_versions);
}

static gboolean
tall_memory_table_apply (TallTable *base,
                         TallMutation *const *mutations,
                         guint n,
                         TallDurability durability G_GNUC_UNUSED,
                         gint64 deadline G_GNUC_UNUSED,
                         GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);

  for (guint i = 0; i < n; i++)
    {
      Table *table = enter_table (self, mutations[i]->table, TRUE, error);
      if (table == NULL)
        return FALSE;
      apply_one (table, mutations[i]);
    }
  return TRUE;
}

static gboolean
find_latest (Table *table, TallSlice key, TallSlice qualifier, TallCell *cell)
{
  const TallMemoryRow *row = find_row (table, key);
  return row != NULL && memory_row_find_latest (row, qualifier, table_get_oldest (table), cell);
}

/* All or none. */
static gboolean
apply_together (TallMemoryTable *self, TallMutation *const *mutations, guint n, GError **error)
{
  for (guint i = 1; i < n; i++)
    if (enter_table (self, mutations[i]->table, TRUE, error) == NULL)
      return FALSE;
  for (guint i = 0; i < n; i++)
    apply_one (find_table (self, mutations[i]->table, NULL), mutations[i]);
  return TRUE;
}

static gboolean
tall_memory_table_apply_if (TallTable *base,
                            const TallConditionalWrite *write,
                            gboolean *matched,
                            GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);

  for (guint i = 0; i <= write->n_alike; i++)
    {
      TallCell cell;
      const TallMutation *mutation = write->mutations[i];
      Table *table = enter_table (self, mutation->table, TRUE, error);
      if (table == NULL)
        return FALSE;
      gboolean exists = find_latest (table, mutation->row, write->qualifier, &cell);
      if (exists != (write->expected != NULL)
          || (exists && !tall_slice_equal (cell.value, *write->expected)))
        return TRUE;
    }
  *matched = apply_together (self, write->mutations, write->n, error);
  return *matched;
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
  Table *table = enter_table (self, name, TRUE, error);
  if (table == NULL)
    return FALSE;

  TallCell cell;
  gint64 timestamp = g_get_real_time () / 1000;
  guint64 counter = 0;
  if (find_latest (table, key, qualifier, &cell))
    {
      TallReader reader = tall_reader (cell.value);
      counter = tall_reader_u64 (&reader);
      timestamp = MAX (timestamp, cell.timestamp);
      if (!tall_reader_done (&reader))
        return tall_error_fail_invalid (error, NULL,
                                        "Table %s: the cell is not a counter of 8 bytes", name);
    }

  counter += (guint64)delta;
  guint64 stored = GUINT64_TO_BE (counter);
  memory_row_put (ensure_row (table, key),
                  (TallCell){ qualifier, timestamp, tall_slice (&stored, sizeof stored) },
                  table->spec->max_versions);
  *value = (gint64)counter;
  return TRUE;
}

static gboolean
tall_memory_table_create_table (TallTable *base,
                                const TallTableSpec *spec,
                                gint64 deadline G_GNUC_UNUSED,
                                GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);

  if (g_hash_table_contains (self->tables, spec->name))
    return tall_error_fail_conflict (error, 0, "Table %s exists already", spec->name);
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

static gboolean
tall_memory_table_set_access (TallTable *base,
                              const char *name,
                              TallTableAccess access,
                              const char *seal,
                              gint64 deadline G_GNUC_UNUSED,
                              GError **error)
{
  TallMemoryTable *self = TALL_MEMORY_TABLE (base);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  const Table *table = find_table (self, name, error);
  const TallTableShutter to = { access, seal };

  if (table == NULL)
    return FALSE;
  tall_table_shutter_apply (&to, table->spec);
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
  g_ptr_array_add (names, NULL);
  return (GStrv)g_ptr_array_steal (names, NULL);
}

static void
tall_memory_table_get_info (TallTable *base, TallTableInfo *info)
{
  info->kind = "memory";
  info->false_is_final = TRUE;
  info->is_exclusive = TRUE;
  info->together = (guint)g_atomic_int_get (&TALL_MEMORY_TABLE (base)->together);
}

static void
tall_memory_table_init (TallMemoryTable *self)
{
  self->together = 1;
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
  table->set_access = tall_memory_table_set_access;
  table->describe_table = tall_memory_table_describe_table;
  table->list_tables = tall_memory_table_list_tables;
  table->get_info = tall_memory_table_get_info;
  G_OBJECT_CLASS (klass)->finalize = tall_memory_table_finalize;
}

/**
 * tall_memory_table_new:
 *
 * A store in memory, for tests and as the reference that the others are compared with: everything
 * under one mutex, nothing clever. Its content is freed with its last reference. As in HBase, a
 * step changes one row, unless tall_memory_table_set_together() says otherwise.
 *
 * Returns: (transfer full): a store without tables
 */
TallTable *
tall_memory_table_new (void)
{
  return g_object_new (TALL_TYPE_MEMORY_TABLE, NULL);
}

/**
 * tall_memory_table_set_together:
 * @n: rows that one step changes from now on, at most
 */
void
tall_memory_table_set_together (TallMemoryTable *self, guint n)
{
  g_return_if_fail (TALL_IS_MEMORY_TABLE (self));
  g_return_if_fail (n > 0);

  g_atomic_int_set (&self->together, (gint)n);
}
