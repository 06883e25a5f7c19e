/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "migrate/migrator.h"

#define TIME (10 * 60 * G_USEC_PER_SEC) /* to make tables, which take HBase seconds each */
#define MOST_PASSES 10
#define FEW 1000                   /* copies of a pass, after which another gains little */
#define SHORT (G_USEC_PER_SEC / 2) /* a pass that need not become shorter */

static TallMigrateStep
end (TallMigrator *self, TallMigrateOutcome outcome)
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
  if (!tall_migrator_run_pass (self, TALL_MIGRATE_COPYING, counts, error))
    return FALSE;
  do
    {
      before = *counts;
      if (before.stopped || before.n_unfit > 0)
        return TRUE;
      if (!tall_migrator_run_pass (self, TALL_MIGRATE_COPYING, counts, error))
        return FALSE;
    }
  while (!counts->stopped && counts->n_unfit == 0 && is_worthwhile (self, &before, counts));
  return TRUE;
}

static gboolean
make_tables (const TallMigrator *self, GError **error)
{
  return tall_move_create_tables (self->table, self->setup, self->move.sample,
                                  g_get_monotonic_time () + TIME, error);
}

/* Tables that can never be made: the embedded store refuses their settings. What this process has
 * begun for nothing is given up. On HBase an administrator can make the tables. */
static TallMigrateStep
give_up (TallMigrator *self, GError *cause, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean is_final = !tall_error_is_passing (cause);
  gboolean useless = self->has_begun && self->is_exclusive && is_final;
  if (!useless && is_final)
    g_prefix_error (&cause, "The new tables cannot be made, so nothing is copied: migrate again "
                            "when they can, or when an administrator has made them, or give it up "
                            "with `tallorder migrate --abort`. ");
  if (!useless)
    return tall_migrator_recover (self, cause, error);
  if (!tall_migrator_abort (self, &failure))
    g_debug ("giving up: %s", failure->message);
  g_propagate_error (error, cause);
  return TALL_MIGRATE_FAILED;
}

/**
 * tall_migrate_copy:
 *
 * Copies while everybody goes on, and seals if that is wanted and possible.
 */
TallMigrateStep
tall_migrate_copy (TallMigrator *self, GError **error)
{
  TallPassCounts counts = { 0 };
  GError *cause = NULL;
  gboolean done;
  if (!tall_migrator_check_settled (self, error))
    return TALL_MIGRATE_FAILED;
  if (!tall_migrator_set_up (self, &cause))
    return tall_migrator_recover (self, cause, error);
  if (!make_tables (self, &cause))
    return give_up (self, cause, error);
  if (!pass_over (self, &counts, &cause))
    return tall_migrator_recover (self, cause, error);
  self->summary->pause = tall_migrator_estimate_pause (self, &counts);
  if (counts.stopped)
    return end (self, TALL_MIGRATE_STOPPED);
  if (counts.n_unfit > 0)
    return end (self, TALL_MIGRATE_UNFIT);
  if (self->options->pass_only)
    return end (self, TALL_MIGRATE_PASSED);
  if (self->summary->pause > tall_migrator_get_limit (self))
    return end (self, TALL_MIGRATE_TOO_LONG);
  if (!tall_migrator_show (self, TALL_MIGRATE_COPYING)) /* short passes show nothing */
    return end (self, TALL_MIGRATE_STOPPED);
  if (!tall_migrator_change (self, tall_migration_seal (&self->record->migration), &done, error))
    return TALL_MIGRATE_FAILED;
  return TALL_MIGRATE_AGAIN;
}
