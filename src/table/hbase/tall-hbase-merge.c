/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-merge.h"

#include "tall-hbase-convert.h"
#include "tall-hbase-reply.h"

/* Rows of one request: fewer bring fewer a second, and more no more. */
#define MAX_ROWS 128
/* Requests for rows of one table under way at a time, for each gateway: with one the gateway would
 * be idle while we hand out its rows; with more each would have fewer rows. */
#define MAX_MERGED 2
/* Bytes of one reply, by what the rows of that table took so far. */
#define MAX_REPLY (8 * 1024 * 1024)
/* Bytes of one key with its qualifiers, so that MAX_ROWS of them stay far below the 2 MB of which a
 * gateway drops requests. */
#define MAX_GET 4096

/* What becomes of a get. */
typedef enum
{
  GET_WAITING, /* in line */
  GET_LEADS,   /* in line, and is to find the connection that takes all */
  GET_TAKEN,   /* out of the line, in a request that is under way */
  GET_DONE,    /* its row is there */
  GET_ALONE,   /* the request failed: perhaps because of another row */
} GetState;

/* A get, in the memory of the thread that waits for it. */
typedef struct
{
  const TallRead *read;
  gint64 deadline;
  TallReadResult *result; /* owned; its arena takes the row straight from the reply */
  TallRow row;            /* GET_DONE */
  GMutex mutex;           /* of @state; its own, as dozens are woken at once */
  GCond changed;
  GetState state; /* leaves %GET_WAITING with the mutex of TallHbaseMerge held as well */
} Get;

/* Those that wait for rows of one table; one of them leads as long as there are any. */
typedef struct
{
  GQueue gets;     /* of Get, not owned; who came first is at the head */
  gboolean led;    /* one of them waits for a connection */
  guint n_merged;  /* requests under way */
  gsize row_bytes; /* of a row, about; 0: not known */
} Line;

struct _TallHbaseMerge
{
  TallHbasePool *pool;         /* not owned */
  const TallHbaseNames *names; /* not owned */
  guint n_gateways;

  GMutex mutex;
  GHashTable *lines; /* of Line by the table's short name */
  guint n_waiting;
  guint n_under_way; /* gets that were sent, together or not */
};

/* A request that brings the rows of several. */
typedef struct
{
  TallHbaseCall call;
  GByteArray *table;
  TallHbaseReply reply;
  Get *gets[MAX_ROWS]; /* n_gets of them */
  TallArena *arenas[MAX_ROWS];
  guint n_gets;
} Merged;

static gboolean
merged_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  Merged *self = (Merged *)call;
  g_autoptr (GPtrArray) gets = g_ptr_array_new_full (self->n_gets, g_object_unref);
  for (guint i = 0; i < self->n_gets; i++)
    g_ptr_array_add (gets, tall_hbase_get_new (self->gets[i]->read, self->gets[i]->read->keys[0]));
  return hb_gateway_client_send_get_multiple (client, self->table, gets, error);
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

static Line *
get_line (TallHbaseMerge *self, const char *table)
{
  Line *line = g_hash_table_lookup (self->lines, table);
  if (line == NULL)
    {
      line = g_new0 (Line, 1);
      g_queue_init (&line->gets);
      g_hash_table_insert (self->lines, g_strdup (table), line);
    }
  return line;
}

static void
set_state (Get *get, GetState state, gboolean wake)
{
  g_mutex_lock (&get->mutex);
  get->state = state;
  if (wake)
    g_cond_signal (&get->changed);
  g_mutex_unlock (&get->mutex);
}

/* Returns: what it is now; still @from if @limit has passed. */
static GetState
wait_for_change (Get *get, GetState from, gint64 limit)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&get->mutex);
  gboolean in_time = TRUE;
  while (get->state == from && in_time)
    in_time = g_cond_wait_until (&get->changed, &get->mutex, limit);
  return get->state;
}

static void
leave_line (TallHbaseMerge *self, Line *line, Get *get)
{
  g_queue_remove (&line->gets, get);
  self->n_waiting--;
}

/* Has somebody wait for a connection, if there is anybody. Called with the mutex held. */
static void
find_leader (TallHbaseMerge *self, Line *line)
{
  Get *next = g_queue_peek_head (&line->gets);
  if (next == NULL || line->led || line->n_merged >= MAX_MERGED * self->n_gateways)
    return;
  line->led = TRUE;
  set_state (next, GET_LEADS, TRUE);
}

static void
take_get (TallHbaseMerge *self, Line *line, Get *get, Merged *merged)
{
  leave_line (self, line, get);
  set_state (get, GET_TAKEN, FALSE);
  merged->gets[merged->n_gets++] = get;
}

/* The leader and those that came first. Called with the mutex held. */
static void
take_gets (TallHbaseMerge *self, Line *line, Get *leader, Merged *merged)
{
  guint max = line->row_bytes == 0 ? MAX_ROWS : (guint)(MAX_REPLY / line->row_bytes);
  max = CLAMP (max, 1, MAX_ROWS);

  take_get (self, line, leader, merged);
  while (merged->n_gets < max && !g_queue_is_empty (&line->gets))
    take_get (self, line, g_queue_peek_head (&line->gets), merged);
  self->n_under_way += merged->n_gets;
  line->n_merged++;
}

