/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-customer.h"
#include "tall-order.h"

G_BEGIN_DECLS

TallOrder *tall_order_new_in (TallArena *arena);
TallCustomer *tall_customer_new_in (TallArena *arena);

G_END_DECLS
