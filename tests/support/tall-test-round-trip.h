/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/store.h"

G_BEGIN_DECLS

/* The property that every layout has with every key strategy on every table: what was put comes
 * back equal. */
void tall_test_round_trip (TallTable *table,
                           const TallLayout *layout,
                           const TallKeyStrategy *key_strategy,
                           guint n);

G_END_DECLS
