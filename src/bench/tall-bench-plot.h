/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bench-summary.h"

G_BEGIN_DECLS

gboolean tall_bench_plot_check (GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_bench_plot_rates (const GPtrArray *summaries,
                             const char *id,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_bench_plot_latencies (const GPtrArray *summaries,
                                 const char *id,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
