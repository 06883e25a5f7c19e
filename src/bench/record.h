/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"
#include "table/counting-table.h"
#include "store/store.h"

G_BEGIN_DECLS

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

G_END_DECLS
