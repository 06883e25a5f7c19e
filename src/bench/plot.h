/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/summary.h"

G_BEGIN_DECLS

gboolean tall_bench_plot_check (GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_bench_plot_rates (const GPtrArray *summaries,
                             const char *id,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_bench_plot_latencies (const GPtrArray *summaries,
                                 const char *id,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_bench_plot_stored (const GArray *stored, guint n_orders, const char *id, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallBenchSeries:
 *
 * Lines over the same places, or bars at each of them.
 */
typedef struct
{
  const char *x;     /* what the places are */
  const char *y;     /* what the values are */
  GPtrArray *names;  /* of the lines, or bars */
  GPtrArray *places; /* nullable: what stands below the bars of each place; NULL: lines */
  GArray *values; /* of double: for each place where it is, and the value of each line; NAN: none */
} TallBenchSeries;

char *tall_bench_plot_series (const TallBenchSeries *series,
                              const char *id,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
