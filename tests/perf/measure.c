/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <time.h>

#define MIN_ROUNDS 3

/**
 * tall_measure_now:
 *
 * Returns: nanoseconds since some moment
 */
guint64
tall_measure_now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return (guint64)time.tv_sec * 1000000000 + (guint64)time.tv_nsec;
}

void
tall_measurement_clear (TallMeasurement *self)
{
  for (guint i = 0; i < TALL_MEASURE_MAX_SIDES; i++)
    {
      g_clear_pointer (&self->sides[i].means, g_array_unref);
      g_clear_pointer (&self->sides[i].medians, g_array_unref);
      g_clear_pointer (&self->sides[i].batches, tall_histogram_free);
    }
}

/* Forgets what has been measured. */
static void
measurement_reset (TallMeasurement *self)
{
  tall_measurement_clear (self);
  for (guint i = 0; i < TALL_MEASURE_MAX_SIDES; i++)
    self->sides[i] = (TallMeasured){
      .means = g_array_new (FALSE, FALSE, sizeof (double)),
      .medians = g_array_new (FALSE, FALSE, sizeof (double)),
      .batches = tall_histogram_new (),
    };
}

/* @sign: −1 before a part that counts, 1 after it */
static void
count_cpu (const TallMeasurePlan *plan, double sign, TallMeasured *measured)
{
  double values[TALL_BENCH_N_SPENDINGS];
  const TallBenchMeter meter = { .pids = plan->pids };
  if (plan->pids == NULL)
    return;
  tall_bench_meter_read (&meter, values);
  for (guint i = 0; i < TALL_BENCH_N_PROCESSES; i++)
    measured->cpu[i] += sign * values[i];
}

/* Runs one batch of a side; @nanoseconds gets what the timed parts took together. */
static gboolean
run_batch (const TallMeasureSide *side,
           const TallMeasurePlan *plan,
           TallMeasured *measured,
           guint64 *nanoseconds,
           GError **error)
{
  if (side->prepare != NULL && !side->prepare (side->data, side->batch, error))
    return FALSE;

  count_cpu (plan, -1, measured);
  guint64 begin = tall_measure_now ();
  gboolean ok = side->run (side->data, side->batch, error);
  *nanoseconds = tall_measure_now () - begin;
  count_cpu (plan, 1, measured);
  if (ok && side->check != NULL)
    ok = side->check (side->data, side->batch, error);
  if (side->clear != NULL)
    {
      count_cpu (plan, -1, measured);
      begin = tall_measure_now ();
      side->clear (side->data, side->batch);
      *nanoseconds += tall_measure_now () - begin;
      count_cpu (plan, 1, measured);
    }
  return ok;
}

static gboolean
run_round (const TallMeasureSide *side,
           const TallMeasurePlan *plan,
           TallHistogram *batches,
           TallMeasured *measured,
           GError **error)
{
  guint64 limit = (guint64)(plan->round_seconds * 1e9);
  guint64 total = 0;
  guint64 n = 0;

  tall_histogram_clear (batches);
  do
    {
      guint64 nanoseconds;
      if (!run_batch (side, plan, measured, &nanoseconds, error))
        return FALSE;
      total += nanoseconds;
      n += side->batch;
      tall_histogram_add (batches, nanoseconds / side->batch);
    }
  while (total < limit);

  double mean = (double)total / (double)n;
  double median = (double)tall_histogram_get_quantile (batches, 0.5);
  g_array_append_val (measured->means, mean);
  g_array_append_val (measured->medians, median);
  tall_histogram_merge (measured->batches, batches);
  measured->n_operations += n;
  return TRUE;
}

/**
 * tall_measure_check_stop:
 * @stop: (nullable): atomic
 *
 * Returns: FALSE with %G_IO_ERROR_CANCELLED if @stop is not 0
 */
