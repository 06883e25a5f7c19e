/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/tasks.h"

#include "service/calls/idl-tasks.h"
#include "service/client/client.h"
#include "tall-error.h"

static gboolean
fail_unknown (const char *what, const char *text, GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "Migrating: the server says the %s is \"%s\", which this version does not know: "
               "use the version of the server",
               what, text);
  return FALSE;
}

/* A server may say anything. */
static gint64
take_milliseconds (gint64 milliseconds)
{
  return CLAMP (milliseconds, 0, G_MAXINT64 / 1000) * 1000;
}

static TallMigratePlan *
take_plan (TallArena *arena, const TallIdlMigrationPlan *got)
{
  TallMigratePlan *plan = tall_arena_new0 (arena, TallMigratePlan);
  *plan = (TallMigratePlan){
    .resumed = got->resumed,
    .from_layout = got->from_layout,
    .from_key_strategy = got->from_key_strategy,
    .from_index = got->from_index,
    .to_layout = got->to_layout,
    .to_key_strategy = got->to_key_strategy,
    .to_index = got->to_index,
    .generation = (guint64)got->generation,
    .target = (guint64)got->target,
    .n_orders = (guint64)got->orders,
    .n_customers = (guint64)got->customers,
    .n_lines = (guint64)got->lines,
    .n_bytes = (guint64)got->bytes,
    .needed = (guint64)got->needed,
    .room = got->has_room ? (guint64)got->room : G_MAXUINT64,
    .copy_time = take_milliseconds (got->copy_ms),
    .pause = take_milliseconds (got->pause_ms),
    .pause_limit = take_milliseconds (got->pause_limit_ms),
    .n_loads = (guint)got->loads,
  };
  return plan;
}

static gboolean
is_whole (const TallIdlMigrationPlan *plan)
{
  return plan->from_layout != NULL && plan->from_key_strategy != NULL && plan->from_index != NULL
         && plan->to_layout != NULL && plan->to_key_strategy != NULL && plan->to_index != NULL;
}

static gboolean
take_unfit (const TallIdlMigrationState *got, TallMigrateState *state)
{
  state->n_unfit = got->n_unfit;
  state->unfit = tall_arena_newa0 (state->arena, TallMigrateUnfit, MAX (got->n_unfit, 1));
  for (guint i = 0; i < got->n_unfit; i++)
    {
      if (got->unfit[i].table == NULL || got->unfit[i].message == NULL)
        return FALSE;
      state->unfit[i] = (TallMigrateUnfit){ .customer_number = got->unfit[i].customer_number,
                                            .order_number = got->unfit[i].order_number,
                                            .table = got->unfit[i].table,
                                            .row = got->unfit[i].row,
                                            .message = got->unfit[i].message };
    }
  return TRUE;
}

/* How a task has ended. */
static gboolean
take_end (const TallIdlMigrationState *got,
          TallMigrateState *state,
          const TallClientCall *call,
          GError **error)
{
  state->n_dropped = (guint)got->dropped;
  if (got->failure != NULL)
    tall_client_call_take_failure (call, NULL, got->failure, &state->error);
  if (got->failure != NULL || (state->task != TALL_MIGRATE_MOVE && got->outcome == NULL))
    return TRUE;
  state->has_switched = state->task == TALL_MIGRATE_ABORT;
  if (!tall_migrate_outcome_parse (got->outcome, &state->summary.outcome))
    return fail_unknown ("outcome", got->outcome != NULL ? got->outcome : "", error);
  state->summary.generation = (guint64)got->generation;
  state->summary.n_passes = (guint)got->passes;
  state->summary.n_looked = (guint64)got->looked_at;
  state->summary.n_copied = (guint64)got->all_copied;
  state->summary.n_unfit = (guint64)got->all_unfit;
  state->summary.pause = got->pause_us;
  return TRUE;
}

static gboolean
take_migration (const TallIdlMigrationState *got,
                TallMigrateState *state,
                const TallClientCall *call,
                GError **error)
{
  TallMigrateProgress *progress = &state->progress;
  state->id = got->id;
  if (got->id == NULL)
    return TRUE;
  if (!tall_migrate_task_parse (got->task, &state->task))
    return fail_unknown ("task", got->task != NULL ? got->task : "", error);
  if (!tall_migrate_stage_parse (got->stage, &progress->stage))
    return fail_unknown ("stage", got->stage != NULL ? got->stage : "", error);
  if ((got->plan != NULL && !is_whole (got->plan)) || !take_unfit (got, state))
    return tall_client_set_wrong_answer (call, error);
  state->is_running = got->running;
  state->is_joined = got->joined;
  progress->pass = (guint)got->pass_number;
  progress->n_looked = (guint64)got->looked_at;
  progress->n_all = (guint64)got->all;
  progress->n_copied = (guint64)got->copied;
  state->rate = (guint64)got->rate;
  state->time_left = take_milliseconds (got->left_ms);
  state->plan = got->plan != NULL ? take_plan (state->arena, got->plan) : NULL;
  return got->running || take_end (got, state, call, error);
}

