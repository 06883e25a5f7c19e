/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/memory-table.h"
#include "store/move.h"
#include "tall-test-record.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* Listing and removing deployments. */

static void
expect_tables (TallTable *table, const char *expected)
{
  g_auto (GStrv) names = must (tall_table_list_tables (table, TALL_NO_DEADLINE, &error));
  g_autofree char *text = g_strjoinv (" ", names);
  g_assert_cmpstr (text, ==, expected);
}

static void
add_table (TallTable *table, const char *name)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (name);
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
}

static guint
count_listed (TallTable *table)
{
  g_auto (GStrv) names = must (tall_store_list_all (table, &error));
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
      g_autoptr (TallTable) table = tall_test_table_new (layouts[i], &tall_key_numeric);
      add_table (table, "theirs");
      g_assert_cmpuint (count_listed (table), ==, 1);
      must (tall_store_drop (table, &error));
      expect_tables (table, "theirs");
      g_assert_cmpuint (count_listed (table), ==, 0);
      must_fail (tall_store_drop (table, &error), TALL_ERROR_NOT_FOUND);
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
  g_autoptr (TallTable) table = tall_memory_table_new ();
  add_table (table, "orders");
  must (tall_store_drop (table, &error));
  expect_tables (table, "");
}

static void
test_newer_version (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_raw);
  tall_test_record_write (table, "format", "4", 0);
  must_fail (tall_store_drop (table, &error), TALL_ERROR_NEWER_VERSION);
  expect_tables (table, "customers index meta orders");
}

static void
change (TallTable *table, const char *is_text, const char *to_text)
{
  TallMigration is, to;
  gboolean done;
  must (tall_migration_parse (&is, tall_slice_str (is_text), &error));
  must (tall_migration_parse (&to, tall_slice_str (to_text), &error));
  must (tall_migration_change (table, NULL, &is, &to, NULL, TALL_NO_DEADLINE, &done, &error));
  g_assert_true (done);
}

/* A deployment whose second generation is being made, or counts. Tables of a third were left by a
 * migrator that was killed; others only look like ours. */
static TallTable *
new_migrating (gboolean moved)
{
  static const char *const steps[] = {
    "1 copying 2 2 - -",
    "1 sealing 2 2 - -",
    "1 closing 2 2 1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b -",
    "2 none 0 2 - -",
  };
  const TallMove move = { .layout = &tall_layout_wide, .key_strategy = &tall_key_raw };
  TallTable *table = tall_test_table_new (&tall_layout_normalized, &tall_key_numeric);
  g_autoptr (TallDeployment) begun =
      must (tall_move_begin (table, &move, TALL_NO_DEADLINE, &error));
  must (tall_move_create_tables (table, begun, NULL, TALL_NO_DEADLINE, &error));
  add_table (table, "orders-3");
  add_table (table, "theirs-2");
  add_table (table, "orders-02");
  for (guint i = 0; moved && i + 1 < G_N_ELEMENTS (steps); i++)
    change (table, steps[i], steps[i + 1]);
  return table;
}

static void
set_access (TallTable *table, const char *name, TallTableAccess access)
{
  const char *seal = access == TALL_ACCESS_SEALED ? "token" : NULL;
  must (tall_table_set_access (table, name, access, seal, TALL_NO_DEADLINE, &error));
}

/* All generations go, in any phase, and whether a migration has shut their tables. */
static void
test_generations (void)
{
  for (guint moved = 0; moved < 2; moved++)
    {
      g_autoptr (TallTable) table = new_migrating (moved);
      set_access (table, "orders", TALL_ACCESS_SEALED);
      set_access (table, "lines", TALL_ACCESS_CLOSED);
      must (tall_store_drop (table, &error));
      expect_tables (table, "orders-02 theirs-2");
    }
}

static void
test_generations_failures (void)
{
  for (guint at = 0;; at++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) memory = new_migrating (at % 2);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      tall_failing_table_fail_at (TALL_FAILING_TABLE (table), at, TALL_FAILURE_LOST);
      gboolean dropped = tall_store_drop (table, &error);
      if (tall_failing_table_count_calls (TALL_FAILING_TABLE (table)) <= at)
        {
          g_assert_true (dropped);
          g_assert_cmpuint (at, >=, 12);
          return;
        }
      if (count_listed (memory) > 0)
        g_assert_true (tall_store_drop (memory, NULL));
      expect_tables (memory, "orders-02 theirs-2");
    }
}

/* Nothing goes during a phase, whichever it is. */
static void
test_source_in_phases (void)
{
  static const struct
  {
    const char *phase;
    const char *is;
    const char *to;
  } steps[] = {
    { "sealing", "1 copying 2 2 - -", "1 sealing 2 2 - -" },
    { "closing", "1 sealing 2 2 - -", "1 closing 2 2 1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b -" },
    { "aborting", "1 closing 2 2 1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b -",
      "1 aborting 2 2 1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b unsealed,reopened" },
  };
  g_autoptr (TallTable) table = new_migrating (FALSE);
  g_auto (GStrv) before = tall_table_list_tables (table, TALL_NO_DEADLINE, NULL);
  g_autofree char *before_text = g_strjoinv (" ", before);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      guint n;
      change (table, steps[i].is, steps[i].to);
      must_fail (tall_store_drop_source (table, &n, &error), TALL_ERROR_CONFLICT, steps[i].phase);
      expect_tables (table, before_text);
    }
}

