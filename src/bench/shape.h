/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "key/strategy.h"
#include "layout/layout.h"

/**
 * TallShape:
 *
 * What orders take in a layout with a key strategy, computed of their rows: means of an order. A
 * plain value.
 */
typedef struct
{
  guint n_orders; /* that were looked at */
  guint n_tables; /* that their rows lie in */
  double rows;
  double cells;
  double get_calls;
  double put_calls;  /* of a new order, with an index by date */
  double bytes;      /* as HBase keeps cells: each with its row key, qualifier and timestamp */
  double key_bytes;  /* of these: all but the values */
  double encoded;    /* about the bytes with the block encoding FAST_DIFF */
  double packed;     /* of these, in blocks of 64 KiB, by GZ */
  gsize largest_row; /* of all orders: bytes of its cells */
} TallShape;

gboolean tall_shape_measure (TallShape *self,
                             const TallLayout *layout,
                             const TallKeyStrategy *key_strategy,
                             GPtrArray *orders,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallKeySpread:
 *
 * How evenly a key strategy spreads orders over regions: the orders of the fullest region, as a
 * multiple of its fair share. 1 is even; the number of regions is all in one.
 */
typedef struct
{
  double all;
  double newest;    /* of the newest tenth of them: where stores go at a time */
  double key_bytes; /* of an order's row key, on average */
} TallKeySpread;

void tall_key_spread_measure (TallKeySpread *self,
                              const TallKeyStrategy *key_strategy,
                              GPtrArray *orders,
                              guint n_regions);
