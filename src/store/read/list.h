/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"
#include "store/read/pager.h"

TallOrderList *tall_list_orders (TallOperation *operation,
                                 const TallListOptions *options,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomerList *tall_list_customers (TallOperation *operation,
                                       const TallListOptions *options,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomerOrders *tall_list_customer_orders (TallOperation *operation,
                                               const TallListOptions *options,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallFound *tall_find_orders (TallOperation *operation,
                             const TallFindOptions *options,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

#define TALL_ROOT_TABLES 2

/**
 * TallRootWindow:
 *
 * The root rows of customers and of orders, of which a few of each table are read at once, and
 * given in the order of their keys.
 */
typedef struct
{
  const char *tables[TALL_ROOT_TABLES]; /* static; the second is NULL if one table has both */
  gsize most_bytes; /* of a table in one read: of what is wanted, where the table can tell */
  TallReadResult *results[TALL_ROOT_TABLES]; /* owned: of the last reads; NULL: none */
  const TallRows *rows[TALL_ROOT_TABLES];    /* in @results; NULL: none */
  guint next[TALL_ROOT_TABLES];              /* the row that comes next, of each */
  GByteArray *from[TALL_ROOT_TABLES]; /* owned: of each, from where on it can be read; NULL: all */
  TallSlice horizon;                  /* rows up to here are known; the empty slice: all */
} TallRootWindow;

void tall_root_window_init (TallRootWindow *self, const TallLayout *layout, gsize most_bytes);
void tall_root_window_clear (TallRootWindow *self);
gboolean tall_root_window_read (TallRootWindow *self,
                                TallPager *pager,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
const TallRow *tall_root_window_next (TallRootWindow *self);
