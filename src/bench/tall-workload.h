/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-order.h"

G_BEGIN_DECLS

/**
 * TallWorkload:
 *
 * What a measurement stores and fetches: made-up orders as shops have them, one shipping location
 * and so many lines, the same for the same index in every run.
 */
typedef struct
{
  const char *prefix; /* of order numbers: tells the workloads of one store apart */
  guint n_lines;      /* an order */
} TallWorkload;

/* Orders of one customer at most. */
#define TALL_WORKLOAD_ORDERS_A_CUSTOMER 10

TallOrder *tall_workload_make_order (const TallWorkload *self, guint64 index);
GPtrArray *tall_workload_make_orders (const TallWorkload *self, guint64 first, guint n);

G_END_DECLS
