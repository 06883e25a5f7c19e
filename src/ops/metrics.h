/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ops/readiness.h"
#include "service/server/server.h"
#include "store/store.h"

#include <glib.h>

/* Labels of a sample at most. */
#define TALL_METRIC_MAX_LABELS 4

/**
 * TallMetricLabel:
 *
 * Nothing is owned. Labels of a sample end with one without a name.
 */
typedef struct
{
  const char *name;  /* `[a-z_]+` */
  const char *value; /* any text; what is not UTF-8 is shown as that */
} TallMetricLabel;

/* Metrics in the text format of Prometheus, version 0.0.4. */
void tall_metric_text_begin (GString *text, const char *name, const char *type, const char *help);
void tall_metric_text_add (GString *text,
                           const char *name,
                           const char *suffix,
                           const TallMetricLabel *labels,
                           gdouble value);

/**
 * TallMetricsSources:
 *
 * What metrics are taken from. Nothing is owned.
 */
typedef struct
{
  TallServer *server;
  TallStore *store;
  TallMigrateRunner *moves; /* nullable */
  TallReadiness *readiness;
} TallMetricsSources;

void tall_metrics_write (const TallMetricsSources *sources, GString *text);

#define TALL_COUNTER "counter"
#define TALL_GAUGE "gauge"
#define TALL_HISTOGRAM "histogram"

void tall_metrics_write_gateways (GPtrArray *servers, GString *text);
