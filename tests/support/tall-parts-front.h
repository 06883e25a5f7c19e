/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-forwarding-front.h"

G_BEGIN_DECLS

/**
 * TallPartsFront:
 *
 * A front that verifies in small parts, each by another front, and checks that no part is large.
 */
#define TALL_TYPE_PARTS_FRONT (tall_parts_front_get_type ())
G_DECLARE_FINAL_TYPE (TallPartsFront, tall_parts_front, TALL, PARTS_FRONT, TallForwardingFront)

TallFront *tall_parts_front_new (TallFront *first, TallFront *second, guint most);
guint tall_parts_front_count (TallPartsFront *self);

G_END_DECLS
