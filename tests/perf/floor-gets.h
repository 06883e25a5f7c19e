/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/store.h"
#include "measure.h"

G_BEGIN_DECLS

#define TALL_FLOOR_GETS 8 /* orders of a batch */

/**
 * TallFloorGets:
 *
 * The side of a measurement that fetches whole orders through the front.
 */
typedef struct
{
  const TallBenchStore *store;
  const GPtrArray *orders; /* of TallOrder: what is stored */
  guint64 next;
  TallOrder *found[TALL_FLOOR_GETS];
} TallFloorGets;

TallMeasureSide tall_floor_gets_get_side (TallFloorGets *self);
guint tall_floor_gets_find (guint64 step, guint n);

G_END_DECLS
