/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/backup.h"
#include "cli/command.h"

G_BEGIN_DECLS

/* What `backup` and `restore` print. */
void tall_backup_report_progress (const TallBackupProgress *progress);
void tall_backup_report_summary (const char *what, const TallBackupSummary *summary, gboolean json);
TallExit tall_backup_report_stopped (gint number);

G_END_DECLS
