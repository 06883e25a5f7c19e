/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bench-run.h"
#include "tall-hbase-table.h"

G_BEGIN_DECLS

/**
 * TallBenchCompare:
 *
 * Which deployments are measured, and where they are made.
 */
typedef struct
{
  const TallLayout *const *layouts;
  guint n_layouts;
  const TallKeyStrategy *const *key_strategies;
  guint n_key_strategies;

  const TallHbaseOptions *hbase; /* NULL: embedded in directories of their own below @directory */
  const char *directory;
  gboolean sync;
  const char *name; /* that the names of deployments begin with */
  gboolean keep;    /* leave them behind */

  TallBenchPlan plan;
  void (*progress) (const char *what, double done, gpointer data); /* nullable; 0 … 1 */
  gpointer progress_data;
} TallBenchCompare;

char *tall_bench_compare_make_name (const TallBenchCompare *self,
                                    const TallLayout *layout,
                                    const TallKeyStrategy *key_strategy);
gboolean tall_bench_compare_run (const TallBenchCompare *self,
                                 const TallBenchOrders *orders,
                                 GArray *records,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
