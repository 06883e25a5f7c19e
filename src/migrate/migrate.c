/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrate.h"

#include "migrate/access.h"
#include "migrate/migrator.h"
#include "store/record/generation.h"
#include "base/fail.h"

#define TIME (60 * G_USEC_PER_SEC)

static void
migrator_init (TallMigrator *self,
               TallTable *table,
               const TallMigrateOptions *options,
               TallMigrateSummary *summary)
{
  TallTableInfo info;
  tall_table_get_info (table, &info);
  *self = (TallMigrator){
    .table = table, .options = options, .move = options->move, .summary = summary
  };
  self->is_exclusive = info.is_exclusive;
}

static void
take_down (TallMigrator *self)
{
  g_clear_pointer (&self->pass, tall_pass_free);
  tall_store_context_clear (&self->source);
  tall_store_context_clear (&self->target);
  if (self->setup != self->record)
    tall_deployment_free (self->setup);
  self->setup = NULL;
}

static void
migrator_clear (TallMigrator *self)
{
  take_down (self);
  g_clear_pointer (&self->record, tall_deployment_free);
  g_clear_pointer (&self->sample, g_strfreev);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallMigrator, migrator_clear)

/* Goes on with what the record says. Of a deployment that is dropped, and made again, nothing is
 * gone on with. @record: (transfer full): as it was read now */
static gboolean
migrator_take (TallMigrator *self, TallDeployment *record, GError **error)
{
  if (self->record != NULL && !g_str_equal (record->id, self->record->id))
    {
      tall_deployment_free (record);
      tall_error_set_conflict (
          error, 0, "Another deployment has been made in the place of the one that was migrated");
      return FALSE;
    }
  if (self->record != self->setup)
    tall_deployment_free (self->record);
  self->record = record;
  self->summary->generation = record->migration.generation;
  return TRUE;
}

static gboolean
migrator_read (TallMigrator *self, GError **error)
{
  TallDeployment *record =
      tall_deployment_read (self->table, g_get_monotonic_time () + TIME, error);
  return record != NULL && migrator_take (self, record, error);
}

/* Makes the record say @to, if it still says what was read, and reads what it says then. @done:
 * (out): whether that is @to, whoever has written it */
static gboolean
change (TallMigrator *self, TallMigration to, gboolean *done, GError **error)
{
  return tall_migration_change (self->table, self->record->id, &self->record->migration, &to, NULL,
                                g_get_monotonic_time () + TIME, done, error)
         && migrator_read (self, error);
}

static gboolean
init_context (const TallMigrator *self,
              const TallDeployment *deployment,
              guint64 generation,
              TallStoreContext *context,
              GError **error)
{
  g_autoptr (TallTable) table = tall_generation_table_new (self->table, generation);
  return tall_store_context_init (context, table, deployment, self->options->hooks, error);
}

static void
take_counts (TallMigrator *self, const TallPassCounts *counts)
{
  self->progress.n_looked = counts->n_orders + counts->n_customers;
  self->progress.n_copied = counts->n_copied;
}

static gboolean
on_pass (const TallPassCounts *counts, gpointer data)
{
  TallMigrator *self = data;
  take_counts (self, counts);
  return tall_migrator_show (self, self->progress.stage);
}

static void
on_unfit (const TallCopyItem *item, gpointer data)
{
  const TallMigrator *self = data;
  const TallMigrateUnfit unfit = { .customer_number = (char *)item->from.customer_number,
                                   .order_number = (char *)item->from.order_number,
                                   .table = (char *)item->table,
                                   .row = item->row,
                                   .message = item->error->message };
  if (self->options->on_unfit != NULL)
    self->options->on_unfit (&unfit, self->options->data);
}

/* Gets ready, once, to work on the two generations that the record names: they are the same as long
 * as the migration goes on. */
static gboolean
set_up (TallMigrator *self, GError **error)
{
  if (self->pass != NULL)
    return TRUE;
  take_down (self);
  const TallDeployment *is = self->setup = self->record;
  if (!init_context (self, is, is->migration.generation, &self->source, error)
      || !init_context (self, is->next, is->migration.target, &self->target, error))
    return FALSE;
  const TallPassOptions options = {
    .copier = { .source = &self->source,
                .target = &self->target,
                .records = self->table,
                .begun = is->begun - TALL_CLOCK_DIFFERENCE * 1000 },
    .rate = self->options->rate,
    .on_progress = on_pass,
    .on_unfit = on_unfit,
    .data = self,
  };
  self->pass = tall_pass_new (&options);
  return TRUE;
}

