/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-migrate.h"

G_BEGIN_DECLS

/* What `migrate` prints; JSON lines if @json. */
void tall_migrate_report_plan (const TallMigratePlan *plan, gboolean json);
void tall_migrate_report_unfit (const TallUnfit *unfit, gboolean json);
void tall_migrate_report_progress (const TallMigrateProgress *progress);
void tall_migrate_report_summary (const TallMigrateSummary *summary, gint64 limit, gboolean json);

G_END_DECLS
