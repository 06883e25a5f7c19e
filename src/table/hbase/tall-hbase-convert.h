/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-names.h"
#include "tall-mutation.h"
#include "tall-read-plan.h"

G_BEGIN_DECLS

gboolean tall_hbase_read_has_time_range (const TallRead *read);
gint32 tall_hbase_read_get_versions (const TallRead *read);
HbTScan *tall_hbase_scan_new (const TallRead *read, const GByteArray *start, guint n_rows);

HbTPut *tall_hbase_put_new (const TallMutation *mutation);
HbTDelete *tall_hbase_delete_new (const TallMutation *mutation, TallChangeKind kind);
HbTRowMutations *tall_hbase_row_mutations_new (const TallMutation *mutation);
HbTIncrement *tall_hbase_increment_new (TallSlice row, TallSlice qualifier, gint64 delta);
gboolean tall_hbase_mutation_has (const TallMutation *mutation, TallChangeKind kind);

G_END_DECLS
