/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/ranges.h"

#define FIRST_RANGES 4
#define MOST_RANGES 128 /* of a table */

static void
range_free (TallRange *self)
{
  g_bytes_unref (self->start);
  g_bytes_unref (self->stop);
  g_ptr_array_unref (self->cuts);
  g_free (self);
}

static GPtrArray *
ranges_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)range_free);
}

static void
add_range (GPtrArray *ranges, const char *table, GBytes *start, GBytes *stop)
{
  TallRange *range = g_new0 (TallRange, 1);
  range->table = table;
  range->start = g_bytes_ref (start);
  range->stop = g_bytes_ref (stop);
  range->cuts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (ranges, range);
}

/* @splits: (element-type GByteArray) (nullable) */
static void
add_table (GPtrArray *ranges, const char *table, const GPtrArray *splits)
{
  g_autoptr (GBytes) start = g_bytes_new_static (NULL, 0);
  g_autoptr (GBytes) end = g_bytes_new_static (NULL, 0);
  for (guint i = 0; splits != NULL && i < splits->len; i++)
    {
      const GByteArray *split = g_ptr_array_index (splits, i);
      GBytes *next = g_bytes_new (split->data, split->len);
      add_range (ranges, table, start, next);
      g_bytes_unref (start);
      start = next;
    }
  add_range (ranges, table, start, end);
}

/**
 * tall_ranges_new:
 *
 * Returns: (transfer full) (element-type TallRange): all root rows of a deployment of which nothing
 *   is known: divided as its tables would be, where the key strategy can tell without a sample
 */
GPtrArray *
tall_ranges_new (const TallStoreContext *context)
{
  const char *orders = tall_layout_get_order_table (context->layout);
  const char *customers = tall_layout_get_customer_table (context->layout);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) splits =
      tall_key_strategy_make_splits (context->key_strategy, FIRST_RANGES, NULL, &error);
  GPtrArray *ranges = ranges_new ();
  add_table (ranges, orders, splits);
  if (!g_str_equal (orders, customers))
    add_table (ranges, customers, splits);
  return ranges;
}

static guint
count_pages (const GPtrArray *ranges, const char *table)
{
  guint n = 0;
  for (guint i = 0; i < ranges->len; i++)
    {
      const TallRange *range = g_ptr_array_index (ranges, i);
      if (g_str_equal (range->table, table))
        n += 1 + range->cuts->len;
    }
  return n;
}

/**
 * tall_ranges_divide:
 * @ranges: that were walked
 *
 * Returns: (transfer full): the same rows, in ranges that have about as many pages each
 */
GPtrArray *
tall_ranges_divide (const GPtrArray *ranges)
{
  GPtrArray *divided = ranges_new ();
  for (guint i = 0; i < ranges->len; i++)
    {
      const TallRange *range = g_ptr_array_index (ranges, i);
      guint every = count_pages (ranges, range->table) / MOST_RANGES + 1;
      GBytes *start = range->start;
      for (guint j = every - 1; j < range->cuts->len; j += every)
        {
          GBytes *cut = g_ptr_array_index (range->cuts, j);
          add_range (divided, range->table, start, cut);
          start = cut;
        }
      add_range (divided, range->table, start, range->stop);
    }
  return divided;
}