/**
 * tall_migrator_show:
 *
 * Shows how far it has come.
 *
 * Returns: FALSE to stop, which is heeded only while nothing is sealed
 */
gboolean
tall_migrator_show (TallMigrator *self, TallMigrateStage stage)
{
  self->progress.stage = stage;
  gboolean go_on = self->options->on_progress == NULL
                   || self->options->on_progress (&self->progress, self->options->data);
  return go_on || stage > TALL_MIGRATE_COPYING;
}

/* @stage: what it is part of */
static gboolean
run_pass (TallMigrator *self, TallMigrateStage stage, TallPassCounts *counts, GError **error)
{
  TallMigrateSummary *summary = self->summary;
  self->progress.stage = stage;
  self->progress.pass++;
  if (stage == TALL_MIGRATE_LAST_PASS)
    tall_pass_lift_rate (self->pass);
  if (!tall_pass_run (self->pass, counts, error))
    return FALSE;
  take_counts (self, counts);
  summary->n_passes++;
  summary->n_looked = self->progress.n_looked;
  summary->n_copied += counts->n_copied;
  summary->n_unfit = counts->n_unfit;
  if (!counts->stopped)
    self->progress.n_all = summary->n_looked;
  return TRUE;
}

static gboolean migrator_abort (TallMigrator *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#define TABLES_TIME (10 * 60 * G_USEC_PER_SEC) /* to make tables, which take HBase seconds each */
#define MOST_PASSES 10
#define FEW 1000                   /* copies of a pass, after which another gains little */
#define SHORT (G_USEC_PER_SEC / 2) /* a pass that need not become shorter */

typedef enum
{
  TALL_MIGRATE_AGAIN,  /* the record has changed: go on with what it says now */
  TALL_MIGRATE_ENDED,  /* the summary says how */
  TALL_MIGRATE_FAILED, /* there is an error */
  TALL_MIGRATE_BROKEN, /* there is one, unless another process has changed the record */
} TallMigrateStep;

static TallMigrateStep
end_as (TallMigrator *self, TallMigrateOutcome outcome)
{
  self->summary->outcome = outcome;
  return TALL_MIGRATE_ENDED;
}

/* Whether another pass makes the pause shorter: there is much to copy each time, and it becomes
 * less. */
static gboolean
is_worthwhile (const TallMigrator *self, const TallPassCounts *before, const TallPassCounts *now)
{
  guint64 n = now->n_copied + now->n_moved;
  return self->progress.pass < MOST_PASSES && n > FEW && now->duration > SHORT
         && now->duration < before->duration - before->duration / 5;
}

/* Passes until little differs. The first one copies, and the second one tells how long it takes to
 * look. */
static gboolean
pass_over (TallMigrator *self, TallPassCounts *counts, GError **error)
{
  TallPassCounts before;
  if (!run_pass (self, TALL_MIGRATE_COPYING, counts, error))
    return FALSE;
  do
    {
      before = *counts;
      if (before.stopped || before.n_unfit > 0)
        return TRUE;
      if (!run_pass (self, TALL_MIGRATE_COPYING, counts, error))
        return FALSE;
    }
  while (!counts->stopped && counts->n_unfit == 0 && is_worthwhile (self, &before, counts));
  return TRUE;
}

/* Makes sure that what the switch closes stays closed. An abort that has opened tables, or was cut
 * short there, may have calls under way; only people can know that it has not. */
static gboolean
check_settled (const TallMigrator *self, GError **error)
{
  const TallMigration *is = &self->record->migration;
  if (!is->reopened || is->phase > TALL_MIGRATION_COPYING || self->options->settled)
    return TRUE;
  tall_error_set_conflict (
      error, 0,
      "The tables were shut, and an abort has opened them: a call of that may still be on its way, "
      "and would open what a migration closes. Make sure that no other process migrates or aborts, "
      "restart the gateways, and then call `tallorder migrate` with --store and --settled");
  return FALSE;
}

static gboolean
make_tables (const TallMigrator *self, GError **error)
{
  return tall_move_create_tables (self->table, self->setup, self->move.sample,
                                  g_get_monotonic_time () + TABLES_TIME, error);
}

/* Tables that can never be made: the embedded store refuses their settings. What this process has
 * begun for nothing is given up. On HBase an administrator can make the tables. @error: (inout) */
static TallMigrateStep
give_up_tables (TallMigrator *self, GError **error)
{
  g_autoptr (GError) failure = NULL;
  if (tall_error_is_passing (*error))
    return TALL_MIGRATE_BROKEN;
  if (!self->has_begun || !self->is_exclusive)
    {
      g_prefix_error (error, "The new tables cannot be made, so nothing is copied: migrate again "
                             "when they can, or when an administrator has made them, or give it up "
                             "with `tallorder migrate --abort`. ");
      return TALL_MIGRATE_BROKEN;
    }
  if (!migrator_abort (self, &failure))
    g_debug ("giving up: %s", failure->message);
  return TALL_MIGRATE_FAILED;
}

/* Makes the record say what comes next, unless it says something else by now. */
static TallMigrateStep
go_on (TallMigrator *self, TallMigration to, GError **error)
{
  gboolean done;
  return change (self, to, &done, error) ? TALL_MIGRATE_AGAIN : TALL_MIGRATE_FAILED;
}

/* Copies while everybody goes on, and seals if that is wanted and possible. */
static TallMigrateStep
migrate_copy (TallMigrator *self, GError **error)
{
  TallPassCounts counts = { 0 };
  if (!check_settled (self, error))
    return TALL_MIGRATE_FAILED;
  if (!make_tables (self, error))
    return give_up_tables (self, error);
  if (!pass_over (self, &counts, error))
    return TALL_MIGRATE_BROKEN;
  self->summary->pause = tall_migrator_estimate_pause (self, &counts);
  if (counts.stopped)
    return end_as (self, TALL_MIGRATE_STOPPED);
  if (counts.n_unfit > 0)
    return end_as (self, TALL_MIGRATE_UNFIT);
  if (self->options->pass_only)
    return end_as (self, TALL_MIGRATE_PASSED);
  if (self->summary->pause > tall_migrator_get_limit (self))
    return end_as (self, TALL_MIGRATE_TOO_LONG);
  if (!tall_migrator_show (self, TALL_MIGRATE_COPYING)) /* short passes show nothing */
    return end_as (self, TALL_MIGRATE_STOPPED);
  return go_on (self, tall_migration_seal (&self->record->migration), error);
}

/* Processes that follow the record learn of a phase within this time, and do not call what is about
 * to be shut. It is a courtesy: nothing depends on it. */
#define COURTESY (G_USEC_PER_SEC / 2)

#define LAST_PASSES 3 /* another migrator may copy the same at the same time */

static void
wait_for_others (const TallMigrator *self)
{
  const TallStoreHooks *hooks = &self->source.hooks;
  if (!self->is_exclusive)
    hooks->sleep (COURTESY, hooks->data);
}

/* Something came between the last two passes that cannot be copied, or is not equal however often
 * it is. Nobody can mend it as long as the tables are sealed. */
static TallMigrateStep
give_up_unequal (TallMigrator *self, GError **error)
{
  self->summary->outcome = TALL_MIGRATE_UNFIT;
  if (!migrator_abort (self, error))
    return TALL_MIGRATE_FAILED;
  if (self->summary->n_unfit > 0)
    return TALL_MIGRATE_ENDED;
  g_set_error (
      error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
      "The new tables still differed from the old ones when nobody wrote; the migration is "
      "given up, and the old ones count as before; migrate again");
  return TALL_MIGRATE_FAILED;
}

/* Calls that open the source, and let others write, may still come, and what they open would stay
 * open. */
static TallMigrateStep
take_back (TallMigrator *self, GError **error)
{
  if (migrator_abort (self, error))
    g_set_error (
        error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
        "A call of an earlier migration came late, and somebody may have written after the last "
        "look; so this one is given up, nothing is lost, and the old tables count as before");
  return TALL_MIGRATE_FAILED;
}

/* Copies what was written since the pass before. Nobody writes any more. @whole: (out): whether the
 * target has everything then */
static gboolean
pass_under_seal (TallMigrator *self, gboolean *whole, GError **error)
{
  TallPassCounts counts = { 0 };
  *whole = (self->source.hooks.omits & TALL_OMIT_LAST_PASS) != 0;
  for (guint i = 0; i < LAST_PASSES && !*whole && counts.n_unfit == 0; i++)
    {
      if (!run_pass (self, TALL_MIGRATE_LAST_PASS, &counts, error))
        return FALSE;
      *whole = counts.n_unfit == 0 && counts.n_moved == 0;
    }
  return TRUE;
}

/* Seals, copies what is left, and begins to close: all that is needed is in the target then. */
static TallMigrateStep
migrate_seal (TallMigrator *self, GError **error)
{
  g_autofree char *seal = NULL;
  gboolean whole;
  tall_migrator_show (self, TALL_MIGRATE_SEALING);
  wait_for_others (self);
  if (!tall_access_seal (&self->source, &seal, error) || !pass_under_seal (self, &whole, error))
    return TALL_MIGRATE_BROKEN;
  if (!whole)
    return give_up_unequal (self, error);
  return go_on (self, tall_migration_close (&self->record->migration, seal), error);
}

/* @whole: (out): all tables are closed, and nobody has written since the last pass. No call that
 * opens them is under way, so that stays. */
static gboolean
look (TallMigrator *self, gboolean *whole, GError **error)
{
  const TallMigration *is = &self->record->migration;
  guint omits = self->source.hooks.omits;
  g_auto (TallAccess) access = { 0 };
  if (!tall_access_describe (&self->source, &access, error))
    return FALSE;
  if (!access.all_closed && !(omits & TALL_OMIT_CLOSE))
    return tall_error_fail (error, TALL_ERROR_UNAVAILABLE,
                            "A table is not closed, or not any more; migrate again");
  /* As long as nobody has aborted, nobody can have unsealed. */
  gboolean has_seal = !is->unsealed || g_strcmp0 (access.common_seal, is->seal) == 0;
  *whole = omits & TALL_OMIT_SEAL || access.all_gone || (access.is_sealed && has_seal);
  return TRUE;
}

/* Closes the source, and switches; or gives it back, if somebody may have written after the last
 * pass. */
static TallMigrateStep
migrate_close (TallMigrator *self, GError **error)
{
  gboolean whole;
  tall_migrator_show (self, TALL_MIGRATE_CLOSING);
  wait_for_others (self);
  gboolean omits = (self->source.hooks.omits & TALL_OMIT_CLOSE) != 0;
  if ((!omits && !tall_access_set (&self->source, TALL_ACCESS_CLOSED, "Closing", error))
      || !look (self, &whole, error))
    return TALL_MIGRATE_BROKEN;
  if (!whole)
    return take_back (self, error);
  return go_on (self, tall_migration_switch (&self->record->migration), error);
}

#define ABORT_TIME (5 * 60 * G_USEC_PER_SEC) /* to drop tables: HBase takes seconds for each */

/* Whether there is anything to abort: a phase, or tables that a late call has shut. */
static gboolean
is_needed (const TallMigrator *self, const TallAccess *access)
{
  return self->record->migration.phase != TALL_MIGRATION_NONE || !access->all_open;
}

static gboolean
fail_overtaken (GError **error)
{
  tall_error_set_conflict (error, 0,
                           "Another process has gone on with the migration at the same time; look "
                           "at the status, and abort again if that is still wanted");
  return FALSE;
}

/* The record comes first: somebody else may switch meanwhile, and what is opened must be marked. */
static gboolean
announce (TallMigrator *self, const TallAccess *access, GError **error)
{
  gboolean done = TRUE;
  const TallMigration *is = &self->record->migration;
  gboolean said = is->phase == TALL_MIGRATION_ABORTING && (is->reopened || !access->any_closed);
  if (!said && !change (self, tall_migration_abort (is, access->any_closed), &done, error))
    return FALSE;
  return done || fail_overtaken (error);
}

/* Gives the source back to its readers and writers. */
static gboolean
give_back (const TallMigrator *self, const TallStoreContext *source, GError **error)
{
  g_auto (TallAccess) access = { 0 };
  gboolean may_be_closed = self->record->migration.reopened;
  if (!tall_access_set (source, TALL_ACCESS_OPEN, "Unsealing", error)
      || (may_be_closed && !tall_access_set (source, TALL_ACCESS_UNCLOSED, "Opening", error))
      || !tall_access_describe (source, &access, error))
    return FALSE;
  if (access.all_open)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNAVAILABLE,
                          "A table is shut again; abort the migration again");
}

