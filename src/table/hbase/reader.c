/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/reader.h"

#include "base/fail.h"

#include "table/hbase/convert.h"
#include "table/hbase/reply.h"
#include "table/hbase/merge.h"

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

/* Bytes of keys in one request: a gateway drops requests of over 2 MB. */
#define MAX_REQUEST (1024 * 1024)

/* Rows of a scan's first page; later pages are as long as the rows so far suggest. */
#define FIRST_PAGE 256
#define MAX_PAGE 5000
#define PAGE_BYTES (8 * 1024 * 1024)

/* One request of a read: some of its keys, the page of a scan, or whether its table exists. */
typedef struct
{
  TallHbaseCall call;
  const TallRead *read;
  TallHbasePool *pool;
  char *table;          /* with its name in HBase */
  TallHbaseReply reply; /* the answers so far */

  TallHbaseRowGet *gets; /* owned; n of them */
  guint n;

  GByteArray *start; /* scan: where the page begins */
  guint page;        /* rows asked for */

  gboolean missing; /* there is no such table */
} Request;

static void
request_free (gpointer data)
{
  Request *self = data;
  g_clear_pointer (&self->table, g_free);
  g_clear_pointer (&self->gets, g_free);
  g_clear_pointer (&self->start, g_byte_array_unref);
  tall_hbase_reply_clear (&self->reply);
  g_free (self);
}

static gboolean
get_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  Request *self = (Request *)call;
  return tall_hbase_send_get (transport, self->table, self->gets, error);
}

static gboolean
get_receive (TallHbaseCall *call, TallTransport *transport, TallHbaseTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  return tall_hbase_reply_read (&self->reply, transport, TALL_HBASE_GET, 1, io, error);
}

static gboolean
gets_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  Request *self = (Request *)call;
  return tall_hbase_send_gets (transport, self->table, self->gets, self->n, error);
}

static gboolean
gets_receive (TallHbaseCall *call, TallTransport *transport, TallHbaseTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  return tall_hbase_reply_read (&self->reply, transport, TALL_HBASE_GET_MULTIPLE, self->n, io,
                                error);
}

static guint
limit_left (const Request *self)
{
  return self->read->limit == 0 ? G_MAXUINT : self->read->limit - self->reply.rows->len;
}

static gboolean
scan_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  Request *self = (Request *)call;
  self->page = FIRST_PAGE;
  if (self->reply.rows->len > 0)
    {
      gsize row = MAX (self->reply.bytes / self->reply.rows->len, 1);
      self->page = (guint)CLAMP (PAGE_BYTES / row, 1, MAX_PAGE);
    }
  self->page = MIN (self->page, limit_left (self));

  return tall_hbase_send_scan (transport, self->table, self->read, tall_slice_array (self->start),
                               self->page, error);
}

/* Rows must be in order, and not before the page's beginning; else pages might never end. */
static gboolean
check_order (const Request *self, guint first, GError **error)
{
  TallSlice before = tall_slice_array (self->start);
  for (guint i = first; i < self->reply.rows->len; i++)
    {
      TallSlice key = tall_hbase_reply_get_row (&self->reply, i)->key;
      int order = tall_slice_compare (before, key);
      if (order > 0 || (order == 0 && i > first))
        return tall_error_fail (error, TALL_ERROR_INTERNAL,
                                "answered a scan of table %s with rows out of order",
                                self->read->table);
      before = key;
    }
  return TRUE;
}

/* The next page begins right after the last row: at its key with a zero byte. */
static void
scan_go_on (Request *self)
{
  const TallRow *last = tall_hbase_reply_get_row (&self->reply, self->reply.rows->len - 1);
  g_byte_array_unref (self->start);
  self->start = g_byte_array_new ();
  tall_bytes_append (self->start, last->key);
  tall_bytes_append_u8 (self->start, 0);
  self->call.again = TRUE;
}

static gboolean
scan_receive (TallHbaseCall *call, TallTransport *transport, TallHbaseTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  guint first = self->reply.rows->len;
  if (!tall_hbase_reply_read (&self->reply, transport, TALL_HBASE_GET_SCANNER_RESULTS, self->page,
                              io, error)
      || !check_order (self, first, error))
    return FALSE;

  if (self->reply.rows->len - first >= self->page && limit_left (self) > 0)
    scan_go_on (self);
  return TRUE;
}

