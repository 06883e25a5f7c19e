/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/verify/scan.h"

G_BEGIN_DECLS

/**
 * TallVerifyRows:
 *
 * All rows of an order, or the row of a customer, read by themselves. All zero: nothing was read.
 */
typedef struct
{
  TallVerifyScan *scan; /* owned */
  TallVerifyGroup group;
} TallVerifyRows;

gboolean tall_verify_rows_read (TallVerifyRows *self,
                                const TallStoreContext *context,
                                TallSlice customer,
                                TallSlice order,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_rows_clear (TallVerifyRows *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyRows, tall_verify_rows_clear)

G_END_DECLS
