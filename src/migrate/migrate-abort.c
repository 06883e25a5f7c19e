/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/access.h"
#include "tall-error.h"
#include "store/record/generation.h"
#include "migrate/migrator.h"

#define TIME (5 * 60 * G_USEC_PER_SEC) /* to drop tables: HBase takes seconds for each */

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
  if (!said
      && !tall_migrator_change (self, tall_migration_abort (is, access->any_closed), &done, error))
    return FALSE;
  return done || fail_overtaken (error);
}

/* Gives the source back to its readers and writers. */
static gboolean
give_back (const TallMigrator *self, const TallStoreContext *source, GError **error)
{
  g_auto (TallAccess) access = { 0 };
  if (!tall_access_open (source, self->record->migration.reopened, error)
      || !tall_access_describe (source, NULL, &access, error))
    return FALSE;
  if (access.all_open)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "A table is shut again; abort the migration again");
  return FALSE;
}

static gboolean
abort_migration (TallMigrator *self, const TallStoreContext *source, GError **error)
{
  g_auto (TallAccess) access = { 0 };
  gboolean done;
  if (!tall_access_describe (source, NULL, &access, error))
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
      || !tall_migrator_change (self, tall_migration_give_up (&self->record->migration), &done,
                                error))
    return FALSE;
  if (!done)
    return fail_overtaken (error);
  return target == 0
         || tall_store_drop_generation (self->table, target, g_get_monotonic_time () + TIME, error);
}

/**
 * tall_migrator_abort:
 *
 * Gives up what the record says, as it was read last.
 */
gboolean
tall_migrator_abort (TallMigrator *self, GError **error)
{
  TallStoreContext source = { 0 };
  gint64 deadline = g_get_monotonic_time () + TIME;
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

  tall_migrator_init (&self, table, options, &summary);
  return tall_migrator_read (&self, error) && tall_migrator_abort (&self, error);
}
