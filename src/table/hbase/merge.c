/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/merge.h"

#include "base/trace.h"
#include "table/hbase/line.h"
#include "table/hbase/reply.h"
#include "table/hbase/watch.h"

struct _TallHbaseMerge
{
  TallHbasePool *pool;         /* not owned */
  const TallHbaseNames *names; /* not owned */

  GMutex mutex;
  GHashTable *lines; /* of TallHbaseLine by the kind's name and the table's short name */
};

/* None of the shares is hasty, so the earliest deadline leaves enough time for a call. */
static gint64
find_deadline (const TallHbaseShared *shared)
{
  gint64 deadline = TALL_NO_DEADLINE;
  for (guint i = 0; i < shared->n; i++)
    deadline = MIN (deadline, shared->shares[i]->deadline);
  return deadline;
}

/* Whether each share would only hear the same: HBase has too much to do, or the table is shut. */
static gboolean
is_for_all (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_OVERLOADED)
         || g_error_matches (error, TALL_ERROR, TALL_ERROR_SHUT);
}

/* What a failed request means for one of its shares. Most errors may come from one row only, so
 * each caller sends its own if it has time. */
static void
fail_share (TallHbaseShare *share, const GError *error)
{
  gboolean over = g_get_monotonic_time () >= share->deadline;
  gboolean failed = error != NULL && (over || is_for_all (error));
  if (failed)
    share->error = g_error_copy (error);
  tall_hbase_share_end (share, failed ? TALL_HBASE_SHARE_FAILED : TALL_HBASE_SHARE_ALONE);
}

/* Sends the shares of the leader and of those behind it on one connection. The next request leaves
 * before the callers are woken, so that the gateway is not idle meanwhile. */
static void
send_together (TallHbaseMerge *self,
               const TallHbaseMergeKind *kind,
               TallHbaseLine *line,
               TallHbaseShare *leader,
               TallHbaseLink *link)
{
  g_autoptr (GError) error = NULL;
  TallHbaseShared shared = { .pool = self->pool, .names = self->names };
  shared.n = tall_hbase_line_leave (line, leader, shared.shares);
  shared.deadline = find_deadline (&shared);
  for (guint i = 0; i < shared.n; i++)
    {
      shared.shares[i]->gateway = tall_hbase_pool_get_address (self->pool, link);
      shared.shares[i]->sent = g_get_monotonic_time ();
    }
  gboolean ok = kind->run (&shared, link, &error);
  tall_hbase_line_end (line, shared.n, ok ? shared.bytes : 0);
  for (guint i = 0; i < shared.n; i++)
    if (ok)
      tall_hbase_share_end (shared.shares[i], TALL_HBASE_SHARE_DONE);
    else
      fail_share (shared.shares[i], error);
}

/* FALSE with @error set if there is no connection in time. */
static gboolean
lead (TallHbaseMerge *self,
      const TallHbaseMergeKind *kind,
      TallHbaseLine *line,
      TallHbaseShare *share,
      GError **error)
{
  TallHbaseLink *link = kind->take (self->pool, TALL_HBASE_WAIT, share->deadline, error);
  if (link == NULL)
    tall_hbase_line_resign (line);
  else
    send_together (self, kind, line, share, link);
  return link != NULL;
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
  guint timeout = tall_hbase_pool_get_options (self->pool)->wait_timeout;
  gint64 limit = g_get_monotonic_time () + timeout * G_TIME_SPAN_MILLISECOND;
  TallHbaseShareState state =
      tall_hbase_line_wait (line, share, n_gateways, MIN (limit, share->deadline));
  if (state == TALL_HBASE_SHARE_WAITING)
    {
      tall_hbase_pool_set_overloaded (self->pool, error);
      return FALSE;
    }
  if (state == TALL_HBASE_SHARE_LEADS)
    {
      if (!lead (self, kind, line, share, error))
        return FALSE;
    }
  else
    tall_trace_add (share->gateway, g_get_monotonic_time () - share->sent);
  if (share->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&share->error));
  return FALSE;
}

