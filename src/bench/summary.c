/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 3 /* at most: more are not read */

static int
compare (const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

/**
 * tall_spread_of:
 * @values: (array length=n): in any order
 */
TallSpread
tall_spread_of (const double *values, guint n)
{
  if (n == 0)
    return (TallSpread){ 0 };
  g_autofree double *sorted = g_memdup2 (values, n * sizeof *values);
  qsort (sorted, n, sizeof *sorted, compare);
  return (TallSpread){
    .median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2,
    .least = sorted[0],
    .most = sorted[n - 1],
    .n = n,
  };
}

/**
 * tall_spread_overlaps:
 *
 * Returns: whether the measurements do not tell them apart: some value of one is not beyond all of
 *   the other
 */
gboolean
tall_spread_overlaps (const TallSpread *self, const TallSpread *other)
{
  return self->least <= other->most && other->least <= self->most;
}

/**
 * tall_spread_get_deviation:
 *
 * Returns: half of the way from the least to the most, as a part of the median
 */
double
tall_spread_get_deviation (const TallSpread *self)
{
  return self->median > 0 ? (self->most - self->least) / 2 / self->median : 0;
}

/* Adds it to a table for people, in per cent. */
void
tall_spread_add_deviation (const TallSpread *self, TallGrid *grid)
{
  double deviation = tall_spread_get_deviation (self);
  if (self->n >= 2 && deviation < 9.995)
    tall_grid_add_format (grid, "%.0f%%", deviation * 100);
  else
    tall_grid_add (grid, self->n < 2 ? "" : ">10×"); /* a turn stood still */
}

/* The power of ten of the first digit of @value, which is more than 0. */
static int
find_power (double value)
{
  return (int)floor (log10 (value));
}

/**
 * tall_spread_format:
 *
 * Returns: (transfer full): the median with no more digits than the spread bears: the last one is
 *   that in which the values differ
 */
char *
tall_spread_format (const TallSpread *self)
{
  if (self->median <= 0)
    return g_strdup ("0");
  int first = find_power (self->median);
  int last = first - DIGITS + 1;
  double half = (self->most - self->least) / 2;
  if (half > 0)
    last = CLAMP (find_power (half), last, first);
  double unit = pow (10, last);
  return g_strdup_printf ("%.*f", MAX (-last, 0), round (self->median / unit) * unit);
}

static void
summary_free (TallBenchSummary *self)
{
  for (guint i = 0; i < TALL_BENCH_N_METRICS; i++)
    g_array_unref (self->turns[i]);
  g_free (self);
}

static TallBenchSummary *
find_or_add (GPtrArray *summaries, const TallBenchRecord *record)
{
  for (guint i = 0; i < summaries->len; i++)
    {
      TallBenchSummary *summary = g_ptr_array_index (summaries, i);
      if (summary->phase == record->phase && summary->layout == record->layout
          && summary->key_strategy == record->key_strategy)
        return summary;
    }
  TallBenchSummary *summary = g_new0 (TallBenchSummary, 1);
  summary->phase = record->phase;
  summary->layout = record->layout;
  summary->key_strategy = record->key_strategy;
  for (guint i = 0; i < TALL_BENCH_N_METRICS; i++)
    summary->turns[i] = g_array_new (FALSE, FALSE, sizeof (double));
  g_ptr_array_add (summaries, summary);
  return summary;
}

static void
add_turn (TallBenchSummary *self, const TallBenchRecord *record)
{
  for (guint i = 0; i < TALL_BENCH_N_METRICS; i++)
    {
      if (isnan (record->metrics[i]))
        continue;
      GArray *turns = g_array_append_val (self->turns[i], record->metrics[i]);
      self->metrics[i] = tall_spread_of ((const double *)(gpointer)turns->data, turns->len);
    }
  self->n_timed += record->n_timed;
  self->n_counted += record->n_counted;
  tall_cost_add (&self->cost, &record->cost);
}

/**
 * tall_bench_summarize:
 * @records: (array length=n_records): of any number of turns
 *
 * Returns: (transfer full) (element-type TallBenchSummary): one for each layout and key strategy of
 *   each phase, in the order in which they come first
 */
GPtrArray *
tall_bench_summarize (const TallBenchRecord *records, guint n_records)
{
  GPtrArray *summaries = g_ptr_array_new_with_free_func ((GDestroyNotify)summary_free);
  for (guint i = 0; i < n_records; i++)
    add_turn (find_or_add (summaries, &records[i]), &records[i]);
  return summaries;
}

/* Of times the least is best. */
static gboolean
is_better (double a, double b, TallBenchMetric metric)
{
  return metric == TALL_BENCH_RATE ? a > b : a < b;
}

static gint
compare_medians (gconstpointer a, gconstpointer b, gpointer data)
{
  TallBenchMetric metric = GPOINTER_TO_UINT (data);
  double x = (*(const TallBenchSummary *const *)a)->metrics[metric].median;
  double y = (*(const TallBenchSummary *const *)b)->metrics[metric].median;
  return is_better (y, x, metric) - is_better (x, y, metric);
}

static double
compute_lead (const TallSpread *best, const TallSpread *other, TallBenchMetric metric)
{
  double more = metric == TALL_BENCH_RATE ? best->median : other->median;
  double less = metric == TALL_BENCH_RATE ? other->median : best->median;
  return less > 0 ? more / less : 0;
}

/**
 * tall_bench_verdict_init:
 * @summaries: (element-type TallBenchSummary): stay the caller's, and live longer
 * @metric: the rate, of which the most is best, or a time
 *
 * Compares what was measured of @phase. Those whose turns overlap with the turns of the best are as
 * good.
 */
void
tall_bench_verdict_init (TallBenchVerdict *self,
                         const GPtrArray *summaries,
                         const TallBenchPhase *phase,
                         TallBenchMetric metric)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  for (guint i = 0; i < summaries->len; i++)
    if (((TallBenchSummary *)g_ptr_array_index (summaries, i))->phase == phase)
      g_ptr_array_add (sorted, g_ptr_array_index (summaries, i));
  g_ptr_array_sort_with_data (sorted, compare_medians, GUINT_TO_POINTER (metric));

  *self = (TallBenchVerdict){ .best = g_ptr_array_new () };
  self->n_turns = sorted->len > 0 ? G_MAXUINT : 0;
  for (guint i = 0; i < sorted->len; i++)
    {
      TallBenchSummary *summary = g_ptr_array_index (sorted, i);
      const TallSpread *spread = &summary->metrics[metric];
      const TallSpread *best =
          &((TallBenchSummary *)g_ptr_array_index (sorted, 0))->metrics[metric];
      self->n_turns = MIN (self->n_turns, spread->n);
      if (tall_spread_overlaps (best, spread))
        g_ptr_array_add (self->best, summary);
      else if (self->lead == 0)
        self->lead = compute_lead (best, spread, metric);
    }
}

