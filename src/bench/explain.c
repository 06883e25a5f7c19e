/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/explain.h"
#include "base/fail.h"
#include "table/memory-table.h"
#include "store/read/index.h"
#include "table/table-kind.h"

#define TIMEOUT (60 * G_USEC_PER_SEC)
#define STATE_COLUMN "s"

static void
row_free (gpointer data)
{
  TallExplainedRow *row = data;
  g_array_unref (row->parts);
  g_free (row);
}

static void
entry_free (gpointer data)
{
  TallExplainedEntry *entry = data;
  g_free (entry->index);
  g_byte_array_unref (entry->key);
  g_free (entry);
}

void
tall_explanation_free (TallExplanation *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->entries);
  g_clear_pointer (&self->plan, tall_read_plan_free);
  g_clear_pointer (&self->result, tall_read_result_free);
  g_free (self);
}

static TallExplanation *
explanation_new (const TallLayout *layout, const TallKeyStrategy *key_strategy)
{
  TallExplanation *self = g_new0 (TallExplanation, 1);
  self->layout = layout;
  self->key_strategy = key_strategy;
  self->now = g_get_real_time () / 1000;
  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->entries = g_ptr_array_new_with_free_func (entry_free);
  return self;
}

static gboolean
has_row (const TallExplanation *self, const char *table, TallSlice key)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      const TallExplainedRow *row = g_ptr_array_index (self->rows, i);
      if (g_str_equal (row->table, table) && tall_slice_equal (row->row->key, key))
        return TRUE;
    }
  return FALSE;
}

static gsize
count_bytes (const TallRow *row)
{
  gsize n = row->key.len;
  for (guint i = 0; i < row->n_cells; i++)
    n += row->cells[i].qualifier.len + row->cells[i].value.len;
  return n;
}

static void
add_row (TallExplanation *self, const char *table, const TallRow *row)
{
  TallExplainedRow *added = g_new0 (TallExplainedRow, 1);
  added->table = table;
  added->row = row;
  added->parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  self->layout->name_parts (self->key_strategy, table, row->key, added->parts);
  added->bytes = count_bytes (row);
  self->n_cells += row->n_cells;
  self->n_bytes += added->bytes;
  g_ptr_array_add (self->rows, added);
}

static gboolean
read_revision (TallExplanation *self, const TallOrderKey *key, GError **error)
{
  g_autoptr (GByteArray) root_key = g_byte_array_new ();
  const char *table = self->layout->locate_order (key, root_key);
  const TallRow *root = NULL;
  for (guint i = 0; i < self->result->n_results && root == NULL; i++)
    if (g_str_equal (tall_read_plan_get (self->plan, i)->table, table))
      root = tall_rows_find (&self->result->results[i], tall_slice_array (root_key));

  const TallCell *cell =
      root == NULL ? NULL : tall_row_find_latest (root, tall_slice_str (STATE_COLUMN));
  TallState state;
  if (cell == NULL)
    return tall_error_fail (error, TALL_ERROR_NOT_FOUND, "The order has no root row (any more)");
  if (!tall_state_decode (cell->value, &state, error))
    return FALSE;
  self->revision = state.revision;
  return TRUE;
}

/* Finds out which region of its table each row lies in. */
static gboolean
find_regions (TallExplanation *self, TallTable *table, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + TIMEOUT;
  g_autoptr (GHashTable) specs =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)tall_table_spec_free);
  for (guint i = 0; i < self->rows->len; i++)
    {
      TallExplainedRow *row = g_ptr_array_index (self->rows, i);
      TallTableSpec *spec = g_hash_table_lookup (specs, row->table);
      if (spec == NULL)
        spec = tall_table_describe_table (table, row->table, deadline, error);
      if (spec == NULL)
        return FALSE;
      if (!g_hash_table_contains (specs, row->table))
        g_hash_table_insert (specs, (gpointer)row->table, spec);
      row->region = tall_table_spec_find_region (spec, row->row->key);
      row->regions = tall_table_spec_count_regions (spec);
    }
  return TRUE;
}

