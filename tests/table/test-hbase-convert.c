/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Tests what is sent to a gateway. The conformance suite tests what HBase does with it, but cannot
 * see whether a write was synced. */
#include "tall-hbase-convert.h"

static void
assert_bytes (const GByteArray *bytes, const char *text)
{
  g_assert_nonnull (bytes);
  g_assert_true (tall_slice_equal (tall_slice_array (bytes), tall_slice_str (text)));
}

static void
assert_put (const HbTPut *put)
{
  assert_bytes (put->row, "row");
  g_assert_true (put->__isset_durability);
  g_assert_cmpint (put->durability, ==, HB_T_DURABILITY_SYNC_WAL);
  g_assert_cmpuint (put->columnValues->len, ==, 2);
  for (guint i = 0; i < put->columnValues->len; i++)
    {
      const HbTColumnValue *value = g_ptr_array_index (put->columnValues, i);
      assert_bytes (value->family, "d");
      assert_bytes (value->qualifier, i == 0 ? "a" : "b");
      assert_bytes (value->value, i == 0 ? "x" : "y");
      g_assert_true (value->__isset_timestamp);
      g_assert_cmpint (value->timestamp, ==, 12);
    }
}

/* All of the family: up to its timestamp, or exactly at each of them. */
static void
assert_delete (const HbTDelete *delete, HbTDeleteType type, const gint64 *timestamps, guint n)
{
  assert_bytes (delete->row, "row");
  g_assert_true (delete->__isset_deleteType);
  g_assert_cmpint (delete->deleteType, ==, type);
  g_assert_true (delete->__isset_durability);
  g_assert_cmpint (delete->durability, ==, HB_T_DURABILITY_SYNC_WAL);
  g_assert_true (delete->__isset_columns);
  g_assert_cmpuint (delete->columns->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      const HbTColumn *column = g_ptr_array_index (delete->columns, i);
      assert_bytes (column->family, "d");
      g_assert_null (column->qualifier);
      g_assert_true (column->__isset_timestamp);
      g_assert_cmpint (column->timestamp, ==, timestamps[i]);
    }
}

static void
test_mutation (void)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str ("row"));
  tall_mutation_put (batch, mutation, tall_slice_str ("a"), 12, tall_slice_str ("x"));
  tall_mutation_delete_at (batch, mutation, 9);
  tall_mutation_delete_up_to (batch, mutation, 7);
  tall_mutation_put (batch, mutation, tall_slice_str ("b"), 12, tall_slice_str ("y"));
  tall_mutation_delete_at (batch, mutation, 11);

  g_autoptr (HbTRowMutations) sent = tall_hbase_row_mutations_new (mutation);
  assert_bytes (sent->row, "row");
  g_assert_cmpuint (sent->mutations->len, ==, 3);
  const HbTMutation *up_to = g_ptr_array_index (sent->mutations, 0);
  const HbTMutation *at = g_ptr_array_index (sent->mutations, 1);
  const HbTMutation *put = g_ptr_array_index (sent->mutations, 2);
  g_assert_true (up_to->__isset_deleteSingle && !up_to->__isset_put);
  g_assert_true (at->__isset_deleteSingle && !at->__isset_put);
  g_assert_true (put->__isset_put && !put->__isset_deleteSingle);
  assert_delete (up_to->deleteSingle, HB_T_DELETE_TYPE_DELETE_FAMILY, (gint64[]){ 7 }, 1);
  assert_delete (at->deleteSingle, HB_T_DELETE_TYPE_DELETE_FAMILY_VERSION, (gint64[]){ 9, 11 }, 2);
  assert_put (put->put);
}

static void
test_increment (void)
{
  g_autoptr (HbTIncrement) sent =
      tall_hbase_increment_new (tall_slice_str ("row"), tall_slice_str ("c"), 3);
  const HbTColumnIncrement *column = g_ptr_array_index (sent->columns, 0);
  assert_bytes (sent->row, "row");
  g_assert_true (sent->__isset_durability);
  g_assert_cmpint (sent->durability, ==, HB_T_DURABILITY_SYNC_WAL);
  g_assert_cmpuint (sent->columns->len, ==, 1);
  assert_bytes (column->family, "d");
  assert_bytes (column->qualifier, "c");
  g_assert_true (column->__isset_amount);
  g_assert_cmpint (column->amount, ==, 3);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hbase-convert/mutation", test_mutation);
  g_test_add_func ("/hbase-convert/increment", test_increment);
  return g_test_run ();
}
