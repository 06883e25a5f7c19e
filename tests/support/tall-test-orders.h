/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-customer.h"
#include "tall-order.h"

G_BEGIN_DECLS

/* Orders and customers to test with: normalized, and valid in every layout. */

TallOrder *tall_test_random_order (GRand *rand, guint max_lines);
TallCustomer *tall_test_random_customer (GRand *rand);
char *tall_test_random_number (GRand *rand, TallArena *arena);

TallOrder *
tall_test_order_with_lines (const char *customer_number, const char *order_number, guint n_lines);
TallCustomer *tall_test_plain_customer (const char *number);

TallOrder *
tall_test_empty_order (const char *customer_number, const char *order_number, guint n_locations);
void tall_test_add_lines (TallOrder *order, guint location, gint32 first_number, guint n_lines);

/* Fail the test with both sides as JSON if they differ. */
void tall_test_assert_order_equal (const TallOrder *a, const TallOrder *b);
void tall_test_assert_customer_equal (const TallCustomer *a, const TallCustomer *b);

G_END_DECLS
