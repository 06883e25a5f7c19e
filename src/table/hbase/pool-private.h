/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/names.h"
#include "table/hbase/pool.h"

G_BEGIN_DECLS

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

G_END_DECLS
