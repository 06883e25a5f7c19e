/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-forwarding-table.h"

G_BEGIN_DECLS

/**
 * TallTornTable:
 *
 * A table whose rows are read one after the other, with other threads let in between, as HBase
 * reads them: what a scan returns has never been there together. Everything else goes through.
 */
#define TALL_TYPE_TORN_TABLE (tall_torn_table_get_type ())
G_DECLARE_FINAL_TYPE (TallTornTable, tall_torn_table, TALL, TORN_TABLE, TallForwardingTable)

TallTable *tall_torn_table_new (TallTable *table);
guint tall_torn_table_count_pieces (TallTornTable *self);

G_END_DECLS
