/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/store.h"
#include "bench/orders.h"
#include "bench/run.h"

/* Numbers that were not given; nobody means them. */
#define TALL_BENCH_NO_COUNT G_MININT64
#define TALL_BENCH_NO_NUMBER (-G_MAXDOUBLE)

/**
 * TallRange:
 *
 * What an option may be.
 */
typedef struct
{
  const char *option; /* its name */
  double value;
  double least;
  double most;          /* INFINITY: there is no bound */
  gboolean is_optional; /* @value may be TALL_BENCH_NO_COUNT or TALL_BENCH_NO_NUMBER */
} TallRange;

gboolean tall_bench_check_ranges (const TallRange *ranges,
                                  guint n,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallBenchGiven:
 *
 * What the command line of `bench` says, and what it means. No text is owned. What was not given is
 * %NULL or FALSE;
 * numbers, but for the clients, are %TALL_BENCH_NO_COUNT or %TALL_BENCH_NO_NUMBER.
 */
typedef struct
{
  gboolean json;
  char *html;
  const char *command; /* all of it */
  gboolean keep;
  char *layouts;
  char *keys;
  char *lines;
  char *mix;
  char **orders;
  char *map;
  gint64 count;
  gint64 customers;
  gint64 clients;
  gint64 turns;
  gint64 operations;
  gint64 seed;
  double seconds;
  double rate;
  double skew;
  char *compression;
  char *block_encoding;
  gint64 regions;
  gint64 age;
  char *rest;
  double cache;
  char *admin;
  char *pids;

  guint min_lines; /* of @lines */
  guint max_lines;
  gboolean few_lines;
  TallBenchMix parts;             /* of @mix */
  TallBenchConditions conditions; /* as given; its texts are those above */
} TallBenchGiven;

#define TALL_BENCH_GIVEN_INIT                                                                      \
  {                                                                                                \
    .count = TALL_BENCH_NO_COUNT, .customers = TALL_BENCH_NO_COUNT, .clients = 1, .turns = 5,      \
    .operations = TALL_BENCH_NO_COUNT, .seed = TALL_BENCH_NO_COUNT,                                \
    .seconds = TALL_BENCH_NO_NUMBER, .rate = TALL_BENCH_NO_NUMBER, .skew = TALL_BENCH_NO_NUMBER,   \
    .regions = TALL_BENCH_NO_COUNT, .age = TALL_BENCH_NO_COUNT, .cache = TALL_BENCH_NO_NUMBER      \
  }

gboolean tall_bench_given_check (TallBenchGiven *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *tall_bench_given_find_layouts (const TallBenchGiven *self,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *tall_bench_given_find_keys (const TallBenchGiven *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallBenchOrders *tall_bench_given_get_orders (const TallBenchGiven *self,
                                              const gint *(*begin) (void),
                                              char **left_out,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallBenchPlan tall_bench_given_make_plan (const TallBenchGiven *self, const gint *stop);
