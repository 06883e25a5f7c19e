/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"
#include "bench/summary.h"
#include "bench/orders.h"

G_BEGIN_DECLS

/**
 * TallSteadyStage:
 *
 * What goes on beside the calls.
 */
typedef enum
{
  TALL_STEADY_ALONE,
  TALL_STEADY_COPYING,
  TALL_STEADY_RESTING, /* something, but nobody calls */
  TALL_STEADY_SWITCHING,
  TALL_STEADY_N_STAGES,
} TallSteadyStage;

/**
 * TallSteadyResult:
 *
 * How long calls took, nanoseconds. A call belongs to the stage in which it ended. The histograms
 * count from when it was due, so that a call that waits for the one before counts as slow; the
 * longest ones from when it began.
 */
typedef struct
{
  TallHistogram *all[TALL_STEADY_N_STAGES]; /* owned */
  guint64 n[TALL_STEADY_N_STAGES];
  guint64 longest_read[TALL_STEADY_N_STAGES];
  guint64 longest_write[TALL_STEADY_N_STAGES];
} TallSteadyResult;

void tall_steady_result_clear (TallSteadyResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallSteadyResult, tall_steady_result_clear)

/**
 * TallSteady:
 *
 * Threads that fetch and replace stored orders at a fixed rate, whatever that takes.
 */
typedef struct _TallSteady TallSteady;

TallSteady *tall_steady_start (TallFront *front, const TallWorkload *workload, guint n_orders);
void tall_steady_enter (TallSteady *self, TallSteadyStage stage);
gboolean tall_steady_stop (TallSteady *self,
                           TallSteadyResult *result,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
