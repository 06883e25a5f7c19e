/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/merged-get.h"

#include "table/hbase/gets.h"
#include "table/hbase/reply.h"

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
run_merged (TallHbaseShared *shared, TallHbaseLink *link, GError **error)
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
  static const TallHbaseMergeKind kind = { "get ", tall_hbase_pool_take, run_merged };
  g_auto (Get) get;
  get_init (&get, read, deadline);
  *result = NULL;
  if (!tall_hbase_merge_join (merge, &kind, read->table, &get.share, is_small (read), link, error))
    return FALSE;
  if (get.share.state == TALL_HBASE_SHARE_DONE)
    *result = finish (&get);
  return TRUE;
}
