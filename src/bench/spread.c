/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/spread.h"

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
