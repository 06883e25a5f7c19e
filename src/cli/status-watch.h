/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"

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

void tall_metrics_page_free (TallMetricsPage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallMetricsPage, tall_metrics_page_free)

TallExit tall_status_watch (const char *address, guint seconds);

G_END_DECLS
