/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/histogram.h"

#include <math.h>
#include <string.h>

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
