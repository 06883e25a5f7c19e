/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

/* Calls of one thing, which must succeed. */
void tall_test_put (TallTable *table, const char *name, TallSlice row, TallCell cell);
TallReadResult *tall_test_get (TallTable *table, const char *name, TallSlice row);
TallReadResult *tall_test_scan (TallTable *table, const char *name);

G_END_DECLS