/* What a target was that is given up goes, too: its number is the last one. */
static void
test_source_given_up (void)
{
  guint n;
  g_autoptr (TallTable) table = new_migrating (FALSE);
  change (table, "1 copying 2 2 - -", "1 aborting 2 2 - unsealed");
  change (table, "1 aborting 2 2 - unsealed", "1 none 0 2 - unsealed");
  must (tall_store_drop_source (table, &n, &error));
  g_assert_cmpuint (n, ==, 3);
  expect_tables (table,
                 "customers ids index lines meta orders orders-02 orders-3 shipping theirs-2");
}

/* Only what counted once, or was given up; and nothing during a phase. */
static void
test_source (void)
{
  guint n;
  g_autoptr (TallTable) migrating = new_migrating (FALSE);
  g_auto (GStrv) before = tall_table_list_tables (migrating, TALL_NO_DEADLINE, NULL);
  g_autofree char *before_text = g_strjoinv (" ", before);
  must_fail (tall_store_drop_source (migrating, &n, &error), TALL_ERROR_CONFLICT, "copying",
             "--abort");
  expect_tables (migrating, before_text);

  g_autoptr (TallTable) table = new_migrating (TRUE);
  set_access (table, "orders", TALL_ACCESS_CLOSED);
  must (tall_store_drop_source (table, &n, &error));
  g_assert_cmpuint (n, ==, 6);
  expect_tables (table, "customers-2 index-2 meta orders-02 orders-2 orders-3 theirs-2");
  must (tall_store_drop_source (table, &n, &error));
  g_assert_cmpuint (n, ==, 0);

  g_autoptr (TallTable) empty = tall_memory_table_new ();
  must_fail (tall_store_drop_source (empty, &n, &error), TALL_ERROR_NOT_FOUND);
}

static void
test_source_failures (void)
{
  for (guint at = 0;; at++)
    {
      g_autoptr (GError) error = NULL;
      guint n;
      g_autoptr (TallTable) memory = new_migrating (TRUE);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      tall_failing_table_fail_at (TALL_FAILING_TABLE (table), at,
                                  at % 2 == 0 ? TALL_FAILURE_BEFORE : TALL_FAILURE_LOST);
      gboolean dropped = tall_store_drop_source (table, &n, &error);
      gboolean reached = tall_failing_table_count_calls (TALL_FAILING_TABLE (table)) > at;
      g_assert_true (dropped != reached);
      g_assert_true (tall_store_drop_source (memory, &n, NULL));
      expect_tables (memory, "customers-2 index-2 meta orders-02 orders-2 orders-3 theirs-2");
      if (!reached)
        break;
    }
}

/* The target of a migration that was given up. */
static void
test_one_generation (void)
{
  g_autoptr (TallTable) table = new_migrating (FALSE);
  must (tall_store_drop_generation (table, 2, TALL_NO_DEADLINE, &error));
  expect_tables (table,
                 "customers ids index lines meta orders orders-02 orders-3 shipping theirs-2");
  must (tall_store_drop_generation (table, 2, TALL_NO_DEADLINE, &error));
}

/* A migration that begins while the source is dropped gets a number that is not looked at. */
static TallFailure
begin_meanwhile (TallFailingTable *failing, const TallCall *call, gpointer data)
{
  const TallMove move = { .layout = &tall_layout_blob };
  guint *at = data;
  if (call->index != *at)
    return TALL_FAILURE_NONE;
  TallTable *table = tall_failing_table_get_table (failing);
  must (tall_table_drop_table (table, "orders-3", TALL_NO_DEADLINE, &error));
  g_autoptr (TallDeployment) begun =
      must (tall_move_begin (table, &move, TALL_NO_DEADLINE, &error));
  must (tall_move_create_tables (table, begun, NULL, TALL_NO_DEADLINE, &error));
  return TALL_FAILURE_NONE;
}

static void
test_source_beside (void)
{
  gboolean reached = TRUE;
  for (guint at = 1; reached; at++)
    {
      guint n;
      g_autoptr (TallTable) memory = new_migrating (TRUE);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), begin_meanwhile, NULL, &at);
      must (tall_store_drop_source (table, &n, &error));
      reached = tall_failing_table_count_calls (TALL_FAILING_TABLE (table)) > at;
      if (reached)
        expect_tables (memory, "customers-2 customers-3 index-2 index-3 meta orders-02 orders-2 "
                               "orders-3 theirs-2");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/drop/every-layout", test_every_layout);
  g_test_add_func ("/drop/failures", test_failures);
  g_test_add_func ("/drop/without-record", test_without_record);
  g_test_add_func ("/drop/newer-version", test_newer_version);
  g_test_add_func ("/drop/generations", test_generations);
  g_test_add_func ("/drop/generations-failures", test_generations_failures);
  g_test_add_func ("/drop/source", test_source);
  g_test_add_func ("/drop/source-in-phases", test_source_in_phases);
  g_test_add_func ("/drop/source-given-up", test_source_given_up);
  g_test_add_func ("/drop/source-failures", test_source_failures);
  g_test_add_func ("/drop/source-beside", test_source_beside);
  g_test_add_func ("/drop/one-generation", test_one_generation);
  return g_test_run ();
}
