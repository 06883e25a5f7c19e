/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "store/record/generation.h"
#include "table/memory-table.h"
#include "store/move.h"
#include "table/table-kind.h"
#include "tall-test-cells.h"
#include "tall-test-directory.h"
#include "tall-test-record.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* The steps of a migration as they are written into the deployment record, one after the other.
 * What happens beside each other, or fails, is in test-move-faults.c. */

#define SEAL "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b"

static TallDeployment *
read_record (TallTable *table)
{
  return must (tall_deployment_read (table, TALL_NO_DEADLINE, &error));
}

/* What the last step has written, with its check. */
static void
expect_migration (TallTable *table, const char *expected)
{
  g_autoptr (TallDeployment) record = read_record (table);
  g_autofree char *text = tall_migration_print (&record->migration);
  g_autofree char *stored = tall_migration_add_check (expected);
  g_assert_cmpstr (text, ==, expected);
  tall_test_record_expect (table, "migration", stored);
}

static void
change (TallTable *table, const TallMigration *is, TallMigration to)
{
  gboolean done;
  g_autofree char *text = tall_migration_print (&to);
  must (tall_migration_change (table, NULL, is, &to, NULL, TALL_NO_DEADLINE, &done, &error));
  g_assert_true (done);
  expect_migration (table, text);
}

static TallDeployment *
begin (TallTable *table, const TallMove *move)
{
  return must (tall_move_begin (table, move, TALL_NO_DEADLINE, &error));
}

/* The message names all of @words. */
static void
expect_refused (TallTable *table, const TallMove *move, TallError code, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) all = g_strsplit (words, " ", -1);
  g_autofree char *before = tall_test_record_read (table, "migration");
  g_assert_null (tall_move_begin (table, move, TALL_NO_DEADLINE, &error));
  g_assert_error (error, TALL_ERROR, (gint)code);
  for (guint i = 0; all[i] != NULL; i++)
    if (strstr (error->message, all[i]) == NULL)
      g_error ("“%s” does not say “%s”", error->message, all[i]);
  tall_test_record_expect (table, "migration", before);
}

/* From the phase that @table is in, copying at least, to the switch. */
static void
finish (TallTable *table)
{
  g_autoptr (TallDeployment) record = read_record (table);
  TallMigration is = record->migration;
  if (is.phase == TALL_MIGRATION_COPYING)
    {
      change (table, &is, tall_migration_seal (&is));
      is = tall_migration_seal (&is);
    }
  if (is.phase == TALL_MIGRATION_SEALING)
    {
      change (table, &is, tall_migration_close (&is, SEAL));
      is = tall_migration_close (&is, SEAL);
    }
  change (table, &is, tall_migration_switch (&is));
}

static void
abort_migration (TallTable *table, gboolean closed)
{
  g_autoptr (TallDeployment) record = read_record (table);
  TallMigration aborting = tall_migration_abort (&record->migration, closed);
  change (table, &record->migration, aborting);
  change (table, &aborting, tall_migration_give_up (&aborting));
}

static const TallMove to_wide = { .layout = &tall_layout_wide,
                                  .key_strategy = &tall_key_numeric,
                                  .has_index = TRUE,
                                  .index = TALL_INDEX_NONE,
                                  .compression = "zstd" };

static void
expect_tables (TallTable *table, const char *expected)
{
  g_auto (GStrv) names = must (tall_table_list_tables (table, TALL_NO_DEADLINE, &error));
  g_autofree char *text = g_strjoinv (" ", names);
  g_assert_cmpstr (text, ==, expected);
}

static void
create_tables (TallTable *table)
{
  g_autoptr (TallDeployment) record = read_record (table);
  must (tall_move_create_tables (table, record, NULL, TALL_NO_DEADLINE, &error));
}

/* Each step is durable: with RocksDB the store is opened anew between the steps. */
static void
reopen (TallTable **table, const char *directory)
{
  if (directory == NULL)
    return;
  g_clear_object (table);
  *table = tall_test_open_table (directory);
}

