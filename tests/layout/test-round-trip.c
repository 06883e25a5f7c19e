/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "tall-error.h"
#include "tall-test-layout.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* What goes in comes back, in every layout under every key strategy. */

#define REVISION 1700000000000
#define N_ORDERS 150
#define MAX_LINES 40

/* Decodes what @plan finds and compares it with @order, field by field and byte by byte. */
static void
assert_decodes (const TallTestLayout *self,
                const TallOrderKey *key,
                const TallReadPlan *plan,
                const TallOrder *order,
                gint64 revision)
{
  g_autoptr (TallReadResult) result = tall_test_layout_read (self, plan);
  const TallFoundRows rows = {
    key, order->customer_number, order->order_number, result->results, result->n_results, revision
  };
  TallDecoded decoded = { NULL };
  must (self->layout->decode_order (&rows, &decoded, &error));

  g_autoptr (TallOrder) found = decoded.order;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice expected = tall_order_to_canonical (order, arena);
  tall_test_assert_order_equal (found, order);
  g_assert_true (tall_slice_equal (tall_order_to_canonical (found, arena), expected));
  if (decoded.canonical.len > 0)
    g_assert_true (tall_slice_equal (decoded.canonical, expected));
}

static void
assert_stored (const TallTestLayout *self, const TallOrder *order, gint64 revision)
{
  g_auto (TallOrderKey) key = { NULL };
  tall_test_layout_init_key (self, order->customer_number, order->order_number, &key);

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  self->layout->plan_order (&key, plan);
  assert_decodes (self, &key, plan, order, revision);

  tall_read_plan_set_timestamp (plan, revision);
  assert_decodes (self, &key, plan, order, revision);
}

static void
put_order (const TallTestLayout *self, const TallOrder *order, gint64 revision)
{
  g_autoptr (TallBatch) batch = tall_test_layout_encode_order (self, order, revision);
  tall_test_layout_apply (self, batch);
}

static GPtrArray *
make_orders (guint32 seed, guint n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GPtrArray *orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (orders, tall_test_random_order (rand, MAX_LINES));
  return orders;
}

/* All of them lie in the table together; a number that occurs twice has two revisions. */
static void
test_random_orders (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (GPtrArray) orders = make_orders (1, N_ORDERS);
  for (guint i = 0; i < orders->len; i++)
    put_order (self, orders->pdata[i], REVISION + i);
  for (guint i = 0; i < orders->len; i++)
    assert_stored (self, orders->pdata[i], REVISION + i);
}

static void
test_empty_order (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (TallOrder) nothing = tall_test_empty_order ("VINET", "1", 0);
  put_order (self, nothing, REVISION);
  assert_stored (self, nothing, REVISION);

  g_autoptr (TallOrder) locations = tall_test_empty_order ("VINET", "2", 3);
  tall_test_add_lines (locations, 1, 1, 2);
  put_order (self, locations, REVISION);
  assert_stored (self, locations, REVISION);
}

static void
test_largest_numbers (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (TallOrder) order = tall_test_empty_order ("VINET", "3", 3);
  order->shipping_locations[0]->number = 0xff;
  order->shipping_locations[1]->number = 0x100;
  order->shipping_locations[2]->number = G_MAXINT32;
  tall_test_add_lines (order, 0, G_MAXINT32 - 1, 2);
  tall_test_add_lines (order, 1, 0xff, 3);
  tall_test_add_lines (order, 2, 1, 2);
  put_order (self, order, REVISION);
  assert_stored (self, order, REVISION);
}

static void
test_many_lines (gconstpointer data)
{
  const TallTestLayout *self = data;
  static const guint counts[] = { 1, 50, 500, 5000 };
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "4", counts[i]);
      put_order (self, order, REVISION + i);
      assert_stored (self, order, REVISION + i);
    }
}

static void
test_large_random_orders (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  for (guint i = 0; i < 6; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, 5000);
      put_order (self, order, REVISION + i);
      assert_stored (self, order, REVISION + i);
    }
}

/* Every revision of an order comes back whole, although the cells and rows of revisions are mixed.
 * Rows that only some revisions have are the interesting ones. */
