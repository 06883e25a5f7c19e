/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "order.pb-c.h"
#include "tall-parts.h"

TALL_BEGIN_API

/* The structs are those that protoc-c makes of `proto/order.proto`, which says what each field is.
 * Everything but numbers is optional: a pointer that is NULL, or a FALSE `has_…` of a date, is
 * absent, which is not the same as empty or zero. Lists are arrays of pointers. The functions below
 * make the parts; a text is made by tall_arena_strdup(). */

/**
 * TallLineItem:
 *
 * One line of an order: `number`, `item_number`, `description`, `quantity`, `price`, `discount`.
 */
typedef TallPb__LineItem TallLineItem;

/**
 * TallShippingLocation:
 *
 * Where some lines of an order go: `number`, `name`, `address`, `ship_date`, and `n_line_items`
 * `line_items`, sorted by number. A location without lines is kept.
 */
typedef TallPb__ShippingLocation TallShippingLocation;

/**
 * TallAdjustment:
 *
 * Money of an order beside its lines: `kind`, such as `shipping`, `amount`, which is negative if it
 * is taken off, `description`, and `line`, the number of the line that it belongs to. `kind` and
 * `amount` are always there.
 */
typedef TallPb__Adjustment TallAdjustment;

/**
 * TallOrder:
 *
 * A whole order: `customer_number`, `order_number`, `sales_date`, `currency`, and
 * `n_shipping_locations` `shipping_locations`, sorted by number, `n_attributes` `attributes`,
 * `n_adjustments` `adjustments` in the order given, and `billing_address`.
 * All memory below it belongs to its arena, and nothing of it is freed alone.
 */
typedef TallPb__Order TallOrder;

TallOrder *tall_order_new (const char *customer_number, const char *order_number);
void tall_order_free (TallOrder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallOrder, tall_order_free)

TallArena *tall_order_get_arena (const TallOrder *self);
TallShippingLocation *tall_order_add_location (TallOrder *self, gint32 number);
TallLineItem *tall_location_add_line (TallShippingLocation *self, TallArena *arena, gint32 number);
void tall_order_add_attribute (TallOrder *self, const char *key, const char *value);
TallAdjustment *
tall_order_add_adjustment (TallOrder *self, const char *kind, gint64 unscaled, guint scale);

gboolean tall_order_normalize (TallOrder *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_order_equal (const TallOrder *a, const TallOrder *b);
guint tall_order_count_lines (const TallOrder *self);
gsize tall_order_count_repeated (const TallOrder *self);
gboolean tall_order_compute_subtotal (const TallOrder *self, TallDecimal *subtotal);
gboolean tall_order_compute_total (const TallOrder *self, TallDecimal *total);

gboolean tall_validate_number (const char *text,
                               const char *field,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

TALL_END_API
