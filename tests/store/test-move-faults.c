/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "store/move.h"
#include "tall-test-cells.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* Steps of a migration whose calls fail, and those of two processes at the same time. */

#define SEAL "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b"
#define OTHER_SEAL "7d444840-9dc0-41d1-b245-5ffdce74fad2"

static const TallMove to_wide = { .layout = &tall_layout_wide };
static const TallMove to_normalized = { .layout = &tall_layout_normalized };

static const TallFailure failures[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_PARTLY, TALL_FAILURE_LOST,
                                        TALL_FAILURE_LATE, TALL_FAILURE_FALSE };

static TallDeployment *
read_record (TallTable *table)
{
  return must (tall_deployment_read (table, TALL_NO_DEADLINE, &error));
}

static char *
print_record (TallTable *table)
{
  g_autoptr (TallDeployment) record = read_record (table);
  return tall_migration_print (&record->migration);
}

static gboolean
change (TallTable *table, const TallMigration *is, TallMigration to, GError **error)
{
  gboolean done;
  return tall_migration_change (table, NULL, is, &to, NULL, TALL_NO_DEADLINE, &done, error) && done;
}

static void
change_surely (TallTable *table, TallMigration to)
{
  g_autoptr (TallDeployment) record = read_record (table);
  must (change (table, &record->migration, to, &error));
}

/* What a process does that finds the record in some phase: the step that leads on. */
static gboolean
step_on (TallTable *table, const TallDeployment *is, GError **error)
{
  const TallMigration *migration = &is->migration;
  if (migration->phase == TALL_MIGRATION_COPYING)
    return change (table, migration, tall_migration_seal (migration), error);
  if (migration->phase == TALL_MIGRATION_SEALING)
    return change (table, migration, tall_migration_close (migration, SEAL), error);
  return change (table, migration, tall_migration_switch (migration), error);
}

/* Everything from the beginning to the switch, as one process does it. */
static gboolean
migrate (TallTable *table, GError **error)
{
  g_autoptr (TallDeployment) first = tall_deployment_read (table, TALL_NO_DEADLINE, error);
  if (first == NULL)
    return FALSE;
  if (first->migration.generation > 1)
    return TRUE;
  for (;;)
    {
      g_autoptr (TallDeployment) is = tall_move_begin (table, &to_wide, TALL_NO_DEADLINE, error);
      if (is == NULL || !tall_move_create_tables (table, is, NULL, TALL_NO_DEADLINE, error))
        return FALSE;
      gboolean closing = is->migration.phase == TALL_MIGRATION_CLOSING;
      if (!step_on (table, is, error) || closing)
        return *error == NULL;
    }
}

/* Back to nothing, if that is still possible. */
static gboolean
abort_migration (TallTable *table, GError **error)
{
  g_autoptr (TallDeployment) is = tall_deployment_read (table, TALL_NO_DEADLINE, error);
  if (is == NULL)
    return FALSE;
  if (is->migration.phase == TALL_MIGRATION_NONE)
    return TRUE;
  TallMigration aborting = tall_migration_abort (&is->migration, FALSE);
  if (is->migration.phase != TALL_MIGRATION_ABORTING
      && !change (table, &is->migration, aborting, error))
    return FALSE;
  return change (table, &aborting, tall_migration_give_up (&aborting), error);
}

static void
expect_whole (TallTable *table)
{
  g_autofree char *text = print_record (table);
  g_autoptr (TallDeployment) record = read_record (table);
  gboolean moved = g_str_equal (record->layout, "wide");
  g_assert_cmpuint (record->format, ==, moved ? 2 : 1);
  g_assert_cmpuint (record->migration.generation > 1, ==, moved);
}