static TallMigrateState *
ask_migration (TallClient *self, const char *name, gpointer request, GError **error)
{
  g_autoptr (TallMigrateState) state = g_new0 (TallMigrateState, 1);
  state->arena = tall_arena_new (0);
  TallIdlArgs args = { .request = request };
  TallIdlMigrationState got = { 0 };
  TallClientCall call =
      tall_client_prepare (TALL_FRONT (self), tall_calls_find (name), &args, state->arena);
  call.success = &got;
  if (!tall_client_call_run (&call, error) || !take_migration (&got, state, &call, error))
    return NULL;
  return g_steal_pointer (&state);
}

/**
 * tall_client_start_migration:
 *
 * Asks the server to begin a task, or finds it if it runs already. It may be sent again.
 *
 * Returns: (transfer full): how far it is; NULL with %TALL_ERROR_CONFLICT if another one runs,
 *   %TALL_ERROR_INVALID for a wish that makes no sense, or %TALL_ERROR_UNSUPPORTED if the server
 *   is older, or elsewhere
 */
TallMigrateState *
tall_client_start_migration (TallClient *self, const TallMigrateWish *wish, GError **error)
{
  TallIdlMigration request;
  g_return_val_if_fail (TALL_IS_CLIENT (self), NULL);
  tall_idl_migration_init (&request, wish);
  return ask_migration (self, "startMigration", &request, error);
}

/**
 * tall_client_get_migration:
 * @id: (nullable): of a task; NULL: the last one
 * @seen: so many of what cannot be copied are known
 *
 * Returns: (transfer full): how far it is, or how it has ended, with some of what else cannot be
 *   copied; NULL with %TALL_ERROR_NOT_FOUND if the server does not know it any more
 */
TallMigrateState *
tall_client_get_migration (TallClient *self, const char *id, guint seen, GError **error)
{
  TallIdlMigrationLook request = { .id = (char *)id, .seen = (gint32)seen, .has_seen = TRUE };
  g_return_val_if_fail (TALL_IS_CLIENT (self), NULL);
  return ask_migration (self, "getMigration", &request, error);
}

static void
take_summary (const TallIdlBackupState *got, TallBackupSummary *summary)
{
  *summary = (TallBackupSummary){
    .path = g_strdup (got->path),
    .n_deployments = (guint)got->deployments,
    .n_files = (guint)got->files,
    .n_bytes = (guint64)got->bytes,
    .n_orders = (guint64)got->orders,
    .n_customers = (guint64)got->customers,
    .n_findings = (guint64)got->findings,
  };
}

static gboolean
take_backup (const TallIdlBackupState *got,
             TallBackupState *state,
             const TallClientCall *call,
             GError **error)
{
  state->id = g_strdup (got->id);
  if (got->id == NULL)
    return TRUE;
  if (got->name == NULL || !tall_backup_stage_parse (got->stage, &state->progress.stage))
    return tall_client_set_wrong_answer (call, error);
  state->name = g_strdup (got->name);
  state->is_running = got->running;
  state->is_joined = got->joined;
  state->progress.n_bytes = (guint64)got->bytes;
  state->progress.n_orders = (guint64)got->orders;
  state->progress.n_customers = (guint64)got->customers;
  if (got->failure != NULL)
    tall_client_call_take_failure (call, NULL, got->failure, &state->error);
  else if (!got->running)
    take_summary (got, &state->summary);
  return TRUE;
}

static TallBackupState *
ask_backup (TallClient *self, const char *name, gpointer request, GError **error)
{
  g_autoptr (TallBackupState) state = g_new0 (TallBackupState, 1);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallIdlArgs args = { .request = request };
  TallIdlBackupState got = { 0 };
  TallClientCall call =
      tall_client_prepare (TALL_FRONT (self), tall_calls_find (name), &args, arena);
  call.success = &got;
  if (!tall_client_call_run (&call, error) || !take_backup (&got, state, &call, error))
    return NULL;
  return g_steal_pointer (&state);
}

/**
 * tall_client_start_backup:
 * @rate: orders verified a second at most; 0: as fast as it goes
 *
 * Asks the server to begin a backup, or finds it if it is being made already. It may be sent again.
 *
 * Returns: (transfer full): how far it is; NULL with %TALL_ERROR_CONFLICT if another one is being
 *   made, %TALL_ERROR_INVALID for a name that there cannot be, or %TALL_ERROR_UNSUPPORTED
 */
TallBackupState *
tall_client_start_backup (TallClient *self, const char *name, guint rate, GError **error)
{
  TallIdlBackup request = { .name = (char *)name, .rate = (gint32)rate, .has_rate = rate != 0 };
  g_return_val_if_fail (TALL_IS_CLIENT (self), NULL);
  return ask_backup (self, "startBackup", &request, error);
}

/**
 * tall_client_get_backup:
 * @id: (nullable): of a backup; NULL: the last one
 *
 * Returns: (transfer full): how far it is, or how it has ended; NULL with %TALL_ERROR_NOT_FOUND if
 *   the server does not know it any more
 */
TallBackupState *
tall_client_get_backup (TallClient *self, const char *id, GError **error)
{
  TallIdlBackupLook request = { .id = (char *)id };
  g_return_val_if_fail (TALL_IS_CLIENT (self), NULL);
  return ask_backup (self, "getBackup", &request, error);
}
