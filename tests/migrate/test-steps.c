/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* One process at one step, and what another one does just then: what the record says is obeyed, and
 * what a caller sees is true. */
#include "tall-error.h"
#include "tall-moving.h"
#include "tall-must.h"
#include "store/commit/put.h"

/* What happens at which call of the process that is watched. */
typedef struct _Scene Scene;
struct _Scene
{
  TallMoving *moving;
  TallCallKind kind;  /* calls of this kind are counted, */
  gboolean of_meta;   /* of the table `meta`, or of the others */
  gboolean of_record; /* whole rows are read, as the record is */
  guint at;           /* and this one is the one, from 0 */
  guint n;            /* that came so far */
  TallFailure failure;
  void (*act) (Scene *self);
};

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Scene *scene = data;
  gboolean of_meta = g_strcmp0 (call->table, "meta") == 0;
  if (scene->of_record
      && (call->plan == NULL || tall_read_plan_get (call->plan, 0)->n_qualifiers > 0))
    return TALL_FAILURE_NONE;
  if (call->kind != scene->kind || of_meta != scene->of_meta || scene->n++ != scene->at)
    return TALL_FAILURE_NONE;
  if (scene->act != NULL)
    scene->act (scene);
  return scene->failure;
}

static void
watch (TallTable *table, Scene *scene)
{
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), before_call, NULL, scene);
}

static TallTableAccess
read_access (const TallMoving *moving, const char *name)
{
  g_autoptr (TallTableSpec) spec = must (
      tall_table_describe_table (TALL_MOVING_OTHERS (moving), name, TALL_NO_DEADLINE, &error));
  return spec->access;
}

static TallFailure
die_under_seal (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gint *sealed = data; /* atomic: workers copy */
  if (call->kind == TALL_CALL_SET_ACCESS)
    g_atomic_int_set (sealed, TRUE);
  return g_atomic_int_get (sealed) && call->kind != TALL_CALL_SET_ACCESS ? TALL_FAILURE_BEFORE
                                                                         : TALL_FAILURE_NONE;
}

/* Another process migrates, and dies when it has sealed. */
static void
seal_and_die (Scene *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_failing_table_new (TALL_MOVING_OTHERS (self->moving));
  gint sealed = FALSE;
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), die_under_seal, NULL, &sealed);
  g_assert_false (tall_moving_run (self->moving, table, &error));
  g_assert_true (sealed);
}

static void
finish (Scene *self)
{
  tall_moving_finish (self->moving);
}

static void
begin_anew (Scene *self)
{
  TallMigrateOptions options = self->moving->options;
  TallMigrateSummary summary;
  options.pass_only = TRUE;
  if (tall_moving_get_generation (self->moving) != TALL_FIRST_GENERATION)
    return;
  tall_moving_abort (self->moving);
  options.settled = self->moving->options.settled = TRUE; /* that abort has its answers */
  must (tall_migrate_run (TALL_MOVING_OTHERS (self->moving), &options, &summary, &error));
}

static void
watch_phase (TallFailingTable *table, const TallCall *call, gpointer data)
{
  static const TallMigrationPhase phases[] = {
    [TALL_ACCESS_OPEN] = TALL_MIGRATION_ABORTING,
    [TALL_ACCESS_SEALED] = TALL_MIGRATION_SEALING,
    [TALL_ACCESS_CLOSED] = TALL_MIGRATION_CLOSING,
  };
  const TallMoving *moving = data;
  if (call->kind != TALL_CALL_SET_ACCESS)
    return;
  g_assert_true (tall_failing_table_get_table (table) == TALL_MOVING_OTHERS (moving));
  g_assert_cmpint (tall_moving_read_migration (moving).phase, ==,
                   phases[read_access (moving, call->table)]);
}

/* The record comes first, with each table that is shut or opened: who is refused looks there. */
static void
test_record_first (void)
{
  g_auto (TallMoving) moving = { 0 };
  Scene scene = { .moving = &moving };
  tall_moving_init (&moving, &tall_layout_record_type, &tall_layout_blob);
  seal_and_die (&scene);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (moving.side.table), NULL, watch_phase, &moving);
  must (tall_migrate_abort (moving.side.table, &moving.options, &error));
  tall_moving_expect_unmoved (&moving);
  must (tall_moving_run (&moving, moving.side.table, &error));
  tall_moving_expect_moved (&moving);
}

static gboolean
stop (const TallMigrateProgress *progress, gpointer data)
{
  *(TallMigrateProgress *)data = *progress;
  return FALSE;
}