/* One that has less time than a call may take would cut short the others of its request. */
static gboolean
is_hasty (TallHbaseMerge *self, gint64 deadline)
{
  guint timeout = tall_hbase_pool_get_options (self->pool)->call_timeout;
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
      const TallHbaseOptions *options = tall_hbase_pool_get_options (self->pool);
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
 * @names: kept, not owned
 */
TallHbaseMerge *
tall_hbase_merge_new (TallHbasePool *pool, const TallHbaseNames *names)
{
  TallHbaseMerge *self = g_new0 (TallHbaseMerge, 1);
  self->pool = pool;
  self->names = names;
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

/* A request for the rows of several callers. */
typedef struct
{
  TallHbaseCall call;
  const TallHbaseShared *shared;
  char *table; /* with its name in HBase */
  TallHbaseReply reply;
} Merged;

static Get *
get_at (const TallHbaseShared *shared, guint i)
{
  return (Get *)shared->shares[i];
}

static gboolean
merged_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  Merged *self = (Merged *)call;
  TallHbaseRowGet gets[TALL_HBASE_MAX_SHARES];
  for (guint i = 0; i < self->shared->n; i++)
    {
      const TallRead *read = get_at (self->shared, i)->read;
      gets[i] = (TallHbaseRowGet){ read, read->keys[0] };
    }
  return tall_hbase_send_gets (transport, self->table, gets, self->shared->n, error);
}

static gboolean
merged_receive (TallHbaseCall *call,
                TallTransport *transport,
                TallHbaseTIOError **io,
                GError **error)
{
  Merged *self = (Merged *)call;
  return tall_hbase_reply_read (&self->reply, transport, TALL_HBASE_GET_MULTIPLE, self->shared->n,
                                io, error);
}

/* Whether each get got its own row, or none. */
static gboolean
is_answered (const Merged *self)
{
  if (self->reply.rows->len != self->shared->n)
    return FALSE;
  for (guint i = 0; i < self->shared->n; i++)
    if (!tall_hbase_reply_has_row (&self->reply, i, get_at (self->shared, i)->read->keys[0]))
      return FALSE;
  return TRUE;
}

/* FALSE without @error: an answer that makes no sense. */
static gboolean
run_merged_get (TallHbaseShared *shared, TallHbaseLink *link, GError **error)
{
  const char *table = get_at (shared, 0)->read->table;
  g_autofree char *name = tall_hbase_names_get_table (shared->names, table);
  TallArena *arenas[TALL_HBASE_MAX_SHARES];
  Merged merged = { .call = { .send = merged_send,
                              .receive = merged_receive,
                              .table = table,
                              .harmless = TRUE,
                              .divisible = TRUE },
                    .shared = shared,
                    .table = name };
  TallHbaseCall *calls[] = { &merged.call };
  for (guint i = 0; i < shared->n; i++)
    arenas[i] = get_at (shared, i)->result->arena;
  tall_hbase_reply_init (&merged.reply, arenas[0]);
  merged.reply.arenas = arenas;

  link->n_merged[TALL_TABLE_MERGED_READS] = shared->n;
  gboolean ok =
      tall_hbase_run_on (shared->pool, shared->names, link, calls, 1, shared->deadline, error)
      && is_answered (&merged);
  for (guint i = 0; ok && i < shared->n; i++)
    get_at (shared, i)->row = *tall_hbase_reply_get_row (&merged.reply, i);
  shared->bytes = merged.reply.bytes;
  tall_hbase_reply_clear (&merged.reply);
  return ok;
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
  static const TallHbaseMergeKind kind = { "get ", tall_hbase_pool_take, run_merged_get };
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
run_merged (TallHbaseShared *shared, TallHbaseLink *link, GError **error)
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
  return tall_hbase_writer_send (shared->pool, shared->names, link, &all, NULL, error);
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
                  const TallHbaseNames *names,
                  TallHbaseMerge *merge,
                  const TallHbaseWrite *write,
                  TallDone *done,
                  GError **error)
{
  static const TallHbaseMergeKind kind = { "write ", tall_hbase_trial_take, run_merged };
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
  if (!is_done)
    return tall_hbase_writer_send (pool, names, link, write, done, error);
  for (guint i = 0; done != NULL && i < write->n; i++)
    done[i] = TALL_DONE;
  return TRUE;
}
