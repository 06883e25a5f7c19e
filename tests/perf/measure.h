/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"
#include "bench/summary.h"

G_BEGIN_DECLS

/**
 * TallMeasureSide:
 *
 * One of the sides that are compared. Only @run and @clear are timed. Slots other than @run may be
 * NULL.
 */
typedef struct
{
  guint batch; /* operations that are timed together; 1 gives the latency of each */
  gboolean (*prepare) (gpointer data, guint n, GError **error); /* for the next @run */
  gboolean (*run) (gpointer data, guint n, GError **error);     /* @n operations */
  gboolean (*check) (gpointer data, guint n, GError **error);   /* the results of @run */
  void (*clear) (gpointer data, guint n);                       /* frees the results of @run */
  gpointer data;
  void (*forget) (gpointer data); /* what @run has measured by itself: it was warming up */
} TallMeasureSide;

/**
 * TallMeasurePlan:
 *
 * How long, and in which steps. @seconds 0 makes the least that gives figures.
 */
typedef struct
{
  double seconds;            /* of everything, also of what is not timed */
  double warm_up;            /* seconds before that; 0: one round */
  double round_seconds;      /* timed, of one side before the next has its turn; 0: one batch */
  gboolean in_order;         /* always begin with the first side: the others need its results */
  const TallBenchPids *pids; /* nullable: then CPU time counts, too, also of these processes */
  const gint *stop;          /* nullable; atomic: becomes nonzero when measuring has to stop */
  void (*progress) (double done, gpointer data); /* nullable; 0 … 1 */
  gpointer progress_data;
} TallMeasurePlan;

/**
 * TallMeasured:
 *
 * What one side took.
 */
typedef struct
{
  guint64 n_operations;
  double cpu[TALL_BENCH_N_PROCESSES]; /* nanoseconds of all; 0: not counted, NAN: not known */
  GArray *means;                      /* of double: nanoseconds an operation, one value a round */
  GArray *medians;        /* of double: p50 of the batches of a round, nanoseconds an operation */
  TallHistogram *batches; /* nanoseconds an operation, one value a batch, all rounds */
} TallMeasured;

#define TALL_MEASURE_MAX_SIDES 5

/* Of all sides, by position. */
typedef struct
{
  TallMeasured sides[TALL_MEASURE_MAX_SIDES];
} TallMeasurement;

void tall_measurement_clear (TallMeasurement *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallMeasurement, tall_measurement_clear)

guint64 tall_measure_now (void);
gboolean tall_measure_check_stop (const gint *stop, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_measure (const TallMeasureSide *sides,
                       guint n,
                       const TallMeasurePlan *plan,
                       TallMeasurement *measurement,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

double tall_measured_get_mean (const TallMeasured *self);
double tall_measured_get_median (const TallMeasured *self);
double tall_measured_compare_means (const TallMeasured *a, const TallMeasured *b);
double tall_measured_compare_medians (const TallMeasured *a, const TallMeasured *b);

G_END_DECLS
