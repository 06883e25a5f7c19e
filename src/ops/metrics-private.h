/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ops/metric-text.h"
#include "ops/metrics.h"

G_BEGIN_DECLS

#define TALL_COUNTER "counter"
#define TALL_GAUGE "gauge"
#define TALL_HISTOGRAM "histogram"

void tall_metrics_write_calls (const TallMetricsSources *sources, GString *text);
void tall_metrics_write_server (const TallMetricsSources *sources, GString *text);
void tall_metrics_write_store (const TallMetricsSources *sources, GString *text);
void tall_metrics_write_gateways (GPtrArray *servers, GString *text);
void tall_metrics_write_migration (const TallMetricsSources *sources, GString *text);
void tall_metrics_write_process (GString *text);

G_END_DECLS
