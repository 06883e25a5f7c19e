/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "floor-store.h"
#include "tall-error.h"
#include "store/read/index.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/database.h"

#define PAGE 30
#define BATCH 8    /* pages that are timed together */
#define ORDERS 50  /* of each customer */
#define STRIDE 389 /* prime: visits all customers, without a pattern that caches like */

/* Listing through the front. */
typedef struct
{
  const TallBenchStore *store;
  GPtrArray
      *orders; /* of TallOrder: what is stored; that of index n is of customer n % n_customers */
  guint n_customers;
  guint64 next;
  TallOrderList *lists[BATCH];
} Ours;

/* The same rows of the same database. */
typedef struct
{
  rocksdb_t *db;
  TallRocksdbFamily *index;
  rocksdb_readoptions_t *options;
  GPtrArray *customers; /* of GByteArray: the customer parts of keys */
  GByteArray *copy;     /* of all bytes of a page */
  guint64 next;
} Floor;

static guint
find_customer (guint64 step, guint n)
{
  return (guint)(step * STRIDE % n);
}

static gboolean
run_ours (gpointer data, guint n, GError **error)
{
  static const TallListOptions options = { .limit = PAGE };
  Ours *self = data;
  for (guint i = 0; i < n; i++)
    {
      const TallOrder *order =
          g_ptr_array_index (self->orders, find_customer (self->next + i, self->n_customers));
      self->lists[i] =
          tall_front_list_orders (self->store->front, order->customer_number, &options, error);
      if (self->lists[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* The page is full, and descends. */
static gboolean
check_ours (gpointer data, guint n, GError **error)
{
  Ours *self = data;
  self->next += n;
  for (guint i = 0; i < n; i++)
    {
      const TallOrderList *list = self->lists[i];
      gboolean same = list->n_entries == PAGE && list->n_unreadable == 0;
      for (guint k = 1; same && k < PAGE; k++)
        same = list->entries[k].sales_date <= list->entries[k - 1].sales_date;
      if (same)
        continue;
      g_set_error (
          error, TALL_ERROR, TALL_ERROR_DAMAGED,
          "A page of a customer's orders is not what was stored: a defect of this version");
      return FALSE;
    }
  return TRUE;
}

static void
clear_ours (gpointer data, guint n)
{
  Ours *self = data;
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&self->lists[i], tall_order_list_free);
}

/* The first rows of a customer in the index. */
static gboolean
read_page (Floor *self, const GByteArray *customer, GError **error)
{
  g_autoptr (rocksdb_iterator_t) iterator =
      rocksdb_create_iterator_cf (self->db, self->options, self->index->handle);
  char *message = NULL;
  guint n = 0;
  g_byte_array_set_size (self->copy, 0);
  rocksdb_iter_seek (iterator, (const char *)customer->data, customer->len);
  for (; n < PAGE && rocksdb_iter_valid (iterator); rocksdb_iter_next (iterator), n++)
    {
      size_t key_len, value_len;
      const char *key = rocksdb_iter_key (iterator, &key_len);
      const char *value = rocksdb_iter_value (iterator, &value_len);
      g_byte_array_append (self->copy, (const guint8 *)key, (guint)key_len);
      g_byte_array_append (self->copy, (const guint8 *)value, (guint)value_len);
    }
  rocksdb_iter_get_error (iterator, &message);
  if (!tall_rocksdb_take_error (message, "Scanning the index", error))
    return FALSE;
  if (n == PAGE)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "A page that was stored is not there");
  return FALSE;
}

static gboolean
run_floor (gpointer data, guint n, GError **error)
{
  Floor *self = data;
  for (guint i = 0; i < n; i++)
    if (!read_page (self,
                    g_ptr_array_index (self->customers,
                                       find_customer (self->next++, self->customers->len)),
                    error))
      return FALSE;
  return TRUE;
}

static gboolean
floor_init (Floor *self, const Ours *ours, GError **error)
{
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (ours->store->table);
  self->db = tall_rocksdb_table_get_handle (table);
  self->options = rocksdb_readoptions_create ();
  rocksdb_readoptions_set_verify_checksums (self->options, 1);
  self->copy = g_byte_array_new ();
  self->customers = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  for (guint i = 0; i < ours->n_customers; i++)
    {
      const TallOrder *order = g_ptr_array_index (ours->orders, i);
      GByteArray *customer = g_byte_array_new ();
      tall_key_hashed.append_customer (order->customer_number, 0, customer);
      g_ptr_array_add (self->customers, customer);
    }
  self->index = tall_rocksdb_table_find_family (table, TALL_INDEX_TABLE, error);
  return self->index != NULL && tall_floor_settle (ours->store->table, TALL_INDEX_TABLE, error);
}

static void
floor_clear (Floor *self)
{
  g_clear_pointer (&self->index, tall_rocksdb_family_unref);
  g_clear_pointer (&self->options, rocksdb_readoptions_destroy);
  g_clear_pointer (&self->customers, g_ptr_array_unref);
  g_clear_pointer (&self->copy, g_byte_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Floor, floor_clear)

/**
 * tall_floor_page:
 *
 * Compares a page of a customer's orders by date to a scan of the rows that it consists of.
 */
gboolean
tall_floor_page (TallFloorRun *self, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  g_auto (Floor) floor = { 0 };
  g_auto (TallMeasurement) measurement = { 0 };
  TallStoreSettings settings = { .layout = &tall_layout_blob, .key_strategy = &tall_key_hashed };
  guint n_customers = MAX (self->options->n_orders / ORDERS, 1);
  TallWorkload workload = { "P", self->options->n_lines, .n_customers = n_customers };
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: page");

  if (!tall_bench_store_open_temporary (&store, self->directory, &settings, FALSE, error))
    return FALSE;
  g_autoptr (GPtrArray) orders =
      tall_floor_fill (self, &store, &workload, n_customers * ORDERS, error);
  Ours ours = { .store = &store, .orders = orders, .n_customers = n_customers };
  if (orders == NULL || !floor_init (&floor, &ours, error))
    return FALSE;

  const TallMeasureSide sides[] = {
    { BATCH, NULL, run_ours, check_ours, clear_ours, &ours },
    { BATCH, NULL, run_floor, NULL, NULL, &floor },
  };
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  tall_bench_report_add_latency (self->report, "rocksdb-list-page",
                                 "RocksDB, blob: page of 30 by date / its rows raw", 4,
                                 &measurement.sides[0], &measurement.sides[1]);
  return TRUE;
}
