/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/backup.h"
#include "cli/command.h"
#include "migrate/migrate-runner.h"
#include "store/store.h"

/* Between two looks at what a server does, in microseconds. */
#define TALL_LOOK_EVERY (G_USEC_PER_SEC / 5)

gpointer tall_ask_patiently (gpointer (*ask) (gpointer data, GError **error),
                             gpointer data,
                             const gint *stop,
                             GError **error);

/* What `backup` and `restore` print. */
void tall_backup_report_progress (const TallBackupProgress *progress);
void tall_backup_report_summary (const char *what, const TallBackupSummary *summary, gboolean json);
TallExit tall_backup_report_stopped (gint number);

/* What `migrate` prints; JSON lines if @json. */
void tall_migrate_report_plan (const TallMigratePlan *plan, gboolean json);
void tall_migrate_report_resumed (TallMigrateStage stage, gboolean json, gboolean *has_plan);
void tall_migrate_report_unfit (const TallMigrateUnfit *unfit, gboolean json);
void tall_migrate_report_progress (const TallMigrateProgress *progress);
void tall_migrate_report_append (GString *line, const TallMigrateState *state, gboolean bar);
void tall_migrate_report_summary (const TallMigrateSummary *summary, gint64 limit, gboolean json);
void tall_migrate_report_aborted (gboolean was_moving, gboolean json);
void tall_migrate_report_dropped (guint n, gboolean json);

TallExit tall_status_watch (const char *address, guint seconds);
