/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Brings the record of an embedded deployment into a step of a migration, or plants what no command
 * leaves:
 *
 *     plant-record DIRECTORY STEP...
 *
 * with the steps begin, seal, close, switch, abort and give-up; shut seals the orders that
 * count, and spoil-load writes a row of a load that cannot be read. */

#include <rocksdb/c.h>

#include "tall-error.h"
#include "store/move.h"
#include "table/rocksdb/families.h"
#include "table/rocksdb/database.h"
#include "table/rocksdb/table.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define SEAL "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b"

static void
begin (TallTable *table)
{
  const TallMove move = { .layout = &tall_layout_wide, .key_strategy = &tall_key_numeric };
  g_autoptr (TallDeployment) begun =
      must (tall_move_begin (table, &move, TALL_NO_DEADLINE, &error));
  must (tall_move_create_tables (table, begun, NULL, TALL_NO_DEADLINE, &error));
}

static TallMigration
find_next (const TallMigration *is, const char *step)
{
  if (g_str_equal (step, "seal"))
    return tall_migration_seal (is);
  if (g_str_equal (step, "close"))
    return tall_migration_close (is, SEAL);
  if (g_str_equal (step, "switch"))
    return tall_migration_switch (is);
  if (g_str_equal (step, "abort"))
    return tall_migration_abort (is, FALSE);
  g_assert_cmpstr (step, ==, "give-up");
  return tall_migration_give_up (is);
}

static void
change (TallTable *table, const char *step)
{
  gboolean done;
  g_autoptr (TallDeployment) record = must (tall_deployment_read (table, TALL_NO_DEADLINE, &error));
  TallMigration to = find_next (&record->migration, step);
  must (tall_migration_change (table, NULL, &record->migration, &to, NULL, TALL_NO_DEADLINE, &done,
                               &error));
  g_assert_true (done);
}

static void
shut (TallTable *table)
{
  must (
      tall_table_set_access (table, "orders", TALL_ACCESS_SEALED, SEAL, TALL_NO_DEADLINE, &error));
}

static void
spoil_load (TallTable *table)
{
  static const char key[] = "load/00000000000000000001";
  char *failure = NULL;
  TallRocksdbFamily *family =
      must (tall_rocksdb_table_find_family (TALL_ROCKSDB_TABLE (table), "meta", &error));
  rocksdb_writeoptions_t *options = rocksdb_writeoptions_create ();
  rocksdb_put_cf (tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (table)), options,
                  family->handle, key, strlen (key), "x", 1, &failure);
  g_assert_null (failure);
  rocksdb_writeoptions_destroy (options);
  tall_rocksdb_family_unref (family);
}

int
main (int argc, char **argv)
{
  g_assert_cmpint (argc, >, 2);
  g_autoptr (TallTable) table = tall_test_open_table (argv[1]);
  for (int i = 2; i < argc; i++)
    if (g_str_equal (argv[i], "begin"))
      begin (table);
    else if (g_str_equal (argv[i], "shut"))
      shut (table);
    else if (g_str_equal (argv[i], "spoil-load"))
      spoil_load (table);
    else
      change (table, argv[i]);
  return 0;
}
