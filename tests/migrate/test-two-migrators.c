/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Two processes migrate the same deployment at the same time. At each call of the first one the
 * other one does everything; and both run beside each other. */
#include "tall-error.h"
#include "tall-moving.h"
#include "tall-must.h"
#include "tall-test-pairs.h"
#include "tall-torn-table.h"

#define ROUNDS 5

/* What the other process does. */
typedef enum
{
  OTHER_MIGRATES,
  OTHER_ABORTS,
  OTHER_BEGINS_ANEW,
  OTHER_DROPS, /* what does not count, when it has migrated */
} Other;

typedef struct
{
  const TallLayout *from;
  const TallLayout *to;
  Other other;
} Case;

typedef struct
{
  TallMoving *moving;
  Other other;
  guint at;
} Meeting;

/* One that makes the tables of its target may do so after an abort; they stay until somebody drops
 * what does not count. */
static void
drop_rest (const TallMoving *moving)
{
  guint n;
  must (tall_store_drop_source (TALL_MOVING_OTHERS (moving), &n, &error));
}

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Meeting *meeting = data;
  /* A seal that arrives when the other one has switched makes the old tables readable again, if
   * they are still there: see Limits in src/migrate/README.md. */
  gboolean is_known = call->kind == TALL_CALL_SET_ACCESS && meeting->other != OTHER_DROPS;
  if (call->index != meeting->at || is_known)
    return TALL_FAILURE_NONE;
  gboolean switched = tall_moving_get_generation (meeting->moving) != TALL_FIRST_GENERATION;
  if (meeting->other == OTHER_ABORTS || meeting->other == OTHER_BEGINS_ANEW)
    tall_moving_abort (meeting->moving);
  if (meeting->other != OTHER_ABORTS && !switched)
    tall_moving_finish (meeting->moving);
  if (meeting->other == OTHER_DROPS)
    drop_rest (meeting->moving);
  return TALL_FAILURE_NONE;
}

/* Returns: FALSE if the first one has made fewer calls */
static gboolean
meet_at (const Case *meeting, guint at)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) moving = { 0 };
  Meeting data = { &moving, meeting->other, at };
  TallMigrateSummary summary;
  tall_moving_init (&moving, meeting->from, meeting->to);
  moving.options.settled = TRUE; /* each abort has all of its answers */
  TallFailingTable *first = TALL_FAILING_TABLE (moving.side.table);
  tall_failing_table_set_hooks (first, before_call, NULL, &data);
  gboolean done = tall_migrate_run (moving.side.table, &moving.options, &summary, &error);
  if (!done) /* everything was done before it has read what there is */
    g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  gboolean switched = tall_moving_get_generation (&moving) != TALL_FIRST_GENERATION;
  if (meeting->other != OTHER_MIGRATES)
    drop_rest (&moving);
  if (!switched) /* the first one's seal may have come after the abort */
    tall_moving_abort (&moving);
  if (switched)
    tall_moving_expect_moved (&moving);
  else
    tall_moving_expect_unmoved (&moving);
  if (meeting->other == OTHER_MIGRATES || meeting->other == OTHER_DROPS)
    g_assert_true (switched
                   && (!done || summary.outcome == TALL_MIGRATE_SWITCHED
                       || summary.outcome == TALL_MIGRATE_UNCHANGED));
  else if (done && summary.outcome == TALL_MIGRATE_UNCHANGED)
    g_assert_true (switched);
  else if (done && summary.outcome != TALL_MIGRATE_SWITCHED)
    g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_OVERTAKEN);
  return at < tall_failing_table_count_calls (first);
}

static void
test_each_call (gconstpointer data)
{
  const Case *meeting = data;
  guint n = meeting->other % tall_test_step ();
  while (meet_at (meeting, n))
    n += tall_test_step ();
  g_test_message ("%u calls", n);
  g_assert_cmpuint (n, >, 40);
}

