/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table-checks.h"

G_BEGIN_DECLS

/* The attribute of a table's descriptor in HBase that keeps the token of its seal. */
#define TALL_SEAL_ATTRIBUTE "TALLORDER_SEAL"

char *tall_table_spec_to_ddl (const TallTableSpec *self, const char *deployment);
char *
tall_table_shutter_to_ddl (const TallTableShutter *self, const char *deployment, const char *table);

guint tall_table_spec_count_regions (const TallTableSpec *self);
guint tall_table_spec_find_region (const TallTableSpec *self, TallSlice row);

G_END_DECLS
