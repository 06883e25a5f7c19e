/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/customer-grouper.h"

G_BEGIN_DECLS

/* For tests: filters so small that they take most customers for others. Before the first row. */
void tall_customer_grouper_shrink (TallCustomerGrouper *self, gsize bytes);

G_END_DECLS
