/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-operation.h"

G_BEGIN_DECLS

void tall_list_add_unreadable (GArray *unreadable,
                               TallArena *arena,
                               const char *number,
                               const char *what,
                               const GError *error);

TallOrderList *tall_list_orders (TallOperation *operation,
                                 const TallListOptions *options,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomerList *tall_list_customers (const TallOperation *operation,
                                       const TallListOptions *options,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomerOrders *tall_list_customer_orders (TallOperation *operation,
                                               const TallListOptions *options,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
