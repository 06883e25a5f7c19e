/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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
void tall_metric_text_add_family (
    GString *text, const char *name, const char *type, const char *help, gdouble value);

G_END_DECLS
