/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/forwarding-table.h"

G_BEGIN_DECLS

/**
 * TallStaleTable:
 *
 * A table whose reads, as long as that is wanted, show what was there before: as those of a region
 * server that does not know yet that another has taken its place.
 */
#define TALL_TYPE_STALE_TABLE (tall_stale_table_get_type ())
G_DECLARE_FINAL_TYPE (TallStaleTable, tall_stale_table, TALL, STALE_TABLE, TallForwardingTable)

TallTable *tall_stale_table_new (TallTable *table, TallTable *before);
void tall_stale_table_set_stale (TallStaleTable *self, gboolean stale);

G_END_DECLS
