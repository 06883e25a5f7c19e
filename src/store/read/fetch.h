/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"

void tall_fetch_add_reads (const TallOperation *operation, TallReadPlan *plan);
TallOrder *tall_fetch_order_from (const TallOperation *operation,
                                  const TallRows *results,
                                  guint n_results,
                                  TallArena *arena,
                                  gint64 *revision,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallOrder *tall_fetch_order_with_root (const TallOperation *operation,
                                       TallRoot *root,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallOrder *tall_fetch_order (const TallOperation *operation,
                             gint64 *revision,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomer *tall_fetch_customer_from (const TallOperation *operation,
                                        const TallRow *row,
                                        TallArena *arena,
                                        gint64 *revision,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomer *tall_fetch_customer (const TallOperation *operation,
                                   gint64 *revision,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_fetch_many (const TallOperation *operation,
                          const TallOrderId *ids,
                          guint n,
                          const TallOrderPart *part,
                          TallOutcome *outcomes,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_get_many (const TallStoreContext *context,
                        const TallOrderId *ids,
                        guint n,
                        const TallOrderPart *part,
                        TallOutcome *outcomes,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
