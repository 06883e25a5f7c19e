/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-names.h"
#include "tall-mutation.h"
#include "tall-read-plan.h"

G_BEGIN_DECLS

/**
 * TallHbaseRowGet:
 * @read: says which cells
 * @key: of one row of it
 */
typedef struct
{
  const TallRead *read;
  TallSlice key;
} TallHbaseRowGet;

HbTGet *tall_hbase_get_new (const TallRead *read, TallSlice key);
gboolean tall_hbase_send_gets (HbGatewayIf *client,
                               const GByteArray *table,
                               const TallHbaseRowGet *gets,
                               guint n,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
HbTScan *tall_hbase_scan_new (const TallRead *read, const GByteArray *start, guint n_rows);

HbTPut *tall_hbase_put_new (const TallMutation *mutation);
HbTDelete *tall_hbase_delete_new (const TallMutation *mutation, TallChangeKind kind);
HbTRowMutations *tall_hbase_row_mutations_new (const TallMutation *mutation);
gboolean tall_hbase_mutation_has (const TallMutation *mutation, TallChangeKind kind);

G_END_DECLS
