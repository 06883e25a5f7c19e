/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-migrate.h"

#include "tall-error.h"
#include "tall-migrator.h"

#define TIME (60 * G_USEC_PER_SEC)

/* What the record says is done, as long as it is about @target. */
static TallMigrateStep
take_step (TallMigrator *self, guint64 target, GError **error)
{
  const TallMigration *is = &self->record->migration;
  if (is->target != target)
    {
      self->summary->outcome =
          is->generation == target ? TALL_MIGRATE_SWITCHED : TALL_MIGRATE_OVERTAKEN;
      return TALL_MIGRATE_ENDED;
    }
  if (is->phase == TALL_MIGRATION_COPYING)
    return tall_migrate_copy (self, error);
  if (is->phase == TALL_MIGRATION_SEALING)
    return tall_migrate_seal (self, error);
  if (is->phase == TALL_MIGRATION_CLOSING)
    return tall_migrate_close (self, error);
  self->summary->outcome = TALL_MIGRATE_OVERTAKEN; /* it is being aborted */
  return TALL_MIGRATE_ENDED;
}

static gboolean
begin (TallMigrator *self, GError **error)
{
  gboolean was_idle = self->record->migration.phase == TALL_MIGRATION_NONE;
  TallDeployment *record =
      tall_move_begin (self->table, &self->move, g_get_monotonic_time () + TIME, error);
  if (record == NULL)
    return FALSE;
  g_clear_pointer (&self->record, tall_deployment_free);
  self->record = record;
  self->has_begun |= was_idle;
  self->summary->generation = record->migration.generation;
  return TRUE;
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
 * Returns: FALSE with %TALL_ERROR_INVALID if there is nothing to do, %TALL_ERROR_CONFLICT if
 *   something else has begun, or with what a table says
 */
gboolean
tall_migrate_run (TallTable *table,
                  const TallMigrateOptions *options,
                  TallMigrateSummary *summary,
                  GError **error)
{
  g_auto (TallMigrator) self = { 0 };
  TallMigrateStep step = TALL_MIGRATE_AGAIN;
  gboolean agreed;
  g_return_val_if_fail (TALL_IS_TABLE (table), FALSE);

  *summary = (TallMigrateSummary){ 0 };
  tall_migrator_init (&self, table, options, summary);
  if (!tall_migrator_read (&self, error)
      || (self.record->migration.phase != TALL_MIGRATION_NONE && !begin (&self, error))
      || !tall_migrate_show_plan (&self, &agreed, error))
    return FALSE;
  if (!agreed)
    {
      summary->outcome = TALL_MIGRATE_STOPPED;
      return TRUE;
    }
  if (!tall_migrator_draw_sample (&self, error) || !begin (&self, error))
    return FALSE;
  guint64 target = self.record->migration.target;
  while (step == TALL_MIGRATE_AGAIN)
    step = take_step (&self, target, error);
  return step == TALL_MIGRATE_ENDED;
}
