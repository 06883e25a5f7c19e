/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "floor-store.h"
#include "tall-error.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/database.h"

#define BATCH 400    /* orders that are stored before their rows are written raw */
#define RAW_ROWS 100 /* of a raw batch */
#define THREADS 8
#define THREADS_BATCH 1600 /* orders of all of them */

/* Storing new orders through the front. */
typedef struct
{
  const TallBenchStore *store;
  const TallWorkload *workload;
  guint n_threads;
  TallHistogram *latencies[THREADS]; /* of each thread: nanoseconds an order; NULL: not measured */
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
  guint n_rows; /* of a batch */
} Floor;

static void
ours_clear (Ours *self)
{
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->values, g_ptr_array_unref);
  for (guint i = 0; i < THREADS; i++)
    g_clear_pointer (&self->latencies[i], tall_histogram_free);
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
put_order (const Ours *self, guint i, TallHistogram *latencies, GError **error)
{
  guint64 begin = latencies != NULL ? tall_measure_now () : 0;
  if (!tall_front_put_order (self->store->front, g_ptr_array_index (self->orders, i), NULL, NULL,
                             error))
    return FALSE;
  if (latencies != NULL)
    tall_histogram_add (latencies, tall_measure_now () - begin);
  return TRUE;
}

/* A thread has every n-th order. */
static gboolean
put_share (gpointer data, guint number, GError **error)
{
  const Ours *self = data;
  for (guint i = number; i < self->orders->len; i += self->n_threads)
    if (!put_order (self, i, self->latencies[number], error))
      return FALSE;
  return TRUE;
}

static gboolean
run_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Ours *self = data;
  return self->n_threads == 1 ? put_share (self, 0, error)
                              : tall_floor_run_threads (self->n_threads, put_share, self, error);
}

static void
forget_ours (gpointer data)
{
  Ours *self = data;
  for (guint i = 0; i < self->n_threads; i++)
    tall_histogram_clear (self->latencies[i]);
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
write_batch (const Floor *self, rocksdb_writebatch_t *batch, guint first, GError **error)
{
  char *message = NULL;
  rocksdb_writebatch_clear (batch);
  for (guint i = first; i < first + self->n_rows; i++)
    {
      const GByteArray *row = g_ptr_array_index (self->ours->rows, i);
      gsize len;
      const char *value = g_bytes_get_data (g_ptr_array_index (self->ours->values, i), &len);
      rocksdb_writebatch_put_cf (batch, self->family->handle, (const char *)row->data, row->len,
                                 value, len);
    }
  rocksdb_write (self->db, self->options, batch, &message);
  return tall_rocksdb_take_error (message, "Writing rows", error);
}

/* A thread has every n-th batch. */
static gboolean
write_share (gpointer data, guint number, GError **error)
{
  const Floor *self = data;
  g_autoptr (rocksdb_writebatch_t) batch = rocksdb_writebatch_create ();
  for (guint i = number * self->n_rows; i < self->ours->rows->len;
       i += self->ours->n_threads * self->n_rows)
    if (!write_batch (self, batch, i, error))
      return FALSE;
  return TRUE;
}

static gboolean
run_floor (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Floor *self = data;
  guint n_threads = self->ours->n_threads;
  return n_threads == 1 ? write_share (self, 0, error)
                        : tall_floor_run_threads (n_threads, write_share, self, error);
}

/* Whether each row is there that tallorder has stored. */
static gboolean
check_floor (gpointer data, guint n, GError **error)
{
  const Floor *self = data;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GBytes) value =
          read_row (self->db, self->family, g_ptr_array_index (self->ours->rows, i), error);
      if (value == NULL)
        return FALSE;
      if (g_bytes_equal (value, g_ptr_array_index (self->ours->values, i)))
        continue;
      g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "A raw row is not what was written");
      return FALSE;
    }
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
  self->family = tall_rocksdb_table_find_family (table, "orders", error);
  return self->family != NULL;
}

static void
floor_clear (Floor *self)
{
  g_clear_pointer (&self->family, tall_rocksdb_family_unref);
  g_clear_pointer (&self->options, rocksdb_writeoptions_destroy);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Floor, floor_clear)

