/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-layout.h"
#include "tall-test-orders.h"

/* Which rows every layout writes, finds again and can name, under every key strategy. */

#define REVISION 1700000000000
#define N_ORDERS 150
#define MAX_LINES 40

static char *
name_row (const char *table, TallSlice row)
{
  g_autofree char *hex = tall_slice_to_hex (row);
  return g_strdup_printf ("%s %s", table, hex);
}

/* A set of rows; a row that comes twice fails the test. */
static GHashTable *
row_set_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void
row_set_add (GHashTable *set, const char *table, TallSlice row)
{
  g_assert_true (g_hash_table_add (set, name_row (table, row)));
}

static void
row_set_remove (GHashTable *set, const char *table, TallSlice row)
{
  g_autofree char *name = name_row (table, row);
  g_hash_table_remove (set, name);
}

static void
assert_row_sets_equal (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer name;
  g_assert_cmpuint (g_hash_table_size (a), ==, g_hash_table_size (b));
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_assert_true (g_hash_table_contains (b, name));
}

static GHashTable *
find_rows (const TallTestLayout *self, const TallReadPlan *plan)
{
  GHashTable *set = row_set_new ();
  g_autoptr (TallReadResult) result = tall_test_layout_read (self, plan);
  for (guint i = 0; i < result->n_results; i++)
    for (guint j = 0; j < result->results[i].n_rows; j++)
      row_set_add (set, tall_read_plan_get (plan, i)->table, result->results[i].rows[j].key);
  return set;
}

static GHashTable *
collect_rows (const TallBatch *batch)
{
  GHashTable *set = row_set_new ();
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      const TallMutation *mutation = batch->mutations->pdata[i];
      g_assert_cmpuint (mutation->n_changes, >, 0);
      row_set_add (set, mutation->table, mutation->row);
    }
  return set;
}

/* The first read of the plan finds the root row, all of them together the rows written. */
static void
assert_order_found (const TallTestLayout *self, const TallOrderKey *key, const TallBatch *batch)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  self->layout->plan_order (key, plan);
  g_autoptr (GHashTable) written = collect_rows (batch);
  g_autoptr (GHashTable) found = find_rows (self, plan);
  assert_row_sets_equal (written, found);

  const TallMutation *root = batch->mutations->pdata[0];
  g_autoptr (TallReadResult) result = tall_test_layout_read (self, plan);
  g_assert_cmpstr (tall_read_plan_get (plan, 0)->table, ==, root->table);
  g_assert_nonnull (tall_rows_find (&result->results[0], root->row));
}

/* The other plan finds the same, though it may leave out the root row. */
static void
assert_children_found (const TallTestLayout *self, const TallOrderKey *key, const TallBatch *batch)
{
  if (self->layout->plan_children == NULL)
    {
      g_assert_true (self->layout->single_row);
      g_assert_cmpuint (batch->mutations->len, ==, 1);
      return;
    }

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  self->layout->plan_children (key, plan);
  g_autoptr (GHashTable) written = collect_rows (batch);
  g_autoptr (GHashTable) found = find_rows (self, plan);
  const TallMutation *root = batch->mutations->pdata[0];
  row_set_remove (written, root->table, root->row);
  row_set_remove (found, root->table, root->row);
  assert_row_sets_equal (written, found);
}

/* An order and its customer, if the number was not drawn before. */
static gboolean
put_once (const TallTestLayout *self, const TallOrder *order, GHashTable *seen)
{
  if (!g_hash_table_add (seen,
                         g_strdup_printf ("%s\n%s", order->customer_number, order->order_number)))
    return FALSE;

  g_autoptr (TallCustomer) customer = tall_test_plain_customer (order->customer_number);
  g_autoptr (TallBatch) customer_rows = tall_test_layout_encode_customer (self, customer, REVISION);
  tall_test_layout_apply (self, customer_rows);
  g_autoptr (TallBatch) order_rows = tall_test_layout_encode_order (self, order, REVISION);
  tall_test_layout_apply (self, order_rows);
  return TRUE;
}

static void
test_exact (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GHashTable) seen = row_set_new ();
  g_autoptr (GPtrArray) orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, MAX_LINES);
      if (put_once (self, order, seen))
        g_ptr_array_add (orders, g_steal_pointer (&order));
    }
  g_assert_cmpuint (orders->len, >, N_ORDERS / 2);

  for (guint i = 0; i < orders->len; i++)
    {
      const TallOrder *order = orders->pdata[i];
      g_auto (TallOrderKey) key = { NULL };
      tall_test_layout_init_key (self, order->customer_number, order->order_number, &key);
      g_autoptr (TallBatch) batch = tall_test_layout_encode_order (self, order, REVISION);
      assert_order_found (self, &key, batch);
      assert_children_found (self, &key, batch);
    }
}

