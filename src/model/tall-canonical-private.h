/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-canonical.h"

G_BEGIN_DECLS

gsize tall_order_get_canonical_size (const TallOrder *self);
gsize tall_customer_get_canonical_size (const TallCustomer *self);

G_END_DECLS
