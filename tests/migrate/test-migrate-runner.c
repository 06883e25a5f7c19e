/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Tasks in the background of a service, one after the other and one in the place of another. */

#include "tall-error.h"
#include "tall-failing-table.h"
#include "migrate/migrate-runner.h"
#include "tall-must.h"
#include "tall-test-moves.h"
#include "tall-test-record.h"

#include <string.h>

#define N_ORDERS 300      /* more than are copied at once */
#define AT_LEAST_KNOWN 16 /* as the interface says */

static const TallMigrateWish abort_wish = { .task = TALL_MIGRATE_ABORT };

typedef struct
{
  TallTestMoves moves;
  gboolean is_aborted; /* by the hook */
} Fixture;

static void
fixture_start (Fixture *self)
{
  *self = (Fixture){ 0 };
  tall_test_moves_init (&self->moves, N_ORDERS, NULL);
}

static void
fixture_end (Fixture *self)
{
  tall_test_moves_clear (&self->moves);
}

static TallMigrateState *
start (Fixture *self, const TallMigrateWish *wish)
{
  g_autoptr (GError) error = NULL;
  TallMigrateState *state = tall_migrate_runner_start (self->moves.runner, wish, &error);
  g_assert_no_error (error);
  return state;
}

static TallMigrateState *
look (gpointer data, const char *id)
{
  const Fixture *self = data;
  g_autoptr (GError) error = NULL;
  TallMigrateState *state = tall_migrate_runner_look (self->moves.runner, id, 0, 100, &error);
  g_assert_no_error (error);
  return state;
}

static TallMigrateState *
run (Fixture *self, const TallMigrateWish *wish)
{
  g_autoptr (TallMigrateState) first = start (self, wish);
  return tall_test_await_end (look, self, first->id);
}

/* A process that follows a task learns how it has ended, also if others have begun and ended before
 * it looks; but not without end. */
static void
test_before (void)
{
  Fixture fixture;
  fixture_start (&fixture);
  tall_test_moves_spoil (&fixture.moves, 1);
  const TallMigrateWish wide = tall_test_wish_layout ("wide"),
                        blob = tall_test_wish_layout ("blob");
  g_autoptr (TallMigrateState) first = run (&fixture, &wide);
  tall_migrate_state_free (run (&fixture, &abort_wish));
  for (guint i = 1; i < AT_LEAST_KNOWN; i++)
    tall_migrate_state_free (run (&fixture, &blob));
  g_autoptr (TallMigrateState) before = tall_test_await_end (look, &fixture, first->id);
  g_assert_cmpstr (before->id, ==, first->id);
  g_assert_cmpint (before->task, ==, TALL_MIGRATE_MOVE);
  g_assert_cmpint (before->summary.outcome, ==, TALL_MIGRATE_UNFIT);
  g_assert_cmpuint (before->n_unfit, ==, 1);
  g_assert_nonnull (strstr (before->unfit[0].message, "state"));
  g_autoptr (TallMigrateState) last = tall_test_await_end (look, &fixture, NULL);
  g_assert_no_error (last->error);
  g_assert_cmpint (last->summary.outcome, ==, TALL_MIGRATE_UNCHANGED);

  tall_migrate_state_free (run (&fixture, &blob));
  must_fail (tall_migrate_runner_look (fixture.moves.runner, first->id, 0, 100, &error),
             TALL_ERROR_NOT_FOUND);
  fixture_end (&fixture);
}

static TallFailure
refuse_seal (TallFailingTable *table G_GNUC_UNUSED,
             const TallCall *call,
             gpointer data G_GNUC_UNUSED)
{
  return call->kind == TALL_CALL_SET_ACCESS ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

/* One that fails under the seal says that writes wait, and what to do. */
static void
test_failed (void)
{
  Fixture fixture;
  const TallMigrateWish wide = tall_test_wish_layout ("wide");
  fixture_start (&fixture);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (fixture.moves.table), refuse_seal, NULL, NULL);
  g_autoptr (TallMigrateState) failed = run (&fixture, &wide);
  g_assert_nonnull (failed->error);
  g_assert_false (tall_migrate_state_is_refused (failed));
  g_assert_nonnull (strstr (failed->error->message,
                            ". The migration has begun, and writes wait for it: migrate again to "
                            "go on, or give it up with --abort"));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (fixture.moves.table), NULL, NULL, NULL);
  g_autoptr (TallMigrateState) aborted = run (&fixture, &abort_wish);
  g_assert_no_error (aborted->error);
  fixture_end (&fixture);
}

/* What only copies does not switch. */
static void
test_pass_only (void)
{
  Fixture fixture;
  TallMigrateWish wish = tall_test_wish_layout ("wide");
  fixture_start (&fixture);
  wish.pass_only = TRUE;
  g_autoptr (TallMigrateState) passed = run (&fixture, &wish);
  g_assert_no_error (passed->error);
  g_assert_cmpint (passed->summary.outcome, ==, TALL_MIGRATE_PASSED);
  g_assert_cmpuint (passed->summary.generation, ==, 1);
  wish.pass_only = FALSE;
  g_autoptr (TallMigrateState) switched = run (&fixture, &wish);
  g_assert_cmpint (switched->summary.outcome, ==, TALL_MIGRATE_SWITCHED);
  fixture_end (&fixture);
}

