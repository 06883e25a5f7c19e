/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Tests what is sent to a gateway. The conformance suite tests what HBase does with it, but cannot
 * see whether a write was synced. */
#include "table/hbase/convert.h"

static void
assert_bytes (TallSlice bytes, const char *text)
{
  g_assert_true (tall_slice_equal (bytes, tall_slice_str (text)));
}

static void
assert_put (const TallHbaseTPut *put)
{
  assert_bytes (put->row, "row");
  g_assert_cmpint (put->durability, ==, TALL_HBASE_SYNC_WAL);
  g_assert_cmpuint (put->n_column_values, ==, 2);
  for (guint i = 0; i < put->n_column_values; i++)
    {
      const TallHbaseTColumnValue *value = &put->column_values[i];
      assert_bytes (value->family, "d");
      assert_bytes (value->qualifier, i == 0 ? "a" : "b");
      assert_bytes (value->value, i == 0 ? "x" : "y");
      g_assert_true (value->has_timestamp);
      g_assert_cmpint (value->timestamp, ==, 12);
    }
}

/* All of the family: up to its timestamp, or exactly at each of them. */
static void
assert_delete (const TallHbaseTDelete *delete,
               TallHbaseTDeleteType type,
               const gint64 *timestamps,
               guint n)
{
  assert_bytes (delete->row, "row");
  g_assert_cmpint (delete->delete_type, ==, type);
  g_assert_cmpint (delete->durability, ==, TALL_HBASE_SYNC_WAL);
  g_assert_cmpuint (delete->n_columns, ==, n);
  for (guint i = 0; i < n; i++)
    {
      const TallHbaseTColumn *column = &delete->columns[i];
      assert_bytes (column->family, "d");
      g_assert_false (column->has_qualifier);
      g_assert_true (column->has_timestamp);
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

  g_autoptr (TallArena) arena = tall_arena_new (0);
  const TallHbaseTRowMutations *sent = tall_hbase_t_row_mutations_new (mutation, arena);
  assert_bytes (sent->row, "row");
  g_assert_cmpuint (sent->n_mutations, ==, 3);
  const TallHbaseTMutation *up_to = &sent->mutations[0];
  const TallHbaseTMutation *at = &sent->mutations[1];
  const TallHbaseTMutation *put = &sent->mutations[2];
  g_assert_true (up_to->delete_single != NULL && up_to->put == NULL);
  g_assert_true (at->delete_single != NULL && at->put == NULL);
  g_assert_true (put->put != NULL && put->delete_single == NULL);
  assert_delete (up_to->delete_single, TALL_HBASE_DELETE_FAMILY, (gint64[]){ 7 }, 1);
  assert_delete (at->delete_single, TALL_HBASE_DELETE_FAMILY_VERSION, (gint64[]){ 9, 11 }, 2);
  assert_put (put->put);
}

static void
test_increment (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  const TallHbaseTIncrement *sent =
      tall_hbase_t_increment_new (tall_slice_str ("row"), tall_slice_str ("c"), 3, arena);
  const TallHbaseTColumnIncrement *column = &sent->columns[0];
  assert_bytes (sent->row, "row");
  g_assert_cmpint (sent->durability, ==, TALL_HBASE_SYNC_WAL);
  g_assert_cmpuint (sent->n_columns, ==, 1);
  assert_bytes (column->family, "d");
  assert_bytes (column->qualifier, "c");
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
