/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/line.h"

#include "table/hbase/convert.h"

/* Room for the columns of a usual request. */
#define USUAL_SIZE 4096

/* Reads of the same cells share what says so. */
static void
init_gets (TallHbaseTGet *self, const TallHbaseRowGet *gets, guint n, TallArena *arena)
{
  for (guint i = 0; i < n; i++)
    {
      if (i == 0 || gets[i].read != gets[i - 1].read)
        tall_hbase_t_get_init (&self[i], gets[i].read, gets[i].key, arena);
      else
        {
          self[i] = self[i - 1];
          self[i].row = gets[i].key;
        }
    }
}

/**
 * tall_hbase_row_get_size:
 *
 * Returns: about the bytes that it takes in a request
 */
gsize
tall_hbase_row_get_size (const TallHbaseRowGet *self)
{
  gsize size = 64 + self->key.len;
  for (guint i = 0; i < self->read->n_qualifiers; i++)
    size += 32 + self->read->qualifiers[i].len;
  return size;
}

/**
 * tall_hbase_send_get:
 * @table: with its name in HBase
 *
 * Sends a `get`.
 */
gboolean
tall_hbase_send_get (TallTransport *transport,
                     const char *table,
                     const TallHbaseRowGet *get,
                     GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseTGet sent;
  tall_hbase_t_get_init (&sent, get->read, get->key, arena);
  TallHbaseArgs args = { .table = tall_slice_str (table), .get = &sent };
  return tall_hbase_send (transport, TALL_HBASE_GET, &args, error);
}

/**
 * tall_hbase_send_gets:
 * @table: with its name in HBase
 * @gets: @n of them, each with columns, versions and times of its own
 *
 * Sends a `getMultiple`.
 */
gboolean
tall_hbase_send_gets (TallTransport *transport,
                      const char *table,
                      const TallHbaseRowGet *gets,
                      guint n,
                      GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (USUAL_SIZE);
  TallHbaseTGet *sent = tall_arena_newa0 (arena, TallHbaseTGet, n);
  init_gets (sent, gets, n, arena);
  TallHbaseArgs args = { .table = tall_slice_str (table), .gets = sent, .n_gets = n };
  return tall_hbase_send (transport, TALL_HBASE_GET_MULTIPLE, &args, error);
}

/**
 * tall_hbase_send_scan:
 * @table: with its name in HBase
 * @start: where to begin instead of at the beginning of @read
 * @n_rows: rows at most
 *
 * Sends a `getScannerResults`: one page of a scan.
 */
gboolean
tall_hbase_send_scan (TallTransport *transport,
                      const char *table,
                      const TallRead *read,
                      TallSlice start,
                      guint n_rows,
                      GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseTScan scan;
  tall_hbase_t_scan_init (&scan, read, start, n_rows, arena);
  TallHbaseArgs args = { .table = tall_slice_str (table), .scan = &scan, .n_rows = (gint32)n_rows };
  return tall_hbase_send (transport, TALL_HBASE_GET_SCANNER_RESULTS, &args, error);
}

/* Bytes of one request or its reply, estimated from the earlier shares of that line. */
#define MAX_BYTES (8 * 1024 * 1024)
/* Bytes of a share while nothing is known: an order may take a megabyte. */
#define FIRST_GUESS (256 * 1024)
/* Requests of one line that are under way at a time, for each gateway. With more requests each
 * would have fewer shares. */
#define MAX_MERGED 2

struct _TallHbaseLine
{
  guint max_waiting;
  gint64 patience;

  GMutex mutex;
  GQueue shares;      /* of TallHbaseShare, not owned; the first to come is at the head */
  guint n_leaders;    /* that look for a connection; out of the queue */
  gint64 last_leader; /* when the last of them was chosen */
  guint n_gateways;   /* alive, when the last share came */
  guint n_merged;     /* requests under way */
  guint crowd;        /* shares of the largest recent request */
  gsize share_bytes;  /* of a share, about; 0: not known */
};

void
tall_hbase_share_init (TallHbaseShare *self, gint64 deadline)
{
  *self = (TallHbaseShare){ .deadline = deadline };
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
}

