/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-reader.h"

#include "tall-error.h"
#include "tall-hbase-convert.h"
#include "tall-hbase-rows.h"

/* Rows of one getMultiple. Fewer bring fewer a second, and more no more. */
#define MAX_GETS 128
/* Bytes of keys in one request: a gateway drops requests of over 2 MB. */
#define MAX_REQUEST (1024 * 1024)

/* Rows of a scan's first page; later pages are as long as the rows so far suggest. */
#define FIRST_PAGE 256
#define MAX_PAGE 5000
#define PAGE_BYTES (8 * 1024 * 1024)

/* One request of a read: some of its keys, or the page of a scan. */
typedef struct
{
  TallHbaseCall call;
  const TallRead *read;
  GByteArray *table;
  TallHbaseRows results; /* the answers so far */

  guint first; /* gets: keys from here … */
  guint n;     /* … and so many */

  GByteArray *start; /* scan: where the page begins */
  guint page;        /* rows asked for */
} Request;

static void
request_free (gpointer data)
{
  Request *self = data;
  g_clear_pointer (&self->table, g_byte_array_unref);
  g_clear_pointer (&self->start, g_byte_array_unref);
  tall_hbase_rows_clear (&self->results);
  g_free (self);
}

static gboolean
get_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  Request *self = (Request *)call;
  g_autoptr (HbTGet) get = tall_hbase_get_new (self->read, self->read->keys[self->first]);
  return hb_gateway_client_send_get (client, self->table, get, error);
}

static gboolean
get_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  return tall_hbase_rows_receive (&self->results, client, FALSE, io, error);
}

static gboolean
gets_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  Request *self = (Request *)call;
  g_autoptr (GPtrArray) gets = g_ptr_array_new_full (self->n, g_object_unref);
  for (guint i = 0; i < self->n; i++)
    g_ptr_array_add (gets, tall_hbase_get_new (self->read, self->read->keys[self->first + i]));
  return hb_gateway_client_send_get_multiple (client, self->table, gets, error);
}

static gboolean
gets_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  return tall_hbase_rows_receive (&self->results, client, TRUE, io, error);
}

static guint
limit_left (const Request *self)
{
  return self->read->limit == 0 ? G_MAXUINT : self->read->limit - self->results.rows->len;
}

static gboolean
scan_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  Request *self = (Request *)call;
  self->page = FIRST_PAGE;
  if (self->results.rows->len > 0)
    {
      gsize row = MAX (self->results.bytes / self->results.rows->len, 1);
      self->page = (guint)CLAMP (PAGE_BYTES / row, 1, MAX_PAGE);
    }
  self->page = MIN (self->page, limit_left (self));

  g_autoptr (HbTScan) scan = tall_hbase_scan_new (self->read, self->start, self->page);
  return hb_gateway_client_send_get_scanner_results (client, self->table, scan, (gint32)self->page,
                                                     error);
}

/* The next page begins right after the last row: at its key with a zero byte. */
static void
scan_go_on (Request *self)
{
  GArray *rows = self->results.rows;
  TallSlice last = g_array_index (rows, TallRow, rows->len - 1).key;
  if (last.len == 0)
    return;

  g_byte_array_unref (self->start);
  self->start = tall_hbase_bytes (last);
  tall_bytes_append_u8 (self->start, 0);
  self->call.again = TRUE;
}

static gboolean
scan_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  guint before = self->results.rows->len;
  if (!tall_hbase_rows_receive (&self->results, client, TRUE, io, error))
    return FALSE;
  if (self->results.rows->len - before >= self->page && limit_left (self) > 0)
    scan_go_on (self);
  return TRUE;
}

static Request *
request_new (GPtrArray *requests, const TallHbaseNames *names, const TallRead *read)
{
  Request *self = g_new0 (Request, 1);
  self->call.table = read->table;
  self->call.harmless = TRUE;
  self->read = read;
  self->table = tall_hbase_names_get_table (names, read->table);
  tall_hbase_rows_init (&self->results);
  g_ptr_array_add (requests, self);
  return self;
}

