/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-merge.h"

#include "tall-hbase-gets.h"
#include "tall-hbase-line.h"
#include "tall-hbase-reply.h"

/* Bytes of one key with its qualifiers, so that a request's rows stay far below the 2 MB of which a
 * gateway drops requests. */
#define MAX_GET 4096
/* How long a get waits for those before it to come back: a gateway may be slow or dead. Healthy
 * ones take a millisecond or two. */
#define PATIENCE (5 * G_TIME_SPAN_MILLISECOND)

struct _TallHbaseMerge
{
  TallHbasePool *pool;         /* not owned */
  const TallHbaseNames *names; /* not owned */
  guint n_gateways;

  GMutex mutex;
  GHashTable *lines; /* of TallHbaseLine by the table's short name */
  guint n_under_way; /* gets that were sent, together or not */
};

/* A request that brings the rows of several. */
typedef struct
{
  TallHbaseCall call;
  GByteArray *table;
  TallHbaseReply reply;
  TallHbaseGet *gets[TALL_HBASE_LINE_MAX_ROWS]; /* n_gets of them */
  TallArena *arenas[TALL_HBASE_LINE_MAX_ROWS];
  guint n_gets;
} Merged;

static gboolean
merged_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  Merged *self = (Merged *)call;
  TallHbaseRowGet gets[TALL_HBASE_LINE_MAX_ROWS];
  for (guint i = 0; i < self->n_gets; i++)
    gets[i] = (TallHbaseRowGet){ self->gets[i]->read, self->gets[i]->read->keys[0] };
  return tall_hbase_send_gets (client, self->table, gets, self->n_gets, error);
}

static gboolean
merged_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  Merged *self = (Merged *)call;
  return tall_hbase_reply_read (&self->reply, HB_GATEWAY_CLIENT (client)->input_protocol,
                                TALL_HBASE_REPLY_LIST, self->n_gets, io, error);
}

/* Whether each get got its own row, or none. */
static gboolean
is_answered (const Merged *self)
{
  if (self->reply.rows->len != self->n_gets)
    return FALSE;
  for (guint i = 0; i < self->n_gets; i++)
    {
      const TallRow *row = tall_hbase_reply_get_row (&self->reply, i);
      if (row->n_cells > 0 && !tall_slice_equal (row->key, self->gets[i]->read->keys[0]))
        return FALSE;
    }
  return TRUE;
}

/* All of them end when the first must; the others try again by themselves. */
static gint64
deadline_of (const Merged *self)
{
  gint64 deadline = TALL_NO_DEADLINE;
  for (guint i = 0; i < self->n_gets; i++)
    deadline = MIN (deadline, self->gets[i]->deadline);
  return deadline;
}

static gboolean
run_merged (TallHbaseMerge *self, Merged *merged, TallHbaseLink *link)
{
  const char *table = merged->gets[0]->read->table;
  TallHbaseCall *calls[] = { &merged->call };

  merged->call = (TallHbaseCall){
    .send = merged_send, .receive = merged_receive, .table = table, .harmless = TRUE
  };
  merged->table = tall_hbase_names_get_table (self->names, table);
  for (guint i = 0; i < merged->n_gets; i++)
    merged->arenas[i] = merged->gets[i]->result->arena;
  tall_hbase_reply_init (&merged->reply, merged->arenas[0]);
  merged->reply.arenas = merged->arenas;

  gboolean ok =
      tall_hbase_run_on (self->pool, self->names, link, calls, 1, deadline_of (merged), NULL)
      && is_answered (merged);
  g_byte_array_unref (merged->table);
  return ok;
}

/* How many gets are under way from now on, @n of them more or less. */
static guint
count_under_way (TallHbaseMerge *self, int n)
{
  return (guint)g_atomic_int_add ((gint *)&self->n_under_way, n) + (guint)n;
}

/* Has the leader and those behind it answered on a connection. */
static void
read_together (TallHbaseMerge *self, TallHbaseLine *line, TallHbaseGet *leader, TallHbaseLink *link)
{
  Merged merged;
  merged.n_gets = tall_hbase_line_leave (line, leader, merged.gets);
  count_under_way (self, (int)merged.n_gets);
  gboolean ok = run_merged (self, &merged, link);
  count_under_way (self, -(int)merged.n_gets);

  tall_hbase_line_end (line, merged.n_gets, ok ? merged.reply.bytes : 0);
  for (guint i = 0; i < merged.n_gets; i++)
    tall_hbase_get_settle (merged.gets[i], ok ? tall_hbase_reply_get_row (&merged.reply, i) : NULL);
  tall_hbase_reply_clear (&merged.reply);
}

