/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"

/**
 * TallReadiness:
 *
 * Whether a store answers. A thread of its own asks it all the time, so that the answer is there at
 * once, also while the store hangs. Any thread may use it.
 */
typedef struct _TallReadiness TallReadiness;

/**
 * TallReadinessTimes:
 *
 * Milliseconds. Zero means the usual value.
 */
typedef struct
{
  guint interval; /* from an answer to the next question; usually 300 */
  guint patience; /* for an answer, before the store is not ready; usually 1500 */
  guint farewell; /* for the answer to a question that is under way at the end; usually 5000 */
} TallReadinessTimes;

TallReadiness *tall_readiness_new (TallFront *front, const TallReadinessTimes *times);
void tall_readiness_begin (TallReadiness *self);
void tall_readiness_stop (TallReadiness *self);
void tall_readiness_end (TallReadiness *self);
gboolean tall_readiness_get (TallReadiness *self, char **reason);
gdouble tall_readiness_get_age (TallReadiness *self);
