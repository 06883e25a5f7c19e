/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request.h"

#include "tall-error.h"
#include "service/calls/idl-failure.h"
#include "service/calls/idl-migrate.h"

#include <string.h>

static gboolean
check_moves (const TallRequest *self, GError **error)
{
  if (self->moves != NULL)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "this server keeps no tables that could be migrated");
  return FALSE;
}

static TallIdlMigrationPlan *
copy_plan (TallArena *arena, const TallMigratePlan *plan)
{
  TallIdlMigrationPlan *copy = tall_arena_new0 (arena, TallIdlMigrationPlan);
  *copy = (TallIdlMigrationPlan){
    .resumed = plan->resumed,
    .from_layout = (char *)plan->from_layout,
    .from_key_strategy = (char *)plan->from_key_strategy,
    .from_index = (char *)plan->from_index,
    .to_layout = (char *)plan->to_layout,
    .to_key_strategy = (char *)plan->to_key_strategy,
    .to_index = (char *)plan->to_index,
    .generation = (gint64)plan->generation,
    .target = (gint64)plan->target,
    .orders = (gint64)plan->n_orders,
    .customers = (gint64)plan->n_customers,
    .lines = (gint64)plan->n_lines,
    .bytes = (gint64)plan->n_bytes,
    .needed = (gint64)plan->needed,
    .room = (gint64)plan->room,
    .has_room = plan->room != G_MAXUINT64,
    .copy_ms = plan->copy_time / 1000,
    .pause_ms = plan->pause / 1000,
    .pause_limit_ms = plan->pause_limit / 1000,
    .loads = (gint32)plan->n_loads,
  };
  return copy;
}

static TallIdlUnfit *
copy_unfit (TallArena *arena, const TallMigrateState *state)
{
  TallIdlUnfit *unfit = tall_arena_newa0 (arena, TallIdlUnfit, MAX (state->n_unfit, 1));
  for (guint i = 0; i < state->n_unfit; i++)
    unfit[i] = (TallIdlUnfit){ .customer_number = state->unfit[i].customer_number,
                               .order_number = state->unfit[i].order_number,
                               .table = state->unfit[i].table,
                               .row = state->unfit[i].row,
                               .message = state->unfit[i].message };
  return unfit;
}

/* The messages that callers get of other calls say that nothing was done, and would be wrong here:
 * orders may have been copied, and writes may wait. This caller is an administrator, and gets the
 * error's own message, which says what to mend. */
static TallIdlFailure *
make_failure (TallArena *arena, const TallMigrateState *state)
{
  TallIdlFailure *failure = tall_idl_failure_from_error (arena, "Migrating", state->error);
  if (!tall_error_is_passing (state->error)
      && !g_error_matches (state->error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    return failure;
  failure->message = tall_arena_strdup (arena, state->error->message);
  if (strstr (failure->message, "migrate again") == NULL)
    failure->message = tall_arena_printf (
        arena,
        "%s. What was done stays, and the status says how far it is and who waits: when that is "
        "mended, migrate again to go on, or with --abort to give it up",
        failure->message);
  return failure;
}

/* How a task has ended. */
static void
add_end (TallIdlMigrationState *copy, TallArena *arena, const TallMigrateState *state)
{
  const TallMigrateSummary *summary = &state->summary;
  copy->dropped = (gint32)state->n_dropped;
  if (state->error != NULL)
    copy->failure = make_failure (arena, state);
  if (state->error != NULL || (state->task != TALL_MIGRATE_MOVE && !state->has_switched))
    return;
  copy->outcome = (char *)tall_migrate_outcome_get_name (summary->outcome);
  copy->generation = (gint64)summary->generation;
  copy->passes = (gint32)summary->n_passes;
  copy->looked_at = (gint64)summary->n_looked;
  copy->all_copied = (gint64)summary->n_copied;
  copy->all_unfit = (gint64)summary->n_unfit;
  copy->pause_us = summary->pause;
}

/* @state: (nullable) (transfer full): */
static gboolean
answer (TallRequest *self, TallMigrateState *state)
{
  TallIdlMigrationState *copy = tall_arena_new0 (self->arena, TallIdlMigrationState);
  self->result.success = copy;
  if (!tall_request_own (self, state, (GDestroyNotify)tall_migrate_state_free))
    return FALSE;
  const TallMigrateProgress *progress = &state->progress;
  *copy = (TallIdlMigrationState){
    .id = state->id,
    .task = (char *)tall_migrate_task_get_name (state->task),
    .running = state->is_running,
    .joined = state->is_joined,
    .stage = (char *)tall_migrate_stage_get_name (progress->stage),
    .pass_number = (gint32)progress->pass,
    .looked_at = (gint64)progress->n_looked,
    .all = (gint64)progress->n_all,
    .copied = (gint64)progress->n_copied,
    .rate = (gint64)state->rate,
    .left_ms = state->time_left / 1000,
    .plan = state->plan != NULL ? copy_plan (self->arena, state->plan) : NULL,
    .unfit = copy_unfit (self->arena, state),
    .n_unfit = state->n_unfit,
  };
  if (state->id != NULL && !state->is_running)
    add_end (copy, self->arena, state);
  return TRUE;
}

/**
 * tall_request_start_migration:
 *
 * Begins a migration, or finds the one that runs.
 */
gboolean
tall_request_start_migration (TallRequest *self, GError **error)
{
  TallMigrateWish wish;
  if (!tall_idl_migration_parse (self->args.request, &wish, error) || !check_moves (self, error))
    return FALSE;
  return answer (self, tall_migrate_runner_start (self->moves, &wish, error));
}

/**
 * tall_request_get_migration:
 *
 * Looks at the migration that runs, or ran last.
 */
gboolean
tall_request_get_migration (TallRequest *self, GError **error)
{
  const TallIdlMigrationLook *look = self->args.request;
  if (look->has_seen && look->seen < 0)
    {
      tall_error_set_invalid (error, "seen", "seen: it is a number from 0, and not %d", look->seen);
      return FALSE;
    }
  if (!check_moves (self, error))
    return FALSE;
  guint seen = look->has_seen ? (guint)look->seen : 0;
  return answer (self, tall_migrate_runner_look (self->moves, look->id, seen, TALL_IDL_MANY_UNFIT,
                                                 error));
}
