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

/* Somebody has announced a drop, another process has found the source unsealed and gone back, and
 * the drop came all the same: what was there is in the target. */
static gboolean
is_dropped (const TallMigrator *self, gboolean *is_dropped, GError **error)
{
  g_auto (TallAccess) access = { 0 };
  *is_dropped = FALSE;
  if (!self->record->migration.dropping)
    return TRUE;
  if (!tall_access_describe (&self->source, NULL, &access, error))
    return FALSE;
  *is_dropped = access.any_gone;
  return TRUE;
}

/* @seal: (out): under which the target got everything */
static gboolean
copy_rest (TallMigrator *self, char **seal, gboolean *whole, GError **error)
{
  gboolean dropped;
  if (!is_dropped (self, &dropped, error))
    return FALSE;
  if (!dropped)
    return tall_access_seal (&self->source, self->record->migration.reopened, seal, error)
           && tall_migrate_pass_under_seal (self, whole, error);
  *seal = g_uuid_string_random ();
  *whole = TRUE;
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
  if (!copy_rest (self, &seal, &whole, &cause))
    return tall_migrator_recover (self, cause, error);
  if (!whole)
    return give_up (self, error);
  if (!tall_migrator_change (self, tall_migration_close (&self->record->migration, seal), &done,
                             error))
    return TALL_MIGRATE_FAILED;
  return TALL_MIGRATE_AGAIN;
}

/* All tables are closed. Drops them if a late call would open them after the switch, which the
 * record has to announce. Sets @to to what it is to say: that, the switch, or back to the seal. */
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
  /* Whoever has begun to drop has seen the seal. */
  gboolean is_whole =
      (is->reopened && access.any_gone) || tall_access_is_still_sealed (is, &access);
  gboolean is_announced = !is->reopened || is->dropping;
  if (!is_whole)
    *to = tall_migration_reopen (is);
  else
    *to = is_announced ? tall_migration_switch (is) : tall_migration_drop (is);
  return to->phase != TALL_MIGRATION_NONE || !is->reopened
         || tall_access_drop (&self->source, error);
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
  if (!self->record->migration.dropping)
    wait_for_others (self);
  if (!tall_access_close (&self->source, &cause) || !look (self, &to, &cause))
    return tall_migrator_recover (self, cause, error);
  return tall_migrator_change (self, to, &done, error) ? TALL_MIGRATE_AGAIN : TALL_MIGRATE_FAILED;
}