static gboolean
abort_migration (TallMigrator *self, const TallStoreContext *source, GError **error)
{
  g_auto (TallAccess) access = { 0 };
  gboolean done;
  if (!tall_access_describe (source, &access, error))
    return FALSE;
  if (!is_needed (self, &access))
    return TRUE;
  if (access.any_gone) /* by --drop-source, after a switch */
    return fail_overtaken (error);
  if (!announce (self, &access, error))
    return FALSE;
  guint64 target = self->record->migration.target;
  tall_migrator_show (self, TALL_MIGRATE_ABORTING);
  if (!give_back (self, source, error)
      || !change (self, tall_migration_give_up (&self->record->migration), &done, error))
    return FALSE;
  if (!done)
    return fail_overtaken (error);
  return target == 0
         || tall_store_drop_generation (self->table, target, g_get_monotonic_time () + ABORT_TIME,
                                        error);
}

/* Gives up what the record says, as it was read last. */
static gboolean
migrator_abort (TallMigrator *self, GError **error)
{
  TallStoreContext source = { 0 };
  gint64 deadline = g_get_monotonic_time () + ABORT_TIME;
  g_autoptr (TallDeployment) counting = tall_deployment_read (self->table, deadline, error);
  if (counting == NULL)
    return FALSE;
  if (counting->migration.generation != self->record->migration.generation
      || !g_str_equal (counting->id, self->record->id))
    return fail_overtaken (error);
  g_autoptr (TallTable) view =
      tall_generation_table_new (self->table, self->record->migration.generation);
  gboolean done = tall_store_context_init (&source, view, counting, self->options->hooks, error)
                  && abort_migration (self, &source, error);
  tall_store_context_clear (&source);
  return done;
}

