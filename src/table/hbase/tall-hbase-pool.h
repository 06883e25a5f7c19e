/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-connection.h"
#include "tall-hbase-table.h"
#include "tall-hbase-types.h"

G_BEGIN_DECLS

/**
 * TallHbaseLink:
 *
 * A connection to a gateway, lent by the pool to one thread.
 */
typedef struct
{
  TallConnection *connection;
  HbGatewayClient *client;
  guint gateway;     /* position in the pool */
  gint64 idle_since; /* while it is not lent */
  gboolean kept;     /* was used before, so the gateway may have closed it meanwhile */
} TallHbaseLink;

/**
 * TallHbaseLending:
 * @TALL_HBASE_WAIT: waits until a connection is free
 * @TALL_HBASE_TRY: gives none if none is free and none may be opened
 * @TALL_HBASE_FRESH: opens a new one; waits as well
 */
typedef enum
{
  TALL_HBASE_WAIT,
  TALL_HBASE_TRY,
  TALL_HBASE_FRESH,
} TallHbaseLending;

typedef struct _TallHbasePool TallHbasePool;

TallHbasePool *tall_hbase_pool_new (const TallHbaseOptions *options,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_pool_free (TallHbasePool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallHbasePool, tall_hbase_pool_free)

TallHbaseLink *tall_hbase_pool_take (TallHbasePool *self,
                                     TallHbaseLending lending,
                                     gint64 deadline,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_pool_give_back (TallHbasePool *self, TallHbaseLink *link);
const TallHbaseOptions *tall_hbase_pool_get_options (TallHbasePool *self);

static inline HbGatewayIf *
tall_hbase_link_get_client (TallHbaseLink *link)
{
  return HB_GATEWAY_IF (link->client);
}

G_END_DECLS
