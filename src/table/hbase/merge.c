/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/merge.h"

#include "base/trace.h"
#include "table/hbase/reply.h"

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

/**
 * tall_hbase_share_set:
 * @state: %TALL_HBASE_SHARE_DONE; %TALL_HBASE_SHARE_FAILED, with @error set; or
 *   %TALL_HBASE_SHARE_ALONE, if it is not the line that sets it
 *
 * Lets the thread of a share go on, unless it is only taken. Once the share is done, has failed or
 * is alone, its memory may be gone.
 */
void
tall_hbase_share_set (TallHbaseShare *self, TallHbaseShareState state)
{
  g_mutex_lock (&self->mutex);
  self->state = state;
  if (state != TALL_HBASE_SHARE_TAKEN)
    g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
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
  tall_hbase_share_set (g_queue_pop_head (&self->shares), TALL_HBASE_SHARE_LEADS);
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
      g_mutex_lock (&self->mutex);
      find_leader (self);
      g_mutex_unlock (&self->mutex);
    }
  g_mutex_lock (&self->mutex);
  gboolean given_up = g_queue_remove (&self->shares, share);
  g_mutex_unlock (&self->mutex);
  if (given_up)
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
      tall_hbase_share_set (share, TALL_HBASE_SHARE_TAKEN);
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

struct _TallHbaseMerge
{
  TallHbasePool *pool; /* not owned */

  GMutex mutex;
  GHashTable *lines; /* of TallHbaseLine by the kind's name and the table's short name */
};

/* What a failed request means for one of its shares. Most errors may come from one row only, so
 * each caller sends its own if it has time; unless it would only hear the same: HBase has too much
 * to do, or the table is shut. */
static void
fail_share (TallHbaseShare *share, const GError *error)
{
  gboolean over = g_get_monotonic_time () >= share->deadline;
  gboolean failed = error != NULL
                    && (over || g_error_matches (error, TALL_ERROR, TALL_ERROR_OVERLOADED)
                        || g_error_matches (error, TALL_ERROR, TALL_ERROR_SHUT));
  if (failed)
    share->error = g_error_copy (error);
  tall_hbase_share_set (share, failed ? TALL_HBASE_SHARE_FAILED : TALL_HBASE_SHARE_ALONE);
}

/* Sends the shares of the leader and of those behind it on one connection. None of them is hasty,
 * so the earliest deadline leaves enough time for a call. The next request leaves before the
 * callers are woken, so that the gateway is not idle meanwhile. */
static void
send_together (TallHbaseMerge *self,
               const TallHbaseMergeKind *kind,
               TallHbaseLine *line,
               TallHbaseShare *leader,
               TallHbaseLink *link)
{
  g_autoptr (GError) error = NULL;
  TallHbaseShared shared = { .pool = self->pool, .deadline = TALL_NO_DEADLINE };
  shared.n = tall_hbase_line_leave (line, leader, shared.shares);
  for (guint i = 0; i < shared.n; i++)
    {
      TallHbaseShare *share = shared.shares[i];
      shared.deadline = MIN (shared.deadline, share->deadline);
      share->gateway = self->pool->gateways[link->gateway].address;
      share->sent = g_get_monotonic_time ();
    }
  gboolean ok = kind->run (&shared, link, &error);
  tall_hbase_line_end (line, shared.n, ok ? shared.bytes : 0);
  for (guint i = 0; i < shared.n; i++)
    if (ok)
      tall_hbase_share_set (shared.shares[i], TALL_HBASE_SHARE_DONE);
    else
      fail_share (shared.shares[i], error);
}

/* FALSE with @error set if it gets no answer; else its state says what it has. */
static gboolean
wait_in_line (TallHbaseMerge *self,
              const TallHbaseMergeKind *kind,
              TallHbaseLine *line,
              TallHbaseShare *share,
              guint n_gateways,
              GError **error)
{
  gint64 limit =
      g_get_monotonic_time () + self->pool->options.wait_timeout * G_TIME_SPAN_MILLISECOND;
  TallHbaseShareState state =
      tall_hbase_line_wait (line, share, n_gateways, MIN (limit, share->deadline));
  if (state == TALL_HBASE_SHARE_WAITING)
    {
      tall_hbase_pool_set_none_free (self->pool, error);
      return FALSE;
    }
  if (state != TALL_HBASE_SHARE_LEADS)
    tall_trace_add (share->gateway, g_get_monotonic_time () - share->sent);
  else
    {
      TallHbaseLink *link = kind->take (self->pool, TALL_HBASE_WAIT, share->deadline, error);
      if (link == NULL)
        {
          tall_hbase_line_resign (line);
          return FALSE;
        }
      send_together (self, kind, line, share, link);
    }
  if (share->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&share->error));
  return FALSE;
}

/* One that has less time than a call may take would cut short the others of its request. */
static gboolean
is_hasty (TallHbaseMerge *self, gint64 deadline)
{
  guint timeout = self->pool->options.call_timeout;
  return deadline < g_get_monotonic_time () + timeout * G_TIME_SPAN_MILLISECOND;
}