static void
walk (const char *directory)
{
  g_autoptr (TallTable) table = tall_test_open_table (directory);
  tall_test_create (table, "record-type", "hashed", 86400);
  tall_test_record_expect (table, "migration", NULL);
  g_autoptr (TallDeployment) begun = begin (table, &to_wide);
  g_assert_cmpstr (begun->next->layout, ==, "wide");
  g_assert_cmpuint (begun->next->ttl, ==, 86400);
  reopen (&table, directory);
  expect_migration (table, "1 copying 2 2 - -");
  tall_test_record_expect (table, "format", "1");
  tall_test_record_expect (table, "layout", "record-type");
  create_tables (table);
  create_tables (table);
  expect_tables (table, "customers-2 ids-2 index meta orders orders-2");

  reopen (&table, directory);
  finish (table);
  reopen (&table, directory);
  expect_migration (table, "2 none 0 2 - -");
  g_autoptr (TallDeployment) moved = read_record (table);
  const TallDeployment *next = begun->next;
  g_assert_cmpuint (moved->format, ==, 2);
  g_assert_cmpuint (next->format, ==, 2);
  g_assert_cmpstr (moved->id, ==, next->id);
  g_assert_cmpstr (moved->layout, ==, next->layout);
  g_assert_cmpstr (moved->key_strategy, ==, "numeric");
  g_assert_cmpint (moved->index, ==, TALL_INDEX_NONE);
  g_assert_cmpstr (moved->compression, ==, "zstd");
  g_assert_null (moved->bloom_filter);
  g_assert_cmpuint (moved->ttl, ==, 86400);
  g_assert_null (moved->next);
}

static void
test_steps (void)
{
  walk (NULL);
}

static void
test_steps_rocksdb (void)
{
  g_autofree char *directory = tall_test_directory_new ();
  walk (directory);
  tall_test_directory_remove (directory);
}

/* Back again, after an aborted one: numbers go on, what was not said before is not said again, and
 * marks end with the generation that they are of. */
static void
test_back_again (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallDeployment) first = begin (table, &to_wide);
  abort_migration (table, FALSE);
  expect_migration (table, "1 none 0 2 - unsealed");
  tall_test_record_expect (table, "layout", "blob");
  tall_test_record_expect (table, "format", "1");

  g_autoptr (TallDeployment) second = begin (table, &to_wide);
  expect_migration (table, "1 copying 3 3 - unsealed");
  TallMigration is = tall_migration_seal (&second->migration);
  change (table, &second->migration, is);
  TallMigration closing = tall_migration_close (&is, SEAL);
  change (table, &is, closing);
  expect_migration (table, "1 closing 3 3 " SEAL " unsealed");
  abort_migration (table, TRUE);
  expect_migration (table, "1 none 0 3 - unsealed,reopened");
  g_autoptr (TallDeployment) again = begin (table, &to_wide);
  expect_migration (table, "1 copying 4 4 - unsealed,reopened");
  change (table, &again->migration, tall_migration_seal (&again->migration));
  expect_migration (table, "1 sealing 4 4 - unsealed");
  finish (table);
  expect_migration (table, "4 none 0 4 - -");
  tall_test_record_expect (table, "compression", "zstd");

  const TallMove back = { .layout = &tall_layout_blob, .key_strategy = &tall_key_hashed };
  g_autoptr (TallDeployment) third = begin (table, &back);
  g_assert_cmpint (third->next->index, ==, TALL_INDEX_NONE);
  g_assert_cmpstr (third->next->compression, ==, "zstd");
  finish (table);
  expect_migration (table, "5 none 0 5 - -");
  g_autoptr (TallDeployment) record = read_record (table);
  g_assert_cmpstr (record->layout, ==, "blob");
  g_assert_null (record->block_encoding);
}

