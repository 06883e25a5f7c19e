/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallMetricsPage:
 *
 * What a server said of itself at one moment: the page of `serve --metrics`.
 */
typedef struct
{
  gint64 at;          /* monotonic, microseconds */
  GHashTable *values; /* sample, as it is written → gdouble, owned */
} TallMetricsPage;

TallMetricsPage *tall_metrics_page_fetch (const char *address,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallMetricsPage *tall_metrics_page_parse (const char *text) G_GNUC_WARN_UNUSED_RESULT;
void tall_metrics_page_free (TallMetricsPage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallMetricsPage, tall_metrics_page_free)

gdouble tall_metrics_page_sum (const TallMetricsPage *self, const char *name, const char *label);
gboolean tall_metrics_page_has (const TallMetricsPage *self, const char *name);
GPtrArray *
tall_metrics_page_list (const TallMetricsPage *self, const char *name, const char *label);
gdouble tall_metrics_page_rate (const TallMetricsPage *before,
                                const TallMetricsPage *now,
                                const char *name,
                                const char *label);
gdouble tall_metrics_page_quantile (const TallMetricsPage *before,
                                    const TallMetricsPage *now,
                                    const char *name,
                                    const char *label,
                                    gdouble part);

G_END_DECLS