void
tall_hbase_share_clear (TallHbaseShare *self)
{
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_clear_error (&self->error);
}

static void
set_state (TallHbaseShare *share, TallHbaseShareState state)
{
  g_mutex_lock (&share->mutex);
  share->state = state;
  if (state != TALL_HBASE_SHARE_TAKEN)
    g_cond_signal (&share->changed);
  g_mutex_unlock (&share->mutex);
}

/* Returns: what it is now; still @from if @limit has passed. */
static TallHbaseShareState
wait_for_change (TallHbaseShare *share, TallHbaseShareState from, gint64 limit)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&share->mutex);
  gboolean in_time = TRUE;
  while (share->state == from && in_time)
    in_time = g_cond_wait_until (&share->changed, &share->mutex, limit);
  return share->state;
}

/**
 * tall_hbase_share_end:
 * @state: %TALL_HBASE_SHARE_DONE; %TALL_HBASE_SHARE_FAILED, with @error set; or
 *   %TALL_HBASE_SHARE_ALONE
 *
 * Lets the thread of a share that was taken go on. From then on the share's memory may be gone.
 */
void
tall_hbase_share_end (TallHbaseShare *self, TallHbaseShareState state)
{
  set_state (self, state);
}

static guint
max_shares (const TallHbaseLine *self)
{
  gsize share = self->share_bytes == 0 ? FIRST_GUESS : self->share_bytes;
  return (guint)CLAMP (MAX_BYTES / share, 1, TALL_HBASE_MAX_SHARES);
}

/* One request for each gateway is under way at a time, so that callers that return from it can join
 * the next one. A second leaves only if it is as large as the first; a full one always leaves. */
static gboolean
may_leave (const TallHbaseLine *self)
{
  guint n = self->shares.length;
  return self->n_merged < self->n_gateways || n >= max_shares (self)
         || (n >= self->crowd && self->n_merged < MAX_MERGED * self->n_gateways);
}

/* Neither requests under way nor leaders that look for a connection may hold up the others: their
 * gateway may be slow or dead. But if all connections are busy, more leaders only make requests
 * smaller. */
static gboolean
is_impatient (const TallHbaseLine *self)
{
  if (self->n_leaders > self->n_gateways)
    return FALSE;
  const TallHbaseShare *first = self->shares.head->data;
  return g_get_monotonic_time () - MAX (first->since, self->last_leader) >= self->patience;
}

/* Makes the first in line a leader, if it is time. Called with the mutex held. */
static void
find_leader (TallHbaseLine *self)
{
  if (self->shares.length == 0
      || !((self->n_leaders == 0 && may_leave (self)) || is_impatient (self)))
    return;
  self->n_leaders++;
  self->last_leader = g_get_monotonic_time ();
  set_state (g_queue_pop_head (&self->shares), TALL_HBASE_SHARE_LEADS);
}

static gboolean
join (TallHbaseLine *self, TallHbaseShare *share, guint n_gateways)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (self->shares.length + self->n_leaders >= self->max_waiting)
    return FALSE;
  self->n_gateways = n_gateways;
  share->since = g_get_monotonic_time ();
  g_queue_push_tail (&self->shares, share);
  find_leader (self);
  return TRUE;
}

static void
look_again (TallHbaseLine *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  find_leader (self);
}

static TallHbaseShareState
get_state (TallHbaseShare *share)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&share->mutex);
  return share->state;
}

/* FALSE: it was taken or made to lead. */
static gboolean
give_up (TallHbaseLine *self, TallHbaseShare *share)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return get_state (share) == TALL_HBASE_SHARE_WAITING && g_queue_remove (&self->shares, share);
}

/**
 * tall_hbase_line_wait:
 * @n_gateways: that are alive; at least 1
 * @limit: how long to stand in line
 *
 * Joins the line and waits until another's request has done it.
 *
 * Returns: %TALL_HBASE_SHARE_DONE; %TALL_HBASE_SHARE_FAILED; %TALL_HBASE_SHARE_ALONE: to be sent by
 *   itself; %TALL_HBASE_SHARE_LEADS: must look for a connection and then call
 * tall_hbase_line_leave() or tall_hbase_line_resign(); %TALL_HBASE_SHARE_WAITING: the line is full,
 * or @limit has passed
 */