static void
add_scan (GPtrArray *requests, const TallHbaseNames *names, const TallRead *read)
{
  /* To HBase a scan that stops where it starts is the get of that row. */
  if (read->stop.len > 0 && tall_slice_compare (read->start, read->stop) >= 0)
    return;

  Request *self = request_new (requests, names, read);
  self->call.send = scan_send;
  self->call.receive = scan_receive;
  self->start = tall_hbase_bytes (read->start);
}

static gsize
size_of_get (const TallRead *read, guint i)
{
  gsize size = 64 + read->keys[i].len;
  for (guint q = 0; q < read->n_qualifiers; q++)
    size += 32 + read->qualifiers[q].len;
  return size;
}

static void
add_gets (GPtrArray *requests, const TallHbaseNames *names, const TallRead *read)
{
  for (guint i = 0; i < read->n_keys;)
    {
      Request *self = request_new (requests, names, read);
      self->first = i;
      gsize size = 0;
      for (; i < read->n_keys && self->n < MAX_GETS && (self->n == 0 || size < MAX_REQUEST); i++)
        {
          size += size_of_get (read, i);
          self->n++;
        }
      self->call.send = self->n == 1 ? get_send : gets_send;
      self->call.receive = self->n == 1 ? get_receive : gets_receive;
    }
}

static gboolean
check_answer (const Request *self, GError **error)
{
  const GArray *rows = self->results.rows;
  if (self->read->kind == TALL_READ_SCAN)
    return TRUE;
  if (rows->len != self->n)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL,
                   "the gateway answered %u gets of table %s with %u rows", self->n,
                   self->read->table, rows->len);
      return FALSE;
    }

  for (guint i = 0; i < self->n; i++)
    {
      const TallRow *row = &g_array_index (rows, TallRow, i);
      if (row->n_cells == 0 || tall_slice_equal (row->key, self->read->keys[self->first + i]))
        continue;
      g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL,
                   "the gateway answered a get of table %s with another row", self->read->table);
      return FALSE;
    }
  return TRUE;
}

/* Requests of one read follow each other. */
static gboolean
build_rows (
    TallReadResult *result, guint i, const TallRead *read, GPtrArray *requests, GError **error)
{
  guint n = 0;
  for (guint r = 0; r < requests->len; r++)
    {
      const Request *request = g_ptr_array_index (requests, r);
      n += request->read == read ? request->results.rows->len : 0;
    }

  TallRows *rows = &result->results[i];
  rows->rows = tall_arena_newa0 (result->arena, TallRow, n);
  for (guint r = 0; r < requests->len; r++)
    {
      Request *request = g_ptr_array_index (requests, r);
      if (request->read != read)
        continue;
      if (!check_answer (request, error))
        return FALSE;
      tall_hbase_rows_move (&request->results, result->arena, rows);
    }
  return TRUE;
}

/**
 * tall_hbase_read:
 *
 * The table's read. Plans become `get`, `getMultiple` and pages of `getScannerResults`, sent on
 * several connections before the first answer is awaited.
 */
TallReadResult *
tall_hbase_read (TallHbasePool *pool,
                 const TallHbaseNames *names,
                 const TallReadPlan *plan,
                 gint64 deadline,
                 GError **error)
{
  g_autoptr (GPtrArray) requests = g_ptr_array_new_with_free_func (request_free);
  for (guint i = 0; i < plan->reads->len; i++)
    {
      const TallRead *read = tall_read_plan_get (plan, i);
      if (read->kind == TALL_READ_SCAN)
        add_scan (requests, names, read);
      else
        add_gets (requests, names, read);
    }

  if (!tall_hbase_run (pool, names, (TallHbaseCall *const *)requests->pdata, requests->len,
                       deadline, error))
    return NULL;

  g_autoptr (TallReadResult) result = tall_read_result_new (plan->reads->len);
  for (guint i = 0; i < plan->reads->len; i++)
    if (!build_rows (result, i, tall_read_plan_get (plan, i), requests, error))
      return NULL;
  return g_steal_pointer (&result);
}
