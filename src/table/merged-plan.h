/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/cell.h"
#include "table/table.h"

/**
 * TallMergedPlan:
 *
 * A plan of many small reads, sent as few: its gets of one table become one. So do its scans of one
 * table if @joined_bytes is set. What lies between their ranges is read, too, so that should be
 * little. Results stand at the positions of the small reads.
 */
typedef struct
{
  TallReadPlan *asked;    /* owned: the small reads; callers add theirs here */
  gsize joined_bytes;     /* of the cells of scans that become one, at most; 0 = none become one */
  TallReadPlan *sent;     /* owned: what is asked of the table; NULL before */
  TallReadResult *result; /* owned: what came; NULL before */
  TallRows *results;      /* owned: one for each of @asked */
} TallMergedPlan;

TallMergedPlan *tall_merged_plan_new (void);
void tall_merged_plan_free (TallMergedPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallMergedPlan, tall_merged_plan_free)

gboolean tall_merged_plan_read (TallMergedPlan *self,
                                TallTable *table,
                                gint64 deadline,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