/**
 * tall_migrate_abort:
 * @table: the tables of a deployment, of all generations
 *
 * Gives a migration up: the source is opened again, and the target dropped. It also opens what a
 * late call of an earlier migration has shut. It may be called at any time, by any process, and
 * called again if it was cut short. There may be nothing to do: then @options is not shown
 * %TALL_MIGRATE_ABORTING.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if another process was faster, or with what a table says
 */
gboolean
tall_migrate_abort (TallTable *table, const TallMigrateOptions *options, GError **error)
{
  g_auto (TallMigrator) self = { 0 };
  TallMigrateSummary summary = { 0 };
  g_return_val_if_fail (TALL_IS_TABLE (table), FALSE);

  migrator_init (&self, table, options, &summary);
  return migrator_read (&self, error) && migrator_abort (&self, error);
}

/* The record is not about @target any more. */
static TallMigrateStep
end (const TallMigrator *self, guint64 target)
{
  TallMigrateSummary *summary = self->summary;
  gboolean switched = self->record->migration.generation == target;
  summary->outcome = switched ? TALL_MIGRATE_SWITCHED : TALL_MIGRATE_OVERTAKEN;
  if (switched)
    summary->pause = self->paused != 0 ? g_get_monotonic_time () - self->paused : 0;
  return TALL_MIGRATE_ENDED;
}

