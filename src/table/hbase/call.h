/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/convert.h"
#include "table/hbase/pool.h"

typedef struct _TallHbaseCall TallHbaseCall;

/**
 * TallHbaseCall:
 *
 * One request to a gateway and its answer. It may be the first member of a struct of the caller's.
 */
struct _TallHbaseCall
{
  TallHbaseMethodId method;
  TallHbaseArgs args; /* points to what lives as long as the call */
  const char *table; /* short name; NULL: it is on tables, not on the rows of one, and takes long */
  gboolean divisible; /* if there is no answer in time, it is not repeated but split */

  /* What takes the answer: @receive if it is set, else @reply, of at most @max_rows rows, if that
   * is, else @result. */
  gboolean (*receive) (TallHbaseCall *self,
                       TallTransport *transport,
                       TallHbaseTIOError **io,
                       GError **error);
  TallHbaseReply *reply;
  guint max_rows;
  TallArena *arena; /* of the result */
  TallHbaseResult result;

  gboolean again; /* set by receive: there is more to ask, with other arguments */
  gboolean done;  /* answered, for the last time */
  guint tries;    /* used by tall_hbase_run(): how often it was sent */
};

gboolean tall_hbase_run (TallHbasePool *pool,
                         TallHbaseLink *link,
                         TallHbaseCall *const *calls,
                         guint n,
                         gint64 deadline,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_run_one (TallHbasePool *pool,
                             TallHbaseCall *call,
                             gint64 deadline,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallHbaseRequest:
 *
 * What calls on a table send and receive. They are made one after the other.
 */
typedef struct
{
  TallHbaseCall call; /* @name and @table of its arguments are set already; its arena is that of all
                       * that is sent and received */
  TallHbasePool *pool;
  const char *table;    /* short name; nullable */
  GPtrArray *starts;    /* of GBytes: where regions start, without those that have no start */
  GArray *found;        /* of TallHbaseTTableName: what the last call has listed */
  gboolean is_unplaced; /* the last call failed as a region of the table has no server yet */
} TallHbaseRequest;

TallHbaseRequest tall_hbase_request (TallHbasePool *pool, const char *table);
void tall_hbase_request_clear (TallHbaseRequest *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseRequest, tall_hbase_request_clear)

gboolean tall_hbase_request_run (TallHbaseRequest *self,
                                 TallHbaseMethodId method,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
