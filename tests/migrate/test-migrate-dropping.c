/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What was opened again is dropped before the switch. From then on nobody can give it back: neither
 * may an abort try, nor may a migration that is in its way come to a stand. */
#include "tall-access.h"
#include "tall-error.h"
#include "tall-migration-record.h"
#include "tall-moving.h"

static const TallLayout *const from = &tall_layout_blob;
static const TallLayout *const to = &tall_layout_normalized;

/* An abort that is cut short, in the middle of a migration. */
typedef struct
{
  TallMoving *moving;
  TallTable *table; /* its own */
  guint at;         /* the call of the migration before which it begins */
  guint n_writes;   /* of the abort, to the record */
} Abort;

/* It dies when it has written to the record. */
static TallFailure
die_after_record (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Abort *abort = data;
  abort->n_writes += call->kind == TALL_CALL_APPLY_IF;
  return abort->n_writes > 0 && call->kind != TALL_CALL_APPLY_IF ? TALL_FAILURE_BEFORE
                                                                 : TALL_FAILURE_NONE;
}

static TallFailure
begin_abort (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Abort *abort = data;
  g_autoptr (GError) error = NULL;
  if (call->index == abort->at
      && !tall_migrate_abort (abort->table, &abort->moving->options, &error))
    g_test_message ("at %u: %s", call->index, error->message);
  return TALL_FAILURE_NONE;
}

/* Whoever comes next can end it, by an abort or a migration. */
static void
expect_end (TallMoving *moving)
{
  g_autoptr (GError) error = NULL;
  gboolean switched = tall_moving_get_generation (moving) != TALL_FIRST_GENERATION;
  if (!switched && !tall_migrate_abort (TALL_MOVING_OTHERS (moving), &moving->options, &error))
    g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
  else if (!switched)
    tall_moving_expect_unmoved (moving);
  if (!switched)
    tall_moving_finish (moving);
  tall_moving_expect_moved (moving);
}

/* Returns: FALSE if the migration has made fewer calls */
static gboolean
abort_at (guint at)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, from, to);
  tall_moving_give_up_closed (&moving);
  g_autoptr (TallTable) table = tall_failing_table_new (TALL_MOVING_OTHERS (&moving));
  Abort abort = { .moving = &moving, .table = table, .at = at };
  TallFailingTable *first = TALL_FAILING_TABLE (moving.side.table);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), die_after_record, NULL, &abort);
  tall_failing_table_set_hooks (first, begin_abort, NULL, &abort);
  if (!tall_moving_run (&moving, moving.side.table, &error))
    g_test_message ("at %u: %s", at, error != NULL ? error->message : "overtaken");
  expect_end (&moving);
  return at < tall_failing_table_count_calls (first);
}

static void
test_abort (void)
{
  guint n = 0;
  while (abort_at (n))
    n++;
  g_assert_cmpuint (n, >, 60);
}

/* Dies at the first table that it is to drop. */
static TallFailure
die_dropping (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gboolean *dead = data;
  *dead |= call->kind == TALL_CALL_DROP_TABLE;
  return *dead ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

static void
init_dropping (TallMoving *moving)
{
  g_autoptr (GError) error = NULL;
  gboolean dead = FALSE;
  tall_moving_init (moving, from, to);
  tall_moving_give_up_closed (moving);
  TallFailingTable *table = TALL_FAILING_TABLE (moving->side.table);
  tall_failing_table_set_hooks (table, die_dropping, NULL, &dead);
  g_assert_false (tall_moving_run (moving, moving->side.table, &error));
  g_assert_true (dead);
  tall_failing_table_reset (table);
}

static TallMigration
read_migration (const TallMoving *moving)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallDeployment) record =
      tall_deployment_read (TALL_MOVING_OTHERS (moving), TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  return record->migration;
}