/* However short the passes are, it can be stopped before the seal, and shows how far it is. */
static void
test_stop (void)
{
  g_auto (TallMoving) moving = { 0 };
  TallMigrateSummary summary;
  TallMigrateProgress shown = { 0 };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  TallMigrateOptions options = moving.options;
  options.on_progress = stop;
  options.data = &shown;
  must (tall_migrate_run (moving.side.table, &options, &summary, &error));
  g_assert_cmpuint (shown.pass, ==, 2);
  g_assert_cmpuint (shown.n_looked, >, TALL_MOVING_ITEMS); /* customers, too */
  g_assert_cmpuint (shown.n_looked, ==, shown.n_all);
  g_assert_cmpuint (shown.n_looked, ==, summary.n_looked);
  g_assert_cmpuint (shown.n_copied, ==, 0);
  g_assert_cmpuint (summary.n_copied, >, 0);
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_STOPPED);
  g_assert_cmpint (tall_moving_read_migration (&moving).phase, ==, TALL_MIGRATION_COPYING);
  tall_moving_finish (&moving);
}

/* Getting ready is cut short, and begins again when the record has moved on. */
static void
test_cut_short (void)
{
  for (guint at = 0; at < 8; at++)
    {
      g_auto (TallMoving) moving = { 0 };
      g_autoptr (GError) error = NULL;
      Scene scene = { .moving = &moving,
                      .kind = TALL_CALL_READ,
                      .of_meta = TRUE,
                      .at = at,
                      .failure = TALL_FAILURE_BEFORE,
                      .act = seal_and_die };
      tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
      watch (moving.side.table, &scene);
      if (!tall_moving_run (&moving, moving.side.table, &error))
        tall_moving_finish (&moving);
      tall_moving_expect_moved (&moving);
    }
}

/* Another process gives the migration up, which was sealed, and begins another one, each time
 * before the record is read: what that names is left alone. Returns: FALSE if it was read less
 * often */
static gboolean
begin_anew_at (guint at)
{
  g_auto (TallMoving) moving = { 0 };
  g_autoptr (GError) error = NULL;
  Scene scene = { .moving = &moving,
                  .kind = TALL_CALL_READ,
                  .of_meta = TRUE,
                  .of_record = TRUE,
                  .at = at,
                  .act = begin_anew };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  seal_and_die (&scene);
  watch (moving.side.table, &scene);
  TallMigrateSummary summary;
  gboolean done = tall_migrate_run (moving.side.table, &moving.options, &summary, &error);
  if (scene.n <= at || tall_moving_get_generation (&moving) != TALL_FIRST_GENERATION)
    return FALSE;
  g_assert_no_error (error);
  g_assert_true (done);
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_OVERTAKEN);
  g_assert_cmpint (tall_moving_read_migration (&moving).phase, ==, TALL_MIGRATION_COPYING);
  g_assert_cmpint (read_access (&moving, "orders"), ==, TALL_ACCESS_OPEN);
  return TRUE;
}

static void
test_begun_anew (void)
{
  guint at = 3; /* before that it has not begun */
  while (begin_anew_at (at))
    at++;
  g_assert_cmpuint (at, >, 5);
}

static void
expect_overtaken (Scene *scene)
{
  watch (scene->moving->side.table, scene);
  must_fail (tall_migrate_abort (scene->moving->side.table, &scene->moving->options, &error),
             TALL_ERROR_CONFLICT, "gone on with the migration");
}

/* The other one has switched before it looks at the tables. */
static void
test_switched_before_abort (void)
{
  g_auto (TallMoving) moving = { 0 };
  Scene scene = { .moving = &moving };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_normalized);
  seal_and_die (&scene);
  scene =
      (Scene){ .moving = &moving, .kind = TALL_CALL_READ, .of_meta = TRUE, .at = 1, .act = finish };
  expect_overtaken (&scene);
  tall_moving_expect_moved (&moving);
}

/* The other one has given it up, too, and has begun another one. */
static void
test_begun_before_given_up (void)
{
  g_auto (TallMoving) moving = { 0 };
  Scene scene = { .moving = &moving };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_normalized);
  seal_and_die (&scene);
  scene = (Scene){
    .moving = &moving, .kind = TALL_CALL_APPLY_IF, .of_meta = TRUE, .at = 1, .act = begin_anew
  };
  expect_overtaken (&scene);
  g_assert_cmpint (tall_moving_read_migration (&moving).phase, ==, TALL_MIGRATION_COPYING);
  tall_moving_finish (&moving);
}