/* Returns: whether @at was reached */
static gboolean
fail_once (guint at, TallFailure failure)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallTable) table = tall_failing_table_new (memory);
  TallFailingTable *failing = TALL_FAILING_TABLE (table);
  tall_failing_table_fail_at (failing, at, failure);
  gboolean moved = migrate (table, &error);
  gboolean reached = tall_failing_table_count_calls (failing) > at;
  g_assert_true (moved == (error == NULL));
  expect_whole (memory);
  g_clear_error (&error);
  if (!moved)
    must (migrate (memory, &error));
  g_assert_no_error (error);

  tall_failing_table_deliver_late (failing);
  g_autofree char *text = print_record (memory);
  g_assert_cmpstr (text, ==, "2 none 0 2 - -");
  expect_whole (memory);
  return reached;
}

/* Whichever call fails, and however, another process goes on; what comes late changes nothing. */
static void
test_failures (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      guint at = 0;
      while (fail_once (at, failures[i]))
        at++;
      g_assert_cmpuint (at, >=, 20);
    }
}

/* Each kind of failure of the conditional write itself, and of the reading after it. */
static void
test_settling (void)
{
  static const struct
  {
    TallFailure write;
    gboolean reads; /* the reading after it works */
    gint code;      /* 0: done */
  } cases[] = {
    { TALL_FAILURE_BEFORE, TRUE, TALL_ERROR_UNAVAILABLE },
    { TALL_FAILURE_LOST, TRUE, 0 },
    { TALL_FAILURE_LATE, TRUE, 0 },
    { TALL_FAILURE_FALSE, TRUE, 0 },
    { TALL_FAILURE_LOST, FALSE, TALL_ERROR_OUTCOME_UNKNOWN },
    { TALL_FAILURE_LATE, FALSE, TALL_ERROR_OUTCOME_UNKNOWN },
    { TALL_FAILURE_FALSE, FALSE, TALL_ERROR_OUTCOME_UNKNOWN },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      g_autoptr (TallDeployment) is =
          must (tall_move_begin (memory, &to_wide, TALL_NO_DEADLINE, &error));
      tall_failing_table_fail_at (TALL_FAILING_TABLE (table), 1, cases[i].write);
      if (!cases[i].reads)
        tall_failing_table_fail_at (TALL_FAILING_TABLE (table), 2, TALL_FAILURE_BEFORE);
      gboolean done = step_on (table, is, &error);
      g_assert_true (done == (cases[i].code == 0));
      must_be (error, done ? 0 : cases[i].code);
      tall_failing_table_deliver_late (TALL_FAILING_TABLE (table));
      g_autofree char *text = print_record (memory);
      g_assert_cmpstr (text, ==,
                       cases[i].write == TALL_FAILURE_BEFORE ? "1 copying 2 2 - -"
                                                             : "1 sealing 2 2 - -");
    }
}

/* Another process, which does its work before one call of the first. */
typedef struct
{
  guint at;
  TallTable *table; /* without failures */
  gboolean (*work) (TallTable *table, GError **error);
  GError *error;
  gboolean ran;
  gboolean succeeded;
} Other;

