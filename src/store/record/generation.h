/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/migration.h"
#include "table/forwarding-table.h"

#define TALL_TYPE_GENERATION_TABLE (tall_generation_table_get_type ())
G_DECLARE_FINAL_TYPE (
    TallGenerationTable, tall_generation_table, TALL, GENERATION_TABLE, TallForwardingTable)

TallTable *tall_generation_table_new (TallTable *table, guint64 generation);

guint64 tall_generation_split_name (const char *name, char **short_name);