/* Each with the name of its index, the hint by date first. */
static gboolean
add_entries (TallExplanation *self, TallStore *store, const GArray *hints, GError **error)
{
  g_autoptr (TallDescription) description = tall_front_describe (TALL_FRONT (store), error);
  for (guint i = 0; description != NULL && i < hints->len; i++)
    {
      const TallHint *hint = tall_index_get (hints, i);
      gboolean by_date = g_str_equal (hint->table, TALL_INDEX_TABLE);
      guint number = by_date ? 0 : hint->row->data[0]; /* of its index, from 1 */
      if (number > description->n_indexes)
        return tall_error_fail (error, TALL_ERROR_CONFLICT, "The indexes have changed meanwhile");
      const TallExplainedEntry entry = { g_strdup (by_date ? description->index
                                                           : description->indexes[number - 1]),
                                         hint->table, g_byte_array_ref (hint->row), 0 };
      g_ptr_array_insert (self->entries, by_date ? 0 : -1, g_memdup2 (&entry, sizeof entry));
    }
  return description != NULL;
}

/* Reads the rows by which the order is found. */
static gboolean
read_entries (TallExplanation *self,
              TallStore *store,
              const TallOrderKey *key,
              const TallOrder *order,
              GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autoptr (GArray) hints = tall_store_list_hints (store, key, order);
  if (!add_entries (self, store, hints, error))
    return FALSE;
  for (guint i = 0; i < self->entries->len; i++)
    {
      const TallExplainedEntry *entry = g_ptr_array_index (self->entries, i);
      tall_read_plan_add_get (plan, entry->table, tall_slice_array (entry->key))->max_versions = 1;
    }
  g_autoptr (TallReadResult) result = tall_table_read (tall_store_get_counting (store), plan,
                                                       g_get_monotonic_time () + TIMEOUT, error);
  for (guint i = 0; result != NULL && i < self->entries->len; i++)
    if (result->results[i].n_rows > 0)
      ((TallExplainedEntry *)g_ptr_array_index (self->entries, i))->bytes =
          count_bytes (result->results[i].rows);
  return result != NULL;
}

/* Reads the order's rows as they lie, with all versions of their cells. */
static gboolean
read_rows (TallExplanation *self, TallStore *store, const TallOrder *order, GError **error)
{
  g_auto (TallOrderKey) key = { 0 };
  TallTable *table = tall_store_get_counting (store);
  guint64 id;
  if (!tall_store_find_id (store, order->customer_number, &id, error))
    return FALSE;
  tall_order_key_init (&key, self->key_strategy, order->customer_number, id, order->order_number);
  self->plan = tall_read_plan_new ();
  self->layout->plan_order (&key, self->plan);
  self->result = tall_table_read (table, self->plan, g_get_monotonic_time () + TIMEOUT, error);
  if (self->result == NULL || !read_revision (self, &key, error))
    return FALSE;

  for (guint i = 0; i < self->result->n_results; i++)
    {
      const char *name = tall_read_plan_get (self->plan, i)->table;
      const TallRows *rows = &self->result->results[i];
      for (guint k = 0; k < rows->n_rows; k++)
        if (!has_row (self, name, rows->rows[k].key))
          add_row (self, name, &rows->rows[k]);
    }
  return find_regions (self, table, error) && read_entries (self, store, &key, order, error);
}

static gboolean
measure_get (
    TallTable *counting, TallStore *store, const TallOrder *order, TallCost *cost, GError **error)
{
  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  g_autoptr (TallOrder) fetched = tall_front_get_order (TALL_FRONT (store), order->customer_number,
                                                        order->order_number, NULL, error);
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), cost);
  return fetched != NULL;
}

/* Of each part; of the first location. */
static gboolean
measure_parts (TallTable *counting,
               TallStore *store,
               const TallOrder *order,
               TallExplanation *self,
               GError **error)
{
  const TallOrderId id = { order->customer_number, order->order_number };
  self->location = order->n_shipping_locations > 0 ? order->shipping_locations[0]->number : 0;
  guint last = self->location != 0 ? TALL_PART_LOCATION : TALL_PART_HEADER;
  for (guint kind = TALL_PART_SUMMARY; kind <= last; kind++)
    {
      const TallOrderPart part = { (TallPartKind)kind, self->location };
      TallOutcome outcome = { 0 };
      tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
      gboolean done = tall_front_get_parts (TALL_FRONT (store), &id, 1, &part, &outcome, error);
      tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), &self->parts[kind]);
      if (outcome.error != NULL)
        g_propagate_error (error, g_steal_pointer (&outcome.error));
      done = done && outcome.order != NULL;
      tall_outcome_clear (&outcome);
      if (!done)
        return FALSE;
    }
  return TRUE;
}

