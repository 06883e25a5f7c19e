/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/convert.h"
#include "table/hbase/pool.h"

typedef struct _TallHbaseCall TallHbaseCall;

/**
 * TallHbaseCall:
 *
 * One request to a gateway and its answer. It is the first member of a struct of the caller's.
 */
struct _TallHbaseCall
{
  gboolean (*send) (TallHbaseCall *self, TallTransport *transport, GError **error);
  gboolean (*receive) (TallHbaseCall *self,
                       TallTransport *transport,
                       TallHbaseTIOError **io,
                       GError **error);
  const char *table;  /* short name; NULL if the call is not about the rows of a table */
  gboolean harmless;  /* may be sent more than once */
  gboolean writes;    /* rows: its gateway must have passed the self-test */
  gboolean divisible; /* if there is no answer in time, it is not repeated but split */
  gboolean slow;      /* takes long, as calls on tables do */
  gboolean again;     /* set by receive: there is more to ask, with another request */
  gboolean done;      /* answered, for the last time */

  guint tries; /* used by tall_hbase_run(): how often it was sent */
};

gboolean tall_hbase_run (TallHbasePool *pool,
                         TallHbaseCall *const *calls,
                         guint n,
                         gint64 deadline,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_run_on (TallHbasePool *pool,
                            TallHbaseLink *link,
                            TallHbaseCall *const *calls,
                            guint n,
                            gint64 deadline,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallHbaseRequest:
 *
 * What calls on a table send and receive. They are made one after the other.
 */
typedef struct
{
  TallHbaseCall call;
  TallHbasePool *pool;
  const char *table; /* short name; nullable */
  TallArena *arena;  /* of all that is sent and received */
  TallHbaseMethodId method;
  TallHbaseArgs args;     /* @name and @table are set already */
  TallHbaseResult result; /* of the last call; and what it listed: */
  GPtrArray *starts;      /* of GBytes: where regions start, without those that have no start */
  GArray *found;          /* of TallHbaseTTableName */
  gboolean is_unplaced;   /* the last call failed as a region of the table has no server yet */
} TallHbaseRequest;

TallHbaseRequest tall_hbase_request (TallHbasePool *pool, const char *table);
void tall_hbase_request_clear (TallHbaseRequest *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseRequest, tall_hbase_request_clear)

gboolean tall_hbase_request_run (TallHbaseRequest *self,
                                 TallHbaseMethodId method,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
