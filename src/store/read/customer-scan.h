/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/canonical.h"
#include "store/operation.h"

G_BEGIN_DECLS

guint tall_customer_scan_add (const TallStoreContext *context,
                              TallSlice customer,
                              TallSlice order,
                              guint limit,
                              gsize max_bytes,
                              TallReadPlan *plan);
gboolean tall_customer_scan_find_order (const TallOperation *operation,
                                        TallSlice customer,
                                        const char *number,
                                        TallArena *arena,
                                        TallOrderSummary *found,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