static void
test_revisions (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (GPtrArray) orders = make_orders (2, 40);
  for (guint i = 0; i < orders->len; i++)
    {
      TallOrder *order = orders->pdata[i];
      order->customer_number = tall_arena_strdup (tall_order_get_arena (order), "VINET");
      order->order_number = tall_arena_strdup (tall_order_get_arena (order), "10248");
      put_order (self, order, REVISION + i);
    }
  for (guint i = 0; i < orders->len; i++)
    assert_stored (self, orders->pdata[i], REVISION + i);
}

/* Orders whose numbers are prefixes of each other, or each other's end and beginning. */
static void
test_neighbours (gconstpointer data)
{
  const TallTestLayout *self = data;
  static const char *const numbers[][2] = {
    { "A", "B" },   { "A", "BC" }, { "AB", "C" },      { "A", "~" }, { "A", " " },
    { "AB", "BC" }, { "A", "B " }, { "A", "B\u00A0" }, { " ", " " }, { "A", "A" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (TallOrder) order =
          tall_test_order_with_lines (numbers[i][0], numbers[i][1], i + 1);
      put_order (self, order, REVISION);
    }
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (TallOrder) order =
          tall_test_order_with_lines (numbers[i][0], numbers[i][1], i + 1);
      assert_stored (self, order, REVISION);
    }
}

static void
put_customer (const TallTestLayout *self, const TallCustomer *customer, gint64 revision)
{
  g_autoptr (TallBatch) batch = tall_test_layout_encode_customer (self, customer, revision);
  g_assert_cmpuint (batch->mutations->len, ==, 1);
  tall_test_layout_apply (self, batch);
}

static void
assert_customer_stored (const TallTestLayout *self, const TallCustomer *customer, gint64 revision)
{
  g_auto (TallOrderKey) key = { NULL };
  tall_test_layout_init_key (self, customer->number, NULL, &key);
  g_autoptr (GByteArray) row = g_byte_array_new ();
  const char *table = self->layout->locate_customer (&key, row);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, table, tall_slice_array (row));
  g_autoptr (TallReadResult) result = tall_test_layout_read (self, plan);
  g_assert_cmpuint (result->results[0].n_rows, ==, 1);

  g_autoptr (TallCustomer) decoded =
      must (self->layout->decode_customer (customer->number, &result->results[0].rows[0], revision,
                                           &error));
  tall_test_assert_customer_equal (decoded, customer);
}

/* Twice the same number, so that there are cells of two revisions; and an order beside them. */
static void
test_random_customers (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  for (guint i = 0; i < 300; i++)
    {
      g_autoptr (TallCustomer) first = tall_test_random_customer (rand);
      g_autoptr (TallCustomer) second = tall_test_random_customer (rand);
      second->number = tall_arena_strdup (tall_customer_get_arena (second), first->number);
      g_autoptr (TallOrder) order = tall_test_order_with_lines (first->number, "1", 1);
      put_order (self, order, REVISION + i);

      put_customer (self, first, REVISION + 2 * i);
      put_customer (self, second, REVISION + 2 * i + 1);
      assert_customer_stored (self, first, REVISION + 2 * i);
      assert_customer_stored (self, second, REVISION + 2 * i + 1);
    }
}

static void
test_find (void)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_assert_cmpstr (layouts[0]->name, ==, "blob");
  for (guint i = 0; i < n; i++)
    {
      const TallLayout *found = must (tall_layout_find (layouts[i]->name, &error));
      g_assert_true (found == layouts[i]);
      g_assert_nonnull (found->summary);
      g_assert_true (found->single_row || (found->append_children && found->plan_children));
    }

  must_fail (tall_layout_find ("blobs", &error), TALL_ERROR_INVALID, "blob, record-type");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tall_test_add_for_layouts ("random-orders", test_random_orders);
  tall_test_add_for_layouts ("empty-order", test_empty_order);
  tall_test_add_for_layouts ("largest-numbers", test_largest_numbers);
  tall_test_add_for_layouts ("many-lines", test_many_lines);
  tall_test_add_for_layouts ("large-random-orders", test_large_random_orders);
  tall_test_add_for_layouts ("revisions", test_revisions);
  tall_test_add_for_layouts ("neighbours", test_neighbours);
  tall_test_add_for_layouts ("random-customers", test_random_customers);
  g_test_add_func ("/layout/find", test_find);
  return g_test_run ();
}
