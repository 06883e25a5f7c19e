/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-memory-table.h"
#include "tall-test-store.h"

/* Listing and removing deployments. */

static void
expect_tables (TallTable *table, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = tall_table_list_tables (table, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_autofree char *text = g_strjoinv (" ", names);
  g_assert_cmpstr (text, ==, expected);
}

static void
add_table (TallTable *table, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (name);
  g_assert_true (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
  g_assert_no_error (error);
}

static guint
count_listed (TallTable *table)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = tall_store_list_all (table, &error);
  g_assert_no_error (error);
  return g_strv_length (names);
}

/* Every layout's tables go, and somebody else's that is named like ours stays. */
static void
test_every_layout (void)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) table = tall_test_table_new (layouts[i], &tall_key_numeric);
      add_table (table, "theirs");
      g_assert_cmpuint (count_listed (table), ==, 1);
      g_assert_true (tall_store_drop (table, &error));
      g_assert_no_error (error);
      expect_tables (table, "theirs");
      g_assert_cmpuint (count_listed (table), ==, 0);
      g_assert_false (tall_store_drop (table, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
    }
}

/* Whichever call fails, the deployment is listed until all is gone, and can be removed again. */
static void
test_failures (void)
{
  for (guint at = 0;; at++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) memory =
          tall_test_table_new (&tall_layout_normalized, &tall_key_numeric);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      tall_failing_table_fail_at (TALL_FAILING_TABLE (table), at,
                                  at % 2 == 0 ? TALL_FAILURE_BEFORE : TALL_FAILURE_LOST);
      gboolean dropped = tall_store_drop (table, &error);
      if (tall_failing_table_count_calls (TALL_FAILING_TABLE (table)) <= at)
        {
          g_assert_true (dropped);
          g_assert_cmpuint (at, >=, 7);
          return;
        }
      g_auto (GStrv) left = tall_table_list_tables (memory, TALL_NO_DEADLINE, NULL);
      g_assert_cmpuint (count_listed (memory), ==, g_strv_length (left) > 0);
      if (g_strv_length (left) > 0)
        g_assert_true (tall_store_drop (memory, NULL));
      expect_tables (memory, "");
    }
}

/* What an init that was cut short has left. */
static void
test_without_record (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_memory_table_new ();
  add_table (table, "orders");
  g_assert_true (tall_store_drop (table, &error));
  g_assert_no_error (error);
  expect_tables (table, "");
}

static void
test_newer_version (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_raw);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *record = tall_batch_add (batch, "meta", tall_slice_str ("deployment"));
  tall_mutation_put (batch, record, tall_slice_str ("format"), G_MAXINT64 - 1,
                     tall_slice_str ("3"));
  g_assert_true (
      tall_table_apply (table, &record, 1, TALL_DURABLE, TALL_NO_DEADLINE, NULL, &error));
  g_assert_false (tall_store_drop (table, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION);
  expect_tables (table, "customers index meta orders");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/drop/every-layout", test_every_layout);
  g_test_add_func ("/drop/failures", test_failures);
  g_test_add_func ("/drop/without-record", test_without_record);
  g_test_add_func ("/drop/newer-version", test_newer_version);
  return g_test_run ();
}