/* What the record says is done, as long as it is about @target. */
static TallMigrateStep
take_step (TallMigrator *self, guint64 target, GError **error)
{
  const TallMigration *is = &self->record->migration;
  if (is->target != target)
    return end (self, target);
  if (is->phase == TALL_MIGRATION_ABORTING)
    return end_as (self, TALL_MIGRATE_OVERTAKEN);
  if (!set_up (self, error))
    return TALL_MIGRATE_BROKEN;
  if (is->phase == TALL_MIGRATION_COPYING)
    return migrate_copy (self, error);
  if (self->paused == 0)
    self->paused = g_get_monotonic_time ();
  return is->phase == TALL_MIGRATION_SEALING ? migrate_seal (self, error)
                                             : migrate_close (self, error);
}

/* After a step has failed. If another process has changed the record, that is why: what it says is
 * done instead. @error: (inout) */
static TallMigrateStep
recover (TallMigrator *self, GError **error)
{
  g_autofree char *was = tall_migration_print (&self->record->migration);
  g_autoptr (GError) gone = NULL;
  gboolean known = migrator_read (self, &gone);
  g_autofree char *is = tall_migration_print (&self->record->migration);
  if (g_error_matches (gone, TALL_ERROR, TALL_ERROR_CONFLICT))
    {
      g_clear_error (error);
      g_propagate_error (error, g_steal_pointer (&gone));
    }
  if (!known || g_str_equal (was, is))
    return TALL_MIGRATE_FAILED;
  g_clear_error (error);
  return TALL_MIGRATE_AGAIN;
}

static gboolean
begin (TallMigrator *self, GError **error)
{
  gboolean was_idle = self->record->migration.phase == TALL_MIGRATION_NONE;
  TallDeployment *record =
      tall_move_begin (self->table, &self->move, g_get_monotonic_time () + TIME, error);
  if (record == NULL || !migrator_take (self, record, error))
    return FALSE;
  self->has_begun |= was_idle;
  return TRUE;
}

