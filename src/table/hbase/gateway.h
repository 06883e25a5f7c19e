/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/health.h"
#include "table/hbase/convert.h"
#include "table/table.h"
#include "wire/connection.h"

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

/* Connections to one gateway. With its usual settings a gateway serves 16 at once; it accepts more,
 * but does not answer on them. Other programs need some as well. */
#define TALL_HBASE_MAX_CONNECTIONS 12

/**
 * TallHbaseGateway:
 *
 * What the pool knows about one gateway. The pool's mutex protects all but @address.
 */
typedef struct
{
  char *address;
  TallHbaseHealth health; /* changed by tall_hbase_gateway_note() only */
  GError *reason;         /* why it is not alive; NULL: it was not asked yet */
  gint64 since;           /* when its phase began: microseconds of g_get_real_time() */
  gint64 lost;       /* when it was set aside (monotonic clock); 0: it was not; used by its watch */
  gint64 pause;      /* microseconds until it is asked again, once it is set aside */
  GQueue idle;       /* of TallHbaseLink; the one used last is at the head */
  guint n_open;      /* connections that are lent, idle or being opened */
  guint64 n_done;    /* connections that came back fit for the next caller */
  guint64 n_failed;  /* the same whose call failed, or had no answer */
  guint64 n_retries; /* as in TallTableServer, like … */
  TallTableMerged merged[TALL_TABLE_N_MERGED];
} TallHbaseGateway;

void tall_hbase_gateway_init (TallHbaseGateway *self, const char *address);
void tall_hbase_gateway_clear (TallHbaseGateway *self);

void tall_hbase_gateway_count (TallHbaseGateway *self, TallHbaseLink *link);
TallHbaseLink *tall_hbase_gateway_take (TallHbaseGateway *self);
void tall_hbase_gateway_keep (TallHbaseGateway *self, TallHbaseLink *link);
gboolean tall_hbase_gateway_has_room (const TallHbaseGateway *self);
void tall_hbase_gateway_drop_idle (TallHbaseGateway *self);

TallHbaseActions
tall_hbase_gateway_note (TallHbaseGateway *self, TallHbaseEvent event, const GError *reason);

G_END_DECLS
