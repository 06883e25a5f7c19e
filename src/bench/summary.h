/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/text.h"
#include "bench/phase.h"
#include "store/store.h"
#include "table/forwarding-table.h"

#include <glib.h>

/**
 * TallSpread:
 *
 * Repeated measurements of the same thing.
 */
typedef struct
{
  double median;
  double least;
  double most;
  guint n; /* measurements; 0: all others are 0, too */
} TallSpread;

TallSpread tall_spread_of (const double *values, guint n);
gboolean tall_spread_overlaps (const TallSpread *self, const TallSpread *other);
double tall_spread_get_deviation (const TallSpread *self);
void tall_spread_add_deviation (const TallSpread *self, TallGrid *grid);
char *tall_spread_format (const TallSpread *self);

/**
 * TallBenchMetric:
 *
 * What is measured of a phase: operations a second of all clients together; of the latencies, in
 * microseconds, some quantiles and the greatest; and what an operation uses on average: CPU time,
 * in microseconds, and bytes on the wire. What is not known is NAN.
 */
typedef enum
{
  TALL_BENCH_RATE,
  TALL_BENCH_P50,
  TALL_BENCH_P95,
  TALL_BENCH_P99,
  TALL_BENCH_P999,
  TALL_BENCH_MAX,
  TALL_BENCH_CPU_CLIENT, /* in the order of TallBenchSpending */
  TALL_BENCH_CPU_GATEWAY,
  TALL_BENCH_CPU_SERVER,
  TALL_BENCH_SENT,
  TALL_BENCH_RECEIVED,
  TALL_BENCH_N_METRICS
} TallBenchMetric;

/**
 * TallBenchRecord:
 *
 * The figures of a phase in one deployment, in one turn: a plain value.
 */
typedef struct
{
  const TallBenchPhase *phase;
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  guint64 n_timed; /* operations that the times cover */
  double metrics[TALL_BENCH_N_METRICS];
  guint64 n_counted; /* operations that @cost covers: also those to warm up */
  TallCost cost;     /* of all of them */
} TallBenchRecord;

/**
 * TallBenchStored:
 *
 * What all orders take on the disk, with the index and what belongs to them: bytes.
 */
typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  guint64 flushed;   /* when all are in files */
  guint64 compacted; /* when these were compacted */
} TallBenchStored;

/**
 * TallBenchSummary:
 *
 * The turns of one phase in one layout with one key strategy.
 */
typedef struct
{
  const TallBenchPhase *phase;
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  GArray *turns[TALL_BENCH_N_METRICS]; /* owned: of double, a value for each turn, in their order;
                                          none: not known */
  TallSpread metrics[TALL_BENCH_N_METRICS];
  guint64 n_timed; /* operations of all turns together */
  guint64 n_counted;
  TallCost cost;
} TallBenchSummary;

GPtrArray *tall_bench_summarize (const TallBenchRecord *records, guint n_records);

/**
 * TallBenchVerdict:
 *
 * Which summaries of a phase are best. Where there are several, the turns do not tell them apart.
 */
typedef struct
{
  GPtrArray *best; /* owned container: of TallBenchSummary, the one with the best median first */
  double lead;     /* how many times better it is than the best of all others; 0: there are none */
  guint n_turns;   /* that all of them have; fewer than asked for if the run was stopped */
} TallBenchVerdict;

void tall_bench_verdict_init (TallBenchVerdict *self,
                              const GPtrArray *summaries,
                              const TallBenchPhase *phase,
                              TallBenchMetric metric);
void tall_bench_verdict_clear (TallBenchVerdict *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBenchVerdict, tall_bench_verdict_clear)

/**
 * TallHistogram:
 *
 * How often each value occurred, with a relative error below half a per cent and in fixed memory
 * whatever the values are. A plain value of one thread; about 60 kB.
 */
typedef struct _TallHistogram TallHistogram;

TallHistogram *tall_histogram_new (void);
void tall_histogram_free (TallHistogram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallHistogram, tall_histogram_free)

void tall_histogram_clear (TallHistogram *self);
void tall_histogram_add (TallHistogram *self, guint64 value);
void tall_histogram_merge (TallHistogram *self, const TallHistogram *from);

guint64 tall_histogram_get_max (const TallHistogram *self);
guint64 tall_histogram_get_quantile (const TallHistogram *self, double quantile);

/* How many values were added. Only tests ask. */
guint64 tall_histogram_get_count (const TallHistogram *self);
