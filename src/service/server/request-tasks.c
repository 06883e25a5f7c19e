/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request.h"

#include "service/calls/idl-tasks.h"
#include "service/calls/idl-failure.h"
#include "service/server/log.h"
#include "base/fail.h"

#include <string.h>

/* What a part holds beside one order: a page of each table, as cells and as bytes. */
#define PAGES_MEMORY ((gsize)24 * 1024 * 1024)

static gboolean
check_range (const char *field, gboolean has, gint32 value, gint32 most, GError **error)
{
  if (!has || (value >= 1 && value <= most))
    return TRUE;
  return tall_error_fail_invalid (error, field, "%s is 1 to %d, or absent", field, most);
}

static gboolean
parse (const TallRequest *self, TallVerifyRequest *request, GError **error)
{
  const TallIdlVerify *sent = self->args.request;
  *request = (TallVerifyRequest){
    .customer_number = sent->customer_number,
    .sample = sent->has_sample ? (guint)sent->sample : 0,
    .repair = sent->repair,
    .most = sent->has_most ? (guint)sent->most : 0,
    .cursor = sent->cursor,
    .notes = sent->notes,
  };
  return check_range ("sample", sent->has_sample, sent->sample, 99, error)
         && check_range ("most", sent->has_most, sent->most, G_MAXINT32, error);
}

/* What a client must not see is in the log. */
static void
log_detail (const TallFinding *finding)
{
  g_autoptr (GError) error = NULL;
  if (finding->detail == NULL)
    return;
  tall_error_set_detailed (&error, TALL_ERROR_DAMAGED, finding->detail, "table %s: %s",
                           finding->table, finding->message);
  tall_failure_log_add (TALL_ERROR_DAMAGED, "Verifying", error);
}

gboolean
tall_request_verify (TallRequest *self, GError **error)
{
  TallVerifyRequest request;
  TallIdlVerifyPart *success = tall_arena_new0 (self->arena, TallIdlVerifyPart);
  gsize work = PAGES_MEMORY + tall_call_memory_get_order (self->memory);

  if (!parse (self, &request, error) || !tall_call_memory_work (self->memory, work, error))
    return FALSE;
  TallVerifyPart *part = tall_front_verify_some (self->front, &request, error);
  self->result.success = success;
  if (!tall_request_own (self, part, (GDestroyNotify)tall_verify_part_free))
    return FALSE;
  for (guint i = 0; i < part->n_findings; i++)
    {
      part->findings[i].name = tall_finding_kind_info (part->findings[i].kind)->name;
      log_detail (&part->findings[i]);
    }
  success->part = *part;
  if (part->wait == 0 || ((const TallIdlVerify *)self->args.request)->waits)
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_UNSUPPORTED,
      "this client is older than the server, and would take for damage what somebody is just "
      "writing: verify with the version of the server, or send \"waits\" and wait");
}

gboolean
tall_request_erase (TallRequest *self, GError **error)
{
  TallIdlErasePart *success = tall_arena_new0 (self->arena, TallIdlErasePart);
  TallEraseRequest request = *(const TallEraseRequest *)self->args.request;
  gsize work = PAGES_MEMORY + tall_call_memory_get_order (self->memory);

  if (request.customer_number == NULL)
    request.customer_number = "";
  if (!tall_call_memory_work (self->memory, work, error))
    return FALSE;
  TallErasePart *part = tall_front_erase_some (self->front, &request, error);
  self->result.success = success;
  if (!tall_request_own (self, part, (GDestroyNotify)tall_erase_part_free))
    return FALSE;
  success->part = *part;
  success->stage = (char *)tall_erase_stage_get_name (part->stage);
  return TRUE;
}

static gboolean
check_moves (const TallRequest *self, GError **error)
{
  if (self->moves != NULL)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                          "this server keeps no tables that could be migrated");
}

/* The messages that callers get of other calls say that nothing was done, and would be wrong here:
 * orders may have been copied, and writes may wait. This caller is an administrator, and gets the
 * error's own message, which says what to mend. */
static TallIdlFailure *
make_migration_failure (TallArena *arena, const TallMigrateState *state)
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