gboolean
tall_measure_check_stop (const gint *stop, GError **error)
{
  if (stop == NULL || g_atomic_int_get (stop) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Stopped, as asked");
  return FALSE;
}

static gboolean
run_round_of_all (const TallMeasureSide *sides,
                  guint n,
                  const TallMeasurePlan *plan,
                  gboolean backwards,
                  TallMeasurement *measurement,
                  GError **error)
{
  g_autoptr (TallHistogram) batches = tall_histogram_new ();
  for (guint i = 0; i < n; i++)
    {
      guint turn = backwards ? n - 1 - i : i;
      if (!tall_measure_check_stop (plan->stop, error)
          || !run_round (&sides[turn], plan, batches, &measurement->sides[turn], error))
        return FALSE;
    }
  return TRUE;
}

/* Forgets earlier measurements, then measures for that time, but at least that many rounds. */
static gboolean
measure_for (double seconds,
             guint min_rounds,
             const TallMeasureSide *sides,
             guint n,
             const TallMeasurePlan *plan,
             TallMeasurement *measurement,
             GError **error)
{
  guint64 begin = tall_measure_now ();
  double elapsed = 0;
  measurement_reset (measurement);
  for (guint i = 0; i < n; i++)
    if (sides[i].forget != NULL)
      sides[i].forget (sides[i].data);
  for (guint round = 0; round < min_rounds || elapsed < seconds; round++)
    {
      if (!run_round_of_all (sides, n, plan, !plan->in_order && round % 2 == 1, measurement, error))
        return FALSE;
      elapsed = (double)(tall_measure_now () - begin) / 1e9;
      if (plan->progress != NULL)
        plan->progress (seconds > elapsed ? elapsed / seconds : 1, plan->progress_data);
    }
  return TRUE;
}

/**
 * tall_measure:
 * @sides: @n of them
 * @measurement: (out): zeroed before; to be cleared, also after an error
 *
 * Lets the sides take turns in short rounds, so that other work of the machine affects all of them
 * alike. Every second round runs in reverse order, so that no side profits from its place. The
 * ratios are taken round by round, and their median ignores disturbed rounds. Warm-up rounds do not
 * count.
 *
 * Returns: FALSE with the error of a side; %G_IO_ERROR_CANCELLED if it was asked to stop
 */
gboolean
tall_measure (const TallMeasureSide *sides,
              guint n,
              const TallMeasurePlan *plan,
              TallMeasurement *measurement,
              GError **error)
{
  g_return_val_if_fail (n <= TALL_MEASURE_MAX_SIDES, FALSE);

  return measure_for (plan->warm_up, 1, sides, n, plan, measurement, error)
         && measure_for (plan->seconds, MIN_ROUNDS, sides, n, plan, measurement, error);
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

/* @values is sorted by it. */
static double
find_median (GArray *values)
{
  if (values->len == 0)
    return 0;
  g_array_sort (values, compare_doubles);
  double above = g_array_index (values, double, values->len / 2);
  double below = g_array_index (values, double, (values->len - 1) / 2);
  return (above + below) / 2;
}

static double
copy_and_find_median (const GArray *values)
{
  g_autoptr (GArray) copy = g_array_new (FALSE, FALSE, sizeof (double));
  g_array_append_vals (copy, values->data, values->len);
  return find_median (copy);
}

static double
compare_rounds (const GArray *a, const GArray *b)
{
  g_autoptr (GArray) ratios = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < MIN (a->len, b->len); i++)
    {
      double divisor = g_array_index (b, double, i);
      double ratio = g_array_index (a, double, i) / MAX (divisor, 1e-9);
      g_array_append_val (ratios, ratio);
    }
  return find_median (ratios);
}

/**
 * tall_measured_get_mean:
 *
 * Returns: nanoseconds an operation: the median of the rounds' means
 */
double
tall_measured_get_mean (const TallMeasured *self)
{
  return copy_and_find_median (self->means);
}

/**
 * tall_measured_get_median:
 *
 * Returns: nanoseconds: the median of the rounds' medians
 */
double
tall_measured_get_median (const TallMeasured *self)
{
  return copy_and_find_median (self->medians);
}

/**
 * tall_measured_compare_means:
 *
 * Returns: the time of an operation of @a divided by that of @b: the median of the rounds
 */
double
tall_measured_compare_means (const TallMeasured *a, const TallMeasured *b)
{
  return compare_rounds (a->means, b->means);
}

/**
 * tall_measured_compare_medians:
 *
 * Returns: the same for the median latencies
 */
double
tall_measured_compare_medians (const TallMeasured *a, const TallMeasured *b)
{
  return compare_rounds (a->medians, b->medians);
}
