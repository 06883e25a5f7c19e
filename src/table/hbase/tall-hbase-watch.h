/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-pool.h"

G_BEGIN_DECLS

TallHbaseLink *tall_hbase_watch_open (TallHbasePool *self,
                                      const TallHbaseGateway *gateway,
                                      gboolean known,
                                      gint64 deadline,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_watch_start (TallHbasePool *self, TallHbaseGateway *gateway);
void tall_hbase_watch_explain (TallHbasePool *self, GError **reason);
void tall_hbase_watch_want (TallHbasePool *self, TallHbaseGateway *gateway);
void tall_hbase_watch_doubt (TallHbasePool *self, TallHbaseGateway *gateway);
void tall_hbase_watch_refuse (TallHbasePool *self, TallHbaseGateway *gateway, const GError *reason);

G_END_DECLS