static TallHbaseLine *
get_line (TallHbaseMerge *self, const TallHbaseMergeKind *kind, const char *table)
{
  g_autofree char *name = g_strconcat (kind->line, table, NULL);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  TallHbaseLine *line = g_hash_table_lookup (self->lines, name);
  if (line == NULL)
    {
      const TallHbaseOptions *options = &self->pool->options;
      line =
          tall_hbase_line_new (options->max_waiting, options->patience * G_TIME_SPAN_MILLISECOND);
      g_hash_table_insert (self->lines, g_steal_pointer (&name), line);
    }
  return line;
}

/**
 * tall_hbase_merge_join:
 * @share: initialized; afterwards its state says what has become of it
 * @is_small: whether it may go with others: a gateway drops large requests
 * @link: (out) (nullable) (transfer full): a connection for a caller that goes alone, if there is
 * one
 *
 * Finds a connection for a share. If one is free and the line is not crowded, the caller gets it
 * and goes alone. Otherwise shares of the same line leave together in a request: the first in line
 * waits for a connection, the others wait for what they have asked for. If the request fails,
 * perhaps because of another share, all go alone. A caller with little time, or that asks for much,
 * goes alone at once.
 *
 * Returns: TRUE if it is done, by %TALL_HBASE_SHARE_DONE, or the caller has to go alone. FALSE with
 *   @error set if there is no connection in time, no gateway answers, or the answer is for all
 */
gboolean
tall_hbase_merge_join (TallHbaseMerge *self,
                       const TallHbaseMergeKind *kind,
                       const char *table,
                       TallHbaseShare *share,
                       gboolean is_small,
                       TallHbaseLink **link,
                       GError **error)
{
  TallHbaseLine *line = get_line (self, kind, table);
  guint n_gateways = MAX (tall_hbase_pool_count_alive (self->pool), 1);
  *link = NULL;
  if (!tall_hbase_line_is_crowded (line, n_gateways * TALL_HBASE_MAX_CONNECTIONS))
    *link = kind->take (self->pool, TALL_HBASE_TRY, share->deadline, NULL);
  return *link != NULL || !is_small || is_hasty (self, share->deadline)
         || wait_in_line (self, kind, line, share, n_gateways, error);
}

/**
 * tall_hbase_merge_count_waiting:
 *
 * Returns: shares that wait to be sent
 */
guint
tall_hbase_merge_count_waiting (TallHbaseMerge *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GHashTableIter iter;
  gpointer line;
  guint n = 0;
  g_hash_table_iter_init (&iter, self->lines);
  while (g_hash_table_iter_next (&iter, NULL, &line))
    n += tall_hbase_line_count (line);
  return n;
}

/**
 * tall_hbase_merge_new:
 * @pool: kept, not owned
 */
TallHbaseMerge *
tall_hbase_merge_new (TallHbasePool *pool)
{
  TallHbaseMerge *self = g_new0 (TallHbaseMerge, 1);
  self->pool = pool;
  self->lines =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)tall_hbase_line_free);
  g_mutex_init (&self->mutex);
  return self;
}

/**
 * tall_hbase_merge_free:
 *
 * Nobody may be waiting.
 */
