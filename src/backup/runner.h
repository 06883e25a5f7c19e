/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/backup.h"

/**
 * TallBackupState:
 *
 * How far a backup is that is made in the background, or how it has ended.
 */
typedef struct
{
  char *id;   /* NULL: none was begun since the process started; owned, like all below */
  char *name; /* of the backup */
  gboolean is_running;
  gboolean is_joined; /* it ran already when it was asked for */
  TallBackupProgress progress;
  TallBackupSummary summary; /* of one that has ended well */
  GError *error;             /* why it has failed */
} TallBackupState;

void tall_backup_state_free (TallBackupState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallBackupState, tall_backup_state_free)

/**
 * TallBackupRunner:
 *
 * Makes backups in the background of a process that has a store open, one at a time, all of them in
 * one folder. Any thread may use it.
 */
typedef struct _TallBackupRunner TallBackupRunner;

TallBackupRunner *tall_backup_runner_new (TallTable *table,
                                          const TallTableAddress *address,
                                          const char *folder,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallBackupState *tall_backup_runner_start (TallBackupRunner *self,
                                           const char *name,
                                           guint rate,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallBackupState *tall_backup_runner_look (TallBackupRunner *self,
                                          const char *id,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_backup_runner_stop (TallBackupRunner *self);
void tall_backup_runner_free (TallBackupRunner *self);
