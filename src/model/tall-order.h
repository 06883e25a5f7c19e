/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-decimal.h"
#include "tall-parts.h"

TALL_BEGIN_API

/**
 * TallLineItem:
 *
 * One line of an order. Everything but the number is optional: a NULL text or a FALSE `has_…` is
 * absent, which is not the same as empty or zero.
 */
typedef struct
{
  gint32 number; /* 1 … 2^31-1, unique in the whole order */
  char *item_number;
  char *description;
  gboolean has_quantity;
  gboolean has_price;
  gboolean has_discount;
  TallDecimal quantity; /* negative: a cancellation */
  TallDecimal price;
  TallDecimal discount; /* a rate, 0 … 1 */
} TallLineItem;

/**
 * TallShippingLocation:
 *
 * Where some lines of an order go. A location without lines is kept.
 */
typedef struct
{
  gint32 number; /* 1 … 2^31-1, unique in the order */
  char *name;
  TallAddress *address; /* NULL: absent */
  gboolean has_ship_date;
  gint64 ship_date;         /* milliseconds since the epoch, UTC */
  TallLineItem *line_items; /* n_line_items of them, sorted by number */
  guint n_line_items;
} TallShippingLocation;

/**
 * TallOrder:
 *
 * A whole order. All memory below it belongs to its arena: assign texts made with
 * tall_arena_strdup (order->arena, …) and never free them one by one.
 */
typedef struct
{
  TallArena *arena;      /* owned */
  char *customer_number; /* never NULL */
  char *order_number;    /* never NULL */
  gboolean has_sales_date;
  gint64 sales_date; /* milliseconds since the epoch, UTC */
  char *currency;
  TallShippingLocation *shipping_locations; /* n_shipping_locations of them, sorted by number */
  guint n_shipping_locations;
  TallAttributes attributes;
} TallOrder;

TallOrder *tall_order_new (const char *customer_number, const char *order_number);
void tall_order_free (TallOrder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallOrder, tall_order_free)

gboolean tall_order_normalize (TallOrder *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_order_equal (const TallOrder *a, const TallOrder *b);
guint tall_order_count_lines (const TallOrder *self);
gsize tall_order_count_repeated (const TallOrder *self);
gboolean tall_order_compute_total (const TallOrder *self, TallDecimal *total);

gboolean tall_validate_number (const char *text,
                               const char *field,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

TALL_END_API
