/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/bulk/batch.h"

G_BEGIN_DECLS

void tall_bulk_number_customers (const TallStoreContext *context,
                                 const TallBulkItem *items,
                                 guint n_items);

G_END_DECLS