/* From closing on, tables may be closed; from none, they are if a late call has shut them. */
static void
test_abort (void)
{
  static const struct
  {
    const char *is;
    gboolean closed;
    const char *aborting;
    const char *after;
  } cases[] = {
    { "1 none 0 1 - -", FALSE, "1 aborting 0 1 - unsealed", "1 none 0 1 - unsealed" },
    { "1 none 0 1 - -", TRUE, "1 aborting 0 1 - unsealed,reopened",
      "1 none 0 1 - unsealed,reopened" },
    { "1 copying 2 2 - -", FALSE, "1 aborting 2 2 - unsealed", "1 none 0 2 - unsealed" },
    { "1 copying 2 2 - reopened", FALSE, "1 aborting 2 2 - unsealed,reopened",
      "1 none 0 2 - unsealed,reopened" },
    { "3 closing 5 5 " SEAL " -", FALSE, "3 aborting 5 5 " SEAL " unsealed,reopened",
      "3 none 0 5 - unsealed,reopened" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallMigration is;
      must (tall_migration_parse (&is, tall_slice_str (cases[i].is), &error));
      TallMigration aborting = tall_migration_abort (&is, cases[i].closed);
      TallMigration after = tall_migration_give_up (&aborting);
      g_autofree char *aborting_text = tall_migration_print (&aborting);
      g_autofree char *after_text = tall_migration_print (&after);
      g_assert_cmpstr (aborting_text, ==, cases[i].aborting);
      g_assert_cmpstr (after_text, ==, cases[i].after);
      g_assert_true (tall_migration_is_possible (&aborting));
      g_assert_true (tall_migration_is_possible (&after));
    }
}

/* Anybody may go on with a migration, and nobody can turn it into another. */
static void
test_other_settings (void)
{
  static const struct
  {
    TallMove move;
    const char *words;
  } cases[] = {
    { { .layout = &tall_layout_blob }, "layout wide blob --abort" },
    { { .key_strategy = &tall_key_raw }, "key strategy numeric raw" },
    { { .has_index = TRUE, .index = TALL_INDEX_BY_DATE }, "index none date" },
    { { .regions = 4 }, "regions default 4" },
    { { .compression = "gz" }, "compression zstd gz" },
    { { .layout = &tall_layout_wide, .bloom_filter = "row" }, "Bloom default row" },
    { { .block_encoding = "diff" }, "encoding diff" },
  };
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallDeployment) begun = begin (table, &to_wide);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_refused (table, &cases[i].move, TALL_ERROR_CONFLICT, cases[i].words);

  const TallMove same = { .layout = &tall_layout_wide, .compression = "ZSTD" };
  const TallMove any = { 0 };
  g_autoptr (TallDeployment) resumed = begin (table, &same);
  g_autoptr (TallDeployment) again = begin (table, &any);
  expect_migration (table, "1 copying 2 2 - -");

  change (table, &again->migration, tall_migration_abort (&again->migration, FALSE));
  expect_refused (table, &to_wide, TALL_ERROR_CONFLICT, "aborted --abort");
  expect_refused (table, &any, TALL_ERROR_CONFLICT, "aborted --abort");
}

static void
test_nothing_to_change (void)
{
  const TallMove none = { 0 };
  const TallMove same = { .layout = &tall_layout_blob, .key_strategy = &tall_key_hashed };
  const TallMove bad = { .layout = &tall_layout_wide, .compression = "z/std" };
  const TallMove unsplit = { .key_strategy = &tall_key_raw, .regions = 4 };
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  expect_refused (table, &none, TALL_ERROR_INVALID, "No migration has begun");
  expect_refused (table, &same, TALL_ERROR_INVALID, "blob hashed date already");
  expect_refused (table, &bad, TALL_ERROR_INVALID, "z/std compression");
  expect_refused (table, &unsplit, TALL_ERROR_INVALID, "sample");

  g_autoptr (TallTable) empty = tall_memory_table_new ();
  must_fail (tall_move_begin (empty, &to_wide, TALL_NO_DEADLINE, &error), TALL_ERROR_NOT_FOUND);

  tall_test_record_write (table, "migration", "1 none 0 9223372036854775807 - -", 5);
  expect_refused (table, &to_wide, TALL_ERROR_UNSUPPORTED, "numbers given");
}