/* Where other processes may call the tables, a task does not say that none of an abort's calls is
 * under way any more. */
static void
test_unsettled (void)
{
  Fixture fixture;
  const TallMigrateWish wide = tall_test_wish_layout ("wide");
  fixture_start (&fixture);
  tall_test_record_write (fixture.moves.table, "migration", "1 none 0 2 - unsealed,reopened", 0);
  tall_failing_table_set_info (TALL_FAILING_TABLE (fixture.moves.table), TALL_FAILING_SHARED);
  g_autoptr (TallMigrateState) shared = run (&fixture, &wide);
  g_assert_error (shared->error, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_nonnull (strstr (shared->error->message, "--settled"));
  tall_failing_table_set_info (TALL_FAILING_TABLE (fixture.moves.table), TALL_FAILING_USUAL);
  g_autoptr (TallMigrateState) alone = run (&fixture, &wide);
  g_assert_no_error (alone->error);
  g_assert_cmpint (alone->summary.outcome, ==, TALL_MIGRATE_SWITCHED);
  fixture_end (&fixture);
}

/* How fast it is, is of the pass that runs, not of those before, and of all of its time. */
static void
test_rate_of_pass (void)
{
  TallMigrateKept *kept = tall_migrate_kept_new (TALL_MIGRATE_MOVE);
  TallMigrateProgress progress = { .stage = TALL_MIGRATE_COPYING, .pass = 1, .n_all = 100 };
  g_usleep (200 * 1000);
  progress.n_looked = 50;
  tall_migrate_kept_take_progress (kept, &progress);
  g_assert_cmpuint (kept->state->rate, <=, 50 * 5);
  g_assert_cmpint (kept->state->time_left, >=, 200 * 1000);
  progress.pass = 2;
  g_usleep (1000);
  tall_migrate_kept_take_progress (kept, &progress);
  g_assert_cmpuint (kept->state->rate, >, 50 * 5);
  g_assert_cmpuint (kept->state->rate, <=, 50 * 1000);
  progress.stage = TALL_MIGRATE_LAST_PASS;
  g_usleep (1000);
  tall_migrate_kept_take_progress (kept, &progress);
  g_assert_cmpuint (kept->state->rate, >, 50 * 5);
  g_assert_cmpuint (kept->state->rate, <=, 50 * 1000);
  tall_migrate_kept_free (kept);
}

/* One that only copies is given up twice. */
static void
test_aborts (void)
{
  Fixture fixture;
  TallMigrateWish wish = tall_test_wish_layout ("wide");
  fixture_start (&fixture);
  wish.rate = 1;
  wish.pass_only = TRUE;
  g_autoptr (TallMigrateState) first = start (&fixture, &wish);
  tall_test_await_copying (look, &fixture);
  g_autoptr (TallMigrateState) one = start (&fixture, &abort_wish);
  g_autoptr (TallMigrateState) two = start (&fixture, &abort_wish);
  g_assert_true (!one->is_joined && two->is_joined);
  g_assert_cmpstr (two->id, ==, first->id);
  g_autoptr (TallMigrateState) last = tall_test_await_end (look, &fixture, first->id);
  g_assert_no_error (last->error);
  g_assert_cmpint (last->task, ==, TALL_MIGRATE_ABORT);
  g_assert_false (last->has_switched);
  fixture_end (&fixture);
}

/* Asks for an abort when it is too late: nothing stops a migration that has sealed. */
static TallFailure
abort_late (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Fixture *self = data;
  if (call->kind == TALL_CALL_SET_ACCESS && !self->is_aborted)
    {
      self->is_aborted = TRUE;
      tall_migrate_state_free (start (self, &abort_wish));
    }
  return TALL_FAILURE_NONE;
}

static void
test_too_late (void)
{
  Fixture fixture;
  const TallMigrateWish wide = tall_test_wish_layout ("wide");
  fixture_start (&fixture);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (fixture.moves.table), abort_late, NULL,
                                &fixture);
  g_autoptr (TallMigrateState) last = run (&fixture, &wide);
  g_assert_true (fixture.is_aborted);
  g_assert_no_error (last->error);
  g_assert_cmpint (last->task, ==, TALL_MIGRATE_ABORT);
  g_assert_true (last->has_switched);
  g_assert_cmpint (last->summary.outcome, ==, TALL_MIGRATE_SWITCHED);
  g_assert_cmpuint (last->summary.generation, ==, 2);
  g_assert_cmpuint (last->summary.n_looked, ==, N_ORDERS);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (fixture.moves.table), NULL, NULL, NULL);

  g_autoptr (TallMigrateState) nothing = run (&fixture, &abort_wish);
  g_assert_no_error (nothing->error);
  g_assert_false (nothing->has_switched);
  fixture_end (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL); /* failures are logged */
  g_test_add_func ("/migrate/runner/before", test_before);
  g_test_add_func ("/migrate/runner/failed", test_failed);
  g_test_add_func ("/migrate/runner/aborts", test_aborts);
  g_test_add_func ("/migrate/runner/too-late", test_too_late);
  g_test_add_func ("/migrate/runner/pass-only", test_pass_only);
  g_test_add_func ("/migrate/runner/unsettled", test_unsettled);
  g_test_add_func ("/migrate/runner/rate-of-pass", test_rate_of_pass);
  return g_test_run ();
}
