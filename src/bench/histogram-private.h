/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/histogram.h"

G_BEGIN_DECLS

/* How many values were added. Only tests ask. */
guint64 tall_histogram_get_count (const TallHistogram *self);

G_END_DECLS
