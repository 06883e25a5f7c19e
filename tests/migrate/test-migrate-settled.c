/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* An abort has opened tables. A call of that may come later, whenever it likes: so nothing is
 * copied or shut until a person says that none is under way. What earlier versions have left, which
 * dropped such tables before the switch, is ended. */
#include "tall-error.h"
#include "store/record/generation.h"
#include "store/record/migration.h"
#include "tall-moving.h"
#include "tall-must.h"

#define SEAL "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b"

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
  moving.options.settled = TRUE; /* an abort that dies has opened nothing yet */
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
  tall_moving_try_each_call (abort_at, 60);
}

static void
expect_record (const TallMoving *moving, const char *wanted)
{
  const TallMigration is = tall_moving_read_migration (moving);
  g_autofree char *text = tall_migration_print (&is);
  g_assert_cmpstr (text, ==, wanted);
}

static void
change (const TallMoving *moving, TallMigration to_migration)
{
  gboolean done;
  const TallMigration is = tall_moving_read_migration (moving);
  must (tall_migration_change (TALL_MOVING_OTHERS (moving), NULL, &is, &to_migration, NULL,
                               TALL_NO_DEADLINE, &done, &error));
  g_assert_true (done);
}

/* Nothing is changed. */
static void
expect_refused (TallMoving *moving)
{
  const TallMigration is = tall_moving_read_migration (moving);
  g_autofree char *text = tall_migration_print (&is);
  must_fail (tall_moving_run (moving, TALL_MOVING_OTHERS (moving), &error), TALL_ERROR_CONFLICT,
             "--settled");
  expect_record (moving, text);
}

static void
test_refused (void)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, from, to);
  tall_moving_give_up_closed (&moving);
  expect_record (&moving, "1 none 0 2 - unsealed,reopened");
  expect_refused (&moving);
  tall_moving_expect_unmoved (&moving);
  moving.options.settled = TRUE;
  tall_moving_finish (&moving);
  tall_moving_expect_moved (&moving);
  expect_record (&moving, "3 none 0 3 - -");
}

/* What one process knows, another one that goes on need not know. From the seal on it is as if
 * there had been no abort. */
static void
test_others (void)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, from, to);
  tall_moving_give_up_closed (&moving);
  moving.options.settled = moving.options.pass_only = TRUE;
  g_assert_false (tall_moving_run (&moving, TALL_MOVING_OTHERS (&moving), NULL));
  expect_record (&moving, "1 copying 3 3 - unsealed,reopened");
  moving.options.settled = moving.options.pass_only = FALSE;
  expect_refused (&moving);

  const TallMigration is = tall_moving_read_migration (&moving);
  change (&moving, tall_migration_seal (&is));
  expect_record (&moving, "1 sealing 3 3 - unsealed");
  tall_moving_finish (&moving);
  tall_moving_expect_moved (&moving);
}

/* An abort that has opened tables, before a call of a process that migrates. */
typedef struct
{
  TallMoving *moving;
  guint at;
  gboolean came; /* before the switch */
} Before;

static TallFailure
abort_closed (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Before *before = data;
  if (call->index != before->at)
    return TALL_FAILURE_NONE;
  const TallMigration is = tall_moving_read_migration (before->moving);
  before->came = is.generation == TALL_FIRST_GENERATION;
  if (!before->came)
    return TALL_FAILURE_NONE;
  const TallMigration aborting = tall_migration_abort (&is, TRUE);
  change (before->moving, aborting);
  tall_moving_abort (before->moving);
  return TALL_FAILURE_NONE;
}

/* Returns: FALSE if the process has switched before it has made so many calls */
static gboolean
abort_before (guint at)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) moving = { 0 };
  Before before = { .moving = &moving, .at = at };
  tall_moving_init (&moving, from, to);
  TallFailingTable *table = TALL_FAILING_TABLE (moving.side.table);
  tall_failing_table_set_hooks (table, abort_closed, NULL, &before);
  gboolean switched = tall_moving_run (&moving, moving.side.table, &error);
  tall_failing_table_reset (table);
  g_assert_cmpint (switched, ==, !before.came);
  if (before.came)
    g_assert_true (tall_moving_read_migration (&moving).reopened);
  if (before.came)
    expect_refused (&moving);
  return before.came;
}

