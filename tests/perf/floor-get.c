/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-gets.h"
#include "floor-store.h"
#include "floor-run.h"

#include "tall-error.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/database.h"

/* Looking up the same rows in the same database. */
typedef struct
{
  rocksdb_t *db;
  TallRocksdbFamily *family;
  rocksdb_readoptions_t *options;
  GPtrArray *rows; /* of GByteArray: keys */
  guint64 next;
} Floor;

static gboolean
get_raw (const Floor *self, const GByteArray *row, GError **error)
{
  char *message = NULL;
  rocksdb_pinnableslice_t *value =
      rocksdb_get_pinned_cf (self->db, self->options, self->family->handle, (const char *)row->data,
                             row->len, &message);
  if (!tall_rocksdb_take_error (message, "Looking up a row", error))
    return FALSE;
  if (value == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "A row that was stored is not there");
      return FALSE;
    }
  rocksdb_pinnableslice_destroy (value);
  return TRUE;
}

static gboolean
run_floor (gpointer data, guint n, GError **error)
{
  Floor *self = data;
  for (guint i = 0; i < n; i++)
    if (!get_raw (self,
                  g_ptr_array_index (self->rows,
                                     tall_floor_gets_find (self->next++, self->rows->len)),
                  error))
      return FALSE;
  return TRUE;
}

static gboolean
floor_init (Floor *self, const TallFloorGets *ours, GError **error)
{
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (ours->store->table);
  self->db = tall_rocksdb_table_get_handle (table);
  self->options = rocksdb_readoptions_create ();
  rocksdb_readoptions_set_verify_checksums (self->options, 1);
  self->rows = g_ptr_array_new_full (ours->orders->len, (GDestroyNotify)g_byte_array_unref);
  for (guint i = 0; i < ours->orders->len; i++)
    g_ptr_array_add (self->rows, tall_bench_store_make_root_row (
                                     ours->store, g_ptr_array_index (ours->orders, i)));
  self->family = tall_rocksdb_table_find_family (table, "orders", error);
  return self->family != NULL && tall_floor_settle (ours->store->table, "orders", error);
}

static void
floor_clear (Floor *self)
{
  g_clear_pointer (&self->family, tall_rocksdb_family_unref);
  g_clear_pointer (&self->options, rocksdb_readoptions_destroy);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Floor, floor_clear)

/**
 * tall_floor_get:
 *
 * Compares fetching a whole order, in process, to looking up its row.
 */
gboolean
tall_floor_get (TallFloorRun *self, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  g_auto (Floor) floor = { 0 };
  g_auto (TallMeasurement) measurement = { 0 };
  TallWorkload workload = { "G", self->options->n_lines };
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: get");

  if (!tall_bench_store_open_embedded (&store, self->directory, &tall_layout_blob, FALSE, error))
    return FALSE;
  g_autoptr (GPtrArray) orders =
      tall_floor_fill (self, &store, &workload, self->options->n_orders, error);
  TallFloorGets ours = { .store = &store, .orders = orders };
  if (orders == NULL || !floor_init (&floor, &ours, error))
    return FALSE;

  const TallMeasureSide sides[] = {
    tall_floor_gets_get_side (&ours),
    { TALL_FLOOR_GETS, NULL, run_floor, NULL, NULL, &floor },
  };
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  tall_bench_report_add_rate (self->report, "rocksdb-get", "RocksDB, blob: get / raw get", 0.6,
                              &measurement.sides[0], &measurement.sides[1]);
  return TRUE;
}
