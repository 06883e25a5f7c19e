/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "customer.pb-c.h"
#include "tall-parts.h"

TALL_BEGIN_API

/**
 * TallCustomer:
 *
 * A customer: `number`, `name`, `address`, `n_phones` `phones` in the order given, `email`, and
 * `n_attributes` `attributes`: the struct that protoc-c makes of `proto/customer.proto`. All memory
 * below it belongs to its arena, as with #TallOrder.
 */
typedef TallPb__Customer TallCustomer;

TallCustomer *tall_customer_new (const char *number);
void tall_customer_free (TallCustomer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCustomer, tall_customer_free)

TallArena *tall_customer_get_arena (const TallCustomer *self);
void tall_customer_add_phone (TallCustomer *self, const char *phone);
void tall_customer_add_attribute (TallCustomer *self, const char *key, const char *value);

gboolean tall_customer_normalize (TallCustomer *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_customer_equal (const TallCustomer *a, const TallCustomer *b);

TALL_END_API
