/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-access.h"
#include "tall-error.h"
#include "tall-migrator.h"

/* Processes that follow the record learn of a phase within this time, and do not call what is about
 * to be shut. It is a courtesy: nothing depends on it. */
#define COURTESY (G_USEC_PER_SEC / 2)

static void
wait_for_others (const TallMigrator *self)
{
  const TallStoreHooks *hooks = &self->source.hooks;
  if (!self->is_exclusive)
    hooks->sleep (COURTESY, hooks->data);
}

/* Something came between the last two passes that cannot be copied. Nobody can mend it as long as
 * the tables are sealed. */
static TallMigrateStep
give_up (TallMigrator *self, GError **error)
{
  self->summary->outcome = TALL_MIGRATE_UNFIT;
  return tall_migrator_abort (self, error) ? TALL_MIGRATE_ENDED : TALL_MIGRATE_FAILED;
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
  if (!tall_access_seal (&self->source, self->record->migration.reopened, &seal, &cause)
      || !tall_migrate_pass_under_seal (self, &whole, &cause))
    return tall_migrator_recover (self, cause, error);
  if (!whole)
    return give_up (self, error);
  if (!tall_migrator_change (self, tall_migration_close (&self->record->migration, seal), &done,
                             error))
    return TALL_MIGRATE_FAILED;
  return TALL_MIGRATE_AGAIN;
}

/* All tables are closed. Drops them if a late call would open them after the switch. Sets @to to
 * what the record is to say: the switch, or back to the seal. */
static gboolean
look (TallMigrator *self, TallMigration *to, GError **error)
{
  const TallMigration *is = &self->record->migration;
  g_auto (TallAccess) access = { 0 };
  if (!tall_access_describe (&self->source, is->seal, &access, error))
    return FALSE;
  if (!tall_access_is_closed (&access))
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                   "A table is not closed, or not any more; migrate again");
      return FALSE;
    }
  if (!tall_access_is_still_sealed (is, &access))
    {
      *to = tall_migration_reopen (is);
      return TRUE;
    }
  *to = tall_migration_switch (is);
  return !is->reopened || tall_access_drop (&self->source, error);
}

/**
 * tall_migrate_close:
 *
 * Closes the source, and switches.
 */
TallMigrateStep
tall_migrate_close (TallMigrator *self, GError **error)
{
  GError *cause = NULL;
  TallMigration to;
  gboolean done;
  if (self->paused == 0)
    self->paused = g_get_monotonic_time ();
  tall_migrator_show (self, TALL_MIGRATE_CLOSING);
  if (!tall_migrator_set_up (self, &cause))
    return tall_migrator_recover (self, cause, error);
  wait_for_others (self);
  if (!tall_access_close (&self->source, &cause) || !look (self, &to, &cause))
    return tall_migrator_recover (self, cause, error);
  if (!tall_migrator_change (self, to, &done, error))
    return TALL_MIGRATE_FAILED;
  if (done && to.phase == TALL_MIGRATION_NONE)
    self->summary->pause = g_get_monotonic_time () - self->paused;
  return TALL_MIGRATE_AGAIN;
}
