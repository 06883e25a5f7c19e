/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What a migrator leaves that dies between the rows of an order and its root row, and what another
 * process makes of it; and a target that has not everything. */
#include "tall-error.h"
#include "tall-limits.h"
#include "tall-moving.h"
#include "tall-must.h"
#include "store/commit/put.h"

#define ORDER "remains"

#define SLOW (TALL_CLOCK_DIFFERENCE * 1000 / 2) /* milliseconds that a clock is behind */

static gint64
slow_clock (gpointer data G_GNUC_UNUSED)
{
  return g_get_real_time () / 1000 - SLOW;
}

/* A process that works on the first generation, whatever the record says, by the real clock, as the
 * record is written, or by the one of @hooks. Returns: the revision */
static gint64
put (const TallMoving *moving, guint n_lines, const TallStoreHooks *hooks)
{
  static const TallWriteOptions options = { 0 };
  TallStoreContext context = { 0 };
  g_autoptr (TallOrder) order = tall_test_marked_order (ORDER, 1, 1, n_lines);
  g_auto (TallOperation) operation = { 0 };
  g_auto (TallContent) content = { 0 };
  gint64 revision = 0;
  must (tall_store_context_init (&context, TALL_MOVING_OTHERS (moving), moving->side.deployment,
                                 hooks, &error));
  must (tall_content_init (&content, tall_record_of_order (order), &error));
  tall_operation_init (&operation, &context, order->customer_number, ORDER, 0);
  must (tall_put (&operation, &content, &options, &revision, &error));
  tall_operation_clear (&operation);
  tall_store_context_clear (&context);
  return revision;
}

static guint
count_cells (const TallMoving *moving, gint64 revision)
{
  g_autoptr (TallTable) target = tall_moving_open_generation (moving, 2);
  return tall_test_count_cells (target, moving->options.move.layout, revision);
}

typedef struct
{
  gint64 revision; /* of the order before whose root row the process dies */
  gint dead;       /* atomic: workers copy */
} Death;

static gboolean
writes_at (const TallCall *call, gint64 timestamp)
{
  for (guint i = 0; i < call->n_mutations; i++)
    for (guint j = 0; j < call->mutations[i]->n_changes; j++)
      if (call->mutations[i]->changes[j].timestamp == timestamp)
        return TRUE;
  return FALSE;
}

/* Root rows are written together, after all else of their orders. */
static TallFailure
die_before_root (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Death *death = data;
  if (call->kind == TALL_CALL_APPLY && g_str_equal (call->table, "orders-2")
      && writes_at (call, death->revision))
    g_atomic_int_set (&death->dead, TRUE);
  return g_atomic_int_get (&death->dead) ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

/* The order is written again before another process goes on: nothing says that rows of the version
 * before are there. */
static void
rewrite_without_root (const TallStoreHooks *hooks)
{
  g_auto (TallMoving) moving = { 0 };
  g_autoptr (GError) error = NULL;
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_normalized);
  gint64 first = put (&moving, 9, hooks);
  Death death = { .revision = first };
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (moving.side.table), die_before_root, NULL,
                                &death);
  g_assert_false (tall_moving_run (&moving, moving.side.table, &error));
  g_assert_true (death.dead);
  g_assert_cmpuint (count_cells (&moving, first), >, 0);
  gint64 second = put (&moving, 2, hooks);
  tall_moving_finish (&moving);
  g_assert_cmpuint (count_cells (&moving, first), ==, 0);
  g_assert_cmpuint (count_cells (&moving, second), >, 0);
}

static void
test_rows_without_root (void)
{
  rewrite_without_root (NULL);
}

/* Revisions of a clock that is behind are earlier than the begin of the migration, by the clock of
 * the process that began. */
static void
test_slow_clock (void)
{
  const TallStoreHooks slow = { .now = slow_clock };
  rewrite_without_root (&slow);
}

typedef struct
{
  const TallMoving *moving;
  gboolean sealed;
} Late;

/* Its row in the target gets something that is newer than all that the source can have. */
static void
put_newer (const TallMoving *moving, const TallRead *read)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const TallState state = { .revision = TALL_LATEST_REVISION, .sales_date = TALL_NO_DATE };
  TallMutation *root = tall_batch_add (batch, "orders-2", read->keys[0]);
  tall_mutation_put (batch, root, TALL_STATE_QUALIFIER, state.revision,
                     tall_state_encode (&state, batch->arena));
  must (tall_table_apply (TALL_MOVING_OTHERS (moving), &root, 1, TALL_DURABLE, TALL_NO_DEADLINE,
                          &error));
}

/* An order is written just before the seal, so that the last pass has something to look at. */
static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Late *late = data;
  if (!late->sealed && call->kind == TALL_CALL_SET_ACCESS)
    {
      put (late->moving, 1, NULL);
      late->sealed = TRUE;
    }
  if (late->sealed && call->kind == TALL_CALL_READ && g_strcmp0 (call->table, "orders-2") == 0)
    put_newer (late->moving, tall_read_plan_get (call->plan, 0));
  return TALL_FAILURE_NONE;
}

/* Everybody may write again. */
static void
expect_given_up (const TallMoving *moving)
{
  const TallMigration is = tall_moving_read_migration (moving);
  g_assert_cmpint (is.phase, ==, TALL_MIGRATION_NONE);
  g_assert_cmpuint (is.generation, ==, TALL_FIRST_GENERATION);
  g_autoptr (TallTableSpec) spec = must (
      tall_table_describe_table (TALL_MOVING_OTHERS (moving), "orders", TALL_NO_DEADLINE, &error));
  g_assert_cmpint (spec->access, ==, TALL_ACCESS_OPEN);
}

/* It does not switch to what it has not seen to be equal. */
static void
test_not_whole (void)
{
  g_auto (TallMoving) moving = { 0 };
  Late late = { .moving = &moving };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (moving.side.table), before_call, NULL, &late);
  must_fail (tall_moving_run (&moving, moving.side.table, &error), TALL_ERROR_UNAVAILABLE,
             "still differed");
  g_assert_true (late.sealed);
  expect_given_up (&moving);
}

static TallFailure
before_seal (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Late *late = data;
  TallState state;
  gint64 timestamp;
  if (late->sealed || call->kind != TALL_CALL_SET_ACCESS)
    return TALL_FAILURE_NONE;
  late->sealed = TRUE;
  put (late->moving, 1, NULL);
  g_assert_true (tall_test_read_state (late->moving->side.store, ORDER, &state, &timestamp));
  state.schema = TALL_SCHEMA + 1;
  tall_test_write_state (late->moving->side.store, ORDER, &state, timestamp);
  return TALL_FAILURE_NONE;
}

/* An order of a newer version comes just before the seal: the migration is given up at once, so
 * that nobody waits. */
static void
test_unfit_late (void)
{
  g_auto (TallMoving) moving = { 0 };
  TallMigrateSummary summary;
  Late late = { .moving = &moving };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (moving.side.table), before_seal, NULL, &late);
  must (tall_migrate_run (moving.side.table, &moving.options, &summary, &error));
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_UNFIT);
  g_assert_cmpuint (summary.n_unfit, ==, 1);
  g_assert_true (late.sealed);
  expect_given_up (&moving);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/remains/rows-without-root", test_rows_without_root);
  g_test_add_func ("/migrate/remains/not-whole", test_not_whole);
  g_test_add_func ("/migrate/remains/slow-clock", test_slow_clock);
  g_test_add_func ("/migrate/remains/unfit-late", test_unfit_late);
  return g_test_run ();
}
