/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/sample.h"

#include "bench/workload.h"

#define MAX_LEVEL 31
#define FEW 4 /* a sample of whole customers has at least so large a part of what is wanted */

typedef struct
{
  guint max_orders;
  guint max_lines;
} Bounds;

static guint64
count_lines (const GPtrArray *orders)
{
  guint64 n = 0;
  for (guint i = 0; i < orders->len; i++)
    n += tall_order_count_lines (g_ptr_array_index (orders, i));
  return n;
}

static gboolean
fits (const GPtrArray *orders, const Bounds *bounds)
{
  return orders->len <= bounds->max_orders && count_lines (orders) <= bounds->max_lines;
}

/* Whether it has a fair part of what fits. */
static gboolean
is_enough (const GPtrArray *orders, const Bounds *bounds)
{
  return orders->len > 0
         && (orders->len * FEW >= bounds->max_orders
             || count_lines (orders) * FEW >= bounds->max_lines);
}

/* Whether a customer is one of the 2^-level that stay. The lowest bits of the hash know little. */
static gboolean
stays (const TallOrder *order, guint level)
{
  guint64 hash = tall_workload_mix (g_str_hash (order->customer_number), 0);
  return (hash & ((G_GUINT64_CONSTANT (1) << level) - 1)) == 0;
}

static GPtrArray *
keep_customers (const GPtrArray *orders, guint level)
{
  GPtrArray *kept = g_ptr_array_new ();
  for (guint i = 0; i < orders->len; i++)
    if (stays (g_ptr_array_index (orders, i), level))
      g_ptr_array_add (kept, g_ptr_array_index (orders, i));
  return kept;
}

/* Every n-th one, from all over the file. At least one. */
static GPtrArray *
keep_some (const GPtrArray *orders, guint step)
{
  GPtrArray *kept = g_ptr_array_new ();
  for (guint i = 0; i < orders->len; i += step)
    g_ptr_array_add (kept, g_ptr_array_index (orders, i));
  return kept;
}

/**
 * tall_bench_sample:
 * @orders: (element-type TallOrder): stay the caller's, and live longer
 * @max_lines: of all orders of the sample together; one order is always in it
 *
 * Chooses orders for a short measurement, always the same of the same orders. They are all orders
 * of some customers, so that a customer has as many as it has; only where that gives too few or too
 * many, because few customers have most of the orders, it is single orders.
 *
 * Returns: (transfer container) (element-type TallOrder): in the order in which they came
 */
GPtrArray *
tall_bench_sample (GPtrArray *orders, guint max_orders, guint max_lines)
{
  const Bounds bounds = { max_orders, max_lines };
  for (guint level = 0; level <= MAX_LEVEL; level++)
    {
      g_autoptr (GPtrArray) kept = keep_customers (orders, level);
      if (!fits (kept, &bounds))
        continue;
      if (level == 0 || is_enough (kept, &bounds))
        return g_steal_pointer (&kept);
      break;
    }
  for (guint step = 1;; step++)
    {
      g_autoptr (GPtrArray) kept = keep_some (orders, step);
      if (kept->len <= 1 || fits (kept, &bounds))
        return g_steal_pointer (&kept);
    }
}
