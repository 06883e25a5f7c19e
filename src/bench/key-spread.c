/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/shape.h"

#include <string.h>

#include "bench/orders.h"
#include "key/order-key.h"
#include "tall-order.h"

#define NEWEST_PART 10

/* Orders counted by region. */
typedef struct
{
  const TallKeyStrategy *key_strategy;
  GPtrArray *splits; /* of GByteArray */
  GHashTable *ids;   /* customer number → its id, from 1 */
  guint *counts;     /* of each region */
  gsize key_bytes;
} Regions;

static gint
compare_dates (gconstpointer a, gconstpointer b)
{
  const TallOrder *x = *(const TallOrder *const *)a;
  const TallOrder *y = *(const TallOrder *const *)b;
  return (x->sales_date < y->sales_date) - (x->sales_date > y->sales_date);
}

/* The newest first; those without a date were in the file when it was made. */
static GPtrArray *
find_newest (GPtrArray *orders)
{
  GPtrArray *newest = g_ptr_array_new ();
  for (guint i = 0; i < orders->len; i++)
    g_ptr_array_add (newest, g_ptr_array_index (orders, orders->len - 1 - i));
  g_ptr_array_sort (newest, compare_dates);
  g_ptr_array_set_size (newest, (gint)MAX (orders->len / NEWEST_PART, 1));
  return newest;
}

static guint64
find_id (Regions *self, const TallOrder *order)
{
  guint64 *id = g_hash_table_lookup (self->ids, order->customer_number);
  if (id != NULL)
    return *id;
  id = g_new (guint64, 1);
  *id = g_hash_table_size (self->ids) + 1;
  g_hash_table_insert (self->ids, order->customer_number, id);
  return *id;
}

static void
count_order (Regions *self, const TallOrder *order)
{
  g_auto (TallOrderKey) key = { 0 };
  guint region = 0;
  tall_order_key_init (&key, self->key_strategy, order->customer_number, find_id (self, order),
                       order->order_number);
  while (
      region < self->splits->len
      && tall_slice_compare (key.whole, tall_slice_array (g_ptr_array_index (self->splits, region)))
             >= 0)
    region++;
  self->counts[region]++;
  self->key_bytes += key.whole.len;
}

static double
find_fullest (Regions *self, const GPtrArray *orders, guint n_regions)
{
  guint most = 0;
  memset (self->counts, 0, n_regions * sizeof *self->counts);
  self->key_bytes = 0;
  for (guint i = 0; i < orders->len; i++)
    count_order (self, g_ptr_array_index (orders, i));
  for (guint i = 0; i < n_regions; i++)
    most = MAX (most, self->counts[i]);
  return (double)most * n_regions / orders->len;
}

/**
 * tall_key_spread_measure:
 * @orders: (element-type TallOrder): at least one, in the order in which they came
 * @n_regions: 2 or more, which are made as `init --regions` makes them
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if the numbers do not give so many regions
 */
gboolean
tall_key_spread_measure (TallKeySpread *self,
                         const TallKeyStrategy *key_strategy,
                         GPtrArray *orders,
                         guint n_regions,
                         GError **error)
{
  g_autofree const char **sample = tall_bench_list_customers (orders);
  g_autoptr (GPtrArray) splits =
      tall_key_strategy_make_splits (key_strategy, n_regions, sample, error);
  if (splits == NULL)
    return FALSE;
  g_autoptr (GPtrArray) newest = find_newest (orders);
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autofree guint *counts = g_new (guint, n_regions);
  Regions regions = { key_strategy, splits, ids, counts, 0 };
  self->all = find_fullest (&regions, orders, n_regions);
  self->key_bytes = (double)regions.key_bytes / orders->len;
  self->newest = find_fullest (&regions, newest, n_regions);
  return TRUE;
}
