/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/reader.h"
#include "table/hbase/writer.h"

/* Shares of one request. */
#define TALL_HBASE_MAX_SHARES TALL_HBASE_MAX_GETS

/**
 * TallHbaseShareState:
 * @TALL_HBASE_SHARE_WAITING: in line
 * @TALL_HBASE_SHARE_LEADS: must find the connection for the shares in line
 * @TALL_HBASE_SHARE_TAKEN: in a request that is under way
 * @TALL_HBASE_SHARE_DONE: what was asked for is there, or done
 * @TALL_HBASE_SHARE_FAILED: there is an error
 * @TALL_HBASE_SHARE_ALONE: the request failed, perhaps because of another share
 *
 * The states of a share.
 */
typedef enum
{
  TALL_HBASE_SHARE_WAITING,
  TALL_HBASE_SHARE_LEADS,
  TALL_HBASE_SHARE_TAKEN,
  TALL_HBASE_SHARE_DONE,
  TALL_HBASE_SHARE_FAILED,
  TALL_HBASE_SHARE_ALONE,
} TallHbaseShareState;

/**
 * TallHbaseShare:
 *
 * One caller's share of a request: the get of a row, or some rows to write. It lies in the memory
 * of the thread that waits for it, as the first member of a struct that says what is asked for.
 */
typedef struct
{
  gint64 deadline; /* monotonic, in µs, as all times here */
  GError *error;   /* owned; %TALL_HBASE_SHARE_FAILED */

  gint64 since;        /* in line */
  gint64 sent;         /* when the first request with it had a connection */
  const char *gateway; /* of the request that it left with first; the pool's */
  GMutex mutex;        /* of @state; one for each share, as dozens are woken at once */
  GCond changed;
  TallHbaseShareState state; /* leaves WAITING with the line's mutex held as well */
} TallHbaseShare;

void tall_hbase_share_init (TallHbaseShare *self, gint64 deadline);
void tall_hbase_share_clear (TallHbaseShare *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseShare, tall_hbase_share_clear)

void tall_hbase_share_set (TallHbaseShare *self, TallHbaseShareState state);

/**
 * TallHbaseLine:
 *
 * Shares of requests to one table that wait to leave together. Decides which leaves when, and does
 * no I/O.
 * Threads: any.
 */
typedef struct _TallHbaseLine TallHbaseLine;

TallHbaseLine *tall_hbase_line_new (guint max_waiting, gint64 patience);
void tall_hbase_line_free (TallHbaseLine *self);

gboolean tall_hbase_line_is_crowded (TallHbaseLine *self, guint n_connections);
guint tall_hbase_line_count (TallHbaseLine *self);

TallHbaseShareState
tall_hbase_line_wait (TallHbaseLine *self, TallHbaseShare *share, guint n_gateways, gint64 limit);
guint tall_hbase_line_leave (TallHbaseLine *self, TallHbaseShare *leader, TallHbaseShare **shares);
void tall_hbase_line_resign (TallHbaseLine *self);
void tall_hbase_line_end (TallHbaseLine *self, guint n, gsize bytes);

/**
 * TallHbaseMerge:
 *
 * Small requests of many callers. Those of one line that find all connections busy leave together,
 * in one request on the next free connection. Threads: any.
 */
TallHbaseMerge *tall_hbase_merge_new (TallHbasePool *pool);
void tall_hbase_merge_free (TallHbaseMerge *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallHbaseMerge, tall_hbase_merge_free)

/**
 * TallHbaseShared:
 *
 * A request of several shares that is under way.
 */
typedef struct
{
  TallHbasePool *pool;
  TallHbaseShare *shares[TALL_HBASE_MAX_SHARES]; /* n of them */
  guint n;
  gint64 deadline; /* the earliest of them */
  gsize bytes;     /* set by run: of the request or its reply */
} TallHbaseShared;

/**
 * TallHbaseMergeKind:
 * @line: what the names of lines begin with: only shares of one kind stand in a line
 * @take: lends a connection, as tall_hbase_pool_take() does
 * @run: sends the request on @link, which goes back to the pool; gives each share what it asked
 * for. FALSE, even without @error: nobody has anything
 *
 * What is merged.
 */
typedef struct
{
  const char *line;
  TallHbaseLink *(*take) (TallHbasePool *pool,
                          TallHbaseLending lending,
                          gint64 deadline,
                          GError **error);
  gboolean (*run) (TallHbaseShared *shared, TallHbaseLink *link, GError **error);
} TallHbaseMergeKind;

gboolean tall_hbase_merge_join (TallHbaseMerge *self,
                                const TallHbaseMergeKind *kind,
                                const char *table,
                                TallHbaseShare *share,
                                gboolean is_small,
                                TallHbaseLink **link,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint tall_hbase_merge_count_waiting (TallHbaseMerge *self);

gboolean tall_hbase_merged_get (TallHbaseMerge *merge,
                                const TallRead *read,
                                gint64 deadline,
                                TallReadResult **result,
                                TallHbaseLink **link,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_hbase_apply (TallHbasePool *pool,
                           TallHbaseMerge *merge,
                           const TallHbaseWrite *write,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
