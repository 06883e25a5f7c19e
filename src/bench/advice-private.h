/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/advice.h"

G_BEGIN_DECLS

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

GPtrArray *tall_advice_list_new (void);
void tall_advice_add (GPtrArray *advice, const TallAdvice *value, char *reason, char *overturned);
void tall_advice_case_init (TallAdviceCase *self, const TallAdviceFacts *facts);
guint tall_advice_count_parts (const TallBenchMix *mix, const char *name);
void tall_advice_add_tables (GPtrArray *advice, const TallAdviceCase *about);

G_END_DECLS
