/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"
#include "bench/summary.h"
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

/**
 * TallMeasured:
 *
 * What is known of a layout with hashed keys, or of a key strategy in the layout that was chosen.
 */
typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  TallShape shape;
  TallSpread rate;                    /* operations of the mix a second */
  TallKeySpread spread;               /* of a key; all in one region if it cannot be split */
  double times[TALL_BENCH_MAX_PARTS]; /* of a layout, of each part of the mix, by position: seconds
                                         an operation alone; 0: not measured */
} TallMeasured;

/**
 * TallAdviceFacts:
 *
 * What advice is given by: orders, a mix, figures and the cluster.
 */
typedef struct
{
  const TallMeasured *layouts; /* n_layouts of them */
  guint n_layouts;
  const TallMeasured *keys; /* n_keys of them; the first is hashed */
  guint n_keys;
  const TallBenchMix *mix;
  double total;    /* orders that there will be */
  guint n_servers; /* region servers */
  guint heap;      /* MiB, of each */
} TallAdviceFacts;

typedef enum
{
  TALL_ADVICE_COMPUTED = 0,
  TALL_ADVICE_MEASURED = 1 << 0,
  TALL_ADVICE_HBASE = 1 << 1,  /* it is for HBase alone */
  TALL_ADVICE_OPTION = 1 << 2, /* `init` has an option of this name */
} TallAdviceFlags;

/**
 * TallAdvice:
 *
 * One recommendation. Texts are for people; the names and values are those of `init`.
 */
typedef struct
{
  const char *name; /* such as `layout` */
  TallAdviceFlags flags;
  char *value; /* owned, as the following */
  char *reason;
  char *overturned; /* what would change it */
} TallAdvice;

GPtrArray *tall_advise (const TallAdviceFacts *facts);
const TallAdvice *tall_advice_find (const GPtrArray *advice, const char *name);
const TallMeasured *tall_advice_choose_layout (const TallAdviceFacts *facts);