void
tall_bench_verdict_clear (TallBenchVerdict *self)
{
  g_clear_pointer (&self->best, g_ptr_array_unref);
}

/* The bucket scheme of HdrHistogram (G. Tene): values below 2^PRECISION have a bucket each; above,
 * each power of two is cut into HALF buckets of equal width, so that a bucket is never wider than
 * 1/HALF of its values. */
#define PRECISION 8
#define HALF (1u << (PRECISION - 1))
#define N_BUCKETS ((64 - PRECISION) * HALF + 2 * HALF)

struct _TallHistogram
{
  guint64 counts[N_BUCKETS];
  guint64 count;
  guint64 min; /* G_MAXUINT64 while there are no values */
  guint64 max;
};

/* How far a value is shifted so that PRECISION bits are left. */
static guint
get_shift (guint64 value)
{
  guint bits = value == 0 ? 0 : 64 - (guint)__builtin_clzll (value);
  return bits > PRECISION ? bits - PRECISION : 0;
}

static guint
find_bucket (guint64 value)
{
  guint shift = get_shift (value);
  return shift * HALF + (guint)(value >> shift);
}

/* The middle of a bucket. */
static guint64
get_bucket_value (guint bucket)
{
  if (bucket < 2 * HALF)
    return bucket;
  guint shift = bucket / HALF - 1;
  guint64 first = (guint64)(bucket - shift * HALF) << shift;
  return first + ((guint64)1 << shift) / 2;
}

TallHistogram *
tall_histogram_new (void)
{
  TallHistogram *self = g_new (TallHistogram, 1);
  tall_histogram_clear (self);
  return self;
}

void
tall_histogram_free (TallHistogram *self)
{
  g_free (self);
}

void
tall_histogram_clear (TallHistogram *self)
{
  memset (self, 0, sizeof *self);
  self->min = G_MAXUINT64;
}

void
tall_histogram_add (TallHistogram *self, guint64 value)
{
  self->counts[find_bucket (value)]++;
  self->count++;
  self->min = MIN (self->min, value);
  self->max = MAX (self->max, value);
}

void
tall_histogram_merge (TallHistogram *self, const TallHistogram *from)
{
  for (guint i = 0; i < N_BUCKETS; i++)
    self->counts[i] += from->counts[i];
  self->count += from->count;
  self->min = MIN (self->min, from->min);
  self->max = MAX (self->max, from->max);
}

guint64
tall_histogram_get_count (const TallHistogram *self)
{
  return self->count;
}

/**
 * tall_histogram_get_max:
 *
 * Returns: the greatest value, exactly; 0 if there is none
 */
guint64
tall_histogram_get_max (const TallHistogram *self)
{
  return self->max;
}

/**
 * tall_histogram_get_quantile:
 * @quantile: 0 … 1: 0.5 is the median
 *
 * Returns: a value that this part of all values does not exceed, with the error of a bucket; 0 if
 *   there is none
 */
guint64
tall_histogram_get_quantile (const TallHistogram *self, double quantile)
{
  g_return_val_if_fail (quantile >= 0 && quantile <= 1, 0);

  guint64 wanted = MAX (1, (guint64)ceil (quantile * (double)self->count));
  guint64 seen = 0;
  for (guint i = 0; i < N_BUCKETS && self->count > 0; i++)
    {
      seen += self->counts[i];
      if (seen >= wanted)
        return CLAMP (get_bucket_value (i), self->min, self->max);
    }
  return 0;
}
