/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-order.h"

G_BEGIN_DECLS

/**
 * TallOrderLines:
 *
 * Lines on their way to the locations of an order under construction. They come sorted by location,
 * and all locations are there before them; so each line belongs to the location of the line before
 * it or to a later one.
 */
typedef struct
{
  TallOrder *order; /* not owned */
  gsize at;         /* index of the location that the last line belongs to */
} TallOrderLines;

void tall_order_lines_add_location (TallOrderLines *self, TallShippingLocation *location);
gboolean tall_order_lines_add (TallOrderLines *self,
                               TallLineItem *line,
                               guint32 location_number) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
