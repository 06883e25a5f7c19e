/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"

G_BEGIN_DECLS

#define TALL_TYPE_FORWARDING_FRONT (tall_forwarding_front_get_type ())
G_DECLARE_DERIVABLE_TYPE (
    TallForwardingFront, tall_forwarding_front, TALL, FORWARDING_FRONT, TallFront)

/**
 * TallForwardingFrontClass:
 *
 * A front around another, to which it hands every call. A subclass overrides the slots in which it
 * does something of its own.
 */
struct _TallForwardingFrontClass
{
  TallFrontClass parent_class;
};

/* For subclasses: what a constructor wraps, and what does the work. */
void tall_forwarding_front_wrap (TallForwardingFront *self, TallFront *front);
TallFront *tall_forwarding_front_get_front (TallForwardingFront *self);

G_END_DECLS
