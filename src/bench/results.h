/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/store.h"
#include "bench/summary.h"

#include <json-glib/json-glib.h>

#define TALL_BENCH_N_FACTS 6

/**
 * TallBenchSetting:
 *
 * When, how and on which machine something was measured: date, command, processor,
 * processors, memory, kernel. Owned; what is not known is %NULL.
 */
typedef struct
{
  char *facts[TALL_BENCH_N_FACTS];
} TallBenchSetting;

void tall_bench_setting_read (TallBenchSetting *self, const char *command);
void tall_bench_setting_clear (TallBenchSetting *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBenchSetting, tall_bench_setting_clear)

#define TALL_BENCH_ENOUGH_TURNS 3 /* to say that one is better than another */

/**
 * TallBenchResults:
 *
 * Summaries and the settings that they were made with, to be reported.
 */
typedef struct
{
  const char *store; /* such as `rocksdb` */
  guint n_clients;
  guint n_orders;
  guint n_customers;
  guint64 n_lines;      /* of all orders together */
  guint n_turns;        /* as asked for; each summary says how many it has */
  double seconds;       /* of a phase in each turn; 0: @n_operations counts */
  guint64 n_operations; /* of a phase in each turn */
  double rate;          /* operations a second that were to begin; 0: one after the other */
  const char *mix;      /* nullable */
  gboolean has_seed;    /* the orders were made up */
  guint64 seed;
  gboolean stopped;                      /* before all was measured */
  const GPtrArray *summaries;            /* of TallBenchSummary */
  const GArray *stored;                  /* nullable: of TallBenchStored */
  const TallBenchConditions *conditions; /* nullable: the usual ones */
  const TallBenchSetting *setting;       /* nullable: not known */
} TallBenchResults;

char *tall_bench_results_to_text (const TallBenchResults *self);
char *tall_bench_results_to_json (const TallBenchResults *self);
