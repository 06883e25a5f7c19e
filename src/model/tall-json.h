/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-customer.h"
#include "tall-order.h"

TALL_BEGIN_API

/**
 * Canonical JSON: names of `idl/tallorder.thrift` in snake_case, decimals as strings, dates as
 * ISO 8601 in UTC (`1996-07-04T00:00:00.000Z`); what is absent is left out.
 *
 *     {"customer_number":"VINET","order_number":"10248","sales_date":"1996-07-04T00:00:00.000Z",
 *      "shipping_locations":[{"number":1,"line_items":[{"number":1,"quantity":"12"}]}]}
 */
char *tall_order_to_json (const TallOrder *self, gboolean pretty);
TallOrder *
tall_order_from_json (const char *text, gssize len, GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_customer_to_json (const TallCustomer *self, gboolean pretty);
TallCustomer *
tall_customer_from_json (const char *text, gssize len, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Dates as text; parsing also takes a date alone (midnight) and other offsets from UTC. */
#define TALL_DATE_TEXT_SIZE 32
const char *tall_date_format (gint64 date, char text[TALL_DATE_TEXT_SIZE]);
gboolean tall_date_parse (const char *text, gint64 *date, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_date_parse_first (const char *text, gint64 *date, GError **error) G_GNUC_WARN_UNUSED_RESULT;

TALL_END_API