/* Before it says that it aborts, the other one ends the migration, and drops the old tables. */
static TallFailure
before_abort (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Meeting *meeting = data;
  if (call->index != meeting->at
      || tall_moving_read_migration (meeting->moving).phase != TALL_MIGRATION_COPYING)
    return TALL_FAILURE_NONE;
  tall_moving_finish (meeting->moving);
  drop_rest (meeting->moving);
  return TALL_FAILURE_NONE;
}

/* Returns: FALSE if the abort has made fewer calls */
static gboolean
abort_at (guint at)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) moving = { 0 };
  Meeting data = { &moving, OTHER_DROPS, at };
  TallMigrateSummary summary;
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  TallMigrateOptions copying = moving.options;
  copying.pass_only = TRUE;
  must (tall_migrate_run (TALL_MOVING_OTHERS (&moving), &copying, &summary, &error));
  TallFailingTable *first = TALL_FAILING_TABLE (moving.side.table);
  tall_failing_table_set_hooks (first, before_abort, NULL, &data);
  gboolean done = tall_migrate_abort (moving.side.table, &moving.options, &error);
  if (tall_moving_get_generation (&moving) == TALL_FIRST_GENERATION)
    {
      g_assert_no_error (error);
      tall_moving_expect_unmoved (&moving);
    }
  else
    {
      if (!done)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
      tall_moving_expect_moved (&moving);
    }
  return at < tall_failing_table_count_calls (first);
}

static void
test_abort (void)
{
  tall_moving_try_each_call (abort_at, 10);
}

typedef struct
{
  TallMoving *moving;
  TallTable *table; /* its own */
} Migrator;

static gpointer
run (gpointer data)
{
  Migrator *migrator = data;
  g_autoptr (GError) error = NULL;
  gboolean done = tall_moving_run (migrator->moving, migrator->table, &error);
  if (!done) /* it came when all was done */
    g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  return GINT_TO_POINTER (done);
}

static void
run_both (const TallLayout *from, const TallLayout *to)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, from, to);
  moving.options.hooks = NULL; /* each has its own time */
  g_autoptr (TallTable) first = tall_torn_table_new (TALL_MOVING_OTHERS (&moving));
  g_autoptr (TallTable) second = tall_torn_table_new (TALL_MOVING_OTHERS (&moving));
  Migrator one = { &moving, first }, other = { &moving, second };
  GThread *thread = g_thread_new ("other", run, &other);
  gboolean done = GPOINTER_TO_INT (run (&one));
  done = GPOINTER_TO_INT (g_thread_join (thread)) || done;
  g_assert_true (done);
  tall_moving_expect_moved (&moving);
}

static void
test_beside (gconstpointer data)
{
  const Case *meeting = data;
  for (guint i = 0; i < ROUNDS; i++)
    run_both (meeting->from, meeting->to);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "migrates", "aborts", "begins-anew", "drops" };
  static const Case cases[] = {
    { &tall_layout_blob, &tall_layout_normalized, OTHER_MIGRATES },
    { &tall_layout_record_type, &tall_layout_wide, OTHER_MIGRATES },
    { &tall_layout_normalized, &tall_layout_blob, OTHER_ABORTS },
    { &tall_layout_wide, &tall_layout_denormalized, OTHER_BEGINS_ANEW },
    { &tall_layout_denormalized, &tall_layout_record_type, OTHER_DROPS },
  };
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/two/abort-over-dropped", test_abort);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *pair =
          g_strdup_printf ("/migrate/two/%s-%s", cases[i].from->name, cases[i].to->name);
      g_autofree char *each = g_strdup_printf ("%s/other-%s", pair, names[cases[i].other]);
      g_autofree char *beside = g_strdup_printf ("%s/beside", pair);
      g_test_add_data_func (each, &cases[i], test_each_call);
      g_test_add_data_func (beside, &cases[i], test_beside);
    }
  return g_test_run ();
}
