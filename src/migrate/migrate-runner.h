/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/migrate-kept.h"

G_BEGIN_DECLS

/**
 * TallMigrateRunner:
 *
 * Runs migrations in the background of a process that also serves others, one task at a time. It
 * decides nothing: the deployment record does, so what another process does at the same time is
 * harmless. Any thread may use it.
 */
typedef struct _TallMigrateRunner TallMigrateRunner;

TallMigrateRunner *tall_migrate_runner_new (TallTable *table, const TallTableAddress *address);
void tall_migrate_runner_stop (TallMigrateRunner *self);
gboolean tall_migrate_runner_end (TallMigrateRunner *self,
                                  guint milliseconds) G_GNUC_WARN_UNUSED_RESULT;

TallMigrateState *tall_migrate_runner_start (TallMigrateRunner *self,
                                             const TallMigrateWish *wish,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallMigrateState *tall_migrate_runner_look (TallMigrateRunner *self,
                                            const char *id,
                                            guint seen,
                                            guint most,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
