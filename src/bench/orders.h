/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-listing.h"
#include "tall-order.h"

#include <glib.h>

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

/**
 * TallBenchFile:
 *
 * CSV files of orders, and how much of them is read.
 */
typedef struct
{
  const char *const *paths; /* FILE, KIND=FILE or patterns of both, NULL-terminated */
  const char *map;          /* a preset or a file, as for `load` */
  guint max_orders;         /* the rest is not taken */
  guint max_lines;          /* of all orders together */
  guint64 max_rows; /* a single file ends there, and its last order, which may go on, is left out;
                       0: no limit */

  const gint *(*begin) (void); /* nullable; called when a file is open: gives what is not 0 any
                                * more, atomically, when reading is to stop */

  /* (out) */
  char *left_out; /* owned, nullable: a line for people about rows that are left out */
  double share;   /* of the files that was read, 0 … 1 */
} TallBenchFile;

GPtrArray *tall_bench_file_read (TallBenchFile *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

GPtrArray *tall_bench_sample (GPtrArray *orders, guint max_orders, guint max_lines);

/**
 * TallBenchCustomer:
 *
 * A customer whose orders are listed. Everything but the containers belongs to the orders.
 */
typedef struct
{
  const char *number;
  GPtrArray *by_date;    /* of TallOrder: in the order of a listing, newest first */
  GHashTable *by_number; /* order number → TallOrder */
} TallBenchCustomer;

/**
 * TallBenchOrders:
 *
 * The orders of a measurement, as they are stored or will be stored. Different threads may change
 * different orders at the same time.
 */
typedef struct
{
  GPtrArray *orders;       /* of TallOrder */
  GPtrArray *customers;    /* of TallBenchCustomer */
  GHashTable *by_customer; /* customer number → one of them */
  char *mark;              /* owned: a text that no order number has in it */
} TallBenchOrders;

TallBenchOrders *tall_bench_orders_new (GPtrArray *orders);
void tall_bench_orders_free (TallBenchOrders *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallBenchOrders, tall_bench_orders_free)

const char **tall_bench_list_customers (const GPtrArray *orders);
void tall_bench_change_order (TallOrder *order);
gboolean tall_bench_is_changed (const TallOrder *order);
gboolean tall_bench_check_list (const TallBenchCustomer *customer,
                                const TallOrderList *list,
                                guint limit,
                                gboolean meanwhile,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_check_customer_orders (const TallBenchCustomer *customer,
                                           const TallCustomerOrders *found,
                                           guint limit,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
