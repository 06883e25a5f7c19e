/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-customer.h"
#include "tall-order.h"

G_BEGIN_DECLS

/* Orders and customers for people, on standard output. */
void tall_show_order (const TallOrder *order, gint64 revision);
char *tall_show_describe_revision (gint64 revision) G_GNUC_WARN_UNUSED_RESULT;
char *tall_show_date (gint64 date);
void tall_show_customer (const TallCustomer *customer, gint64 revision);

G_END_DECLS
