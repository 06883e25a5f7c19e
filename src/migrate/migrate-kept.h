/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/migrate-state.h"

G_BEGIN_DECLS

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
void tall_migrate_kept_take_unfit (TallMigrateKept *self, const TallUnfit *unfit);
TallMigrateState *tall_migrate_kept_copy (const TallMigrateKept *self,
                                          guint seen,
                                          guint most) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
