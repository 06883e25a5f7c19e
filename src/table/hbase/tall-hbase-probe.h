/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-connection.h"
#include "tall-hbase-table.h"
#include "tall-hbase-types.h"

G_BEGIN_DECLS

gint64 tall_hbase_probe_limit (const TallHbaseOptions *options, gint64 deadline);
gboolean tall_hbase_probe (TallConnection *connection,
                           HbGatewayClient *client,
                           const TallHbaseOptions *options,
                           const TallWireOptions *wire,
                           gint64 deadline,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
