/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request.h"

#include "tall-error.h"
#include "service/calls/idl-backup.h"
#include "service/calls/idl-failure.h"

static gboolean
check_backups (const TallRequest *self, GError **error)
{
  if (self->backups != NULL)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "this server has no embedded store, of which it could make a backup; HBase has "
               "snapshots");
  return FALSE;
}

/* The caller is an administrator, and gets the error's own message: what callers get of other calls
 * is about the store, and here it is the place of the backups that has to be mended. */
static TallIdlFailure *
make_failure (TallArena *arena, const GError *cause)
{
  TallIdlFailure *failure = tall_idl_failure_from_error (arena, "Making the backup", cause);
  if (tall_error_is_passing (cause))
    failure->message = tall_arena_strdup (arena, cause->message);
  return failure;
}

/* @state: (nullable) (transfer full): */
static gboolean
answer (TallRequest *self, TallBackupState *state)
{
  TallIdlBackupState *copy = tall_arena_new0 (self->arena, TallIdlBackupState);
  self->result.success = copy;
  if (!tall_request_own (self, state, (GDestroyNotify)tall_backup_state_free))
    return FALSE;
  gboolean is_made = state->id != NULL && !state->is_running && state->error == NULL;
  const TallBackupSummary *summary = &state->summary;
  *copy = (TallIdlBackupState){
    .id = state->id,
    .name = state->name,
    .running = state->is_running,
    .joined = state->is_joined,
    .stage = (char *)tall_backup_stage_get_name (state->progress.stage),
    .orders = (gint64)(is_made ? summary->n_orders : state->progress.n_orders),
    .customers = (gint64)(is_made ? summary->n_customers : state->progress.n_customers),
    .bytes = (gint64)(is_made ? summary->n_bytes : state->progress.n_bytes),
    .findings = (gint64)summary->n_findings,
    .deployments = (gint32)summary->n_deployments,
    .files = (gint32)summary->n_files,
    .path = summary->path,
  };
  if (state->error != NULL)
    copy->failure = make_failure (self->arena, state->error);
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
    {
      tall_error_set_invalid (error, "rate", "rate: it is a number above 0, and not %d",
                              wish->rate);
      return FALSE;
    }
  return check_backups (self, error)
         && answer (self,
                    tall_backup_runner_start (self->backups, wish->name != NULL ? wish->name : "",
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
         && answer (self, tall_backup_runner_look (self->backups, look->id, error));
}
