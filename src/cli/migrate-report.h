/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"
#include "migrate/migrate-runner.h"

G_BEGIN_DECLS

/* What `migrate` prints; JSON lines if @json. */
void tall_migrate_report_plan (const TallMigratePlan *plan, gboolean json);
void tall_migrate_report_resumed (TallMigrateStage stage, gboolean json, gboolean *has_plan);
void tall_migrate_report_unfit (const TallMigrateUnfit *unfit, gboolean json);
void tall_migrate_report_progress (const TallMigrateProgress *progress);
void tall_migrate_report_append (GString *line, const TallMigrateState *state, gboolean bar);
void tall_migrate_report_summary (const TallMigrateSummary *summary, gint64 limit, gboolean json);
void tall_migrate_report_aborted (gboolean was_moving, gboolean json);
void tall_migrate_report_dropped (guint n, gboolean json);

G_END_DECLS
