/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-order.h"

G_BEGIN_DECLS

/**
 * TallWorkload:
 *
 * What a measurement stores and fetches: made-up orders of a shop, each with one shipping location
 * and a number of lines. The same seed and index give the same order in every run. A field that is
 * 0 has its usual value.
 */
typedef struct
{
  const char *prefix; /* of order numbers: distinguishes the workloads of one store */
  guint n_lines;      /* an order, or the least of a range */
  guint max_lines;    /* the most of a range, each number as likely as the others; 0: @n_lines */
  gboolean few_lines; /* of a range the fewer the likelier: n lines about as often as 1/n */
  guint n_customers;  /* which take turns; 0: one for each TALL_WORKLOAD_ORDERS_A_CUSTOMER orders */
  double skew; /* 0 … below 1: the k-th customer has a share of the orders like k^-skew; 0: all
                  have the same number */
  guint64 seed;
} TallWorkload;

#define TALL_WORKLOAD_ORDERS_A_CUSTOMER 10

TallOrder *tall_workload_make_order (const TallWorkload *self, guint64 index);
GPtrArray *tall_workload_make_orders (const TallWorkload *self, guint64 first, guint n);

guint64 tall_workload_mix (guint64 seed, guint64 index);

G_END_DECLS
