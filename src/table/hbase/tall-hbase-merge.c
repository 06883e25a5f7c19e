/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-merge.h"

#include "tall-hbase-gets.h"
#include "tall-hbase-line.h"
#include "tall-hbase-reply.h"

/* Bytes of one key with its qualifiers, so that a request stays far below 2 MB: a gateway drops
 * larger ones. */
#define MAX_GET 4096

struct _TallHbaseMerge
{
  TallHbasePool *pool;         /* not owned */
  const TallHbaseNames *names; /* not owned */

  GMutex mutex;
  GHashTable *lines; /* of TallHbaseLine by the table's short name */
};

/* A request for the rows of several callers. */
typedef struct
{
  TallHbaseCall call;
  char *table; /* with its name in HBase */
  TallHbaseReply reply;
  TallHbaseGet *gets[TALL_HBASE_MAX_GETS]; /* n_gets of them */
  TallArena *arenas[TALL_HBASE_MAX_GETS];
  guint n_gets;
} Merged;

static gboolean
merged_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  Merged *self = (Merged *)call;
  TallHbaseRowGet gets[TALL_HBASE_MAX_GETS];
  for (guint i = 0; i < self->n_gets; i++)
    gets[i] = (TallHbaseRowGet){ self->gets[i]->read, self->gets[i]->read->keys[0] };
  return tall_hbase_send_gets (transport, self->table, gets, self->n_gets, error);
}

static gboolean
merged_receive (TallHbaseCall *call,
                TallTransport *transport,
                TallHbaseTIOError **io,
                GError **error)
{
  Merged *self = (Merged *)call;
  return tall_hbase_reply_read (&self->reply, transport, TALL_HBASE_GET_MULTIPLE, self->n_gets, io,
                                error);
}

/* Whether each get got its own row, or none. */
static gboolean
is_answered (const Merged *self)
{
  if (self->reply.rows->len != self->n_gets)
    return FALSE;
  for (guint i = 0; i < self->n_gets; i++)
    if (!tall_hbase_reply_has_row (&self->reply, i, self->gets[i]->read->keys[0]))
      return FALSE;
  return TRUE;
}

/* None of the gets is hasty, so the earliest deadline leaves enough time for a call. */
static gint64
deadline_of (const Merged *self)
{
  gint64 deadline = TALL_NO_DEADLINE;
  for (guint i = 0; i < self->n_gets; i++)
    deadline = MIN (deadline, self->gets[i]->deadline);
  return deadline;
}

/* FALSE without @error: an answer that makes no sense. */
static gboolean
run_merged (TallHbaseMerge *self, Merged *merged, TallHbaseLink *link, GError **error)
{
  const char *table = merged->gets[0]->read->table;
  TallHbaseCall *calls[] = { &merged->call };

  merged->call = (TallHbaseCall){ .send = merged_send,
                                  .receive = merged_receive,
                                  .table = table,
                                  .harmless = TRUE,
                                  .divisible = TRUE };
  merged->table = tall_hbase_names_get_table (self->names, table);
  for (guint i = 0; i < merged->n_gets; i++)
    merged->arenas[i] = merged->gets[i]->result->arena;
  tall_hbase_reply_init (&merged->reply, merged->arenas[0]);
  merged->reply.arenas = merged->arenas;

  gboolean ok =
      tall_hbase_run_on (self->pool, self->names, link, calls, 1, deadline_of (merged), error)
      && is_answered (merged);
  g_free (merged->table);
  return ok;
}

/* What a failed request means for one of its gets. Most errors may come from one row only, so each
 * get reads by itself if it has time, unless HBase says that it has too much to do. */
static void
fail_get (TallHbaseGet *get, const GError *error)
{
  gboolean over = g_get_monotonic_time () >= get->deadline;
  if (error != NULL && (over || g_error_matches (error, TALL_ERROR, TALL_ERROR_OVERLOADED)))
    get->error = g_error_copy (error);
  tall_hbase_get_end (get, get->error != NULL ? TALL_HBASE_GET_FAILED : TALL_HBASE_GET_ALONE);
}

static void
give_rows (Merged *merged)
{
  for (guint i = 0; i < merged->n_gets; i++)
    {
      merged->gets[i]->row = *tall_hbase_reply_get_row (&merged->reply, i);
      tall_hbase_get_end (merged->gets[i], TALL_HBASE_GET_DONE);
    }
}

/* Reads the rows of the leader and of the gets behind it on one connection. The next request leaves
 * before the rows are handed out, so that the gateway is not idle meanwhile. */
static void
read_together (TallHbaseMerge *self, TallHbaseLine *line, TallHbaseGet *leader, TallHbaseLink *link)
{
  g_autoptr (GError) error = NULL;
  Merged merged;
  merged.n_gets = tall_hbase_line_leave (line, leader, merged.gets);
  gboolean ok = run_merged (self, &merged, link, &error);
  tall_hbase_line_end (line, merged.n_gets, ok ? merged.reply.bytes : 0);
  if (ok)
    give_rows (&merged);
  else
    for (guint i = 0; i < merged.n_gets; i++)
      fail_get (merged.gets[i], error);
  tall_hbase_reply_clear (&merged.reply);
}