TallHbaseShareState
tall_hbase_line_wait (TallHbaseLine *self, TallHbaseShare *share, guint n_gateways, gint64 limit)
{
  if (!join (self, share, n_gateways))
    return TALL_HBASE_SHARE_WAITING;

  /* Every thread in line checks now and then whether the first may leave: often at first, then
   * rarely. */
  for (gint64 pause = self->patience;; pause *= 2)
    {
      gint64 until = MIN (limit, g_get_monotonic_time () + pause);
      if (wait_for_change (share, TALL_HBASE_SHARE_WAITING, until) != TALL_HBASE_SHARE_WAITING
          || until == limit)
        break;
      look_again (self);
    }
  if (give_up (self, share))
    return TALL_HBASE_SHARE_WAITING;
  /* Its request ends by itself, whatever happens. */
  return wait_for_change (share, TALL_HBASE_SHARE_TAKEN, TALL_NO_DEADLINE);
}

/**
 * tall_hbase_line_leave:
 * @leader: one that leads
 * @shares: (out caller-allocates): %TALL_HBASE_MAX_SHARES
 *
 * The leader and the first shares in line leave, in a request that is under way from now on.
 *
 * Returns: how many
 */
guint
tall_hbase_line_leave (TallHbaseLine *self, TallHbaseShare *leader, TallHbaseShare **shares)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  guint max = max_shares (self);
  guint n = 0;
  TallHbaseShare *share = leader;

  while (share != NULL)
    {
      set_state (share, TALL_HBASE_SHARE_TAKEN);
      shares[n++] = share;
      share = n < max ? g_queue_pop_head (&self->shares) : NULL;
    }
  self->crowd = MAX (n, self->crowd - self->crowd / 4);
  self->n_merged++;
  self->n_leaders--;
  find_leader (self);
  return n;
}

/**
 * tall_hbase_line_resign:
 *
 * A leader found no connection. Another share becomes the leader.
 */
void
tall_hbase_line_resign (TallHbaseLine *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_leaders--;
  find_leader (self);
}

/**
 * tall_hbase_line_end:
 * @n: shares of the request
 * @bytes: of it or of its reply; 0: it failed
 *
 * Notes that a request is no longer under way.
 */
void
tall_hbase_line_end (TallHbaseLine *self, guint n, gsize bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gsize share = bytes / n + 1;
  if (bytes > 0)
    self->share_bytes = self->share_bytes == 0 ? share : (self->share_bytes + share) / 2;
  self->n_merged--;
  find_leader (self);
}

/**
 * tall_hbase_line_is_crowded:
 * @n_connections: that there may be
 *
 * Returns: whether a share has to expect others of the same line: some wait already, or a recent
 *   request had as many as there are connections, and its callers are about to come back. A
 *   large request is forgotten within a few requests
 */
gboolean
tall_hbase_line_is_crowded (TallHbaseLine *self, guint n_connections)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->shares.length > 0 || self->crowd >= n_connections;
}

/**
 * tall_hbase_line_count:
 *
 * Returns: shares that wait to be sent
 */
guint
tall_hbase_line_count (TallHbaseLine *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->shares.length + self->n_leaders;
}

/**
 * tall_hbase_line_new:
 * @max_waiting: shares in line
 * @patience: in µs; a share that has waited for so long leaves, whatever the shares before it do
 */
TallHbaseLine *
tall_hbase_line_new (guint max_waiting, gint64 patience)
{
  TallHbaseLine *self = g_new0 (TallHbaseLine, 1);
  self->max_waiting = max_waiting;
  self->patience = patience;
  self->n_gateways = 1;
  g_mutex_init (&self->mutex);
  g_queue_init (&self->shares);
  return self;
}

/**
 * tall_hbase_line_free:
 *
 * Nobody may be in line.
 */
void
tall_hbase_line_free (TallHbaseLine *self)
{
  g_mutex_clear (&self->mutex);
  g_free (self);
}
