/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "layout/layout.h"
#include "table/table.h"

G_BEGIN_DECLS

/**
 * TallTestLayout:
 *
 * A layout with a key strategy, and a memory table that has the layout's tables.
 */
typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *strategy;
  TallTable *table; /* owned */
} TallTestLayout;

void tall_test_layout_init (TallTestLayout *self,
                            const TallLayout *layout,
                            const TallKeyStrategy *strategy);
void tall_test_layout_clear (TallTestLayout *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallTestLayout, tall_test_layout_clear)

void tall_test_layout_init_key (const TallTestLayout *self,
                                const char *customer_number,
                                const char *order_number,
                                TallOrderKey *key);

TallBatch *
tall_test_layout_encode_order (const TallTestLayout *self, const TallOrder *order, gint64 revision);
TallBatch *tall_test_layout_encode_customer (const TallTestLayout *self,
                                             const TallCustomer *customer,
                                             gint64 revision);
void tall_test_layout_apply (const TallTestLayout *self, const TallBatch *batch);

TallReadResult *tall_test_layout_read (const TallTestLayout *self, const TallReadPlan *plan);

void tall_test_add_for_layouts (const char *name, GTestDataFunc function);

G_END_DECLS
