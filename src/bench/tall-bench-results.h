/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bench-record.h"

G_BEGIN_DECLS

/**
 * TallBenchResults:
 *
 * Records and the settings that they were made with, to be reported.
 */
typedef struct
{
  const char *store; /* such as `rocksdb` */
  guint n_clients;
  guint n_orders;
  guint n_customers;
  guint64 n_lines;      /* of all orders together */
  double seconds;       /* of a phase; 0: @n_operations counts */
  guint64 n_operations; /* of a phase */
  gboolean has_seed;    /* the orders were made up */
  guint64 seed;
  const TallBenchRecord *records;
  guint n_records;
} TallBenchResults;

char *tall_bench_results_to_text (const TallBenchResults *self);
char *tall_bench_results_to_json (const TallBenchResults *self);

G_END_DECLS
