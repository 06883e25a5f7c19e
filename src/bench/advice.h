/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"
#include "bench/shape.h"
#include "bench/summary.h"

G_BEGIN_DECLS

/**
 * TallAdviceLayout:
 *
 * What is known of a layout.
 */
typedef struct
{
  const TallLayout *layout;
  TallShape shape;                    /* with hashed keys */
  TallSpread rate;                    /* operations of the mix a second */
  double times[TALL_BENCH_MAX_PARTS]; /* of each part of the mix, by position: seconds an operation
                                         alone; 0: not measured */
} TallAdviceLayout;

/**
 * TallAdviceKey:
 *
 * The same of a key strategy, in the layout that was chosen.
 */
typedef struct
{
  const TallKeyStrategy *key_strategy;
  TallShape shape;
  TallSpread rate;
  TallKeySpread spread; /* all in one region if it cannot be split */
} TallAdviceKey;

/**
 * TallAdviceFacts:
 *
 * What advice is given by: orders, a mix, figures and the cluster.
 */
typedef struct
{
  const TallAdviceLayout *layouts; /* n_layouts of them */
  guint n_layouts;
  const TallAdviceKey *keys; /* n_keys of them */
  guint n_keys;
  guint n_regions; /* that the spread of keys was computed for */
  const TallBenchMix *mix;
  double total;    /* orders that there will be */
  guint n_servers; /* region servers */
  guint heap;      /* MiB, of each */
} TallAdviceFacts;

/**
 * TallAdvice:
 *
 * One recommendation. Texts are for people; the names and values are those of `init`.
 */
typedef struct
{
  const char *name;     /* such as `layout` */
  const char *option;   /* of `init`; nullable: it has none */
  gboolean hbase;       /* it is for HBase alone */
  gboolean is_measured; /* else computed */
  char *value;          /* owned, as the following */
  char *reason;
  char *overturned; /* what would change it */
} TallAdvice;

/* All that it recommends, to be given at @n positions. */
GPtrArray *tall_advise (const TallAdviceFacts *facts);
const TallAdvice *tall_advice_find (const GPtrArray *advice, const char *name);

const TallAdviceLayout *tall_advice_choose_layout (const TallAdviceFacts *facts);

#define TALL_ADVICE_WORTH                                                                          \
  0.8 /* what is at most so large a part of the other is worth its price                           \
       */

/* What the advice on tables is given by. */
typedef struct
{
  const TallAdviceFacts *facts;
  const TallAdviceLayout *layout; /* that was chosen */
  const TallShape *shape;         /* of it, with the key that was chosen */
  gboolean writes;                /* the mix does */
  gboolean lists;
  gboolean gets; /* something of it looks rows up by their keys */
  gboolean encode;
  gboolean compress;
  double order_bytes; /* on disk, as recommended */
} TallAdviceCase;

G_END_DECLS
