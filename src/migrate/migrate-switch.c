/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/access.h"
#include "tall-error.h"
#include "migrate/migrator.h"

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
give_up (TallMigrator *self, GError **error)
{
  self->summary->outcome = TALL_MIGRATE_UNFIT;
  if (!tall_migrator_abort (self, error))
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
  if (tall_migrator_abort (self, error))
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
      if (!tall_migrator_run_pass (self, TALL_MIGRATE_LAST_PASS, &counts, error))
        return FALSE;
      *whole = counts.n_unfit == 0 && counts.n_moved == 0;
    }
  return TRUE;
}

/**
 * tall_migrate_seal:
 *
 * Seals, copies what is left, and begins to close: all that is needed is in the target then.
 */
TallMigrateStep
tall_migrate_seal (TallMigrator *self, GError **error)
{
  GError *cause = NULL;
  g_autofree char *seal = NULL;
  gboolean done, whole;
  if (self->paused == 0)
    self->paused = g_get_monotonic_time ();
  tall_migrator_show (self, TALL_MIGRATE_SEALING);
  if (!tall_migrator_set_up (self, &cause))
    return tall_migrator_recover (self, cause, error);
  wait_for_others (self);
  if (!tall_access_seal (&self->source, &seal, &cause) || !pass_under_seal (self, &whole, &cause))
    return tall_migrator_recover (self, cause, error);
  if (!whole)
    return give_up (self, error);
  if (!tall_migrator_change (self, tall_migration_close (&self->record->migration, seal), &done,
                             error))
    return TALL_MIGRATE_FAILED;
  return TALL_MIGRATE_AGAIN;
}

/* @whole: (out): all tables are closed, and nobody has written since the last pass. No call that
 * opens them is under way, so that stays. */
static gboolean
look (TallMigrator *self, gboolean *whole, GError **error)
{
  const TallMigration *is = &self->record->migration;
  g_auto (TallAccess) access = { 0 };
  if (!tall_access_describe (&self->source, is->seal, &access, error))
    return FALSE;
  if (!tall_access_is_closed (&self->source, &access))
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                   "A table is not closed, or not any more; migrate again");
      return FALSE;
    }
  *whole = tall_access_is_still_sealed (&self->source, is, &access);
  return TRUE;
}

/**
 * tall_migrate_close:
 *
 * Closes the source, and switches; or gives it back, if somebody may have written after the last
 * pass.
 */
TallMigrateStep
tall_migrate_close (TallMigrator *self, GError **error)
{
  GError *cause = NULL;
  gboolean done, whole;
  if (self->paused == 0)
    self->paused = g_get_monotonic_time ();
  tall_migrator_show (self, TALL_MIGRATE_CLOSING);
  if (!tall_migrator_set_up (self, &cause))
    return tall_migrator_recover (self, cause, error);
  wait_for_others (self);
  if (!tall_access_close (&self->source, &cause) || !look (self, &whole, &cause))
    return tall_migrator_recover (self, cause, error);
  if (!whole)
    return take_back (self, error);
  return tall_migrator_change (self, tall_migration_switch (&self->record->migration), &done, error)
             ? TALL_MIGRATE_AGAIN
             : TALL_MIGRATE_FAILED;
}
