/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-command.h"
#include "tall-store-url.h"

G_BEGIN_DECLS

#define TALL_BENCH_MAX_LINES 9000 /* with its location, an order has at most 10,000 */
#define TALL_BENCH_MAX_ORDERS 10000000
#define TALL_BENCH_MAX_SECONDS 3600

/**
 * TallBenchGiven:
 *
 * What the command line says, and what it means. What was not given is %NULL or 0, unless a comment
 * says otherwise.
 */
typedef struct
{
  gboolean floor;
  gboolean json;
  gboolean keep;
  char *layouts; /* owned, as all texts */
  char *keys;
  char *lines;
  char *orders;
  char *map;
  gint64 count;     /* -1: not given */
  gint64 customers; /* -1: not given */
  gint64 clients;
  gint64 operations; /* -1: not given */
  gint64 seed;       /* -1: not given */
  double seconds;    /* negative: not given */

  guint min_lines; /* of @lines */
  guint max_lines;
} TallBenchGiven;

#define TALL_BENCH_GIVEN_INIT                                                                      \
  {                                                                                                \
    .count = -1, .customers = -1, .clients = 1, .operations = -1, .seed = -1, .seconds = -1        \
  }

void tall_bench_given_clear (TallBenchGiven *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBenchGiven, tall_bench_given_clear)

gboolean tall_bench_given_check (TallBenchGiven *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *tall_bench_given_find_layouts (const TallBenchGiven *self,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *tall_bench_given_find_keys (const TallBenchGiven *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Both kinds of measurement; they print what went wrong. */
TallExit tall_bench_measure_floor (const TallBenchGiven *given, const TallStoreUrl *url);
TallExit tall_bench_measure_layouts (const TallBenchGiven *given, const TallStoreUrl *url);

/* On standard error, if that is a terminal. */
void tall_bench_show_progress (const char *what, double done, gpointer data);
void tall_bench_clear_progress (void);

G_END_DECLS
