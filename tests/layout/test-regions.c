/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-layout.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* One list of split points serves all tables of every layout. */

#define REVISION 1700000000000
#define N_CUSTOMERS 10000
#define MAX_TABLES 4

static GPtrArray *
make_splits (const TallKeyStrategy *strategy, guint n_regions)
{
  return must (tall_key_strategy_make_splits (strategy, n_regions, NULL, &error));
}

static guint
find_region (const GPtrArray *splits, TallSlice row)
{
  guint region = 0;
  while (region < splits->len
         && tall_slice_compare (tall_slice_array (splits->pdata[region]), row) <= 0)
    region++;
  return region;
}

static guint
find_table (const TallLayout *layout, const char *name)
{
  guint i = 0;
  while (strcmp (layout->tables[i].name, name) != 0)
    i++;
  g_assert_cmpuint (i, <, MAX_TABLES);
  return i;
}

/* Rows in each region of each table; the first table's regions first. */
typedef struct
{
  const TallTestLayout *layout;
  const GPtrArray *splits;
  guint *counts;
} Census;

/* All rows of a batch begin with the customer part and lie in one region. */
static void
count_batch (Census *self, const TallOrderKey *key, const TallBatch *batch)
{
  guint n_regions = self->splits->len + 1;
  guint region = find_region (self->splits, key->customer);
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      const TallMutation *mutation = batch->mutations->pdata[i];
      g_assert_true (tall_slice_has_prefix (mutation->row, key->customer));
      g_assert_cmpuint (find_region (self->splits, mutation->row), ==, region);
      self->counts[find_table (self->layout->layout, mutation->table) * n_regions + region]++;
    }
}

/* The ids are as the store gives them: in sequence. */
static void
count_customer (Census *self, guint i)
{
  char number[16];
  g_snprintf (number, sizeof number, "%u", 10000 + i);
  g_auto (TallOrderKey) key = { NULL };
  g_auto (TallOrderKey) customer_key = { NULL };
  const TallKeyStrategy *strategy = self->layout->strategy;
  const TallLayout *layout = self->layout->layout;
  guint64 id = strategy->needs_id ? i + 1 : 0;
  tall_order_key_init (&key, strategy, number, id, "1");
  tall_order_key_init (&customer_key, strategy, number, id, NULL);

  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autoptr (GByteArray) row = g_byte_array_new ();
  const char *table = layout->locate_order (&key, row);
  tall_batch_add (batch, table, tall_slice_array (row));
  g_byte_array_set_size (row, 0);
  table = layout->locate_customer (&customer_key, row);
  tall_batch_add (batch, table, tall_slice_array (row));

  g_autoptr (TallOrder) order = tall_test_empty_order (number, "1", 1);
  tall_test_add_lines (order, 0, 1, 1);
  if (!layout->single_row)
    layout->append_children (&key, order, REVISION, batch);
  count_batch (self, &key, batch);
}

/* Sequential customers with an order each: in every table every region is reached, and none holds
 * more than twice its share. */
static void
assert_spread (const TallTestLayout *layout, guint n_regions)
{
  g_autoptr (GPtrArray) splits = make_splits (layout->strategy, n_regions);
  g_autofree guint *counts = g_new0 (guint, MAX_TABLES * n_regions);
  Census census = { layout, splits, counts };
  for (guint i = 0; i < N_CUSTOMERS; i++)
    count_customer (&census, i);

  for (guint table = 0; layout->layout->tables[table].name != NULL; table++)
    {
      guint sum = 0;
      const guint *of_table = counts + table * n_regions;
      for (guint i = 0; i < n_regions; i++)
        sum += of_table[i];
      g_assert_cmpuint (sum, >=, N_CUSTOMERS);
      for (guint i = 0; i < n_regions; i++)
        {
          g_assert_cmpuint (of_table[i], >, 0);
          g_assert_cmpuint (of_table[i], <=, 2 * sum / n_regions);
        }
    }
}

static void
test_spread (gconstpointer data)
{
  const TallTestLayout *self = data;
  if (self->strategy == &tall_key_raw)
    {
      /* without a sample there is nothing to split by; tests/key has some */
      g_assert_null (tall_key_strategy_make_splits (self->strategy, 2, NULL, NULL));
      return;
    }
  assert_spread (self, 7);
  assert_spread (self, 64);
}

/* The list of strategies need not contain it. */
static void
test_numeric (gconstpointer layout)
{
  g_auto (TallTestLayout) self = { NULL };
  tall_test_layout_init (&self, layout, &tall_key_numeric);
  test_spread (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tall_test_add_for_layouts ("regions-spread", test_spread);
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/layout/%s/regions-spread-numeric", layouts[i]->name);
      g_test_add_data_func (path, layouts[i], test_numeric);
    }
  return g_test_run ();
}
