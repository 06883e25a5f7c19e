/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-link.h"

G_BEGIN_DECLS

/* Connections to one gateway. With its usual settings a gateway serves 16 at once; it accepts more,
 * but does not answer on them. Other programs need some as well. */
#define TALL_HBASE_MAX_CONNECTIONS 12

/**
 * TallHbaseGatewayState:
 * @TALL_HBASE_GATEWAY_ASKED: new or in doubt: it is being asked
 * @TALL_HBASE_GATEWAY_ALIVE: new connections may be opened
 * @TALL_HBASE_GATEWAY_ASIDE: did not answer as it should; it is asked again from time to time
 */
typedef enum
{
  TALL_HBASE_GATEWAY_ASKED,
  TALL_HBASE_GATEWAY_ALIVE,
  TALL_HBASE_GATEWAY_ASIDE,
} TallHbaseGatewayState;

/**
 * TallHbaseGateway:
 *
 * What the pool knows about one gateway. The pool's mutex protects all but @address.
 */
typedef struct
{
  char *address;
  TallHbaseGatewayState state;
  gboolean known;   /* it was alive once, so framing and protocol are right */
  gint tested;      /* atomic: the HBase behind it does what writes rely on */
  gboolean busy;    /* it is just being tested for that */
  gboolean refused; /* it does not; it must pass the test before it is used again */
  gboolean suspect; /* a call failed: kept connections may be dead too, so none is lent */
  gboolean stalled; /* calls had no answer in time: no turn while others do better */
  gboolean wanted;  /* it had no connection for its turn: its thread is to open one */
  gboolean watched; /* it has a thread that asks it */
  GError *reason;   /* why it is not alive; NULL: it was not asked yet */
  gint64 since;     /* when @state began: microseconds of g_get_real_time() */
  gint64 lost;      /* when it was set aside (monotonic clock); 0: it was not; used by its watch */
  gint64 pause;     /* microseconds until it is asked again, once it is set aside */
  gboolean mute;    /* stalled, but it has answered since: HBase behind it does not answer */
  GQueue idle;      /* of TallHbaseLink; the one used last is at the head */
  guint n_open;     /* connections that are lent, idle or being opened */
} TallHbaseGateway;

void tall_hbase_gateway_init (TallHbaseGateway *self, const char *address);
void tall_hbase_gateway_clear (TallHbaseGateway *self);

TallHbaseLink *tall_hbase_gateway_take (TallHbaseGateway *self);
void tall_hbase_gateway_keep (TallHbaseGateway *self, TallHbaseLink *link);
gboolean tall_hbase_gateway_has_room (const TallHbaseGateway *self);
void tall_hbase_gateway_drop_idle (TallHbaseGateway *self);

void tall_hbase_gateway_doubt (TallHbaseGateway *self);
void tall_hbase_gateway_set_alive (TallHbaseGateway *self);
void tall_hbase_gateway_set_reaching (TallHbaseGateway *self, gboolean reaching);
gboolean tall_hbase_gateway_is_to_be_asked (const TallHbaseGateway *self);
void tall_hbase_gateway_set_aside (TallHbaseGateway *self, const GError *reason);

G_END_DECLS