/* Regions alone are a reason to move, too. */
static void
test_regions (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  const TallMove move = { .regions = 4 };
  g_autoptr (TallDeployment) begun = begin (table, &move);
  create_tables (table);
  g_autoptr (TallTable) view = tall_generation_table_new (table, 2);
  g_autoptr (TallTableSpec) spec =
      must (tall_table_describe_table (view, "orders", TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (tall_table_spec_count_regions (spec), ==, 4);
  finish (table);
  tall_test_record_expect (table, "regions", "4");
  expect_tables (table, "customers customers-2 index index-2 meta orders orders-2");
}

static void
add_table (TallTable *table, const char *name, const char *compression)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (name);
  spec->compression = g_strdup (compression);
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
}

static void
add_row (TallTable *table, const char *name)
{
  tall_test_put (table, name, tall_slice_str ("row"),
                 (TallCell){ tall_slice_str ("q"), 5, tall_slice_str ("v") });
}

/* An administrator's tables are taken if they are as wanted and empty; those of the migration
 * itself are taken as they are. */
static void
test_adopt (void)
{
  const TallMove move = { .layout = &tall_layout_wide, .compression = "zstd" };
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  add_table (table, "orders-2", "gz");
  expect_refused (table, &move, TALL_ERROR_CONFLICT, "orders compression gz zstd");
  g_assert_true (tall_table_drop_table (table, "orders-2", TALL_NO_DEADLINE, NULL));

  add_table (table, "orders-2", "zstd");
  add_row (table, "orders-2");
  expect_refused (table, &move, TALL_ERROR_CONFLICT, "orders empty");
  g_assert_true (tall_table_drop_table (table, "orders-2", TALL_NO_DEADLINE, NULL));

  add_table (table, "orders-2", "zstd");
  g_autoptr (TallDeployment) begun = begin (table, &move);
  add_row (table, "orders-2");
  create_tables (table);
  create_tables (table);
  expect_tables (table, "customers customers-2 index index-2 meta orders orders-2");
}

/* Whatever clocks wrote the record, what is written over it is seen. */
static void
test_slow_clock (void)
{
  const gint64 ahead = g_get_real_time () / 1000 + G_GINT64_CONSTANT (86400000) * 3650;
  static const char *const columns[][2] = {
    { "layout", "blob" },     { "key_strategy", "hashed" },      { "index", "date" },
    { "format", "1" },        { "next_layout", "blob" },         { "next_compression", "gz" },
    { "next_regions", "77" }, { "migration", "1 none 0 1 - -" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
      tall_test_record_write (table, columns[i][0], columns[i][1], ahead);
      g_autoptr (TallDeployment) begun = begin (table, &to_wide);
      expect_migration (table, "1 copying 2 2 - -");
      finish (table);
      expect_migration (table, "2 none 0 2 - -");
      g_autoptr (TallDeployment) record = read_record (table);
      g_assert_cmpstr (record->layout, ==, "wide");
      g_assert_cmpstr (record->compression, ==, "zstd");
      g_assert_cmpuint (record->regions, ==, 0);
    }
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  tall_test_record_write (table, "mode", "normal", G_MAXINT64 - 1);
  expect_refused (table, &to_wide, TALL_ERROR_DAMAGED, "timestamp");
}

/* Earlier versions wrote no check. The next step adds one, and what is changed in it is noticed
 * before another step. */
static void
test_check (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  gint64 ahead = g_get_real_time () / 1000 + G_GINT64_CONSTANT (86400000);
  tall_test_record_write (table, "migration", "1 none 0 2 - -", ahead);
  g_autoptr (TallDeployment) begun = begin (table, &to_wide);
  tall_test_record_expect (table, "migration", "1 copying 3 3 - - 2c56b8f7");

  tall_test_record_write (table, "migration", "1 copying 7 7 - - 2c56b8f7", 2 * ahead);
  gboolean done;
  const TallMigration sealing = tall_migration_seal (&begun->migration);
  must_fail (tall_deployment_read (table, TALL_NO_DEADLINE, &error), TALL_ERROR_DAMAGED);
  must_fail (tall_migration_change (table, NULL, &begun->migration, &sealing, NULL,
                                    TALL_NO_DEADLINE, &done, &error),
             TALL_ERROR_DAMAGED, "1 copying 7 7", "restore the deployment");
}

/* Versions before generations know formats up to 1. Such a version reads the column `format` before
 * any other, and opens nothing with a greater number. */
static void
test_earlier_versions (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallDeployment) begun = begin (table, &to_wide);
  tall_test_record_expect (table, "format", "1");
  finish (table);
  g_autofree char *format = tall_test_record_read (table, "format");
  g_assert_cmpuint (g_ascii_strtoull (format, NULL, 10), >, TALL_FORMAT);
}

/* Attributes are told apart by case, so indexes are; other settings are not. */
static void
test_case (void)
{
  const char *wanted[TALL_N_MOVING] = { [TALL_MOVING_INDEX] = "date, i=attribute.A" };
  const char *begun[TALL_N_MOVING] = { [TALL_MOVING_INDEX] = "date, i=attribute.a" };
  g_assert_cmpuint (tall_move_find_other (wanted, begun, TALL_N_MOVING), ==, TALL_MOVING_INDEX);
  begun[TALL_MOVING_INDEX] = wanted[TALL_MOVING_INDEX];
  wanted[TALL_N_MOVING - 1] = "FAST_DIFF";
  begun[TALL_N_MOVING - 1] = "fast_diff";
  g_assert_cmpuint (tall_move_find_other (wanted, begun, TALL_N_MOVING), ==, TALL_N_MOVING);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/move/steps", test_steps);
  g_test_add_func ("/move/steps-rocksdb", test_steps_rocksdb);
  g_test_add_func ("/move/back-again", test_back_again);
  g_test_add_func ("/move/abort", test_abort);
  g_test_add_func ("/move/other-settings", test_other_settings);
  g_test_add_func ("/move/nothing-to-change", test_nothing_to_change);
  g_test_add_func ("/move/regions", test_regions);
  g_test_add_func ("/move/adopt", test_adopt);
  g_test_add_func ("/move/slow-clock", test_slow_clock);
  g_test_add_func ("/move/check", test_check);
  g_test_add_func ("/move/earlier-versions", test_earlier_versions);
  g_test_add_func ("/move/case", test_case);
  return g_test_run ();
}
