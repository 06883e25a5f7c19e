/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-canonical.h"
#include "tall-pb-reader-private.h"

G_BEGIN_DECLS

gsize tall_order_get_canonical_size (const TallOrder *self);
gsize tall_customer_get_canonical_size (const TallCustomer *self);

gboolean tall_canonical_fail (GError **error, const char *what, const char *why);
gboolean tall_canonical_finish (gboolean valid, GError *invalid, const char *what, GError **error);

void tall_pb_end_inner (TallPbReader *outer, const TallPbReader *inner, gboolean complete);
gboolean tall_pb_read_decimal (TallPbReader *outer, TallDecimal *decimal);
TallAddress *tall_pb_read_address (TallPbReader *outer, TallArena *arena);
void tall_pb_read_attribute (TallPbReader *outer, TallArena *arena, TallAttributes *attributes);

G_END_DECLS
