/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrate.h"

#include "tall-error.h"
#include "migrate/migrator.h"

#define TIME (60 * G_USEC_PER_SEC)

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
  if (record == NULL || !tall_migrator_take (self, record, error))
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

/* Before anything is begun. */
static gboolean
check_settled (const TallMigrator *self, GError **error)
{
  return self->record->migration.phase > TALL_MIGRATION_COPYING
         || tall_migrator_check_settled (self, error);
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
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "A framed gateway cannot seal and close tables, so nothing is done: migrate by an "
               "unframed one, or only copy, with --pass-only");
  return FALSE;
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
  if (!tall_migrator_read (self, error))
    return FALSE;
  if (is_done (self))
    return TRUE;
  if (!check_settled (self, error) || !check_can_shut (self, error)
      || (self->record->migration.phase != TALL_MIGRATION_NONE && !begin (self, error))
      || !tall_migrate_show_plan (self, &agreed, error))
    return FALSE;
  if (!agreed)
    {
      self->summary->outcome = TALL_MIGRATE_STOPPED;
      return TRUE;
    }
  if (!tall_migrator_draw_sample (self, error) || !begin (self, error))
    return FALSE;
  guint64 target = self->record->migration.target;
  while (step == TALL_MIGRATE_AGAIN)
    step = take_step (self, target, error);
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
  tall_migrator_init (&self, table, options, summary);
  if (run (&self, &cause))
    return TRUE;
  fail (cause, error);
  return FALSE;
}
