/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"

G_BEGIN_DECLS

/**
 * TallBenchBatch:
 *
 * Copies of orders under new numbers, which are loaded together.
 */
struct _TallBenchBatch
{
  GPtrArray *copies; /* of TallOrder: only the number is its own */
};

void tall_bench_batch_free (TallBenchBatch *self);
void tall_bench_load_choose (TallBenchClient *client, TallBenchOperation *operation);
gboolean tall_bench_load_run (TallBenchClient *client,
                              TallBenchOperation *operation,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_load_end (TallBenchClient *client, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
