/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"

G_BEGIN_DECLS

/* The short name of the table that holds the hints; layout/FORMAT.md draws its rows. */
#define TALL_INDEX_TABLE "index"

/* The one column of its rows. */
#define TALL_INDEX_QUALIFIER tall_slice_str ("order_number")

/* Bytes of the date in a row key. */
#define TALL_INDEX_DATE_SIZE 8

void tall_index_append_row (TallSlice customer, gint64 sales_date, GByteArray *row);
gint64 tall_index_parse_date (const guint8 bytes[TALL_INDEX_DATE_SIZE]);

gboolean tall_index_goes_before (const TallOperation *operation);
void tall_index_add_hint (const TallOperation *operation,
                          gint64 sales_date,
                          gint64 revision,
                          TallBatch *batch);
void tall_index_add_removal (const TallOperation *operation,
                             const TallState *replaced,
                             const TallState *now,
                             TallBatch *batch);
gboolean tall_index_write (TallOperation *operation,
                           const TallRoot *root,
                           gint64 sales_date,
                           gint64 revision,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