static gboolean
exists_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  Request *self = (Request *)call;
  TallHbaseArgs args = { .name = tall_hbase_names_get_table_name (
                             &self->pool->names, self->read->table, self->reply.arena) };
  return tall_hbase_send (transport, TALL_HBASE_TABLE_EXISTS, &args, error);
}

static gboolean
exists_receive (TallHbaseCall *call,
                TallTransport *transport,
                TallHbaseTIOError **io,
                GError **error)
{
  Request *self = (Request *)call;
  TallHbaseReceiver receiver = { self->reply.arena, NULL, NULL };
  TallHbaseResult result;
  gboolean ok = tall_hbase_receive (transport, TALL_HBASE_TABLE_EXISTS, &receiver, &result, error);
  *io = result.io;
  self->missing = !result.yes;
  return ok;
}

/* What a plan comes to. */
typedef struct
{
  TallHbasePool *pool;
  TallArena *arena; /* of the result */
  GPtrArray *all;   /* of Request; those of one read follow each other */
} Requests;

static Request *
request_new (Requests *requests, const TallRead *read)
{
  Request *self = g_new0 (Request, 1);
  self->call.table = read->table;
  self->call.harmless = TRUE;
  self->read = read;
  self->pool = requests->pool;
  self->table = tall_hbase_names_get_table (&requests->pool->names, read->table);
  tall_hbase_reply_init (&self->reply, requests->arena);
  g_ptr_array_add (requests->all, self);
  return self;
}

/* For a read that asks for no row: it, too, must fail if there is no table. */
static void
add_exists (Requests *requests, const TallRead *read)
{
  Request *self = request_new (requests, read);
  self->call.send = exists_send;
  self->call.receive = exists_receive;
}

static void
add_scan (Requests *requests, const TallRead *read)
{
  Request *self = request_new (requests, read);
  self->call.send = scan_send;
  self->call.receive = scan_receive;
  self->start = g_byte_array_new ();
  tall_bytes_append (self->start, read->start);
}

static void
add_gets (Requests *requests, const TallRead *read)
{
  for (guint i = 0; i < read->n_keys;)
    {
      Request *self = request_new (requests, read);
      gsize size = 0;
      self->gets = g_new (TallHbaseRowGet, MIN (read->n_keys - i, TALL_HBASE_MAX_GETS));
      for (; i < read->n_keys && self->n < TALL_HBASE_MAX_GETS
             && (self->n == 0 || size < MAX_REQUEST);
           i++)
        {
          self->gets[self->n] = (TallHbaseRowGet){ read, read->keys[i] };
          size += tall_hbase_row_get_size (&self->gets[self->n++]);
        }
      self->call.send = self->n == 1 ? get_send : gets_send;
      self->call.receive = self->n == 1 ? get_receive : gets_receive;
    }
}

/* HBase takes a scan that stops where it starts for a get of that row. */
static gboolean
asks_for_nothing (const TallRead *read)
{
  if (read->kind != TALL_READ_SCAN)
    return read->n_keys == 0;
  return read->stop.len > 0 && tall_slice_compare (read->start, read->stop) >= 0;
}

static void
add_read (Requests *requests, const TallRead *read)
{
  if (asks_for_nothing (read))
    add_exists (requests, read);
  else if (read->kind == TALL_READ_SCAN)
    add_scan (requests, read);
  else
    add_gets (requests, read);
}

/* Gets: every row must be the one that was asked for in its place. */
static gboolean
check_answer (const Request *self, GError **error)
{
  if (self->missing)
    {
      tall_hbase_error_set_no_table (error, self->read->table, self->pool->names.deployment);
      return FALSE;
    }
  if (self->read->kind == TALL_READ_SCAN)
    return TRUE;
  if (self->reply.rows->len != self->n)
    return tall_error_fail (error, TALL_ERROR_INTERNAL,
                            "the gateway answered %u gets of table %s with %u rows", self->n,
                            self->read->table, self->reply.rows->len);

  for (guint i = 0; i < self->n; i++)
    {
      if (tall_hbase_reply_has_row (&self->reply, i, self->gets[i].key))
        continue;
      return tall_error_fail (error, TALL_ERROR_INTERNAL,
                              "the gateway answered a get of table %s with another row",
                              self->read->table);
    }
  return TRUE;
}

