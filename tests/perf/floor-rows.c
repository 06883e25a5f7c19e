/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-gets.h"
#include "floor-store.h"
#include "floor-run.h"

#include "tall-error.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/database.h"

#define N_LINES 5
#define MOST_FETCHED 20000 /* of those that are stored */

/* So many orders as are fetched otherwise, divided and multiplied: 1,000 and 100,000. */
static const struct
{
  guint times;
  guint part;
  const char *id;
} sizes[] = { { 1, 20, "" }, { 5, 1, "-many" } };

/* The rows of what is fetched. */
typedef struct
{
  const TallBenchStore *store;
  TallRocksdbTable *table;
  rocksdb_readoptions_t *options;
  GHashTable *families; /* name → TallRocksdbFamily */
  GPtrArray *orders;    /* of TallOrder */
  GPtrArray *plans;     /* of TallReadPlan: what reads the next ones */
  GByteArray *copy;     /* of all bytes of an order */
  guint64 next;
} Rows;

static void
rows_clear (Rows *self)
{
  g_clear_pointer (&self->options, rocksdb_readoptions_destroy);
  g_clear_pointer (&self->families, g_hash_table_unref);
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  g_clear_pointer (&self->plans, g_ptr_array_unref);
  g_clear_pointer (&self->copy, g_byte_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rows, rows_clear)

static void
copy_bytes (Rows *self, const char *bytes, size_t len)
{
  g_byte_array_append (self->copy, (const guint8 *)bytes, (guint)len);
}

static gboolean
get_raw (Rows *self, const TallRocksdbFamily *family, const TallRead *read, GError **error)
{
  char *message = NULL;
  size_t len;
  rocksdb_pinnableslice_t *value =
      rocksdb_get_pinned_cf (tall_rocksdb_table_get_handle (self->table), self->options,
                             family->handle, (const char *)read->keys[0].data, read->keys[0].len,
                             &message);
  if (!tall_rocksdb_take_error (message, "Looking up a row", error))
    return FALSE;
  const char *bytes = value == NULL ? NULL : rocksdb_pinnableslice_value (value, &len);
  if (bytes != NULL)
    copy_bytes (self, bytes, len);
  rocksdb_pinnableslice_destroy (value);
  return TRUE;
}

static gboolean
scan_raw (Rows *self, const TallRocksdbFamily *family, const TallRead *read, GError **error)
{
  char *message = NULL;
  g_autoptr (rocksdb_readoptions_t) options = rocksdb_readoptions_create ();
  rocksdb_readoptions_set_verify_checksums (options, 1);
  rocksdb_readoptions_set_iterate_upper_bound (options, (const char *)read->stop.data,
                                               read->stop.len);
  g_autoptr (rocksdb_iterator_t) iterator =
      rocksdb_create_iterator_cf (tall_rocksdb_table_get_handle (self->table), options,
                                  family->handle);
  rocksdb_iter_seek (iterator, (const char *)read->start.data, read->start.len);
  for (; rocksdb_iter_valid (iterator); rocksdb_iter_next (iterator))
    {
      size_t len;
      const char *bytes = rocksdb_iter_key (iterator, &len);
      copy_bytes (self, bytes, len);
      bytes = rocksdb_iter_value (iterator, &len);
      copy_bytes (self, bytes, len);
    }
  rocksdb_iter_get_error (iterator, &message);
  return tall_rocksdb_take_error (message, "Scanning rows", error);
}

static gboolean
read_raw (Rows *self, const TallReadPlan *plan, GError **error)
{
  g_byte_array_set_size (self->copy, 0);
  for (guint i = 0; i < plan->reads->len; i++)
    {
      const TallRead *read = tall_read_plan_get (plan, i);
      const TallRocksdbFamily *family = g_hash_table_lookup (self->families, read->table);
      gboolean done = read->kind == TALL_READ_GET ? get_raw (self, family, read, error)
                                                  : scan_raw (self, family, read, error);
      if (!done)
        return FALSE;
    }
  if (self->copy->len > 0)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "Rows that were stored are not there");
  return FALSE;
}

