/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"

G_BEGIN_DECLS

/**
 * TallTestFront:
 *
 * The simplest front that keeps what it is given: two hash tables. It can also fail as asked, and
 * hold calls back until they are let go.
 */
#define TALL_TYPE_TEST_FRONT (tall_test_front_get_type ())
G_DECLARE_FINAL_TYPE (TallTestFront, tall_test_front, TALL, TEST_FRONT, TallFront)

TallFront *tall_test_front_new (void);

/* The next call fails with @error (transfer full). */
void tall_test_front_fail_next (TallTestFront *self, GError *error);

/* Every call fails from now on, until this is called with NULL. */
void tall_test_front_fail_each (TallTestFront *self, GError *error);

/* How many puts were stored; one sent again with its token does not count. */
guint tall_test_front_count_stored (TallTestFront *self);
guint tall_test_front_count_orders (TallTestFront *self);
guint tall_test_front_count_customers (TallTestFront *self);
guint tall_test_front_count_calls (TallTestFront *self);

/* What a call on one order takes from now on, in bytes; 0: the usual. */
void tall_test_front_set_measure (TallTestFront *self, gsize measure);

/* The options of the last write. */
TallWriteOptions tall_test_front_get_options (TallTestFront *self);

/* What of each order the last get of many has asked for. */
TallOrderPart tall_test_front_get_part (TallTestFront *self);

/* Calls wait from when they have come in until they are let go. */
void tall_test_front_hold (TallTestFront *self);
void tall_test_front_wait_until_held (TallTestFront *self, guint n_calls);
void tall_test_front_let_go (TallTestFront *self);

G_END_DECLS
