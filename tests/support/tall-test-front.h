/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"
#include "tall-front.h"

G_BEGIN_DECLS

#define TALL_TYPE_TEST_FRONT (tall_test_front_get_type ())
G_DECLARE_FINAL_TYPE (TallTestFront, tall_test_front, TALL, TEST_FRONT, TallFront)

/* Keeps the canonical form of orders and customers in memory, and fails when told to. */
TallTestFront *tall_test_front_new (void);

/* The next @n_failures puts, of the order or customer with @number if it is not NULL, fail with
 * @code; with @after_effect they are stored nevertheless. */
void tall_test_front_fail (TallTestFront *self,
                           const char *number,
                           TallError code,
                           guint n_failures,
                           gboolean after_effect);

guint tall_test_front_count_orders (TallTestFront *self);
guint tall_test_front_count_customers (TallTestFront *self);
guint tall_test_front_count_puts (TallTestFront *self);

/* Most puts that ran at one time. */
guint tall_test_front_get_concurrency (TallTestFront *self);

/* Every put waits until @n of them are running at once. */
void tall_test_front_gather (TallTestFront *self, guint n);

G_END_DECLS