static void
expect_no_abort (TallMoving *moving)
{
  g_autoptr (GError) error = NULL;
  const TallMigration before = read_migration (moving);
  g_assert_false (tall_migrate_abort (TALL_MOVING_OTHERS (moving), &moving->options, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_nonnull (strstr (error->message, "migrate again"));
  const TallMigration now = read_migration (moving);
  g_autofree char *before_text = tall_migration_print (&before);
  g_autofree char *now_text = tall_migration_print (&now);
  g_assert_cmpstr (now_text, ==, before_text);
}

/* Before anything is dropped, the record says so. */
static void
test_announced (void)
{
  g_auto (TallMoving) moving = { 0 };
  init_dropping (&moving);
  const TallMigration is = read_migration (&moving);
  g_assert_true (is.dropping);
  g_assert_cmpstr (tall_migration_get_stage (&is), ==, "dropping");
  expect_no_abort (&moving);
  tall_moving_finish (&moving);
  tall_moving_expect_moved (&moving);
  g_assert_false (read_migration (&moving).dropping);
}

static void
change (const TallMoving *moving, TallMigration to_migration)
{
  g_autoptr (GError) error = NULL;
  gboolean done;
  const TallMigration is = read_migration (moving);
  g_assert_true (tall_migration_change (TALL_MOVING_OTHERS (moving), &is, &to_migration, NULL,
                                        TALL_NO_DEADLINE, &done, &error));
  g_assert_no_error (error);
  g_assert_true (done);
}

static void
drop (const TallMoving *moving, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (
      tall_table_drop_table (TALL_MOVING_OTHERS (moving), name, TALL_NO_DEADLINE, &error));
  g_assert_no_error (error);
}

static void
set_access (const TallMoving *moving, const char *name, TallTableAccess access)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (tall_table_set_access (TALL_MOVING_OTHERS (moving), name, access, NULL,
                                        TALL_NO_DEADLINE, &error));
  g_assert_no_error (error);
}

/* Earlier versions drop without a word in the record, and die at each table. */
static void
test_earlier_version (void)
{
  static const char *const names[] = { "customers", "orders", "index" };
  for (guint n = 0; n <= G_N_ELEMENTS (names); n++)
    {
      g_auto (TallMoving) moving = { 0 };
      init_dropping (&moving);
      TallMigration earlier = read_migration (&moving);
      earlier.dropping = FALSE;
      change (&moving, earlier);
      for (guint i = 0; i < n; i++)
        drop (&moving, names[i]);
      if (n > 0)
        expect_no_abort (&moving);
      tall_moving_finish (&moving);
      tall_moving_expect_moved (&moving);
    }
}

/* Late calls of an earlier abort open the tables once more, so what was announced cannot be done:
 * somebody may have written. */
static void
test_late_opening (void)
{
  g_auto (TallMoving) moving = { 0 };
  init_dropping (&moving);
  set_access (&moving, "orders", TALL_ACCESS_OPEN);
  set_access (&moving, "orders", TALL_ACCESS_UNCLOSED);
  tall_moving_finish (&moving);
  tall_moving_expect_moved (&moving);
}

/* The same, and a drop comes late that was sent before. There is nothing to go back to. */
static void
test_late_drop (void)
{
  g_auto (TallMoving) moving = { 0 };
  init_dropping (&moving);
  const TallMigration is = read_migration (&moving);
  change (&moving, tall_migration_reopen (&is));
  expect_no_abort (&moving);
  drop (&moving, "orders");
  expect_no_abort (&moving);
  tall_moving_finish (&moving);
  tall_moving_expect_moved (&moving);
}

/* A table that is not closed is not dropped before the switch. */
static void
test_open (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, from, to);
  g_assert_false (tall_access_drop (&moving.side.context, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "orders"));
  tall_moving_expect_unmoved (&moving);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/dropping/announced", test_announced);
  g_test_add_func ("/migrate/dropping/abort", test_abort);
  g_test_add_func ("/migrate/dropping/earlier-version", test_earlier_version);
  g_test_add_func ("/migrate/dropping/late-opening", test_late_opening);
  g_test_add_func ("/migrate/dropping/late-drop", test_late_drop);
  g_test_add_func ("/migrate/dropping/open", test_open);
  return g_test_run ();
}
