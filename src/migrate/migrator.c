/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrator.h"

#include "tall-error.h"
#include "store/record/generation.h"
#include "store/record/migration.h"
#include "store/record/tables.h"

#define TIME (60 * G_USEC_PER_SEC)
#define ALONE_PAUSE (G_USEC_PER_SEC / 20) /* seal and close, where nobody else is */
#define USUAL_PAUSE (2 * G_USEC_PER_SEC)  /* the same through a gateway, with its waits */

void
tall_migrator_init (TallMigrator *self,
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

void
tall_migrator_clear (TallMigrator *self)
{
  take_down (self);
  g_clear_pointer (&self->record, tall_deployment_free);
  g_clear_pointer (&self->sample, g_strfreev);
}

/**
 * tall_migrator_take:
 * @record: (transfer full): as it was read now
 *
 * Goes on with what it says. Of a deployment that is dropped, and made again, nothing is gone on
 * with.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if it is that of another deployment than before
 */
gboolean
tall_migrator_take (TallMigrator *self, TallDeployment *record, GError **error)
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

/**
 * tall_migrator_read:
 *
 * Reads the record again.
 */
gboolean
tall_migrator_read (TallMigrator *self, GError **error)
{
  TallDeployment *record =
      tall_deployment_read (self->table, g_get_monotonic_time () + TIME, error);
  return record != NULL && tall_migrator_take (self, record, error);
}

/**
 * tall_migrator_change:
 * @done: (out): whether the record says @to then, whoever has written it
 *
 * Makes the record say @to, if it still says what was read, and reads what it says then.
 */
gboolean
tall_migrator_change (TallMigrator *self, TallMigration to, gboolean *done, GError **error)
{
  return tall_migration_change (self->table, self->record->id, &self->record->migration, &to, NULL,
                                g_get_monotonic_time () + TIME, done, error)
         && tall_migrator_read (self, error);
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

/**
 * tall_migrator_set_up:
 *
 * Gets ready, once, to work on the two generations that the record names: they are the same as long
 * as the migration goes on.
 */
gboolean
tall_migrator_set_up (TallMigrator *self, GError **error)
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

/**
 * tall_migrator_run_pass:
 * @stage: what it is part of
 */
gboolean
tall_migrator_run_pass (TallMigrator *self,
                        TallMigrateStage stage,
                        TallPassCounts *counts,
                        GError **error)
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

/**
 * tall_migrator_estimate_pause:
 * @counts: of the pass before
 *
 * Returns: how long writes will wait, microseconds, if the last pass takes as long as that
 */
gint64
tall_migrator_estimate_pause (const TallMigrator *self, const TallPassCounts *counts)
{
  return counts->duration + (self->is_exclusive ? ALONE_PAUSE : USUAL_PAUSE);
}

/**
 * tall_migrator_get_limit:
 *
 * Returns: how long writes may wait, microseconds
 */
gint64
tall_migrator_get_limit (const TallMigrator *self)
{
  return self->options->pause != 0 ? self->options->pause : TALL_MIGRATE_USUAL_PAUSE;
}