static void
other_clear (Other *self)
{
  g_clear_error (&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Other, other_clear)

static TallFailure
interrupt (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Other *self = data;
  if (call->index == self->at)
    {
      self->ran = TRUE;
      self->succeeded = self->work (self->table, &self->error);
    }
  return TALL_FAILURE_NONE;
}

static gboolean
begin_other (TallTable *table, GError **error)
{
  g_autoptr (TallDeployment) is = tall_move_begin (table, &to_normalized, TALL_NO_DEADLINE, error);
  return is != NULL && tall_move_create_tables (table, is, NULL, TALL_NO_DEADLINE, error);
}

static void
put_row (TallTable *table, const char *name)
{
  tall_test_put (table, name, tall_slice_str ("row"),
                 (TallCell){ tall_slice_str ("q"), 5, tall_slice_str ("v") });
}

/* The same settings, and it has copied already. */
static gboolean
begin_same (TallTable *table, GError **error)
{
  g_autoptr (TallDeployment) is = tall_move_begin (table, &to_wide, TALL_NO_DEADLINE, error);
  if (is == NULL || !tall_move_create_tables (table, is, NULL, TALL_NO_DEADLINE, error))
    return FALSE;
  put_row (table, "orders-2");
  return TRUE;
}

/* Two begin with different settings: one wins, and the other learns it by name. */
static gboolean
begin_two (guint at)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallTable) table = tall_failing_table_new (memory);
  g_auto (Other) other = { .at = at, .table = memory, .work = begin_other };
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), interrupt, NULL, &other);
  g_autoptr (TallDeployment) is = tall_move_begin (table, &to_wide, TALL_NO_DEADLINE, &error);
  if (!other.ran)
    return FALSE;
  g_autoptr (TallDeployment) record = read_record (memory);
  g_autofree char *text = tall_migration_print (&record->migration);
  g_assert_cmpstr (text, ==, "1 copying 2 2 - -");
  g_assert_true ((is != NULL) != other.succeeded);
  g_assert_cmpstr (record->next->layout, ==, is != NULL ? "wide" : "normalized");
  const GError *lost = is != NULL ? other.error : error;
  g_assert_error (lost, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_nonnull (strstr (lost->message, "wide"));
  g_assert_nonnull (strstr (lost->message, "normalized"));
  return TRUE;
}

static void
test_two_begin (void)
{
  guint at = 0;
  while (begin_two (at))
    at++;
  g_assert_cmpuint (at, >=, 4);
}

/* Two begin the same: both go on with it. */
static void
test_two_begin_alike (void)
{
  for (guint at = 0;; at++)
    {
      g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      g_auto (Other) other = { .at = at, .table = memory, .work = begin_same };
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), interrupt, NULL, &other);
      g_autoptr (TallDeployment) is =
          must (tall_move_begin (table, &to_wide, TALL_NO_DEADLINE, &error));
      g_assert_no_error (other.error);
      g_assert_cmpuint (is->migration.target, ==, 2);
      if (!other.ran)
        break;
    }
}

/* Both go from the beginning to the switch: there is one. */
static void
test_two_migrate (void)
{
  guint at = 0;
  for (gboolean ran = TRUE; ran; at++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      g_auto (Other) other = { .at = at, .table = memory, .work = migrate };
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), interrupt, NULL, &other);
      gboolean moved = migrate (table, &error);
      ran = other.ran;
      g_assert_true (moved || other.succeeded);
      g_autofree char *text = print_record (memory);
      g_assert_cmpstr (text, ==, "2 none 0 2 - -");
      expect_whole (memory);
    }
  g_assert_cmpuint (at, >=, 20);
}

/* An abort comes before any call of a migration that goes on to its end: one of them wins. */
static void
test_abort_beside (void)
{
  guint n_aborted = 0;
  guint n_switched = 0;
  for (gboolean ran = TRUE; ran;)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      g_autoptr (TallDeployment) begun =
          tall_move_begin (memory, &to_wide, TALL_NO_DEADLINE, &error);
      TallMigration sealing = tall_migration_seal (&begun->migration);
      change_surely (memory, sealing);
      TallMigration closing = tall_migration_close (&sealing, SEAL);
      change_surely (memory, closing);

      g_auto (Other)
          other = { .at = n_aborted + n_switched, .table = memory, .work = abort_migration };
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), interrupt, NULL, &other);
      gboolean switched = change (table, &closing, tall_migration_switch (&closing), &error);
      g_assert_no_error (error);
      g_assert_no_error (other.error);
      g_autofree char *text = print_record (memory);
      g_assert_cmpstr (text, ==, switched ? "2 none 0 2 - -" : "1 none 0 2 - unsealed,reopened");
      expect_whole (memory);
      ran = other.ran;
      n_switched += switched;
      n_aborted += !switched;
    }
  g_assert_cmpuint (n_aborted, ==, 2);
  g_assert_cmpuint (n_switched, ==, 1);
}

/* The switch comes before any call of the abort. */
static gboolean
switch_closing (TallTable *table, GError **error)
{
  g_autoptr (TallDeployment) is = read_record (table);
  return is->migration.phase != TALL_MIGRATION_CLOSING || step_on (table, is, error);
}

