/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table-kind.h"

/**
 * TallBackupStage:
 * @TALL_BACKUP_COPYING: files are linked or copied
 * @TALL_BACKUP_VERIFYING: the copy is opened, and everything in it read
 * @TALL_BACKUP_SEALING: the sums of its files are made
 *
 * What is being done.
 */
typedef enum
{
  TALL_BACKUP_COPYING,
  TALL_BACKUP_VERIFYING,
  TALL_BACKUP_SEALING,
} TallBackupStage;

const char *tall_backup_stage_get_name (TallBackupStage stage);
gboolean tall_backup_stage_parse (const char *name,
                                  TallBackupStage *stage) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallBackupProgress:
 *
 * How far it is.
 */
typedef struct
{
  TallBackupStage stage;
  guint64 n_bytes;  /* copied or summed up */
  guint64 n_orders; /* verified, like … */
  guint64 n_customers;
} TallBackupProgress;

/**
 * TallBackupHooks:
 *
 * How somebody follows it, and ends it.
 */
typedef struct
{
  guint rate; /* orders verified a second at most; 0: as fast as it goes */

  /* Nullable. FALSE ends it: nothing is left then. */
  gboolean (*on_progress) (const TallBackupProgress *progress, gpointer data);
  gpointer data;
} TallBackupHooks;

gboolean tall_backup_was_stopped (const GError *error);

/**
 * TallBackupSummary:
 *
 * What a backup or a restored store has.
 */
typedef struct
{
  char *path; /* of the target, absolute; owned */
  guint n_deployments;
  guint n_files;
  guint64 n_bytes;
  guint64 n_orders; /* that were verified, of all deployments, like the next ones */
  guint64 n_customers;
  guint64 n_findings; /* that do no harm: `verify --repair` mends them */
} TallBackupSummary;

void tall_backup_summary_clear (TallBackupSummary *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBackupSummary, tall_backup_summary_clear)

gboolean tall_backup_make (TallTable *table,
                           const TallTableAddress *address,
                           const char *target,
                           const TallBackupHooks *hooks,
                           TallBackupSummary *summary,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_backup_restore (const char *backup,
                              const TallTableAddress *address,
                              const TallBackupHooks *hooks,
                              TallBackupSummary *summary,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_backup_check_outside (const char *target,
                                    const TallTableAddress *address,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
