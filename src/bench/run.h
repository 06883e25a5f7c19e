/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"
#include "bench/summary.h"

#include <pthread.h>

/**
 * TallBenchPlan:
 *
 * How many clients work, and how long.
 */
typedef struct
{
  guint n_clients;
  double seconds;       /* of a phase that does not end by itself; if @n_operations is 0 */
  guint64 n_operations; /* of such a phase, all clients together */
  guint64 seed;
  double rate;             /* operations a second that all clients together begin; 0: each begins
                              one when the one before is done */
  const TallBenchMix *mix; /* nullable */
  const TallBenchMeter *meter; /* nullable: nothing but time is measured */
  const gint *stop;            /* nullable; atomic: becomes nonzero when the run has to stop */
  void (*progress) (double done, gpointer data); /* nullable; 0 … 1; by another thread */
  gpointer progress_data;
} TallBenchPlan;

#define TALL_BENCH_MAX_CLIENTS 256

gboolean tall_bench_run_phase (const TallBenchPhase *phase,
                               const TallBenchPlan *plan,
                               TallFront *front,
                               const TallBenchOrders *orders,
                               TallBenchRecord *record,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

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
