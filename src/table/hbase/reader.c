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
 * tall_hbase_make_gets:
 * @gets: @n of them, each with columns, versions and times of its own
 * @args: (out): their arguments but the table
 *
 * Returns: the call that gets them: `get` or `getMultiple`
 */
TallHbaseMethodId
tall_hbase_make_gets (const TallHbaseRowGet *gets, guint n, TallHbaseArgs *args, TallArena *arena)
{
  TallHbaseTGet *made = tall_arena_newa0 (arena, TallHbaseTGet, n);
  init_gets (made, gets, n, arena);
  *args = (TallHbaseArgs){ .get = made, .gets = made, .n_gets = n };
  return n == 1 ? TALL_HBASE_GET : TALL_HBASE_GET_MULTIPLE;
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
  TallHbaseReply reply; /* the answers so far */

  /* Of a scan. */
  TallHbaseTScan *page;
  GByteArray *start; /* where the page begins */
} Request;

static void
request_free (gpointer data)
{
  Request *self = data;
  g_clear_pointer (&self->start, g_byte_array_unref);
  tall_hbase_reply_clear (&self->reply);
  g_free (self);
}

static guint
limit_left (const Request *self)
{
  return self->read->limit == 0 ? G_MAXUINT : self->read->limit - self->reply.rows->len;
}

/* Asks for the next page, of @n rows unless the scan is to have fewer. */
static void
set_page (Request *self, guint n)
{
  TallHbaseArgs *args = &self->call.args;
  args->n_rows = self->page->limit = (gint32)MIN (n, limit_left (self));
  self->page->start_row = tall_slice_array (self->start);
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
  guint n = self->reply.rows->len;
  gsize row = MAX (self->reply.bytes / n, 1);
  tall_bytes_set_after (self->start, tall_hbase_reply_get_row (&self->reply, n - 1)->key);
  set_page (self, (guint)CLAMP (PAGE_BYTES / row, 1, MAX_PAGE));
  self->call.again = TRUE;
}

static gboolean
scan_receive (TallHbaseCall *call, TallTransport *transport, TallHbaseTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  guint first = self->reply.rows->len;
  guint n = (guint)call->args.n_rows;
  if (!tall_hbase_reply_read (&self->reply, transport, call->method, n, io, error)
      || !check_order (self, first, error))
    return FALSE;

  if (self->reply.rows->len - first >= n && limit_left (self) > 0)
    scan_go_on (self);
  return TRUE;
}

/* What a plan comes to. */
typedef struct
{
  TallHbasePool *pool;
  TallArena *arena; /* of the result */
  TallArena *sent;  /* of what is sent */
  GPtrArray *all;   /* of Request; those of one read follow each other */
} Requests;

static Request *
request_new (Requests *requests, const TallRead *read, TallHbaseMethodId method)
{
  Request *self = g_new0 (Request, 1);
  self->call.method = method;
  self->call.table = read->table;
  self->call.args.table =
      tall_hbase_names_get_table (&requests->pool->names, read->table, requests->sent);
  self->call.reply = &self->reply;
  self->read = read;
  tall_hbase_reply_init (&self->reply, requests->arena);
  g_ptr_array_add (requests->all, self);
  return self;
}

/* For a read that asks for no row: it, too, must fail if there is no table. */
static void
add_exists (Requests *requests, const TallRead *read)
{
  Request *self = request_new (requests, read, TALL_HBASE_TABLE_EXISTS);
  self->call.args.name =
      tall_hbase_names_get_table_name (&requests->pool->names, read->table, requests->sent);
  self->call.reply = NULL;
  self->call.arena = requests->arena;
}

static void
add_scan (Requests *requests, const TallRead *read)
{
  Request *self = request_new (requests, read, TALL_HBASE_GET_SCANNER_RESULTS);
  self->call.receive = scan_receive;
  self->start = g_byte_array_new ();
  tall_bytes_append (self->start, read->start);
  self->call.args.scan = self->page = tall_arena_new0 (requests->sent, TallHbaseTScan);
  tall_hbase_t_scan_init (self->page, read, read->start, FIRST_PAGE, requests->sent);
  set_page (self, FIRST_PAGE);
}

/* @gets: @n of them, of one table */
static Request *
add_get (Requests *requests, const TallHbaseRowGet *gets, guint n)
{
  TallHbaseArgs args;
  TallHbaseMethodId method = tall_hbase_make_gets (gets, n, &args, requests->sent);
  Request *self = request_new (requests, gets[0].read, method);
  args.table = self->call.args.table;
  self->call.args = args;
  self->call.max_rows = n;
  return self;
}

static void
add_gets (Requests *requests, const TallRead *read)
{
  for (guint i = 0; i < read->n_keys;)
    {
      TallHbaseRowGet gets[TALL_HBASE_MAX_GETS];
      gsize size = 0;
      guint n = 0;
      for (; i < read->n_keys && n < TALL_HBASE_MAX_GETS && (n == 0 || size < MAX_REQUEST); i++)
        {
          gets[n] = (TallHbaseRowGet){ read, read->keys[i] };
          size += tall_hbase_row_get_size (&gets[n++]);
        }
      add_get (requests, gets, n);
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
check_answer (const Request *self, const TallHbasePool *pool, GError **error)
{
  const TallHbaseArgs *args = &self->call.args;
  if (self->call.method == TALL_HBASE_TABLE_EXISTS && !self->call.result.yes)
    {
      tall_hbase_error_set_no_table (error, self->read->table, pool->names.deployment);
      return FALSE;
    }
  if (self->reply.rows->len != args->n_gets && self->read->kind != TALL_READ_SCAN)
    return tall_error_fail (error, TALL_ERROR_INTERNAL,
                            "the gateway answered %u gets of table %s with %u rows", args->n_gets,
                            self->read->table, self->reply.rows->len);

  for (guint i = 0; i < args->n_gets; i++)
    {
      if (tall_hbase_reply_has_row (&self->reply, i, args->gets[i].row))
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
      if (!check_answer (request, requests->pool, error))
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
  g_autoptr (TallArena) sent = tall_arena_new (USUAL_SIZE);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (request_free);
  Requests requests = { pool, result->arena, sent, all };

  /* The last read mostly takes longest, as an order's lines do after its root row. So it leaves
   * first and is awaited first; by then the others are there. */
  for (guint i = plan->reads->len; i > 0; i--)
    add_read (&requests, tall_read_plan_get (plan, i - 1));
  if (!tall_hbase_run (pool, link, (TallHbaseCall *const *)all->pdata, all->len, deadline, error))
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
  g_autoptr (TallArena) sent = tall_arena_new (USUAL_SIZE);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (request_free);
  Requests requests = { pool, self->arenas[0], sent, all };
  Request *request = add_get (&requests, self->gets, self->n);
  request->call.method = TALL_HBASE_GET_MULTIPLE; /* also for one */
  request->reply.arenas = self->arenas;
  request->call.divisible = TRUE;
  if (!tall_hbase_run (pool, link, (TallHbaseCall *const *)all->pdata, 1, self->deadline, error)
      || !check_answer (request, pool, error))
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
