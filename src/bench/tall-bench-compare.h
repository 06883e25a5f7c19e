/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bench-run.h"
#include "tall-table-kind.h"

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

  /* Embedded: each deployment in a directory of its own below that of the address. Others: in its
   * place, each under a name of its own. Their names begin with that of the address. */
  const TallTableAddress *address;
  gboolean keep; /* leave those of the last turn behind */
  guint n_turns; /* 1 or more */

  TallBenchPlan plan;
  void (*progress) (const char *what, double done, gpointer data); /* nullable; 0 … 1 */
  gpointer progress_data;
} TallBenchCompare;

char *tall_bench_compare_describe_kept (const TallBenchCompare *self);
gboolean tall_bench_compare_run (const TallBenchCompare *self,
                                 const TallBenchOrders *orders,
                                 GArray *records,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
