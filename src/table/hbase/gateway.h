/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/convert.h"
#include "table/table.h"
#include "wire/connection.h"

/**
 * TallHbaseLink:
 *
 * A connection to a gateway, used by one thread at a time.
 */
typedef struct
{
  TallTransport *connection;
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
                                     gboolean known,
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

/* Connections to one gateway. With its usual settings a gateway serves 16 at once; it accepts more,
 * but does not answer on them. Other programs need some as well. */
#define TALL_HBASE_MAX_CONNECTIONS 12

/**
 * TallHbasePhase:
 *
 * A gateway's state as people are shown it.
 */
typedef enum
{
  TALL_HBASE_ASKED, /* new or in doubt: it is being asked */
  TALL_HBASE_ALIVE, /* new connections may be opened */
  TALL_HBASE_ASIDE, /* did not answer as it should; it is asked again from time to time */
} TallHbasePhase;

/**
 * TallHbaseSilence:
 *
 * What is known about HBase behind a gateway.
 */
typedef enum
{
  TALL_HBASE_HEARD, /* calls are answered */
  TALL_HBASE_LATE,  /* a call had no answer */
  TALL_HBASE_MUTE,  /* the same, although the gateway itself answers */
} TallHbaseSilence;

typedef struct _TallHbasePool TallHbasePool;

/**
 * TallHbaseGateway:
 *
 * What the pool knows about one gateway. The pool's mutex protects all but @address, @pool and
 * @lost.
 */
typedef struct
{
  char *address;
  TallHbasePool *pool; /* that it belongs to */
  TallHbasePhase phase;
  gint64 since;     /* when its phase began: microseconds of g_get_real_time() */
  gboolean known;   /* it was alive before, so framing and protocol are right */
  gboolean failing; /* a call failed since it answered: kept connections may be dead, too */
  gboolean wanted;  /* a connection is to be opened, so that it gets its share of calls */
  guint n_doubts;   /* how often it ceased to be alive: earlier answers do not count */
  TallHbaseSilence hbase;
  gint64 pause;        /* microseconds between the last two times that it failed to answer */
  gint64 failed_until; /* monotonic; when it is asked again, unless it is asked at once */
  GError *reason;      /* why it is not alive; NULL: it was not asked yet */
  gint64 lost;         /* monotonic, of its thread alone: when it was set aside; 0: it was not */

  gboolean testing;  /* the self-test runs */
  gboolean tested;   /* it has passed */
  gboolean outdated; /* the running test does not count, as its table is new */
  gboolean refused;  /* it failed, and must pass before the gateway is used again */

  GQueue idle;       /* of TallHbaseLink; the one used last is at the head */
  guint n_open;      /* connections that are lent, idle or being opened */
  guint64 n_done;    /* connections that came back fit for the next caller */
  guint64 n_failed;  /* the same whose call failed, or had no answer */
  guint64 n_retries; /* as in TallTableServer, like … */
  TallTableMerged merged[TALL_TABLE_N_MERGED];
} TallHbaseGateway;

void tall_hbase_gateway_init (TallHbaseGateway *self, TallHbasePool *pool, const char *address);
void tall_hbase_gateway_clear (TallHbaseGateway *self);

TallHbaseLink *tall_hbase_gateway_take (TallHbaseGateway *self);
void tall_hbase_gateway_keep (TallHbaseGateway *self, TallHbaseLink *link);
gboolean tall_hbase_gateway_has_room (const TallHbaseGateway *self);
void tall_hbase_gateway_drop_idle (TallHbaseGateway *self);

gint64 tall_hbase_gateway_get_due (const TallHbaseGateway *self);
gboolean tall_hbase_gateway_note_answer (TallHbaseGateway *self, guint n_doubts, gboolean reached);
void tall_hbase_gateway_note_silence (TallHbaseGateway *self, const GError *reason);
void tall_hbase_gateway_note_doubt (TallHbaseGateway *self);
void tall_hbase_gateway_note_call (TallHbaseGateway *self, TallHbaseLink *link);
void tall_hbase_gateway_note_test (TallHbaseGateway *self, gboolean passed, const GError *reason);
