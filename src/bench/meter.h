/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <sys/types.h>

#include "table/table.h"

G_BEGIN_DECLS

/**
 * TallBenchSpending:
 *
 * What operations use beside time: CPU time of processes, in nanoseconds, and bytes that go to
 * gateways and come from them.
 */
typedef enum
{
  TALL_BENCH_SPENT_CLIENT,
  TALL_BENCH_SPENT_GATEWAY,
  TALL_BENCH_SPENT_SERVER,
  TALL_BENCH_N_PROCESSES,
  TALL_BENCH_SPENT_SENT = TALL_BENCH_N_PROCESSES,
  TALL_BENCH_SPENT_RECEIVED,
  TALL_BENCH_N_SPENDINGS
} TallBenchSpending;

#define TALL_BENCH_MAX_PIDS 16 /* of one role */

/**
 * TallBenchPids:
 *
 * Processes of this machine that work for the store: those of gateways and those of servers.
 */
typedef struct
{
  pid_t gateways[TALL_BENCH_MAX_PIDS];
  guint n_gateways;
  pid_t servers[TALL_BENCH_MAX_PIDS];
  guint n_servers;
} TallBenchPids;

gboolean tall_bench_pids_parse (TallBenchPids *self,
                                const char *text,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallBenchMeter:
 *
 * Where it can be read. A part that cannot be read is NAN.
 */
typedef struct
{
  TallTable *table;          /* not owned, not wrapped */
  const TallBenchPids *pids; /* nullable; not owned */
} TallBenchMeter;

void tall_bench_meter_read (const TallBenchMeter *self, double values[TALL_BENCH_N_SPENDINGS]);

G_END_DECLS
