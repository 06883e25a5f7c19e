/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-table.h"

G_BEGIN_DECLS

char *tall_table_spec_to_ddl (const TallTableSpec *self, const char *deployment);

guint tall_table_spec_count_regions (const TallTableSpec *self);
guint tall_table_spec_find_region (const TallTableSpec *self, TallSlice row);

G_END_DECLS
