/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/model-type.h"
#include "tall-bytes.h"

#define TALL_MD5_SIZE 16

void tall_md5 (TallSlice bytes, guint8 digest[TALL_MD5_SIZE]);
gboolean tall_md5_is (TallSlice bytes, const guint8 digest[TALL_MD5_SIZE]);

/**
 * The canonical form: the protobuf encoding by `proto/order.proto` and `proto/customer.proto`, with
 * fields in ascending order, lists sorted by number and attributes by key. Equal orders have equal
 * bytes; its MD5 is the order's digest.
 */
#define TALL_DIGEST_SIZE 16

guint tall_order_get_schema (const TallOrder *self);
TallSlice tall_order_to_canonical (const TallOrder *self, TallArena *arena);
TallOrder *tall_order_from_canonical (TallSlice canonical,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallSlice tall_customer_to_canonical (const TallCustomer *self, TallArena *arena);
TallOrder *tall_order_from_proved (TallSlice canonical, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomer *tall_customer_from_canonical (TallSlice canonical,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Single parts, for layouts that keep them in cells of their own. */
TallSlice
tall_list_to_canonical (const TallModelField *field, gconstpointer base, TallArena *arena);
gboolean tall_list_from_canonical (const TallModelField *field,
                                   TallSlice canonical,
                                   TallArena *arena,
                                   gpointer base,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallSlice tall_location_to_canonical (const TallShippingLocation *self, TallArena *arena);
TallShippingLocation *tall_location_from_canonical (TallSlice canonical,
                                                    TallArena *arena,
                                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallSlice tall_line_to_canonical (const TallLineItem *self, TallArena *arena);
TallLineItem *tall_line_from_canonical (TallSlice canonical,
                                        TallArena *arena,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallOrderSummary:
 *
 * The few facts of an order that a listing shows, kept in one cell of every root row:
 * `customer_number`, `order_number`, `lines`, `total`, which is NULL if it does not fit in a
 * #TallDecimal, and `currency`. The numbers also tell whose row it is, as row keys made with MD5
 * may collide.
 */
typedef TallPb__OrderSummary TallOrderSummary;

TallSlice tall_order_to_summary (const TallOrder *self, TallArena *arena);
gboolean tall_order_summary_parse (TallSlice bytes,
                                   TallArena *arena,
                                   TallOrderSummary *summary,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallCustomerSummary:
 *
 * The same for a customer: `number`, `name`.
 */
typedef TallPb__CustomerSummary TallCustomerSummary;

TallSlice tall_customer_to_summary (const TallCustomer *self, TallArena *arena);
gboolean tall_customer_summary_parse (TallSlice bytes,
                                      TallArena *arena,
                                      TallCustomerSummary *summary,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_model_equal (const ProtobufCMessage *a, const ProtobufCMessage *b);