/* The record goes on from copying to sealing before the abort is announced. */
static void
test_sealed_before_abort (void)
{
  g_auto (TallMoving) moving = { 0 };
  TallMigrateOptions options;
  TallMigrateSummary summary;
  Scene scene = {
    .moving = &moving, .kind = TALL_CALL_APPLY_IF, .of_meta = TRUE, .act = seal_and_die
  };
  tall_moving_init (&moving, &tall_layout_record_type, &tall_layout_normalized);
  options = moving.options;
  options.pass_only = TRUE;
  must (tall_migrate_run (TALL_MOVING_OTHERS (&moving), &options, &summary, &error));
  expect_overtaken (&scene);
  g_assert_cmpint (read_access (&moving, "orders"), ==, TALL_ACCESS_SEALED);
  tall_moving_finish (&moving);
  tall_moving_expect_moved (&moving);
}

/* If another process has switched, nobody knows how long writes waited. */
static void
test_pause_of_another (void)
{
  g_auto (TallMoving) moving = { 0 };
  TallMigrateSummary summary;
  Scene scene = {
    .moving = &moving, .kind = TALL_CALL_APPLY_IF, .of_meta = TRUE, .at = 1, .act = finish
  };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  watch (moving.side.table, &scene);
  must (tall_migrate_run (moving.side.table, &moving.options, &summary, &error));
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_SWITCHED);
  g_assert_cmpint (summary.pause, ==, 0);
}

#define BLOB_TABLES                                                                                \
  3 /* orders, customers, index: an abort looks at each, and once more at the end */

/* A slow migrator seals a table again when the abort has opened all, just before it looks. */
static void
seal_again (Scene *self)
{
  must (tall_table_set_access (TALL_MOVING_OTHERS (self->moving), "orders", TALL_ACCESS_SEALED,
                               "late", TALL_NO_DEADLINE, &error));
}

static void
test_sealed_again_before_look (void)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  TallMigrateOptions options = moving.options;
  TallMigrateSummary summary;
  options.pass_only = TRUE;
  must (tall_migrate_run (moving.side.table, &options, &summary, &error));
  Scene scene = {
    .moving = &moving, .kind = TALL_CALL_DESCRIBE_TABLE, .at = BLOB_TABLES, .act = seal_again
  };
  watch (moving.side.table, &scene);
  must_fail (tall_migrate_abort (moving.side.table, &moving.options, &error),
             TALL_ERROR_UNAVAILABLE);
  g_assert_cmpint (tall_moving_read_migration (&moving).phase, ==, TALL_MIGRATION_ABORTING);
  g_assert_cmpint (read_access (&moving, "orders"), ==, TALL_ACCESS_SEALED);
  tall_moving_abort (&moving);
  g_assert_cmpint (read_access (&moving, "orders"), ==, TALL_ACCESS_OPEN);
  tall_moving_expect_unmoved (&moving);
}

typedef struct
{
  TallMoving *moving;
  gboolean finished; /* by the other one */
} Overtaken;

/* The other one switches when the tables are about to be sealed. From then on none is touched: a
 * trial on a closed table hangs in a gateway. */
static TallFailure
finish_before_seal (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Overtaken *self = data;
  if (!self->finished && call->kind == TALL_CALL_DESCRIBE_TABLE
      && tall_moving_read_migration (self->moving).phase == TALL_MIGRATION_SEALING)
    {
      self->finished = TRUE;
      tall_moving_finish (self->moving);
    }
  else if (self->finished)
    g_assert_true (call->kind == TALL_CALL_DESCRIBE_TABLE || call->kind == TALL_CALL_READ);
  return TALL_FAILURE_NONE;
}

static void
test_closed_before_seal (void)
{
  g_auto (TallMoving) moving = { 0 };
  Overtaken overtaken = { .moving = &moving };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (moving.side.table), finish_before_seal, NULL,
                                &overtaken);
  must (tall_moving_run (&moving, moving.side.table, &error));
  g_assert_true (overtaken.finished);
  tall_moving_expect_moved (&moving);
}

#define N_LATE 400
#define LONG (8 * G_USEC_PER_SEC) /* half of what the rate would take */

