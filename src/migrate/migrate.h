/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/move.h"

G_BEGIN_DECLS

#define TALL_MIGRATE_USUAL_PAUSE (5 * G_USEC_PER_SEC)

/**
 * TallMigrateStage:
 * @TALL_MIGRATE_COUNTING: it looks at what there is
 * @TALL_MIGRATE_COPYING: passes, while services go on; may be stopped here
 * @TALL_MIGRATE_SEALING: writes begin to wait
 * @TALL_MIGRATE_LAST_PASS: the pass under the seal
 * @TALL_MIGRATE_CLOSING: reads begin to wait
 * @TALL_MIGRATE_ABORTING: everything is given back
 */
typedef enum
{
  TALL_MIGRATE_COUNTING,
  TALL_MIGRATE_COPYING,
  TALL_MIGRATE_SEALING,
  TALL_MIGRATE_LAST_PASS,
  TALL_MIGRATE_CLOSING,
  TALL_MIGRATE_ABORTING,
} TallMigrateStage;

/**
 * TallMigrateProgress:
 *
 * How far a migration has come. Counts are of orders and customers together, deleted ones included.
 */
typedef struct
{
  TallMigrateStage stage;
  guint pass;       /* the number of the pass that runs, from 1 */
  guint64 n_looked; /* in this pass */
  guint64 n_all;    /* that there are, as the pass before has found; 0: not known yet */
  guint64 n_copied; /* in this pass */
} TallMigrateProgress;

/**
 * TallMigratePlan:
 *
 * What a migration is going to do, shown before anything is written. Texts are static, or valid
 * during the call.
 */
typedef struct
{
  gboolean resumed; /* somebody has begun it */
  const char *from_layout;
  const char *from_key_strategy;
  const char *from_index;
  const char *to_layout;
  const char *to_key_strategy;
  const char *to_index;
  guint64 generation; /* that counts */
  guint64 target;     /* that is made */
  guint64 n_orders;   /* deleted ones included: their tombstones are copied */
  guint64 n_customers;
  guint64 n_lines;
  guint64 n_bytes;    /* of rows in the source, estimated */
  guint64 needed;     /* bytes that the target's rows will have, estimated */
  guint64 room;       /* bytes that are free in the place, if that is known */
  gboolean has_room;  /* it is known */
  gint64 copy_time;   /* microseconds, estimated; 0: not known */
  gint64 pause;       /* microseconds that writes wait, estimated */
  gint64 pause_limit; /* as asked for */
  guint n_loads;      /* loads that have not ended */
} TallMigratePlan;

/**
 * TallMigrateUnfit:
 *
 * Something that cannot be copied. In a callback its texts are valid during the call.
 */
typedef struct
{
  char *customer_number; /* NULL: the row does not say whose it is */
  char *order_number;    /* NULL: it is a customer, or not known */
  char *table;           /* in the source */
  TallSlice row;
  char *message; /* why */
} TallMigrateUnfit;

/* Each returns FALSE to stop. It stops only while nothing is sealed. */
typedef gboolean (*TallMigrateOnPlan) (const TallMigratePlan *plan, gpointer data);
typedef gboolean (*TallMigrateOnProgress) (const TallMigrateProgress *progress, gpointer data);
typedef void (*TallMigrateOnUnfit) (const TallMigrateUnfit *unfit, gpointer data);

/**
 * TallMigrateOptions:
 *
 * What the target is to be, and how to get there.
 */
typedef struct
{
  TallMove move;             /* what the target is to be; all zero: go on with what has begun */
  gint64 pause;              /* microseconds that writes may wait; 0: the usual */
  guint rate;                /* orders copied a second at most, while nobody waits; 0: no limit */
  gboolean pass_only;        /* copy, and leave the switch to another call */
  gboolean settled;          /* no call of an earlier migration or abort is under way any more */
  guint64 room;              /* bytes that are free where the tables are; 0: not known */
  TallMigrateOnPlan on_plan; /* this and the next may be NULL */
  TallMigrateOnProgress on_progress;
  TallMigrateOnUnfit on_unfit;
  gpointer data;
  const TallStoreHooks *hooks; /* nullable: time and chance, for tests */
} TallMigrateOptions;

/**
 * TallMigrateOutcome:
 * @TALL_MIGRATE_SWITCHED: the target counts
 * @TALL_MIGRATE_PASSED: everything is copied, and nothing more was asked for
 * @TALL_MIGRATE_TOO_LONG: everything is copied; writes would have to wait longer than they may
 * @TALL_MIGRATE_UNFIT: something cannot be copied; nothing is sealed
 * @TALL_MIGRATE_STOPPED: a callback said so; what was copied stays
 * @TALL_MIGRATE_OVERTAKEN: another process has aborted it, or has ended it
 * @TALL_MIGRATE_UNCHANGED: the deployment has all that was asked for; nothing is done
 */
typedef enum
{
  TALL_MIGRATE_SWITCHED,
  TALL_MIGRATE_PASSED,
  TALL_MIGRATE_TOO_LONG,
  TALL_MIGRATE_UNFIT,
  TALL_MIGRATE_STOPPED,
  TALL_MIGRATE_OVERTAKEN,
  TALL_MIGRATE_UNCHANGED,
} TallMigrateOutcome;

/**
 * TallMigrateSummary:
 *
 * What a migration has done.
 */
typedef struct
{
  TallMigrateOutcome outcome;
  guint64 generation; /* that counts now */
  guint n_passes;
  guint64 n_looked; /* by the last pass */
  guint64 n_copied; /* by all passes */
  guint64 n_unfit;  /* found by the last pass */
  gint64 pause; /* microseconds: if it has switched, that writes waited since this process knew of
                 * it, 0: not known; else the estimate */
} TallMigrateSummary;

gboolean tall_migrate_run (TallTable *table,
                           const TallMigrateOptions *options,
                           TallMigrateSummary *summary,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_migrate_abort (TallTable *table,
                             const TallMigrateOptions *options,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