/* FALSE with @error set if there is no connection in time. */
static gboolean
lead (TallHbaseMerge *self, TallHbaseLine *line, TallHbaseGet *get, gint64 limit, GError **error)
{
  TallHbaseLink *link = NULL;
  if (g_get_monotonic_time () < limit)
    link = tall_hbase_pool_take (self->pool, TALL_HBASE_WAIT, limit, error);
  else
    tall_hbase_pool_set_overloaded (self->pool, error);
  if (link == NULL)
    tall_hbase_line_resign (line, get);
  else
    read_together (self, line, get, link);
  return link != NULL;
}

/* FALSE with @error set if there is no connection in time. */
static gboolean
wait_for_row (TallHbaseMerge *self, TallHbaseLine *line, TallHbaseGet *get, GError **error)
{
  const TallHbaseOptions *options = tall_hbase_pool_get_options (self->pool);
  gint64 limit = g_get_monotonic_time () + options->wait_timeout * G_TIME_SPAN_MILLISECOND;
  limit = MIN (limit, get->deadline);
  switch (tall_hbase_line_wait (line, get, limit))
    {
    case TALL_HBASE_GET_LEADS:
      return lead (self, line, get, limit, error);
    case TALL_HBASE_GET_WAITING:
      tall_hbase_pool_set_overloaded (self->pool, error);
      return FALSE;
    default:
      return TRUE;
    }
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
  gsize size = read->keys[0].len;
  for (guint i = 0; i < read->n_qualifiers; i++)
    size += read->qualifiers[i].len + 32;
  return size <= MAX_GET;
}

static TallHbaseLine *
get_line (TallHbaseMerge *self, const char *table)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  TallHbaseLine *line = g_hash_table_lookup (self->lines, table);
  if (line == NULL)
    {
      guint max_waiting = tall_hbase_pool_get_options (self->pool)->max_waiting;
      line = tall_hbase_line_new (self->n_gateways, max_waiting, PATIENCE);
      g_hash_table_insert (self->lines, g_strdup (table), line);
    }
  return line;
}

/* A connection for a get that need not wait; tall_hbase_merge_end() follows. */
static TallHbaseLink *
take_free (TallHbaseMerge *self, gint64 deadline)
{
  TallHbaseLink *link = NULL;
  if (count_under_way (self, 1) <= TALL_HBASE_MAX_CONNECTIONS * self->n_gateways)
    link = tall_hbase_pool_take (self->pool, TALL_HBASE_TRY, deadline, NULL);
  if (link == NULL)
    tall_hbase_merge_end (self);
  return link;
}

/**
 * tall_hbase_merge_get:
 * @read: of one row
 * @result: (out) (nullable) (transfer full): what was found; NULL: the caller reads by itself
 * @link: (out) (nullable) (transfer full): and does so on this connection
 *
 * Takes a connection for a get: if one is free, it is the caller's. They count as busy as well when
 * as many gets are under way, together or not, and as long as the table is crowded. Then gets of
 * the same table leave together in a request: the first in line waits for a connection, the others
 * for their rows. Each row is read straight into the result that it is for. If the request fails,
 * all read by themselves, so that one row cannot fail the others.
 *
 * Returns: FALSE with @error set if there is no connection in time
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
  *result = NULL;
  *link = tall_hbase_line_is_crowded (line) ? NULL : take_free (self, deadline);
  if (*link != NULL || !is_small (read) || is_hasty (self, deadline))
    return TRUE;

  g_auto (TallHbaseGet) get;
  tall_hbase_get_init (&get, read, deadline);
  if (!wait_for_row (self, line, &get, error))
    return FALSE;
  if (get.state == TALL_HBASE_GET_DONE)
    *result = finish (&get);
  return TRUE;
}

/**
 * tall_hbase_merge_end:
 *
 * Has to be called once the caller has read on the connection that it was given.
 */
void
tall_hbase_merge_end (TallHbaseMerge *self)
{
  count_under_way (self, -1);
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
  self->n_gateways = tall_hbase_pool_count_gateways (pool);
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
