/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"
#include "table/forwarding-table.h"

G_BEGIN_DECLS

/**
 * TallBrokenTable:
 *
 * Wraps a table and makes one of its rows unreadable: a get with that row among its keys fails, and
 * the whole plan with it; scans go through unless they are broken, too. It can also make
 * conditional writes fail without an effect.
 */
#define TALL_TYPE_BROKEN_TABLE (tall_broken_table_get_type ())
G_DECLARE_FINAL_TYPE (TallBrokenTable, tall_broken_table, TALL, BROKEN_TABLE, TallForwardingTable)

TallTable *tall_broken_table_new (TallTable *table);
void tall_broken_table_break_scans (TallBrokenTable *self);
void tall_broken_table_break (TallBrokenTable *self, TallSlice row, TallError code);
void tall_broken_table_refuse (TallBrokenTable *self, TallError code);

G_END_DECLS
