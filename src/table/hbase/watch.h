/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/pool.h"

G_BEGIN_DECLS

TallHbaseLink *tall_hbase_watch_open (TallHbasePool *self,
                                      const TallHbaseGateway *gateway,
                                      gboolean known,
                                      gint64 deadline,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_watch_note (TallHbasePool *self,
                            TallHbaseGateway *gateway,
                            TallHbaseEvent event,
                            const GError *reason);
void tall_hbase_watch_explain (TallHbasePool *self, GError **reason);

G_END_DECLS