static guint
count_rows (const Requests *requests, const TallRead *read)
{
  guint n = 0;
  for (guint i = 0; i < requests->all->len; i++)
    {
      const Request *request = g_ptr_array_index (requests->all, i);
      n += request->read == read ? request->reply.rows->len : 0;
    }
  return n;
}

static gboolean
build_rows (TallRows *rows, const TallRead *read, const Requests *requests, GError **error)
{
  rows->rows = tall_arena_newa0 (requests->arena, TallRow, count_rows (requests, read));
  for (guint r = 0; r < requests->all->len; r++)
    {
      const Request *request = g_ptr_array_index (requests->all, r);
      if (request->read != read)
        continue;
      if (!check_answer (request, error))
        return FALSE;
      for (guint i = 0; i < request->reply.rows->len; i++)
        {
          const TallRow *row = tall_hbase_reply_get_row (&request->reply, i);
          if (row->n_cells > 0)
            rows->rows[rows->n_rows++] = *row;
        }
    }
  return TRUE;
}

static TallReadResult *
read_plan (TallHbasePool *pool,
           TallHbaseLink *link,
           const TallReadPlan *plan,
           gint64 deadline,
           GError **error)
{
  g_autoptr (TallReadResult) result = tall_read_result_new (plan->reads->len);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (request_free);
  Requests requests = { pool, result->arena, all };

  /* The last read mostly takes longest, as an order's lines do after its root row. So it leaves
   * first and is awaited first; by then the others are there. */
  for (guint i = plan->reads->len; i > 0; i--)
    add_read (&requests, tall_read_plan_get (plan, i - 1));
  if (!tall_hbase_run_on (pool, link, (TallHbaseCall *const *)all->pdata, all->len, deadline,
                          error))
    return NULL;

  for (guint i = 0; i < plan->reads->len; i++)
    if (!build_rows (&result->results[i], tall_read_plan_get (plan, i), &requests, error))
      return NULL;
  return g_steal_pointer (&result);
}

/**
 * tall_hbase_read_together:
 * @self: rows of one table, each into an arena of its own
 * @link: (transfer full): a connection to begin with; goes back to the pool
 *
 * Gets rows of several callers by one `getMultiple`. If it has no answer in time, it is not
 * repeated.
 */
gboolean
tall_hbase_read_together (TallHbaseTogether *self,
                          TallHbasePool *pool,
                          TallHbaseLink *link,
                          GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (request_free);
  Requests requests = { pool, self->arenas[0], all };
  Request *request = request_new (&requests, self->gets[0].read);
  request->gets = g_memdup2 (self->gets, self->n * sizeof *self->gets);
  request->n = self->n;
  request->reply.arenas = self->arenas;
  request->call.send = gets_send;
  request->call.receive = gets_receive;
  request->call.divisible = TRUE;
  if (!tall_hbase_run_on (pool, link, (TallHbaseCall *const *)all->pdata, 1, self->deadline, error)
      || !check_answer (request, error))
    return FALSE;
  for (guint i = 0; i < self->n; i++)
    self->rows[i] = *tall_hbase_reply_get_row (&request->reply, i);
  self->bytes = request->reply.bytes;
  return TRUE;
}

static gboolean
is_single_get (const TallReadPlan *plan)
{
  if (plan->reads->len != 1)
    return FALSE;
  const TallRead *read = tall_read_plan_get (plan, 0);
  return read->kind == TALL_READ_GET && read->n_keys == 1;
}

/**
 * tall_hbase_read:
 *
 * Implements read. Plans become `get`, `getMultiple` and pages of `getScannerResults`, sent on
 * several connections before the first answer is awaited. The get of a single row that finds all
 * connections busy joins others that wait.
 */
TallReadResult *
tall_hbase_read (TallHbasePool *pool,
                 TallHbaseMerge *merge,
                 const TallReadPlan *plan,
                 gint64 deadline,
                 GError **error)
{
  TallReadResult *result = NULL;
  TallHbaseLink *link = NULL;
  if (is_single_get (plan)
      && !tall_hbase_merged_get (merge, tall_read_plan_get (plan, 0), deadline, &result, &link,
                                 error))
    return NULL;
  if (result != NULL)
    return result;
  return read_plan (pool, link, plan, deadline, error);
}
