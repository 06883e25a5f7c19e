/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/forwarding-table.h"

G_BEGIN_DECLS

/**
 * TallTornTable:
 *
 * A table that reads rows one after the other and lets other threads run in between, as HBase does:
 * the rows of a scan may never have existed at the same time. Everything else goes through.
 */
#define TALL_TYPE_TORN_TABLE (tall_torn_table_get_type ())
G_DECLARE_FINAL_TYPE (TallTornTable, tall_torn_table, TALL, TORN_TABLE, TallForwardingTable)

TallTable *tall_torn_table_new (TallTable *table);

G_END_DECLS
