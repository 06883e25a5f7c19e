/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/metrics-private.h"

static void
write_what_runs (const TallMetricsSources *sources, GString *text)
{
  TallTableInfo info;
  tall_table_get_info (tall_store_get_table (sources->store), &info);
  const TallMetricLabel version[] = { { "version", TALL_VERSION }, { NULL } };
  const TallMetricLabel deployment[TALL_METRIC_MAX_LABELS + 1] = {
    { "deployment", info.deployment },
    { "store", info.kind },
    { "layout", tall_store_get_layout (sources->store)->name },
    { "key_strategy", tall_store_get_key_strategy (sources->store)->name },
  };

  tall_metric_text_begin (text, "tallorder_build_info", TALL_GAUGE,
                          "Which program answers; always 1.");
  tall_metric_text_add (text, "tallorder_build_info", "", version, 1);
  tall_metric_text_begin (text, "tallorder_deployment_info", TALL_GAUGE,
                          "Which deployment is served, and how its orders lie; always 1.");
  tall_metric_text_add (text, "tallorder_deployment_info", "", deployment, 1);
}

/**
 * tall_metrics_write:
 *
 * Appends everything that can be said of a server without asking its store, in the text format of
 * Prometheus. It waits for nothing.
 */
void
tall_metrics_write (const TallMetricsSources *sources, GString *text)
{
  write_what_runs (sources, text);
  tall_metrics_write_calls (sources, text);
  tall_metrics_write_server (sources, text);
  tall_metrics_write_store (sources, text);
  tall_metrics_write_migration (sources, text);
  tall_metrics_write_process (text);
}
