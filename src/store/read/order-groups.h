/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"

G_BEGIN_DECLS

#define TALL_MOST_READS 4 /* of an order, in any layout */

/**
 * TallOrderGroups:
 *
 * Rows of a customer's orders, read by one round of scans, and given order by order.
 */
typedef struct
{
  const TallOperation *operation; /* on the customer */
  TallReadPlan *plan;             /* owned */
  TallReadResult *result;         /* owned */
  guint n_reads;                  /* scans of orders; they are the first reads of the plan */
  guint limit;                    /* rows of each scan */
  guint at[TALL_MOST_READS];      /* rows of each scan that are done with */
  GArray *parts;                  /* owned: of TallRowPart: of the key that is looked at */

  /* The present order. */
  TallSlice order;                 /* its order part */
  TallRows group[TALL_MOST_READS]; /* its rows, one for each scan */
  gboolean is_whole;               /* all its rows are there */
} TallOrderGroups;

void tall_order_groups_clear (TallOrderGroups *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallOrderGroups, tall_order_groups_clear)

gboolean tall_order_groups_read (TallOrderGroups *self,
                                 const TallOperation *operation,
                                 TallSlice first,
                                 guint limit,
                                 gboolean with_customer,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_order_groups_next (TallOrderGroups *self);
gboolean tall_order_groups_is_exhausted (const TallOrderGroups *self);
const TallRow *tall_order_groups_find_customer (const TallOrderGroups *self);

G_END_DECLS