/* Called with the mutex held. */
static void
end_merged (TallHbaseMerge *self, Line *line, const Merged *merged, gboolean ok)
{
  if (ok)
    line->row_bytes = (line->row_bytes + merged->reply.bytes / merged->n_gets) / 2 + 1;
  self->n_under_way -= merged->n_gets;
  line->n_merged--;
  find_leader (self, line);
}

/* Once it has its row, a get's thread goes on and its memory is gone. */
static void
give_rows (Merged *merged, gboolean ok)
{
  for (guint i = 0; i < merged->n_gets; i++)
    {
      if (ok)
        merged->gets[i]->row = *tall_hbase_reply_get_row (&merged->reply, i);
      set_state (merged->gets[i], ok ? GET_DONE : GET_ALONE, TRUE);
    }
}

/* Has all that wait answered on a connection. */
static void
read_together (TallHbaseMerge *self, Line *line, Get *leader, TallHbaseLink *link)
{
  Merged merged;
  merged.n_gets = 0;
  g_mutex_lock (&self->mutex);
  line->led = FALSE;
  take_gets (self, line, leader, &merged);
  find_leader (self, line);
  g_mutex_unlock (&self->mutex);

  gboolean ok = run_merged (self, &merged, link);

  g_mutex_lock (&self->mutex);
  end_merged (self, line, &merged, ok);
  g_mutex_unlock (&self->mutex);
  give_rows (&merged, ok);
  tall_hbase_reply_clear (&merged.reply);
}

/* FALSE with @error set if there is no connection in time. */
static gboolean
lead (TallHbaseMerge *self, Line *line, Get *get, gint64 limit, GError **error)
{
  TallHbaseLink *link = NULL;
  if (g_get_monotonic_time () < limit)
    link = tall_hbase_pool_take (self->pool, TALL_HBASE_WAIT, limit, error);
  else
    tall_hbase_pool_set_overloaded (self->pool, error);
  if (link != NULL)
    {
      read_together (self, line, get, link);
      return TRUE;
    }

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  line->led = FALSE;
  leave_line (self, line, get);
  find_leader (self, line);
  return FALSE;
}

static Line *
join_line (TallHbaseMerge *self, Get *get)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (self->n_waiting >= tall_hbase_pool_get_options (self->pool)->max_waiting)
    return NULL;
  Line *line = get_line (self, get->read->table);
  g_queue_push_tail (&line->gets, get);
  self->n_waiting++;
  find_leader (self, line);
  return line;
}

/* Its time in line is over. FALSE: it was taken or made to lead in the last moment. */
static gboolean
give_up (TallHbaseMerge *self, Line *line, Get *get)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (get->state != GET_WAITING)
    return FALSE;
  leave_line (self, line, get);
  return TRUE;
}

/* FALSE with @error set if there is no connection in time. */
static gboolean
wait_for_row (TallHbaseMerge *self, Get *get, GError **error)
{
  const TallHbaseOptions *options = tall_hbase_pool_get_options (self->pool);
  gint64 limit = g_get_monotonic_time () + options->wait_timeout * G_TIME_SPAN_MILLISECOND;
  limit = MIN (limit, get->deadline);

  Line *line = join_line (self, get);
  if (line == NULL
      || (wait_for_change (get, GET_WAITING, limit) == GET_WAITING && give_up (self, line, get)))
    {
      tall_hbase_pool_set_overloaded (self->pool, error);
      return FALSE;
    }
  if (wait_for_change (get, GET_WAITING, limit) == GET_LEADS)
    return lead (self, line, get, limit, error);
  wait_for_change (get, GET_TAKEN, TALL_NO_DEADLINE);
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
may_be_merged (const TallRead *read)
{
  gsize size = read->keys[0].len;
  for (guint i = 0; i < read->n_qualifiers; i++)
    size += read->qualifiers[i].len + 32;
  return size <= MAX_GET;
}

static gboolean
may_leave (TallHbaseMerge *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (self->n_under_way >= TALL_HBASE_MAX_CONNECTIONS * self->n_gateways)
    return FALSE;
  self->n_under_way++;
  return TRUE;
}

/* A connection for a get that need not wait. */
static TallHbaseLink *
take_free (TallHbaseMerge *self, gint64 deadline)
{
  if (!may_leave (self))
    return NULL;
  TallHbaseLink *link = tall_hbase_pool_take (self->pool, TALL_HBASE_TRY, deadline, NULL);
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
 * as many gets are under way, together or not. Then gets of the same table leave together in a
 * request: the first in line waits for a connection, the others for their rows. Each row is read
 * straight into the result that it is for. If the request fails, all read by themselves, so that
 * one row cannot fail the others.
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
  *result = NULL;
  *link = take_free (self, deadline);
  if (*link != NULL || !may_be_merged (read))
    return TRUE;

  Get get = { .read = read, .deadline = deadline, .result = tall_read_result_new (1) };
  g_mutex_init (&get.mutex);
  g_cond_init (&get.changed);
  gboolean ok = wait_for_row (self, &get, error);
  g_mutex_clear (&get.mutex);
  g_cond_clear (&get.changed);
  if (ok && get.state == GET_DONE)
    *result = finish (&get);
  g_clear_pointer (&get.result, tall_read_result_free);
  return ok;
}

/**
 * tall_hbase_merge_end:
 *
 * Has to be called once the caller has read on the connection that it was given.
 */
void
tall_hbase_merge_end (TallHbaseMerge *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_under_way--;
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
  return self->n_waiting;
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
  self->lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
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