static void
test_switch_beside (void)
{
  for (gboolean ran = TRUE, at = 0; ran; at++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      g_autoptr (TallDeployment) begun =
          tall_move_begin (memory, &to_wide, TALL_NO_DEADLINE, &error);
      TallMigration sealing = tall_migration_seal (&begun->migration);
      change_surely (memory, sealing);
      change_surely (memory, tall_migration_close (&sealing, SEAL));
      g_auto (Other) other = { .at = (guint)at, .table = memory, .work = switch_closing };
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), interrupt, NULL, &other);
      gboolean aborted = abort_migration (table, &error);
      g_assert_no_error (error);
      g_autoptr (TallDeployment) record = read_record (memory);
      g_assert_cmpint (record->migration.phase, ==, TALL_MIGRATION_NONE);
      g_assert_cmpuint (record->migration.generation, ==, aborted && at > 0 ? 1 : 2);
      expect_whole (memory);
      ran = other.ran;
      if (!ran)
        g_assert_true (aborted);
    }
}

/* A late step of before an abort, or of another seal, finds nothing that it could change. */
static void
test_late_steps (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallDeployment) begun = tall_move_begin (memory, &to_wide, TALL_NO_DEADLINE, &error);
  TallMigration sealing = tall_migration_seal (&begun->migration);
  TallMigration closing = tall_migration_close (&sealing, SEAL);
  TallMigration other_closing = tall_migration_close (&sealing, OTHER_SEAL);
  change_surely (memory, sealing);
  change_surely (memory, other_closing);
  g_assert_false (change (memory, &sealing, closing, &error));
  g_assert_false (change (memory, &closing, tall_migration_switch (&closing), &error));
  g_assert_no_error (error);

  must (abort_migration (memory, &error));
  g_autoptr (TallDeployment) again = tall_move_begin (memory, &to_wide, TALL_NO_DEADLINE, &error);
  g_assert_cmpuint (again->migration.target, ==, 3);
  g_assert_false (change (memory, &begun->migration, sealing, &error));
  g_assert_false (change (memory, &other_closing, tall_migration_switch (&other_closing), &error));
  g_assert_no_error (error);
  g_autofree char *text = print_record (memory);
  g_assert_cmpstr (text, ==, "1 copying 3 3 - unsealed,reopened");
}

/* A deployment that somebody drops meanwhile is not a deployment that comes back. */
static void
test_dropped_beside (void)
{
  for (guint at = 0;; at++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
      g_autoptr (TallTable) table = tall_failing_table_new (memory);
      g_autoptr (TallDeployment) begun =
          tall_move_begin (memory, &to_wide, TALL_NO_DEADLINE, &error);
      g_auto (Other) other = { .at = at, .table = memory, .work = tall_store_drop };
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), interrupt, NULL, &other);
      gboolean done = step_on (table, begun, &error);
      if (!other.ran)
        break;
      g_assert_true (other.succeeded);
      g_assert_false (done);
      g_assert_nonnull (error);
      g_auto (GStrv) names = tall_table_list_tables (memory, TALL_NO_DEADLINE, NULL);
      g_assert_cmpuint (g_strv_length (names), ==, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/move/faults/failures", test_failures);
  g_test_add_func ("/move/faults/settling", test_settling);
  g_test_add_func ("/move/faults/two-begin", test_two_begin);
  g_test_add_func ("/move/faults/two-begin-alike", test_two_begin_alike);
  g_test_add_func ("/move/faults/two-migrate", test_two_migrate);
  g_test_add_func ("/move/faults/abort-beside", test_abort_beside);
  g_test_add_func ("/move/faults/switch-beside", test_switch_beside);
  g_test_add_func ("/move/faults/late-steps", test_late_steps);
  g_test_add_func ("/move/faults/dropped-beside", test_dropped_beside);
  return g_test_run ();
}
