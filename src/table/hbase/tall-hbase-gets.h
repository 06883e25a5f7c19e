/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-types.h"
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

gboolean tall_hbase_send_get (HbGatewayIf *client,
                              const GByteArray *table,
                              const TallHbaseRowGet *get,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_send_gets (HbGatewayIf *client,
                               const GByteArray *table,
                               const TallHbaseRowGet *gets,
                               guint n,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