static gboolean
measure_put (
    TallTable *counting, TallStore *store, TallOrder *order, TallCost *cost, GError **error)
{
  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  gboolean done = tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, error);
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), cost);
  return done;
}

/* Two puts within a millisecond would write the entries twice. */
static gint64
count_time (gpointer now)
{
  return *(gint64 *)now += 2;
}

/* Puts an order into a deployment in memory, and puts it again.
 *
 * Returns: (transfer full): the store, on a counting table; NULL if the order is not valid */
static TallStore *
try_puts (TallExplanation *self,
          const char *indexes,
          TallOrder *order,
          TallCost *put,
          TallCost *again,
          GError **error)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) counting = tall_counting_table_new (memory);
  TallStoreSettings settings = { .layout = self->layout, .key_strategy = self->key_strategy };
  if (!tall_indexes_parse (indexes, &settings.index, &settings.indexes, error)
      || !tall_store_create (counting, &settings, error))
    return NULL;
  const TallStoreHooks hooks = { .now = count_time, .data = &self->now };
  g_autoptr (TallStore) store = tall_store_open (counting, NULL, NULL, &hooks, error);
  if (store == NULL || !measure_put (counting, store, order, put, error)
      || !measure_put (counting, store, order, again, error))
    return NULL;
  return g_steal_pointer (&store);
}

/**
 * tall_explain_trial:
 * @indexes: (nullable): as tall_indexes_parse() takes them
 * @order: put in order by this
 *
 * Stores and fetches an order in a deployment in memory.
 *
 * Returns: (transfer full): what it found; NULL if the order is not valid
 */
TallExplanation *
tall_explain_trial (const TallLayout *layout,
                    const TallKeyStrategy *key_strategy,
                    const char *indexes,
                    TallOrder *order,
                    GError **error)
{
  g_autoptr (TallExplanation) self = explanation_new (layout, key_strategy);
  g_autoptr (TallStore) store = try_puts (self, indexes, order, &self->put, &self->again, error);
  g_autoptr (TallStore) bare =
      store != NULL ? try_puts (self, "none", order, &self->bare_put, &self->bare_again, error)
                    : NULL;
  if (bare == NULL)
    return NULL;
  TallTable *counting = tall_store_get_table (store);
  if (!measure_get (counting, store, order, &self->get, error)
      || !measure_parts (counting, store, order, self, error)
      || !read_rows (self, store, order, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * tall_explain_stored:
 * @indexes: those of the store, as tall_indexes_parse() takes them
 * @order: one that is stored
 *
 * Reads an order's rows where they are, and counts what a get of it does there. The cost of a put
 * is that of a trial in memory.
 *
 * Returns: (transfer full): what it found; NULL if it cannot be read
 */
TallExplanation *
tall_explain_stored (TallStore *store, const char *indexes, const TallOrder *order, GError **error)
{
  const TallLayout *layout = tall_store_get_layout (store);
  const TallKeyStrategy *key_strategy = tall_store_get_key_strategy (store);
  TallTable *table = tall_store_get_table (store);
  g_autoptr (TallTable) counting = tall_counting_table_new (table);
  g_autoptr (TallStore) counted = tall_store_open (counting, NULL, NULL, NULL, error);
  if (counted == NULL)
    return NULL;
  g_autoptr (TallExplanation) trial =
      tall_explain_trial (layout, key_strategy, indexes, (TallOrder *)order, error);
  if (trial == NULL)
    return NULL;

  g_autoptr (TallExplanation) self = explanation_new (layout, key_strategy);
  self->stored = TRUE;
  self->put = trial->put;
  self->again = trial->again;
  self->bare_put = trial->bare_put;
  self->bare_again = trial->bare_again;
  if (!measure_get (counting, counted, order, &self->get, error)
      || !measure_parts (counting, counted, order, self, error)
      || !read_rows (self, store, order, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* How many tables the order's rows lie in. */
guint
tall_explanation_count_tables (const TallExplanation *self)
{
  g_autoptr (GHashTable) tables = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < self->rows->len; i++)
    {
      const TallExplainedRow *row = g_ptr_array_index (self->rows, i);
      g_hash_table_add (tables, (gpointer)row->table);
    }
  return g_hash_table_size (tables);
}