/* @state: (nullable) (transfer full): */
static gboolean
answer_migration (TallRequest *self, TallMigrateState *state)
{
  TallIdlMigrationState *answer = tall_arena_new0 (self->arena, TallIdlMigrationState);
  self->result.success = answer;
  if (!tall_request_own (self, state, (GDestroyNotify)tall_migrate_state_free))
    return FALSE;
  answer->state = *state;
  answer->state.time_left /= 1000;
  answer->task = (char *)tall_migrate_tasks[state->task];
  answer->stage = (char *)tall_migrate_stages[state->progress.stage];
  if (state->plan != NULL)
    {
      TallMigratePlan *plan = state->plan;
      plan->copy_time /= 1000;
      plan->pause /= 1000;
      plan->pause_limit /= 1000;
    }
  gboolean has_summary = state->id != NULL && !state->is_running && state->error == NULL
                         && (state->task == TALL_MIGRATE_MOVE || state->has_switched);
  if (state->error != NULL)
    answer->failure = make_migration_failure (self->arena, state);
  if (has_summary)
    {
      answer->outcome = (char *)tall_migrate_outcomes[state->summary.outcome];
      answer->state.progress.n_looked = state->summary.n_looked;
    }
  else
    answer->state.summary = (TallMigrateSummary){ 0 };
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
  return answer_migration (self, tall_migrate_runner_start (self->moves, &wish, error));
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
    return tall_error_fail_invalid (error, "seen", "seen: it is a number from 0, and not %d",
                                    look->seen);
  if (!check_moves (self, error))
    return FALSE;
  guint seen = look->has_seen ? (guint)look->seen : 0;
  return answer_migration (self, tall_migrate_runner_look (self->moves, look->id, seen,
                                                           TALL_IDL_MANY_UNFIT, error));
}

static gboolean
check_backups (const TallRequest *self, GError **error)
{
  if (self->backups != NULL)
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_UNSUPPORTED,
      "this server has no embedded store, of which it could make a backup; HBase has snapshots");
}

/* The caller is an administrator, and gets the error's own message: what callers get of other calls
 * is about the store, and here it is the place of the backups that has to be mended. */
static TallIdlFailure *
make_backup_failure (TallArena *arena, const GError *cause)
{
  TallIdlFailure *failure = tall_idl_failure_from_error (arena, "Making the backup", cause);
  if (tall_error_is_passing (cause))
    failure->message = tall_arena_strdup (arena, cause->message);
  return failure;
}

/* @state: (nullable) (transfer full): */
static gboolean
answer_backup (TallRequest *self, TallBackupState *state)
{
  TallIdlBackupState *answer = tall_arena_new0 (self->arena, TallIdlBackupState);
  self->result.success = answer;
  if (!tall_request_own (self, state, (GDestroyNotify)tall_backup_state_free))
    return FALSE;
  answer->state = *state;
  answer->stage = (char *)tall_backup_stage_get_name (state->progress.stage);
  if (state->id == NULL || state->is_running || state->error != NULL)
    {
      answer->state.summary.n_orders = state->progress.n_orders;
      answer->state.summary.n_customers = state->progress.n_customers;
      answer->state.summary.n_bytes = state->progress.n_bytes;
    }
  if (state->error != NULL)
    answer->failure = make_backup_failure (self->arena, state->error);
  return TRUE;
}

/**
 * tall_request_start_backup:
 *
 * Begins a backup, or finds the one that is being made.
 */
gboolean
tall_request_start_backup (TallRequest *self, GError **error)
{
  const TallIdlBackup *wish = self->args.request;
  if (wish->has_rate && wish->rate < 1)
    return tall_error_fail_invalid (error, "rate", "rate: it is a number above 0, and not %d",
                                    wish->rate);
  return check_backups (self, error)
         && answer_backup (
             self, tall_backup_runner_start (self->backups, wish->name != NULL ? wish->name : "",
                                             wish->has_rate ? (guint)wish->rate : 0, error));
}

/**
 * tall_request_get_backup:
 *
 * Looks at the backup that is being made, or was made last.
 */
gboolean
tall_request_get_backup (TallRequest *self, GError **error)
{
  const TallIdlBackupLook *look = self->args.request;
  return check_backups (self, error)
         && answer_backup (self, tall_backup_runner_look (self->backups, look->id, error));
}
