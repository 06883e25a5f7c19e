/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/deployment.h"
#include "migrate/migrate.h"
#include "migrate/pass.h"

G_BEGIN_DECLS

/**
 * TallMigrator:
 *
 * A migration as this process works on it. Everything that decides is in the deployment record:
 * any other process may do the same at the same time.
 */
typedef struct
{
  TallTable *table; /* of all generations; owned by the caller, like the next two */
  const TallMigrateOptions *options;
  TallMigrateSummary *summary;
  TallMove move;          /* as it was asked for, and a sample, if one is needed */
  GStrv sample;           /* owned: the same, if it was drawn here */
  TallDeployment *record; /* owned: as it was read, or written, last */
  gboolean has_begun;     /* this process has begun the migration */
  gboolean is_exclusive;  /* no other process works on the tables */
  gint64 paused;          /* when writes began to wait, monotonic; 0: not, as far as we know */

  /* Of the two generations that the record named when this was set up. */
  TallDeployment *setup; /* the record then, owned unless it is that still; NULL: not set up */
  TallStoreContext source;
  TallStoreContext target;
  TallPass *pass; /* owned */
  TallMigrateProgress progress;
} TallMigrator;

gboolean tall_migrator_show (TallMigrator *self, TallMigrateStage stage);

gint64 tall_migrator_estimate_pause (const TallMigrator *self, const TallPassCounts *counts);
gint64 tall_migrator_get_limit (const TallMigrator *self);
gboolean
tall_migrate_plan (TallMigrator *self, gboolean *agreed, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