static void
ours_init (Ours *self, const TallBenchStore *store, const TallWorkload *workload, guint n_threads)
{
  *self = (Ours){ .store = store, .workload = workload, .n_threads = n_threads };
  self->rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  self->values = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (guint i = 0; n_threads > 1 && i < n_threads; i++)
    self->latencies[i] = tall_histogram_new ();
}

static gboolean
measure (TallFloorRun *self, Ours *ours, Floor *single, Floor *batched, GError **error)
{
  g_auto (TallMeasurement) measurement = { 0 };
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: put");
  const TallMeasureSide sides[] = {
    { BATCH, prepare_ours, run_ours, check_ours, NULL, ours },
    { BATCH, NULL, run_floor, check_floor, NULL, single },
    { BATCH, NULL, run_floor, check_floor, NULL, batched },
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
  g_auto (Ours) ours = { 0 };

  ours_init (&ours, &store, &workload, 1);
  return tall_bench_store_open_embedded (&store, directory, blob, FALSE, error)
         && tall_bench_store_open_embedded (&single_store, directory, blob, FALSE, error)
         && tall_bench_store_open_embedded (&batched_store, directory, blob, FALSE, error)
         && floor_init (&single, &single_store, &ours, 1, error)
         && floor_init (&batched, &batched_store, &ours, RAW_ROWS, error)
         && measure (self, &ours, &single, &batched, error);
}

/* The 95th percentile of single puts beside their median. */
static void
add_tail (TallFloorRun *self, const Ours *ours, TallMeasured *measured)
{
  tall_histogram_clear (measured->batches);
  for (guint i = 0; i < ours->n_threads; i++)
    tall_histogram_merge (measured->batches, ours->latencies[i]);
  TallBenchFigure figure = {
    .id = "rocksdb-writers-unsynced-tail",
    .what = "RocksDB, blob: 8 writers not synced, p95 / p50",
    .unit = "µs",
    .ours = (double)tall_histogram_get_quantile (measured->batches, 0.95) / 1000,
    .floor = (double)tall_histogram_get_quantile (measured->batches, 0.5) / 1000,
    .goal = 10,
    .ours_measured = measured,
    .floor_measured = measured,
  };
  figure.ratio = figure.ours / figure.floor;
  tall_bench_report_add (self->report, &figure);
}

static gboolean
measure_threads (TallFloorRun *self, Ours *ours, Floor *raw, GError **error)
{
  g_auto (TallMeasurement) measurement = { 0 };
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: puts side by side");
  const TallMeasureSide sides[] = {
    { THREADS_BATCH, prepare_ours, run_ours, check_ours, NULL, ours, forget_ours },
    { THREADS_BATCH, NULL, run_floor, check_floor, NULL, raw },
  };

  plan.round_seconds = 0;
  plan.in_order = TRUE;
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  tall_bench_report_add_rate (self->report, "rocksdb-writers-unsynced-raw",
                              "RocksDB, blob: 8 writers not synced / 8 raw writers of their rows",
                              0.5, &measurement.sides[0], &measurement.sides[1]);
  add_tail (self, ours, &measurement.sides[0]);
  return TRUE;
}

/**
 * tall_floor_put_threads:
 *
 * Compares threads that store new orders at the same time, not synced, to threads that write their
 * rows. Where they get into each other's way, some orders take much longer than others.
 */
gboolean
tall_floor_put_threads (TallFloorRun *self, GError **error)
{
  const TallLayout *blob = &tall_layout_blob;
  TallWorkload workload = { "T", self->options->n_lines };
  g_auto (TallBenchStore) store = { 0 };
  g_auto (TallBenchStore) raw_store = { 0 };
  g_auto (Floor) raw = { 0 };
  g_auto (Ours) ours = { 0 };

  ours_init (&ours, &store, &workload, THREADS);
  return tall_bench_store_open_embedded (&store, self->directory, blob, FALSE, error)
         && tall_bench_store_open_embedded (&raw_store, self->directory, blob, FALSE, error)
         && floor_init (&raw, &raw_store, &ours, 1, error)
         && measure_threads (self, &ours, &raw, error);
}
