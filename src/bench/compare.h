/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/store.h"
#include "bench/run.h"

/**
 * TallBenchCompare:
 *
 * Which deployments are measured, where they are made, and in which state they are.
 */
typedef struct
{
  const TallLayout *const *layouts;
  guint n_layouts;
  const TallKeyStrategy *const *key_strategies;
  guint n_key_strategies;
  const char *indexes; /* nullable: lines NAME=TEMPLATE, beside the index by date */

  TallBenchPlace place;
  TallBenchConditions conditions;
  gboolean leaves_stored; /* what orders take on the disk is not measured */
  guint n_turns;          /* 1 or more */

  TallBenchPlan plan;
  void (*progress) (const char *what, double done, gpointer data); /* nullable; 0 … 1 */
  gpointer progress_data;
} TallBenchCompare;

/**
 * TallBenchFigures:
 *
 * What was found, of what is finished.
 */
typedef struct
{
  GArray *records; /* of TallBenchRecord */
  GArray *stored;  /* of TallBenchStored */
} TallBenchFigures;

char *tall_bench_compare_describe_kept (const TallBenchCompare *self);
gboolean tall_bench_compare_run (const TallBenchCompare *self,
                                 const TallBenchOrders *orders,
                                 TallBenchFigures *figures,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
