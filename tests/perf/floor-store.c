/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-store.h"

#include "base/fail.h"
#include "table/rocksdb/table.h"

#include <errno.h>

/**
 * tall_bench_store_floor_settings:
 *
 * Returns: the settings of a deployment that is compared with raw rows: hashed keys and no index by
 *   date, because a floor writes only an order's own rows
 */
TallStoreSettings
tall_bench_store_floor_settings (const TallLayout *layout)
{
  return (TallStoreSettings){
    .layout = layout,
    .key_strategy = &tall_key_hashed,
    .index = TALL_INDEX_NONE,
  };
}

/**
 * tall_bench_store_open_temporary:
 * @parent: (nullable): where its directory is made; NULL: where temporary files go
 *
 * Creates a deployment in a new embedded store, and opens it. Close it in any case.
 */
gboolean
tall_bench_store_open_temporary (TallBenchStore *self,
                                 const char *parent,
                                 const TallStoreSettings *settings,
                                 gboolean sync,
                                 GError **error)
{
  g_autofree char *directory =
      g_build_filename (parent != NULL ? parent : g_get_tmp_dir (), "tallorder-bench-XXXXXX", NULL);
  if (g_mkdtemp (directory) == NULL)
    return tall_error_fail (error, TALL_ERROR_UNAVAILABLE, "Making the directory %s: %s", directory,
                            g_strerror (errno));
  self->directory = g_steal_pointer (&directory);
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = self->directory;
  options.sync = sync;
  g_autoptr (TallTable) table = tall_rocksdb_table_open (&options, error);
  return table != NULL && tall_bench_store_open_in (self, table, settings, error);
}

/**
 * tall_bench_store_open_embedded:
 *
 * Opens a new embedded store, to be compared with raw rows.
 */
gboolean
tall_bench_store_open_embedded (TallBenchStore *self,
                                const char *parent,
                                const TallLayout *layout,
                                gboolean sync,
                                GError **error)
{
  TallStoreSettings settings = tall_bench_store_floor_settings (layout);
  return tall_bench_store_open_temporary (self, parent, &settings, sync, error);
}

/**
 * tall_bench_store_check_order:
 *
 * Fetches an order, and compares.
 */
gboolean
tall_bench_store_check_order (const TallBenchStore *self, const TallOrder *expected, GError **error)
{
  g_autoptr (TallOrder) found = tall_front_get_order (self->front, expected->customer_number,
                                                      expected->order_number, NULL, error);
  return found != NULL && tall_bench_check_same (expected, found, error);
}

/**
 * tall_bench_store_put_orders:
 * @orders: of TallOrder
 *
 * Puts the first @n of them, one after the other.
 */
gboolean
tall_bench_store_put_orders (const TallBenchStore *self, GPtrArray *orders, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!tall_front_put_order (self->front, g_ptr_array_index (orders, i), NULL, NULL, error))
      return FALSE;
  return TRUE;
}

/**
 * tall_bench_store_check_orders:
 * @orders: of TallOrder
 *
 * Fetches the first @n of them, and compares.
 */
gboolean
tall_bench_store_check_orders (const TallBenchStore *self,
                               GPtrArray *orders,
                               guint n,
                               GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!tall_bench_store_check_order (self, g_ptr_array_index (orders, i), error))
      return FALSE;
  return TRUE;
}

/**
 * tall_bench_store_plan_order:
 *
 * Returns: (transfer full): what is read to fetch an order of a store with hashed keys
 */
TallReadPlan *
tall_bench_store_plan_order (const TallBenchStore *self, const TallOrder *order)
{
  g_auto (TallOrderKey) key = { 0 };
  TallReadPlan *plan = tall_read_plan_new ();
  tall_order_key_init (&key, &tall_key_hashed, order->customer_number, 0, order->order_number);
  self->layout->plan_order (&key, plan);
  return plan;
}

/**
 * tall_bench_store_make_root_row:
 *
 * Returns: (transfer full): the key of an order's root row
 */
GByteArray *
tall_bench_store_make_root_row (const TallBenchStore *self, const TallOrder *order)
{
  GByteArray *row = g_byte_array_new ();
  g_auto (TallOrderKey) key = { 0 };
  tall_order_key_init (&key, &tall_key_hashed, order->customer_number, 0, order->order_number);
  self->layout->locate_order (&key, row);
  return row;
}
