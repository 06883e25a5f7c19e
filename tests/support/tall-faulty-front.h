/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"
#include "tall-forwarding-front.h"

G_BEGIN_DECLS

#define TALL_TYPE_FAULTY_FRONT (tall_faulty_front_get_type ())
G_DECLARE_FINAL_TYPE (TallFaultyFront, tall_faulty_front, TALL, FAULTY_FRONT, TallForwardingFront)

/* Keeps orders and customers in memory, as #TallTestFront does, and fails on demand. */
TallFaultyFront *tall_faulty_front_new (void);

/* The next @n_failures puts, of the order or customer with @number if it is not NULL, fail with
 * @code; with @after_effect they are stored nevertheless. */
void tall_faulty_front_fail (TallFaultyFront *self,
                             const char *number,
                             TallError code,
                             guint n_failures,
                             gboolean after_effect);

guint tall_faulty_front_count_orders (TallFaultyFront *self);
guint tall_faulty_front_count_customers (TallFaultyFront *self);
guint tall_faulty_front_count_puts (TallFaultyFront *self);

/* The most puts that ran at one time. */
guint tall_faulty_front_get_concurrency (TallFaultyFront *self);

/* Every put waits until @n of them are running at once. */
void tall_faulty_front_gather (TallFaultyFront *self, guint n);

G_END_DECLS
