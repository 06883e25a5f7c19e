/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-test-front.h"

G_BEGIN_DECLS

gboolean tall_test_front_begin (TallTestFront *self, GError **error);
void tall_test_front_note_part (TallTestFront *self, const TallOrderPart *part);
GPtrArray *tall_test_front_list (TallTestFront *self, const char *customer_number);

/* Slots of #TallFrontClass. */
gboolean tall_test_front_get_orders (TallFront *front,
                                     const TallOrderId *ids,
                                     guint n,
                                     const TallOrderPart *part,
                                     TallOutcome *outcomes,
                                     GError **error);
gboolean tall_test_front_put_orders (TallFront *front,
                                     TallOrder *const *orders,
                                     const TallWriteOptions *options,
                                     guint n,
                                     TallOutcome *outcomes,
                                     GError **error);
TallOrderList *tall_test_front_list_orders (TallFront *front,
                                            const char *customer_number,
                                            const TallListOptions *options,
                                            GError **error);
TallCustomerList *
tall_test_front_list_customers (TallFront *front, const TallListOptions *options, GError **error);
TallCustomerOrders *tall_test_front_get_customer_orders (TallFront *front,
                                                         const char *number,
                                                         const TallListOptions *options,
                                                         GError **error);
TallFound *
tall_test_front_find_orders (TallFront *front, const TallFindOptions *options, GError **error);

G_END_DECLS
