/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallHistogram:
 *
 * How often each value occurred, with a relative error below half a per cent and in fixed memory
 * whatever the values are. A plain value of one thread; about 60 kB.
 */
typedef struct _TallHistogram TallHistogram;

TallHistogram *tall_histogram_new (void);
void tall_histogram_free (TallHistogram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallHistogram, tall_histogram_free)

void tall_histogram_clear (TallHistogram *self);
void tall_histogram_add (TallHistogram *self, guint64 value);
void tall_histogram_merge (TallHistogram *self, const TallHistogram *from);

guint64 tall_histogram_get_max (const TallHistogram *self);
guint64 tall_histogram_get_quantile (const TallHistogram *self, double quantile);

/* How many values were added. Only tests ask. */
guint64 tall_histogram_get_count (const TallHistogram *self);

G_END_DECLS
