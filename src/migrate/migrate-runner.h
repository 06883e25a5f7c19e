/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/migrate.h"
#include "table/table-kind.h"

G_BEGIN_DECLS

/**
 * TallMigrateTask:
 * @TALL_MIGRATE_MOVE: tall_migrate_run()
 * @TALL_MIGRATE_ABORT: tall_migrate_abort()
 * @TALL_MIGRATE_DROP_SOURCE: tall_store_drop_source()
 */
typedef enum
{
  TALL_MIGRATE_MOVE,
  TALL_MIGRATE_ABORT,
  TALL_MIGRATE_DROP_SOURCE,
} TallMigrateTask;

/**
 * TallMigrateWish:
 *
 * What a process is asked to do, mostly in the background. What is zero or NULL is not said.
 */
typedef struct
{
  TallMigrateTask task;
  TallMove move;
  gint64 pause; /* microseconds that writes may wait */
  guint rate;   /* orders copied a second at most */
  gboolean pass_only;
  gboolean settled; /* no call of an earlier migration or abort is under way any more */
} TallMigrateWish;

/**
 * TallMigrateState:
 *
 * How far a task has come that runs in the background, or how it has ended.
 */
typedef struct
{
  TallArena *arena; /* owns everything below but the error; owned */
  char *id;         /* of the task; NULL: none was begun since the process started */
  TallMigrateTask task;
  gboolean is_running;
  gboolean is_joined; /* it ran already when it was asked for */
  TallMigrateProgress progress;
  guint64 rate;            /* orders and customers looked at a second, in this pass; 0: not known */
  gint64 time_left;        /* microseconds, of this pass; 0: not known */
  TallMigratePlan *plan;   /* NULL: not made yet, or there is none */
  TallMigrateUnfit *unfit; /* n_unfit of them */
  guint n_unfit;
  TallMigrateSummary summary; /* of a move that has ended well */
  gboolean has_switched;      /* an abort came too late; @summary is of the move */
  guint n_dropped;            /* tables, of a source that was dropped */
  GError *error;              /* why it has failed; owned */
} TallMigrateState;

void tall_migrate_state_free (TallMigrateState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallMigrateState, tall_migrate_state_free)

/* Names, in the order of the enumerations, ended by NULL. */
extern const char *const tall_migrate_tasks[];
extern const char *const tall_migrate_stages[];
extern const char *const tall_migrate_outcomes[];

gint tall_migrate_find_name (const char *const *names, const char *name);
gboolean tall_migrate_state_is_refused (const TallMigrateState *self);

void tall_migrate_do (TallTable *table,
                      const TallTableAddress *address,
                      const TallMigrateWish *wish,
                      const TallMigrateOptions *follow,
                      TallMigrateState *end);

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
