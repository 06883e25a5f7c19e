/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-store.h"

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
