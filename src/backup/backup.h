/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/hooks.h"
#include "table/table-kind.h"

G_BEGIN_DECLS

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

G_END_DECLS
