/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/canonical.h"
#include "store/operation.h"

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

gboolean tall_customer_scan_find_order (const TallOperation *operation,
                                        TallSlice customer,
                                        const char *number,
                                        TallArena *arena,
                                        TallOrderSummary *found,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
