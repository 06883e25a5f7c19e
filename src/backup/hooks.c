/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/hooks.h"

#include "tall-error.h"

#define STOPPED "stopped"

static const char *const stages[] = {
  [TALL_BACKUP_COPYING] = "copying",
  [TALL_BACKUP_VERIFYING] = "verifying",
  [TALL_BACKUP_SEALING] = "sealing",
};

const char *
tall_backup_stage_get_name (TallBackupStage stage)
{
  return stages[stage];
}

gboolean
tall_backup_stage_parse (const char *name, TallBackupStage *stage)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (g_strcmp0 (stages[i], name) == 0)
      {
        *stage = i;
        return TRUE;
      }
  return FALSE;
}

/**
 * tall_backup_go_on:
 * @hooks: (nullable):
 *
 * Returns: FALSE, with an error for tall_backup_was_stopped(), if it is to end
 */
gboolean
tall_backup_go_on (const TallBackupHooks *hooks, const TallBackupProgress *progress, GError **error)
{
  if (hooks == NULL || hooks->on_progress == NULL || hooks->on_progress (progress, hooks->data))
    return TRUE;
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, STOPPED,
                           "It was stopped, and nothing half-done is left");
  return FALSE;
}

gboolean
tall_backup_was_stopped (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE)
         && g_strcmp0 (tall_error_get_detail (error), STOPPED) == 0;
}
