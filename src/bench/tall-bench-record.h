/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bench-phase.h"
#include "tall-counting-table.h"
#include "tall-store.h"

G_BEGIN_DECLS

/**
 * TallBenchRecord:
 *
 * The figures of a phase in one deployment: a plain value.
 */
typedef struct
{
  const TallBenchPhase *phase;
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  guint64 n_timed;           /* operations that the times cover */
  double rate;               /* operations a second, of all clients together */
  double p50, p95, p99, max; /* microseconds an operation */
  guint64 n_counted;         /* operations that @cost covers: also those to warm up */
  TallCost cost;             /* of all of them */
} TallBenchRecord;

G_END_DECLS
