/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/connection.h"
#include "table/hbase/names.h"
#include "table/table.h"

G_BEGIN_DECLS

/**
 * TallHbaseLink:
 *
 * A connection to a gateway, used by one thread at a time.
 */
typedef struct
{
  TallConnection *connection;
  guint gateway;     /* position in the pool */
  gint64 idle_since; /* while it is not lent */
  gboolean late;     /* its call had no answer in time */
  gboolean hurried;  /* its caller had less time for the call than the pool gives */
  guint n_merged[TALL_TABLE_N_MERGED]; /* rows of the request of several callers that it is lent
                                        * for; 0: of one */
  guint n_retries; /* of its calls, while it is lent, that are sent again because they failed */
} TallHbaseLink;

TallHbaseLink *tall_hbase_link_open (const char *address,
                                     const TallWireOptions *wire,
                                     gint64 deadline,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_link_free (TallHbaseLink *self);
gboolean tall_hbase_link_ask (TallHbaseLink *self,
                              TallHbaseMethodId question,
                              const TallHbaseNames *names,
                              const char *table,
                              gboolean *answer,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallHbaseLink, tall_hbase_link_free)

static inline TallTransport *
tall_hbase_link_get_transport (TallHbaseLink *self)
{
  return tall_connection_get_transport (self->connection);
}

G_END_DECLS
