/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-floor-private.h"

#include "tall-error.h"
#include "tall-rocksdb-error.h"
#include "tall-rocksdb-table-private.h"

#define BATCH 400    /* orders that are stored before their rows are written raw */
#define RAW_ROWS 100 /* of a raw batch */

/* Storing new orders through the front. */
typedef struct
{
  const TallBenchStore *store;
  const TallWorkload *workload;
  guint64 next;
  GPtrArray *orders; /* of TallOrder: those of this batch */
  GPtrArray *rows;   /* of GByteArray: keys of their rows */
  GPtrArray *values; /* of GBytes: what is stored there */
} Ours;

/* Writing the same rows to a database that is tuned alike. */
typedef struct
{
  const Ours *ours;
  rocksdb_t *db;
  TallRocksdbFamily *family;
  rocksdb_writeoptions_t *options;
  rocksdb_writebatch_t *batch;
  guint n_rows; /* of a batch */
} Floor;

static void
ours_clear (Ours *self)
{
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->values, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ours, ours_clear)

static gboolean
prepare_ours (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Ours *self = data;
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  self->orders = tall_workload_make_orders (self->workload, self->next, n);
  self->next += n;
  return TRUE;
}

static gboolean
run_ours (gpointer data, guint n, GError **error)
{
  Ours *self = data;
  for (guint i = 0; i < n; i++)
    if (!tall_front_put_order (self->store->front, g_ptr_array_index (self->orders, i), NULL, NULL,
                               error))
      return FALSE;
  return TRUE;
}

static GBytes *
read_row (rocksdb_t *db, const TallRocksdbFamily *family, const GByteArray *row, GError **error)
{
  g_autoptr (rocksdb_readoptions_t) options = rocksdb_readoptions_create ();
  char *message = NULL;
  size_t len = 0;
  g_autoptr (TallRocksdbText) value =
      rocksdb_get_cf (db, options, family->handle, (const char *)row->data, row->len, &len,
                      &message);
  if (!tall_rocksdb_take_error (message, "Looking up a row", error))
    return NULL;
  if (value != NULL)
    return g_bytes_new (value, len);
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "A row that was stored is not there");
  return NULL;
}

/* Fetches what was stored, and keeps its rows for the floors. */
static gboolean
check_ours (gpointer data, guint n, GError **error)
{
  Ours *self = data;
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (self->store->table);
  g_autoptr (TallRocksdbFamily) family = tall_rocksdb_table_find_family (table, "orders", error);
  if (family == NULL)
    return FALSE;

  g_ptr_array_set_size (self->rows, 0);
  g_ptr_array_set_size (self->values, 0);
  for (guint i = 0; i < n; i++)
    {
      const TallOrder *order = g_ptr_array_index (self->orders, i);
      GByteArray *row = tall_bench_store_make_root_row (self->store, order);
      g_ptr_array_add (self->rows, row);
      GBytes *value = read_row (tall_rocksdb_table_get_handle (table), family, row, error);
      if (value == NULL)
        return FALSE;
      g_ptr_array_add (self->values, value);
      if (!tall_bench_store_check_order (self->store, order, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_batch (const Floor *self, guint first, GError **error)
{
  char *message = NULL;
  rocksdb_writebatch_clear (self->batch);
  for (guint i = first; i < first + self->n_rows; i++)
    {
      const GByteArray *row = g_ptr_array_index (self->ours->rows, i);
      gsize len;
      const char *value = g_bytes_get_data (g_ptr_array_index (self->ours->values, i), &len);
      rocksdb_writebatch_put_cf (self->batch, self->family->handle, (const char *)row->data,
                                 row->len, value, len);
    }
  rocksdb_write (self->db, self->options, self->batch, &message);
  return tall_rocksdb_take_error (message, "Writing rows", error);
}

static gboolean
run_floor (gpointer data, guint n, GError **error)
{
  Floor *self = data;
  for (guint i = 0; i < n; i += self->n_rows)
    if (!write_batch (self, i, error))
      return FALSE;
  return TRUE;
}

/* Each floor has a database of its own, and so has tallorder: none pays for the others'
 * compactions. */
static gboolean
floor_init (
    Floor *self, const TallBenchStore *store, const Ours *ours, guint n_rows, GError **error)
{
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (store->table);
  self->ours = ours;
  self->n_rows = n_rows;
  self->db = tall_rocksdb_table_get_handle (table);
  self->options = rocksdb_writeoptions_create ();
  self->batch = rocksdb_writebatch_create ();
  self->family = tall_rocksdb_table_find_family (table, "orders", error);
  return self->family != NULL;
}

static void
floor_clear (Floor *self)
{
  g_clear_pointer (&self->family, tall_rocksdb_family_unref);
  g_clear_pointer (&self->options, rocksdb_writeoptions_destroy);
  g_clear_pointer (&self->batch, rocksdb_writebatch_destroy);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Floor, floor_clear)

static gboolean
measure (TallFloorRun *self, Ours *ours, Floor *single, Floor *batched, GError **error)
{
  g_auto (TallMeasurement) measurement = { 0 };
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: put");
  const TallMeasureSide sides[] = {
    { BATCH, prepare_ours, run_ours, check_ours, NULL, ours },
    { BATCH, NULL, run_floor, NULL, NULL, single },
    { BATCH, NULL, run_floor, NULL, NULL, batched },
  };

  plan.round_seconds = 0;
  plan.in_order = TRUE;
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  tall_bench_report_add_rate (self->report, "rocksdb-put",
                              "RocksDB, blob: put unsynced / raw put of its row", 0.5,
                              &measurement.sides[0], &measurement.sides[1]);
  tall_bench_report_add_rate (self->report, "rocksdb-put-batched",
                              "RocksDB, blob: put unsynced / raw batches of 100", 0.5,
                              &measurement.sides[0], &measurement.sides[2]);
  return TRUE;
}

/**
 * tall_floor_put:
 *
 * Compares storing new orders, not synced, to writing their rows.
 */
gboolean
tall_floor_put (TallFloorRun *self, GError **error)
{
  const char *directory = self->directory;
  const TallLayout *blob = &tall_layout_blob;
  TallWorkload workload = { "P", self->options->n_lines };
  g_auto (TallBenchStore) store = { 0 };
  g_auto (TallBenchStore) single_store = { 0 };
  g_auto (TallBenchStore) batched_store = { 0 };
  g_auto (Floor) single = { 0 };
  g_auto (Floor) batched = { 0 };
  g_auto (Ours) ours = { .store = &store, .workload = &workload };

  ours.rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  ours.values = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  return tall_bench_store_open_embedded (&store, directory, blob, FALSE, error)
         && tall_bench_store_open_embedded (&single_store, directory, blob, FALSE, error)
         && tall_bench_store_open_embedded (&batched_store, directory, blob, FALSE, error)
         && floor_init (&single, &single_store, &ours, 1, error)
         && floor_init (&batched, &batched_store, &ours, RAW_ROWS, error)
         && measure (self, &ours, &single, &batched, error);
}
