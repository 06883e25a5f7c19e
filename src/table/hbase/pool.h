/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/gateway.h"
#include "table/hbase/table.h"

G_BEGIN_DECLS

/**
 * TallHbaseLending:
 * @TALL_HBASE_WAIT: stands in line until a connection is free
 * @TALL_HBASE_TRY: gives none if none is free and none may be opened, or if others stand in line
 */
typedef enum
{
  TALL_HBASE_WAIT,
  TALL_HBASE_TRY,
} TallHbaseLending;

typedef struct _TallHbasePool TallHbasePool;

TallHbasePool *tall_hbase_pool_new (const TallHbaseOptions *options,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_pool_wait_until_alive (TallHbasePool *self,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_pool_close (TallHbasePool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallHbasePool, tall_hbase_pool_close)

TallHbaseLink *tall_hbase_pool_take (TallHbasePool *self,
                                     TallHbaseLending lending,
                                     gint64 deadline,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_pool_give_back (TallHbasePool *self, TallHbaseLink *link);
void tall_hbase_pool_get_traffic (TallHbasePool *self, guint64 *n_sent, guint64 *n_received);
GPtrArray *tall_hbase_pool_describe (TallHbasePool *self, gint64 deadline);
void tall_hbase_pool_set_overloaded (TallHbasePool *self, GError **error);
guint tall_hbase_pool_count_alive (TallHbasePool *self);
const char *tall_hbase_pool_get_address (TallHbasePool *self, const TallHbaseLink *link);
const TallHbaseOptions *tall_hbase_pool_get_options (TallHbasePool *self);

G_END_DECLS
