/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"
#include "bench/shape.h"
#include "bench/summary.h"

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
