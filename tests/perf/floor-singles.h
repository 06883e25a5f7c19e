/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "floor-run.h"

G_BEGIN_DECLS

/* Connections, if the gateway serves so many beside tallorder's. It has a thread for each;
 * connections beyond that wait for ever. */
#define TALL_FLOOR_MAX_SINGLES 32

/**
 * TallFloorSingles:
 *
 * Connections of which each replays a request of its own, as fast as the gateway answers.
 */
typedef struct
{
  TallRawClient raws[TALL_FLOOR_MAX_SINGLES]; /* n of them */
  guint n;
  guint n_calls;  /* of an operation, one after the other; set before */
  guint n_wanted; /* operations of a batch */
  guint n_taken;
} TallFloorSingles;

gboolean tall_floor_singles_connect (TallFloorSingles *self,
                                     const TallFloorHbase *hbase,
                                     const GPtrArray *requests,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_floor_singles_clear (TallFloorSingles *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallFloorSingles, tall_floor_singles_clear)

TallMeasureSide tall_floor_singles_get_side (TallFloorSingles *self, guint batch);

G_END_DECLS
