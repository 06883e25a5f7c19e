/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ops/readiness.h"
#include "service/server/server.h"
#include "store/store.h"

G_BEGIN_DECLS

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

G_END_DECLS