/* FALSE with @error set if there is no connection in time. */
static gboolean
lead (TallHbaseMerge *self, TallHbaseLine *line, TallHbaseGet *get, GError **error)
{
  TallHbaseLink *link = tall_hbase_pool_take (self->pool, TALL_HBASE_WAIT, get->deadline, error);
  if (link == NULL)
    tall_hbase_line_resign (line);
  else
    read_together (self, line, get, link);
  return link != NULL;
}

/* FALSE with @error set if it gets no answer; else its state says what it has. */
static gboolean
wait_for_row (
    TallHbaseMerge *self, TallHbaseLine *line, TallHbaseGet *get, guint n_gateways, GError **error)
{
  guint timeout = tall_hbase_pool_get_options (self->pool)->wait_timeout;
  gint64 limit = g_get_monotonic_time () + timeout * G_TIME_SPAN_MILLISECOND;
  TallHbaseGetState state =
      tall_hbase_line_wait (line, get, n_gateways, MIN (limit, get->deadline));
  if (state == TALL_HBASE_GET_WAITING)
    {
      tall_hbase_pool_set_overloaded (self->pool, error);
      return FALSE;
    }
  if (state == TALL_HBASE_GET_LEADS && !lead (self, line, get, error))
    return FALSE;
  if (get->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&get->error));
  return FALSE;
}

/* The row of a get that is done, as what its plan found. */
static TallReadResult *
finish (TallHbaseGet *get)
{
  TallRows *rows = &get->result->results[0];
  if (get->row.n_cells > 0)
    {
      rows->rows = tall_arena_memdup (get->result->arena, &get->row, sizeof get->row);
      rows->n_rows = 1;
    }
  return g_steal_pointer (&get->result);
}

/* A get that has less time than a call may take would cut short the others of its request. */
static gboolean
is_hasty (TallHbaseMerge *self, gint64 deadline)
{
  guint timeout = tall_hbase_pool_get_options (self->pool)->call_timeout;
  return deadline < g_get_monotonic_time () + timeout * G_TIME_SPAN_MILLISECOND;
}

static gboolean
is_small (const TallRead *read)
{
  return tall_hbase_row_get_size (&(TallHbaseRowGet){ read, read->keys[0] }) <= MAX_GET;
}

static TallHbaseLine *
get_line (TallHbaseMerge *self, const char *table)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  TallHbaseLine *line = g_hash_table_lookup (self->lines, table);
  if (line == NULL)
    {
      const TallHbaseOptions *options = tall_hbase_pool_get_options (self->pool);
      line =
          tall_hbase_line_new (options->max_waiting, options->patience * G_TIME_SPAN_MILLISECOND);
      g_hash_table_insert (self->lines, g_strdup (table), line);
    }
  return line;
}

/**
 * tall_hbase_merge_get:
 * @read: of one row
 * @result: (out) (nullable) (transfer full): what was found; NULL: the caller has to read by itself
 * @link: (out) (nullable) (transfer full): a connection for that, if there is one
 *
 * Finds a connection for a get. If one is free and the table is not crowded, the caller gets it.
 * Otherwise gets of the same table leave together in a request: the first in line waits for a
 * connection, the others wait for their rows. Each row is read straight into its caller's result.
 * If the request fails, perhaps because of another row, all callers read by themselves. A caller
 * with little time, or with many columns, reads by itself at once.
 *
 * Returns: FALSE with @error set if there is no connection in time, or no gateway answers
 */
gboolean
tall_hbase_merge_get (TallHbaseMerge *self,
                      const TallRead *read,
                      gint64 deadline,
                      TallReadResult **result,
                      TallHbaseLink **link,
                      GError **error)
{
  TallHbaseLine *line = get_line (self, read->table);
  guint n_gateways = MAX (tall_hbase_pool_count_alive (self->pool), 1);
  *result = NULL;
  *link = NULL;
  if (!tall_hbase_line_is_crowded (line, n_gateways * TALL_HBASE_MAX_CONNECTIONS))
    *link = tall_hbase_pool_take (self->pool, TALL_HBASE_TRY, deadline, NULL);
  if (*link != NULL || !is_small (read) || is_hasty (self, deadline))
    return TRUE;

  g_auto (TallHbaseGet) get;
  tall_hbase_get_init (&get, read, deadline);
  if (!wait_for_row (self, line, &get, n_gateways, error))
    return FALSE;
  if (get.state == TALL_HBASE_GET_DONE)
    *result = finish (&get);
  return TRUE;
}

/**
 * tall_hbase_merge_count_waiting:
 *
 * Returns: gets that wait to be sent
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