/* Wherever it comes: also when the process has looked whether it may begin. */
static void
test_any_time (void)
{
  tall_moving_try_each_call (abort_before, 60);
}

static TallFailure
delay_access (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  guint *n_left = data;
  if (call->kind != TALL_CALL_SET_ACCESS || *n_left == 0)
    return TALL_FAILURE_NONE;
  (*n_left)--;
  return TALL_FAILURE_LATE;
}

/* Everything is copied, the tables are open, and the record says that they are being closed. */
static void
die_closing (TallMoving *moving)
{
  moving->options.pass_only = TRUE;
  g_assert_false (tall_moving_run (moving, TALL_MOVING_OTHERS (moving), NULL));
  moving->options.pass_only = FALSE;
  const TallMigration copying = tall_moving_read_migration (moving);
  const TallMigration sealing = tall_migration_seal (&copying);
  change (moving, sealing);
  change (moving, tall_migration_close (&sealing, SEAL));
}

/* All calls of an abort come again, when the next migration would have closed the tables. */
static void
test_late_abort (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) moving = { 0 };
  guint n_late = G_MAXUINT;
  tall_moving_init (&moving, from, to);
  die_closing (&moving);
  TallFailingTable *slow = TALL_FAILING_TABLE (moving.side.table);
  tall_failing_table_set_hooks (slow, delay_access, NULL, &n_late);
  gboolean aborted = tall_migrate_abort (moving.side.table, &moving.options, &error);
  g_test_message ("%s", aborted ? "nothing was shut" : error->message);
  tall_moving_abort (&moving);
  g_clear_error (&error);

  expect_refused (&moving);
  g_assert_cmpuint (tall_failing_table_deliver_late (slow), >, 0);
  expect_refused (&moving);
  tall_moving_expect_unmoved (&moving);
}

/* Somebody has unsealed the tables after the last pass, and may have written. */
static void
test_unsealed (void)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, from, to);
  die_closing (&moving);
  must_fail (tall_moving_run (&moving, TALL_MOVING_OTHERS (&moving), &error),
             TALL_ERROR_UNAVAILABLE, "nothing is lost");
  tall_moving_expect_unmoved (&moving);
  expect_record (&moving, "1 none 0 2 - unsealed,reopened");
  expect_refused (&moving);
}

/* An abort has died when it had announced itself and nothing was closed. A close of the migration
 * comes after that. The next abort opens what was closed, and marks that it has. */
static void
test_late_close (void)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, from, to);
  moving.options.pass_only = TRUE;
  g_assert_false (tall_moving_run (&moving, TALL_MOVING_OTHERS (&moving), NULL));
  moving.options.pass_only = FALSE;
  const TallMigration copying = tall_moving_read_migration (&moving);
  change (&moving, tall_migration_abort (&copying, FALSE));
  g_autoptr (TallTable) source =
      tall_generation_table_new (TALL_MOVING_OTHERS (&moving), TALL_FIRST_GENERATION);
  must (tall_table_set_access (source, tall_layout_get_order_table (from), TALL_ACCESS_CLOSED, NULL,
                               TALL_NO_DEADLINE, &error));

  tall_moving_abort (&moving);
  g_assert_true (tall_moving_read_migration (&moving).reopened);
  tall_moving_expect_unmoved (&moving);
  expect_refused (&moving);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/settled/refused", test_refused);
  g_test_add_func ("/migrate/settled/others", test_others);
  g_test_add_func ("/migrate/settled/abort", test_abort);
  g_test_add_func ("/migrate/settled/any-time", test_any_time);
  g_test_add_func ("/migrate/settled/late-abort", test_late_abort);
  g_test_add_func ("/migrate/settled/unsealed", test_unsealed);
  g_test_add_func ("/migrate/settled/late-close", test_late_close);
  return g_test_run ();
}