/* The plans are made anew, so that they lie in the processor's caches as our own do. */
static gboolean
prepare_floor (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Rows *self = data;
  g_ptr_array_set_size (self->plans, 0);
  for (guint i = 0; i < n; i++)
    {
      const TallOrder *order =
          g_ptr_array_index (self->orders, tall_floor_gets_find (self->next++, self->orders->len));
      g_ptr_array_add (self->plans, tall_bench_store_plan_order (self->store, order));
    }
  return TRUE;
}

static gboolean
run_floor (gpointer data, guint n, GError **error)
{
  Rows *self = data;
  for (guint i = 0; i < n; i++)
    if (!read_raw (self, g_ptr_array_index (self->plans, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
settle (Rows *self, GError **error)
{
  self->families = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                          (GDestroyNotify)tall_rocksdb_family_unref);
  for (const TallLayoutTable *table = self->store->layout->tables; table->name != NULL; table++)
    {
      TallRocksdbFamily *family = tall_rocksdb_table_find_family (self->table, table->name, error);
      if (family == NULL)
        return FALSE;
      g_hash_table_insert (self->families, (gpointer)table->name, family);
      if (!tall_floor_settle (self->store->table, table->name, error))
        return FALSE;
    }
  return TRUE;
}

/* Stores @n orders, and keeps those that are fetched. */
static gboolean
fill (Rows *self, const TallFloorRun *run, guint n, GError **error)
{
  const TallWorkload workload = { "R", N_LINES };
  guint each = (n + MOST_FETCHED - 1) / MOST_FETCHED;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TallOrder) order = tall_workload_make_order (&workload, i);
      if (!tall_measure_check_stop (run->options->stop, error)
          || !tall_front_put_order (self->store->front, order, NULL, NULL, error))
        return FALSE;
      if (i % each == 0)
        g_ptr_array_add (self->orders, g_steal_pointer (&order));
    }
  return settle (self, error);
}

static gboolean
measure (TallFloorRun *self, const TallLayout *layout, guint n, const char *suffix, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  g_auto (TallMeasurement) measurement = { 0 };
  if (!tall_bench_store_open_embedded (&store, self->directory, layout, FALSE, error))
    return FALSE;
  g_auto (Rows) rows = {
    .store = &store,
    .table = TALL_ROCKSDB_TABLE (store.table),
    .options = rocksdb_readoptions_create (),
    .orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free),
    .plans = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_read_plan_free),
    .copy = g_byte_array_new (),
  };
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: rows");
  rocksdb_readoptions_set_verify_checksums (rows.options, 1);
  if (!fill (&rows, self, n, error))
    return FALSE;

  TallFloorGets ours = { .store = &store, .orders = rows.orders };
  const TallMeasureSide sides[] = {
    tall_floor_gets_get_side (&ours),
    { TALL_FLOOR_GETS, prepare_floor, run_floor, NULL, NULL, &rows },
  };
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  g_autofree char *id = g_strdup_printf ("rocksdb-rows-%s%s", layout->name, suffix);
  g_autofree char *what =
      g_strdup_printf ("RocksDB, %s: get of %u orders / its rows raw", layout->name, n);
  tall_bench_report_add_latency (self->report, id, what, 1.5, &measurement.sides[0],
                                 &measurement.sides[1]);
  return TRUE;
}

/**
 * tall_floor_rows:
 *
 * Compares fetching an order of several rows, in process, to reading and copying its rows, among
 * few orders and among many.
 */
gboolean
tall_floor_rows (TallFloorRun *self, GError **error)
{
  guint n_layouts;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  for (guint i = 0; i < n_layouts; i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes) && !layouts[i]->single_row; k++)
      if (!measure (self, layouts[i],
                    MAX (self->options->n_orders * sizes[k].times / sizes[k].part, TALL_FLOOR_GETS),
                    sizes[k].id, error))
        return FALSE;
  return TRUE;
}