/* Says how the deployment is left, and what to do. A message that says that already stays. */
static void
explain_failure (const TallMigrator *self, GError *error)
{
  static const char *const texts[] = {
    [TALL_MIGRATION_COPYING] = "nothing waits",
    [TALL_MIGRATION_SEALING] = "writes wait",
    [TALL_MIGRATION_CLOSING] = "reads and writes wait",
  };
  const TallMigration *is = &self->record->migration;
  const char *text = is->phase < G_N_ELEMENTS (texts) ? texts[is->phase] : NULL;
  if (text == NULL || g_error_matches (error, TALL_ERROR, TALL_ERROR_SHUT)
      || strstr (error->message, "migrate") != NULL)
    return;
  char *message = g_strdup_printf ("%s. The migration has begun, and %s for it: migrate again to "
                                   "go on, or give it up with --abort",
                                   error->message, text);
  g_free (error->message);
  error->message = message;
}

/* What comes after copying, and cannot be done here, would leave writers waiting for it. */
static gboolean
check_can_shut (const TallMigrator *self, GError **error)
{
  TallTableInfo info;
  tall_table_get_info (self->table, &info);
  if (!info.cannot_shut || self->options->pass_only
      || self->record->migration.phase > TALL_MIGRATION_COPYING)
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_UNSUPPORTED,
      "A framed gateway cannot seal and close tables, so nothing is done: migrate by an "
      "unframed one, or only copy, with --pass-only");
}

/* Whether nothing has begun, and the deployment is as it is wanted. */
static gboolean
is_done (const TallMigrator *self)
{
  const TallMigration *is = &self->record->migration;
  if (is->phase != TALL_MIGRATION_NONE || !tall_move_is_done (&self->move, self->record))
    return FALSE;
  *self->summary =
      (TallMigrateSummary){ .outcome = TALL_MIGRATE_UNCHANGED, .generation = is->generation };
  return TRUE;
}

/* @error: not NULL */
static gboolean
run (TallMigrator *self, GError **error)
{
  TallMigrateStep step = TALL_MIGRATE_AGAIN;
  gboolean agreed;
  if (!migrator_read (self, error))
    return FALSE;
  if (is_done (self))
    return TRUE;
  if (!check_settled (self, error) || !check_can_shut (self, error)
      || (self->record->migration.phase != TALL_MIGRATION_NONE && !begin (self, error))
      || !tall_migrate_plan (self, &agreed, error))
    return FALSE;
  if (!agreed)
    {
      self->summary->outcome = TALL_MIGRATE_STOPPED;
      return TRUE;
    }
  if (!begin (self, error))
    return FALSE;
  guint64 target = self->record->migration.target;
  while (step == TALL_MIGRATE_AGAIN)
    {
      step = take_step (self, target, error);
      if (step == TALL_MIGRATE_BROKEN)
        step = recover (self, error);
    }
  if (step == TALL_MIGRATE_FAILED)
    explain_failure (self, *error);
  return step == TALL_MIGRATE_ENDED;
}

/* No step has shut the table: it would know. @cause: (transfer full) */
static void
fail (GError *cause, GError **error)
{
  if (!g_error_matches (cause, TALL_ERROR, TALL_ERROR_SHUT))
    {
      g_propagate_error (error, cause);
      return;
    }
  g_set_error (
      error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
      "%s; a late call of another migration has shut it: `tallorder migrate --abort` opens "
      "it, and then migrate again",
      cause->message);
  g_error_free (cause);
}

/**
 * tall_migrate_run:
 * @table: the tables of a deployment, of all generations
 * @summary: (out)
 *
 * Begins a migration, or goes on with the one that has begun, and does what is to be done until
 * the target counts, or until it is not to go on. It may be called by any number of processes at
 * once, and each may die at any point: whoever calls it next goes on.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if nothing is asked for and none has begun,
 * %TALL_ERROR_CONFLICT if something else has begun, %TALL_ERROR_UNAVAILABLE if a late call has shut
 * a table, or with what a table says
 */
gboolean
tall_migrate_run (TallTable *table,
                  const TallMigrateOptions *options,
                  TallMigrateSummary *summary,
                  GError **error)
{
  g_auto (TallMigrator) self = { 0 };
  GError *cause = NULL;
  g_return_val_if_fail (TALL_IS_TABLE (table), FALSE);

  *summary = (TallMigrateSummary){ 0 };
  migrator_init (&self, table, options, summary);
  if (run (&self, &cause))
    return TRUE;
  fail (cause, error);
  return FALSE;
}
