/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"
#include "bench/summary.h"

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