/* Returns: whether all parts are expected ones. */
static gboolean
assert_parts_add_up (const TallTestLayout *self, const char *table, TallSlice row)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  self->layout->name_parts (self->strategy, table, row, parts);

  gsize sum = 0;
  gboolean expected = TRUE;
  for (guint i = 0; i < parts->len; i++)
    {
      const TallRowPart *part = &g_array_index (parts, TallRowPart, i);
      g_assert_cmpuint (part->len, >, 0);
      sum += part->len;
      expected = expected && strcmp (part->name, "unexpected") != 0;
    }
  g_assert_cmpuint (sum, ==, row.len);
  return expected;
}

static void
assert_rows_named (const TallTestLayout *self, const TallBatch *batch)
{
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      const TallMutation *mutation = batch->mutations->pdata[i];
      g_assert_true (assert_parts_add_up (self, mutation->table, mutation->row));
    }
}

/* One byte changed and any number cut off: the parts still add up, and nothing is read beyond. */
static void
assert_damaged_rows_named (const TallTestLayout *self, const TallBatch *batch, GRand *rand)
{
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      const TallMutation *mutation = batch->mutations->pdata[i];
      g_autofree guint8 *damaged = g_memdup2 (mutation->row.data, mutation->row.len);
      damaged[g_rand_int_range (rand, 0, mutation->row.len)] = g_rand_int (rand);
      for (gsize len = 0; len <= mutation->row.len; len++)
        {
          g_autofree guint8 *exact = g_memdup2 (damaged, len);
          assert_parts_add_up (self, mutation->table, tall_slice (exact, len));
        }
    }
}

static void
test_name_parts (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  for (guint i = 0; i < 40; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, 10);
      g_autoptr (TallBatch) order_rows = tall_test_layout_encode_order (self, order, REVISION);
      assert_rows_named (self, order_rows);
      assert_damaged_rows_named (self, order_rows, rand);

      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      g_autoptr (TallBatch) customer_rows =
          tall_test_layout_encode_customer (self, customer, REVISION);
      assert_rows_named (self, customer_rows);
      assert_damaged_rows_named (self, customer_rows, rand);
    }
}

static void
test_name_parts_too_long (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 2);
  g_autoptr (TallBatch) batch = tall_test_layout_encode_order (self, order, REVISION);
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      const TallMutation *mutation = batch->mutations->pdata[i];
      g_autoptr (GByteArray) row = g_byte_array_new ();
      tall_bytes_append (row, mutation->row);
      tall_bytes_append_u8 (row, 0);
      g_assert_false (assert_parts_add_up (self, mutation->table, tall_slice_array (row)));
    }
}

static TallRowOwner
find_owner (const TallTestLayout *self, const char *table, TallSlice row)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  return tall_layout_find_owner (self->layout, self->strategy, table, row, parts);
}

/* All rows of @batch, also with a byte too many, are those of @key, and the same bytes say so. */
static void
assert_owned (const TallTestLayout *self, const TallBatch *batch, const TallOrderKey *key)
{
  TallSlice customer = key->customer, order = key->order;
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      const TallMutation *mutation = batch->mutations->pdata[i];
      g_autoptr (GByteArray) row = g_byte_array_new ();
      tall_bytes_append (row, mutation->row);
      tall_bytes_append_u8 (row, 0);
      for (guint longer = 0; longer <= 1; longer++)
        {
          TallSlice bytes = tall_slice (row->data, mutation->row.len + longer);
          TallRowOwner owner = find_owner (self, mutation->table, bytes);
          TallSlice last = order.len > 0 ? owner.order : owner.customer;
          g_assert_true (tall_slice_equal (owner.customer, customer));
          g_assert_true (tall_slice_equal (owner.order, order));
          g_assert_true (owner.prefix.data == row->data);
          g_assert_true (owner.prefix.data + owner.prefix.len == last.data + last.len);
          g_assert_cmpint (owner.is_unexpected, ==, longer);
        }
    }
}

static void
test_owner (gconstpointer data)
{
  const TallTestLayout *self = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  for (guint i = 0; i < 40; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, 10);
      g_autoptr (TallBatch) order_rows = tall_test_layout_encode_order (self, order, REVISION);
      g_auto (TallOrderKey) order_key = { NULL };
      tall_test_layout_init_key (self, order->customer_number, order->order_number, &order_key);
      assert_owned (self, order_rows, &order_key);

      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      g_autoptr (TallBatch) customer_rows =
          tall_test_layout_encode_customer (self, customer, REVISION);
      g_auto (TallOrderKey) customer_key = { NULL };
      tall_test_layout_init_key (self, customer->number, NULL, &customer_key);
      assert_owned (self, customer_rows, &customer_key);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tall_test_add_for_layouts ("plans-exact", test_exact);
  tall_test_add_for_layouts ("name-parts", test_name_parts);
  tall_test_add_for_layouts ("name-parts-too-long", test_name_parts_too_long);
  tall_test_add_for_layouts ("owner", test_owner);
  return g_test_run ();
}
