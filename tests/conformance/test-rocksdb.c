/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance.h"
#include "table/rocksdb/table.h"
#include "tall-test-directory.h"

static TallTable *
open_table (const char *name, gpointer data)
{
  g_autoptr (GError) error = NULL;
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = data;
  options.name = name;
  TallTable *table = tall_rocksdb_table_open (&options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (table);
  return table;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_autofree char *directory = tall_test_directory_new ();
  const TallConformanceBackend backend = {
    .prefix = "/conformance/rocksdb",
    .open = open_table,
    .data = directory,
    .no_splits = TRUE,
  };
  TallConformance *conformance = tall_conformance_add (&backend);
  int failed = g_test_run ();
  tall_conformance_free (conformance);
  tall_test_directory_remove (directory);
  return failed;
}
