/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* A table that is missing is an error about the deployment only if its record says that this table
 * counts. As long as the record cannot be read, the orders may be in other tables. */

static TallFailure
fail_record (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const gboolean *readable = data;
  gboolean is_record = g_strcmp0 (call->table, "meta") == 0;
  return is_record && !*readable ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

static void
expect (TallStore *store, gint code)
{
  must_fail (tall_front_get_order (TALL_FRONT (store), "VINET", "10248", NULL, &error), code);
}

static void
test_missing (void)
{
  gboolean readable = FALSE;
  g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallTable) table = tall_failing_table_new (memory);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), fail_record, NULL, &readable);
  must (tall_table_drop_table (memory, "orders", TALL_NO_DEADLINE, &error));
  expect (store, TALL_ERROR_UNAVAILABLE);
  readable = TRUE;
  expect (store, TALL_ERROR_UNSUPPORTED);
}

/* The deployment was removed while the process had it open, or while its tables were shut. */
static void
test_dropped (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  must (
      tall_table_set_access (table, "orders", TALL_ACCESS_CLOSED, NULL, TALL_NO_DEADLINE, &error));
  must (tall_table_drop_table (table, "meta", TALL_NO_DEADLINE, &error));
  expect (store, TALL_ERROR_UNSUPPORTED);
  must (tall_store_drop (table, &error));
  expect (store, TALL_ERROR_UNSUPPORTED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/follow/missing", test_missing);
  g_test_add_func ("/follow/dropped", test_dropped);
  return g_test_run ();
}
