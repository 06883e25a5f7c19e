/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/cell.h"
#include "table/table.h"

#define TALL_TYPE_MEMORY_TABLE (tall_memory_table_get_type ())
G_DECLARE_FINAL_TYPE (TallMemoryTable, tall_memory_table, TALL, MEMORY_TABLE, TallTable)

TallTable *tall_memory_table_new (void);
void tall_memory_table_set_together (TallMemoryTable *self, guint n);
