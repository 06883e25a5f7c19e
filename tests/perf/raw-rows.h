/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

/**
 * TallRawRows:
 *
 * All rows of an embedded store, byte for byte, in memory.
 */
typedef struct _TallRawRows TallRawRows;

TallRawRows *tall_raw_rows_read (TallTable *table, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_raw_rows_free (TallRawRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRawRows, tall_raw_rows_free)

gboolean tall_raw_rows_write (const TallRawRows *self,
                              TallTable *table,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