/* A process that knows nothing of the migration writes just before the seal. */
static void
write_many (Scene *self)
{
  static const TallWriteOptions options = { 0 };
  TallStoreContext context = { 0 };
  must (tall_store_context_init (&context, TALL_MOVING_OTHERS (self->moving),
                                 self->moving->side.deployment, NULL, &error));
  for (guint i = 0; i < N_LATE; i++)
    {
      g_autofree char *number = g_strdup_printf ("late-%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, i, 1);
      g_auto (TallOperation) operation = { 0 };
      g_auto (TallContent) content = { 0 };
      gint64 revision;
      must (tall_content_init (&content, tall_record_of_order (order), &error));
      tall_operation_init (&operation, &context, order->customer_number, number, 0);
      must (tall_put (&operation, &content, &options, &revision, &error));
    }
  tall_store_context_clear (&context);
}

/* The rate spares those who work meanwhile. Under the seal they wait for it. */
static void
test_rate_under_seal (void)
{
  g_auto (TallMoving) moving = { 0 };
  TallMigrateSummary summary;
  Scene scene = { .moving = &moving, .kind = TALL_CALL_SET_ACCESS, .act = write_many };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  TallMigrateOptions options = moving.options;
  options.rate = 20;
  watch (moving.side.table, &scene);
  must (tall_migrate_run (moving.side.table, &options, &summary, &error));
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_SWITCHED);
  g_assert_cmpuint (summary.n_copied, >=, N_LATE);
  g_assert_cmpint (summary.pause, <, LONG);
}

static gboolean
agree (const TallMigratePlan *plan G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  return TRUE;
}

/* A table that a late call has closed, before it begins or while it copies. */
static void
test_closed_by_late_call (void)
{
  static const TallMigrateOnPlan on_plans[] = { NULL, agree };
  for (guint i = 0; i < G_N_ELEMENTS (on_plans); i++)
    {
      g_auto (TallMoving) moving = { 0 };
      tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
      moving.options.on_plan = on_plans[i];
      must (tall_table_set_access (TALL_MOVING_OTHERS (&moving), "orders", TALL_ACCESS_CLOSED, NULL,
                                   TALL_NO_DEADLINE, &error));
      must_fail (tall_moving_run (&moving, moving.side.table, &error), TALL_ERROR_UNAVAILABLE,
                 "Table orders is closed", "migrate --abort");
      tall_moving_abort (&moving);
      moving.options.settled = TRUE; /* it has come, and the abort has its answers */
      tall_moving_finish (&moving);
    }
}

/* Where others work on the tables, they get time to learn of a seal, and of a close, so that they
 * call nothing that is being shut. */
static void
test_courtesy (void)
{
  for (guint shared = 0; shared < 2; shared++)
    {
      g_auto (TallMoving) moving = { 0 };
      tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
      tall_failing_table_set_info (TALL_FAILING_TABLE (moving.side.table),
                                   shared ? TALL_FAILING_SHARED : TALL_FAILING_EMBEDDED);
      gint64 begun = moving.side.clock.monotonic;
      must (tall_moving_run (&moving, moving.side.table, &error));
      gint64 waited = moving.side.clock.monotonic - begun;
      g_assert_cmpint (waited, >=, shared ? G_USEC_PER_SEC : 0);
      g_assert_cmpint (waited, <=, shared ? 2 * G_USEC_PER_SEC : 0);
    }
}

/* The old ids are closed, too: “no such customer” is an answer. */
static void
test_ids_closed (void)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  const TallMove last = moving.options.move;
  moving.options.move = (TallMove){ .key_strategy = &tall_key_numeric };
  must (tall_moving_run (&moving, moving.side.table, &error));
  moving.options.move = last;
  must (tall_moving_run (&moving, moving.side.table, &error));
  g_assert_cmpint (read_access (&moving, "ids-2"), ==, TALL_ACCESS_CLOSED);
  tall_moving_expect_moved (&moving);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/steps/record-first", test_record_first);
  g_test_add_func ("/migrate/steps/stop", test_stop);
  g_test_add_func ("/migrate/steps/cut-short", test_cut_short);
  g_test_add_func ("/migrate/steps/begun-anew", test_begun_anew);
  g_test_add_func ("/migrate/steps/switched-before-abort", test_switched_before_abort);
  g_test_add_func ("/migrate/steps/begun-before-given-up", test_begun_before_given_up);
  g_test_add_func ("/migrate/steps/sealed-before-abort", test_sealed_before_abort);
  g_test_add_func ("/migrate/steps/sealed-again-before-look", test_sealed_again_before_look);
  g_test_add_func ("/migrate/steps/pause-of-another", test_pause_of_another);
  g_test_add_func ("/migrate/steps/closed-before-seal", test_closed_before_seal);
  g_test_add_func ("/migrate/steps/rate-under-seal", test_rate_under_seal);
  g_test_add_func ("/migrate/steps/closed-by-late-call", test_closed_by_late_call);
  g_test_add_func ("/migrate/steps/courtesy", test_courtesy);
  g_test_add_func ("/migrate/steps/ids-closed", test_ids_closed);
  return g_test_run ();
}
