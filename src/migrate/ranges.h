/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/context.h"

G_BEGIN_DECLS

/**
 * TallRange:
 *
 * A part of a table with root rows, walked by one thread.
 */
typedef struct
{
  const char *table; /* static */
  GBytes *start;     /* the first row key */
  GBytes *stop;      /* the first one not in it; empty: the end of the table */
  GPtrArray *cuts;   /* of GBytes: where its pages began, but for the first, in the last walk */
} TallRange;

GPtrArray *tall_ranges_new (const TallStoreContext *context);
GPtrArray *tall_ranges_divide (const GPtrArray *ranges);

G_END_DECLS
