/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bench-store.h"
#include "tall-floor.h"
#include "tall-workload.h"

G_BEGIN_DECLS

/**
 * TallFloorRun:
 *
 * What every part of a run works with.
 */
typedef struct
{
  const TallFloorOptions *options;
  TallBenchReport *report;
  const char *what; /* is under way */
} TallFloorRun;

TallMeasurePlan tall_floor_make_plan (TallFloorRun *self, const char *what);
GPtrArray *tall_floor_fill (const TallBenchStore *store,
                            const TallWorkload *workload,
                            guint n,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_floor_settle (TallTable *table, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_floor_get (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_put (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_writers (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_service (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_lines (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_list (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_hbase (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
