/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"

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
