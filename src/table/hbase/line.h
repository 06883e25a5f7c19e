/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/cell.h"
#include "table/hbase/reply.h"
#include "table/table.h"

G_BEGIN_DECLS

/* Rows of one getMultiple. Fewer rows lower the throughput, and more do not raise it. */
#define TALL_HBASE_MAX_GETS 128

/**
 * TallHbaseRowGet:
 * @read: says which cells
 * @key: of one row of it
 */
typedef struct
{
  const TallRead *read;
  TallSlice key;
} TallHbaseRowGet;

gsize tall_hbase_row_get_size (const TallHbaseRowGet *self);

gboolean tall_hbase_send_get (TallTransport *transport,
                              const char *table,
                              const TallHbaseRowGet *get,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_send_gets (TallTransport *transport,
                               const char *table,
                               const TallHbaseRowGet *gets,
                               guint n,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_hbase_send_scan (TallTransport *transport,
                               const char *table,
                               const TallRead *read,
                               TallSlice start,
                               guint n_rows,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Shares of one request. Of gets, fewer rows lower the throughput, and more do not raise it. */
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

void tall_hbase_share_end (TallHbaseShare *self, TallHbaseShareState state);

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

G_END_DECLS
