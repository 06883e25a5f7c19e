/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/backup.h"

#include "service/client/client.h"
#include "tall-error.h"
#include "service/calls/idl-backup.h"

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
take_state (const TallIdlBackupState *got,
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
ask (TallClient *self, const char *name, gpointer request, GError **error)
{
  g_autoptr (TallBackupState) state = g_new0 (TallBackupState, 1);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallIdlArgs args = { .request = request };
  TallIdlBackupState got = { 0 };
  TallClientCall call =
      tall_client_prepare (TALL_FRONT (self), tall_calls_find (name), &args, arena);
  call.success = &got;
  if (!tall_client_call_run (&call, error) || !take_state (&got, state, &call, error))
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
  return ask (self, "startBackup", &request, error);
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
  return ask (self, "getBackup", &request, error);
}
