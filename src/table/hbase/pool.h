/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/gateway.h"
#include "table/hbase/convert.h"
#include "table/hbase/table.h"

/**
 * TallHbaseLending:
 *
 * What a caller does if no connection is free and none may be opened, or if others stand in line.
 */
typedef enum
{
  TALL_HBASE_WAIT, /* stands in line */
  TALL_HBASE_TRY,  /* goes without */
} TallHbaseLending;

/**
 * TallHbasePool:
 *
 * The connections to all gateways of an HBase. Its threads ask the gateways, one thread each.
 * Threads: any.
 */
struct _TallHbasePool
{
  TallHbaseOptions options; /* without @gateways and @name */
  TallHbaseNames names;
  TallWireOptions wire;
  gint n_users; /* atomic: its owner, and its threads */

  GMutex mutex;
  gboolean closed;
  GCond changed;              /* the state of a gateway, or @closed */
  GQueue waiting;             /* callers in line, in their own memory; the first is at the head */
  TallHbaseGateway *gateways; /* n_gateways of them */
  guint n_gateways;
  guint next;     /* whose turn it is */
  char *owner;    /* of self-tests: its alone */
  guint64 n_sent; /* bytes, by connections that were given back */
  guint64 n_received;
};

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
TallHbaseLink *tall_hbase_pool_take_to_write (TallHbasePool *self,
                                              TallHbaseLending lending,
                                              gint64 deadline,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_pool_give_back (TallHbasePool *self, TallHbaseLink *link);
gboolean tall_hbase_pool_test_again (TallHbasePool *self,
                                     gint64 deadline,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

void tall_hbase_pool_get_traffic (TallHbasePool *self, guint64 *n_sent, guint64 *n_received);
GPtrArray *tall_hbase_pool_describe (TallHbasePool *self, gint64 deadline);
void tall_hbase_pool_set_none_free (TallHbasePool *self, GError **error);
void tall_hbase_pool_explain (TallHbasePool *self, GError **reason);
guint tall_hbase_pool_count_alive (TallHbasePool *self);

/* The table of the test's row: the first one that a deployment has. */
#define TALL_HBASE_SELF_TEST_TABLE "meta"

gboolean tall_hbase_self_test (TallHbaseLink *link,
                               const TallHbaseNames *names,
                               const char *owner,
                               gint64 deadline,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
