/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/migrate-state.h"

gboolean tall_migrate_wish_check (const TallMigrateWish *self,
                                  const TallTableKind *kind,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Of what cannot be copied, so much is named. */
#define TALL_MIGRATE_MAX_UNFIT 1000

/**
 * TallMigrateKept:
 *
 * What a runner keeps of one task, while it runs and afterwards. One thread at a time may use it.
 */
typedef struct
{
  TallMigrateState *state; /* its unfit is in @unfit; owned */
  GArray *unfit;           /* of TallMigrateUnfit, with texts in the arena of @state; owned */
  gint64 pass_begun;       /* monotonic */
  gint64 reported;         /* the last progress, likewise */
} TallMigrateKept;

TallMigrateKept *tall_migrate_kept_new (TallMigrateTask task);
void tall_migrate_kept_free (TallMigrateKept *self);
void tall_migrate_kept_take_progress (TallMigrateKept *self, const TallMigrateProgress *progress);

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
