/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/gateway.h"
#include "table/hbase/convert.h"
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

struct _TallHbasePool
{
  TallHbaseOptions options;
  TallHbaseNames names;
  TallWireOptions wire;
  gint n_users; /* atomic: its owner, and threads that watch a gateway */

  GMutex mutex;
  gboolean closed;
  GCond changed;              /* the state of a gateway, or @closed */
  GQueue waiting;             /* of TallHbaseWaiter, not owned; the first to come is at the head */
  guint64 last_ticket;        /* that a caller got */
  TallHbaseGateway *gateways; /* n_gateways of them */
  guint n_gateways;
  guint next;     /* whose turn it is */
  char *owner;    /* of self-tests: its alone */
  guint64 n_sent; /* bytes, by connections that were given back */
  guint64 n_received;
};

/* The earlier of @deadline and some time from now. */
static inline gint64
tall_hbase_limit (gint64 duration, gint64 deadline)
{
  return MIN (g_get_monotonic_time () + duration, deadline);
}

/**
 * TallHbaseWaiter:
 *
 * A caller in line, in its own memory.
 */
typedef struct
{
  GCond called;
  guint64 ticket;      /* the smaller one came first; 0: none yet */
  gboolean is_called;  /* it has left the line: it has a connection, or must look again */
  TallHbaseLink *link; /* nullable */
} TallHbaseWaiter;

void tall_hbase_callers_call (TallHbasePool *self, guint n);

/* The gateways of a pool together. Callers use them, and so do the threads that watch them. */

TallHbasePool *tall_hbase_gateways_new (const TallHbaseOptions *options,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_gateways_leave (TallHbasePool *self);

G_END_DECLS
