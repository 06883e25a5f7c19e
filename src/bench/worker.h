/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include "bench/run.h"
#include "bench/histogram.h"

G_BEGIN_DECLS

/**
 * TallBenchRun:
 *
 * A phase under way. Except for atomic fields, only the leader changes it, which is not a client,
 * and only while all clients wait for it.
 */
typedef struct
{
  const TallBenchPhase *phase;
  const TallBenchPlan *plan;
  pthread_barrier_t barrier; /* at which all clients and the leader meet: thrice a round */
  guint64 begun;             /* nanoseconds of the monotonic clock */
  guint64 warm_at;           /* the same: when timing begins, if time limits the phase */
  guint64 ends_at;           /* the same: when it ends */
  gboolean timed;            /* it is warm */
  gboolean over;             /* no round follows */
  guint64 time;              /* nanoseconds of all timed rounds */
  double spent[TALL_BENCH_N_SPENDINGS]; /* in them; NAN: not known */
  gint round_over; /* atomic: 1 if no client is to begin an operation in this round */
  gint failed;     /* the same: 1 if a client has failed */
} TallBenchRun;

/**
 * TallBenchWorker:
 *
 * One client of it.
 */
typedef struct
{
  TallBenchRun *run;
  TallBenchClient client;
  gboolean by_time;  /* time limits the phase; else: */
  guint64 n_warm_up; /* operations that are not timed */
  guint64 n_wanted;  /* operations, those included */
  guint64 n_timed;
  guint n_in_round;     /* operations of this round */
  guint64 interval;     /* nanoseconds from one operation to the next; 0: at once */
  guint64 due;          /* nanoseconds of the monotonic clock: when the next is, if so */
  guint64 round_begun;  /* the same */
  guint64 round_ended;  /* the same */
  GArray *kept;         /* owned: of TallBenchOperation, to be compared after the round */
  guint n_kept;         /* lines in it */
  TallHistogram *times; /* owned: nanoseconds of each */
  guint64 shown_at;     /* nanoseconds, when progress was reported last */
  GThread *thread;
  GError *error; /* owned; NULL: it went well */
} TallBenchWorker;

guint64 tall_bench_get_time (void);
void tall_bench_run_meet (TallBenchRun *self);
gboolean tall_bench_run_is_interrupted (const TallBenchRun *self);
gboolean tall_bench_worker_is_over (const TallBenchWorker *self, guint64 now);
gpointer tall_bench_worker_run (gpointer data);

G_END_DECLS
