/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/**
 * Root rows of orders. Each function that has the name of a slot of #TallLayout fills it, for
 * layouts whose root rows have the row key C O in a table of their own (locate, find, tables with
 * that of the customers), whose orders are nothing but that row (plan, name_parts), or that have a
 * column a field (append_columns).
 */
#define TALL_ORDERS "orders"

extern const TallLayoutTable tall_root_rows_tables[];

const char *tall_root_rows_locate (const TallOrderKey *key, GByteArray *row);
const TallRow *tall_root_rows_find (const TallFound *found, GError **error);
void tall_root_rows_plan (const TallOrderKey *key, TallReadPlan *plan);
void tall_root_rows_name_parts (const TallKeyStrategy *strategy,
                                const char *table,
                                TallSlice row,
                                GArray *parts);
void tall_root_rows_append_columns (const TallOrder *order,
                                    TallSlice canonical,
                                    gint64 revision,
                                    TallBatch *batch,
                                    TallMutation *root);

G_END_DECLS
