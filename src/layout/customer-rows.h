/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/**
 * Customers in a table of their own: row key C, and either a column a field, or the canonical form
 * in column `customer`. Each function fills the slot of #TallLayout that it is named after.
 */
#define TALL_CUSTOMERS "customers"

const char *tall_customer_rows_locate (const TallOrderKey *key, GByteArray *row);

void tall_customer_columns_append (const TallCustomer *customer,
                                   TallSlice canonical,
                                   gint64 revision,
                                   TallBatch *batch,
                                   TallMutation *row);
TallCustomer *tall_customer_columns_decode (const char *number,
                                            const TallRow *row,
                                            gint64 revision,
                                            GError **error);

/* Also for rows of customers in another table. */
TallCustomer *tall_customer_columns_read (
    const char *table, const char *number, const TallRow *row, gint64 revision, GError **error);

void tall_customer_blob_append (const TallCustomer *customer,
                                TallSlice canonical,
                                gint64 revision,
                                TallBatch *batch,
                                TallMutation *row);
TallCustomer *
tall_customer_blob_decode (const char *number, const TallRow *row, gint64 revision, GError **error);

/* Also for other cells that hold a canonical form. */
const TallCell *tall_blob_find (
    const char *table, const TallRow *row, const char *column, gint64 revision, GError **error);
gboolean tall_blob_set_damaged (
    GError **error, const char *table, TallSlice row, const char *column, GError *why);

G_END_DECLS
