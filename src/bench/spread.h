/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallSpread:
 *
 * Repeated measurements of the same thing.
 */
typedef struct
{
  double median;
  double least;
  double most;
  guint n; /* measurements; 0: all others are 0, too */
} TallSpread;

TallSpread tall_spread_of (const double *values, guint n);
gboolean tall_spread_overlaps (const TallSpread *self, const TallSpread *other);
double tall_spread_get_deviation (const TallSpread *self);
char *tall_spread_format (const TallSpread *self);

G_END_DECLS