void
tall_hbase_merge_free (TallHbaseMerge *self)
{
  if (self == NULL)
    return;

  g_hash_table_unref (self->lines);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* Bytes of one key with its qualifiers, so that a request stays far below 2 MB: a gateway drops
 * larger ones. */
#define MAX_GET 4096

/* The get of one row. */
typedef struct
{
  TallHbaseShare share;
  const TallRead *read;   /* not owned */
  TallReadResult *result; /* owned; its arena takes the row straight from the reply */
  TallRow row;            /* once it is done */
} Get;

static void
get_init (Get *self, const TallRead *read, gint64 deadline)
{
  tall_hbase_share_init (&self->share, deadline);
  self->read = read;
  self->result = tall_read_result_new (1);
  self->row = (TallRow){ 0 };
}

static void
get_clear (Get *self)
{
  tall_hbase_share_clear (&self->share);
  g_clear_pointer (&self->result, tall_read_result_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Get, get_clear)

static Get *
get_at (const TallHbaseShared *shared, guint i)
{
  return (Get *)shared->shares[i];
}

static gboolean
run_gets (TallHbaseShared *shared, TallHbaseLink *link, GError **error)
{
  g_autofree TallHbaseTogether *all = g_new (TallHbaseTogether, 1);
  all->n = shared->n;
  all->deadline = shared->deadline;
  for (guint i = 0; i < shared->n; i++)
    {
      Get *get = get_at (shared, i);
      all->gets[i] = (TallHbaseRowGet){ get->read, get->read->keys[0] };
      all->arenas[i] = get->result->arena;
    }
  link->n_merged[TALL_TABLE_MERGED_READS] = shared->n;
  if (!tall_hbase_read_together (all, shared->pool, link, error))
    return FALSE;
  for (guint i = 0; i < shared->n; i++)
    get_at (shared, i)->row = all->rows[i];
  shared->bytes = all->bytes;
  return TRUE;
}

/* The row of a get that is done, as what its plan found. */
static TallReadResult *
finish (Get *get)
{
  TallRows *rows = &get->result->results[0];
  if (get->row.n_cells > 0)
    {
      rows->rows = tall_arena_memdup (get->result->arena, &get->row, sizeof get->row);
      rows->n_rows = 1;
    }
  return g_steal_pointer (&get->result);
}

static gboolean
is_small (const TallRead *read)
{
  return tall_hbase_row_get_size (&(TallHbaseRowGet){ read, read->keys[0] }) <= MAX_GET;
}

/**
 * tall_hbase_merged_get:
 * @read: of one row
 * @result: (out) (nullable) (transfer full): what was found; NULL: the caller has to read by itself
 * @link: (out) (nullable) (transfer full): a connection for that, if there is one
 *
 * Gets a row together with those that others want of the same table, if no connection is free for
 * it alone. Each row is read straight into its caller's result.
 *
 * Returns: FALSE with @error set like tall_hbase_merge_join()
 */
gboolean
tall_hbase_merged_get (TallHbaseMerge *merge,
                       const TallRead *read,
                       gint64 deadline,
                       TallReadResult **result,
                       TallHbaseLink **link,
                       GError **error)
{
  static const TallHbaseMergeKind kind = { "get ", tall_hbase_pool_take, run_gets };
  g_auto (Get) get;
  get_init (&get, read, deadline);
  *result = NULL;
  if (!tall_hbase_merge_join (merge, &kind, read->table, &get.share, is_small (read), link, error))
    return FALSE;
  if (get.share.state == TALL_HBASE_SHARE_DONE)
    *result = finish (&get);
  return TRUE;
}

/* Bytes of a caller's rows that go with those of others: those of a usual order, not of a load's
 * batch, which is a large request by itself. */
#define MAX_WRITE (32 * 1024)

/* The rows that one caller writes. */
typedef struct
{
  TallHbaseShare share;
  const TallHbaseWrite *write; /* not owned */
  gsize size;                  /* bytes, about */
} Write;

static Write *
write_at (const TallHbaseShared *shared, guint i)
{
  return (Write *)shared->shares[i];
}

/* All rows of all callers. Two may write the same row, in any order, as if each went alone. */
static gboolean
run_writes (TallHbaseShared *shared, TallHbaseLink *link, GError **error)
{
  g_autoptr (GPtrArray) mutations = g_ptr_array_new ();
  for (guint i = 0; i < shared->n; i++)
    {
      const Write *self = write_at (shared, i);
      for (guint k = 0; k < self->write->n; k++)
        g_ptr_array_add (mutations, self->write->mutations[k]);
      shared->bytes += self->size;
    }
  const TallHbaseWrite all = { .mutations = (TallMutation *const *)mutations->pdata,
                               .n = mutations->len,
                               .deadline = shared->deadline,
                               .divisible = TRUE };
  link->n_merged[TALL_TABLE_MERGED_WRITES] = mutations->len;
  return tall_hbase_writer_send (shared->pool, link, &all, error);
}

/* Sums up what the rows take in a request. Rows with puts and deletes need a call each. */
static gboolean
measure (
    TallHbasePool *pool, const TallHbaseWrite *write, gsize *size, gboolean *simple, GError **error)
{
  *size = 0;
  *simple = TRUE;
  for (guint i = 0; i < write->n; i++)
    {
      gsize row;
      if (!tall_hbase_writer_measure (pool, write->mutations[i], &row, error))
        return FALSE;
      *size += row;
      *simple = *simple && tall_hbase_writer_is_simple (write->mutations[i]);
    }
  return TRUE;
}

/**
 * tall_hbase_apply:
 * @write: at least one row
 *
 * Implements apply. The rows of a caller that finds all connections busy leave with those of others
 * whose first row is of the same table. If that request fails, each sends its own: all timestamps
 * are explicit, so that nothing is done twice.
 */
gboolean
tall_hbase_apply (TallHbasePool *pool,
                  TallHbaseMerge *merge,
                  const TallHbaseWrite *write,
                  GError **error)
{
  static const TallHbaseMergeKind kind = { "write ", tall_hbase_pool_take_to_write, run_writes };
  Write own = { .write = write };
  TallHbaseLink *link;
  gboolean simple;
  if (!measure (pool, write, &own.size, &simple, error))
    return FALSE;
  tall_hbase_share_init (&own.share, write->deadline);
  gboolean joined = tall_hbase_merge_join (merge, &kind, write->mutations[0]->table, &own.share,
                                           simple && own.size <= MAX_WRITE, &link, error);
  gboolean is_done = own.share.state == TALL_HBASE_SHARE_DONE;
  tall_hbase_share_clear (&own.share);
  if (!joined)
    return FALSE;
  return is_done || tall_hbase_writer_send (pool, link, write, error);
}
