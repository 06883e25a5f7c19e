/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/record.h"
#include "bench/spread.h"

G_BEGIN_DECLS

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

G_END_DECLS
