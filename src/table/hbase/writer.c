/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/writer.h"

#include "base/fail.h"

#include "table/hbase/convert.h"
#include "table/hbase/reply.h"

/* The gateway does less for a row that is only put. */
static TallHbaseMethodId
find_method (const TallMutation *mutation)
{
  gboolean deletes = tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_UP_TO)
                     || tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_AT);
  return deletes ? TALL_HBASE_CHECK_AND_MUTATE : TALL_HBASE_CHECK_AND_PUT;
}

/**
 * tall_hbase_send_apply_if:
 * @table: with its name in HBase
 *
 * Sends a `checkAndPut` if @write only puts, else a `checkAndMutate`. It is of one row.
 */
gboolean
tall_hbase_send_apply_if (TallTransport *transport,
                          const char *table,
                          const TallConditionalWrite *write,
                          GError **error)
{
  const TallMutation *mutation = write->mutations[0];
  const TallSlice *expected = write->expected;
  TallHbaseMethodId method = find_method (mutation);
  TallHbaseTPut put;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseArgs args = {
    .table = tall_slice_str (table),
    .row = mutation->row,
    .family = tall_slice_str (TALL_FAMILY),
    .qualifier = write->qualifier,
    .compare_op = TALL_HBASE_EQUAL,
    /* The empty value means "must not exist"; an absent one is an error of `checkAndMutate`. */
    .value = expected == NULL ? (TallSlice)TALL_SLICE_INIT : *expected,
  };
  if (method == TALL_HBASE_CHECK_AND_PUT)
    {
      tall_hbase_t_put_init (&put, mutation, arena);
      args.puts = &put;
    }
  else
    args.mutations = tall_hbase_t_row_mutations_new (mutation, arena);
  return tall_hbase_send (transport, method, &args, error);
}

/**
 * tall_hbase_receive_apply_if:
 * @mutation: that was sent
 * @arena: of the reply
 * @io: (out) (nullable): what the gateway says if it failed
 */
gboolean
tall_hbase_receive_apply_if (TallTransport *transport,
                             const TallMutation *mutation,
                             TallArena *arena,
                             gboolean *matched,
                             TallHbaseTIOError **io,
                             GError **error)
{
  TallHbaseReceiver receiver = { arena, NULL, NULL };
  TallHbaseResult result;
  gboolean ok = tall_hbase_receive (transport, find_method (mutation), &receiver, &result, error);
  *io = result.io;
  *matched = result.yes;
  return ok;
}

typedef struct
{
  TallHbaseCall call;
  const char *table; /* with its name in HBase */
  TallArena *arena;  /* of the reply */
  const TallConditionalWrite *write;
  gboolean matched;
} ConditionalRequest;

static gboolean
apply_if_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  const ConditionalRequest *self = (const ConditionalRequest *)call;
  return tall_hbase_send_apply_if (transport, self->table, self->write, error);
}

static gboolean
apply_if_receive (TallHbaseCall *call,
                  TallTransport *transport,
                  TallHbaseTIOError **io,
                  GError **error)
{
  ConditionalRequest *self = (ConditionalRequest *)call;
  return tall_hbase_receive_apply_if (transport, self->write->mutations[0], self->arena,
                                      &self->matched, io, error);
}

/**
 * tall_hbase_apply_if:
 *
 * Implements apply_if by one request. It is sent twice only if the first one cannot have arrived as
 * a whole.
 */
gboolean
tall_hbase_apply_if (TallHbasePool *pool,
                     const TallConditionalWrite *write,
                     gboolean *matched,
                     GError **error)
{
  gsize size;
  const TallMutation *mutation = write->mutations[0];
  if (!tall_hbase_writer_measure (pool, mutation, &size, error))
    return FALSE;

  g_autofree char *table = tall_hbase_names_get_table (&pool->names, mutation->table);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  ConditionalRequest request = {
    .call = { .send = apply_if_send,
              .receive = apply_if_receive,
              .table = mutation->table,
              .writes = TRUE },
    .table = table,
    .arena = arena,
    .write = write,
  };
  TallHbaseCall *calls[] = { &request.call };
  if (!tall_hbase_run (pool, calls, 1, write->deadline, error))
    return FALSE;
  *matched = request.matched;
  return TRUE;
}

typedef struct
{
  TallHbaseCall call;
  const char *table; /* with its name in HBase */
  const TallHbaseCounter *counter;
  gint64 delta;
  TallHbaseReply reply;
} IncrementRequest;

static gboolean
increment_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  IncrementRequest *self = (IncrementRequest *)call;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseArgs args = { .table = tall_slice_str (self->table),
                         .increment = tall_hbase_t_increment_new (
                             self->counter->row, self->counter->qualifier, self->delta, arena) };
  return tall_hbase_send (transport, TALL_HBASE_INCREMENT, &args, error);
}

static gboolean
increment_receive (TallHbaseCall *call,
                   TallTransport *transport,
                   TallHbaseTIOError **io,
                   GError **error)
{
  IncrementRequest *self = (IncrementRequest *)call;
  return tall_hbase_reply_read (&self->reply, transport, TALL_HBASE_INCREMENT, 1, io, error);
}

static gboolean
read_counter (const TallHbaseReply *reply, gint64 *value, GError **error)
{
  const TallRow *row = tall_hbase_reply_get_row (reply, 0);
  if (row->n_cells == 1)
    {
      TallReader reader = tall_reader (row->cells[0].value);
      *value = (gint64)tall_reader_u64 (&reader);
      if (tall_reader_done (&reader))
        return TRUE;
    }
  return tall_error_fail (error, TALL_ERROR_OUTCOME_UNKNOWN,
                          "the gateway answered an increment without a counter");
}

/**
 * tall_hbase_increment:
 *
 * Implements increment. It is sent twice only if the first request cannot have arrived as a whole.
 */
gboolean
tall_hbase_increment (TallHbasePool *pool,
                      const TallHbaseCounter *counter,
                      gint64 delta,
                      gint64 deadline,
                      gint64 *value,
                      GError **error)
{
  g_autofree char *table = tall_hbase_names_get_table (&pool->names, counter->table);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  IncrementRequest request = {
    .call = { .send = increment_send,
              .receive = increment_receive,
              .table = counter->table,
              .writes = TRUE },
    .table = table,
    .counter = counter,
    .delta = delta,
  };
  TallHbaseCall *calls[] = { &request.call };
  tall_hbase_reply_init (&request.reply, arena);
  gboolean ok = tall_hbase_run (pool, calls, 1, deadline, error)
                && read_counter (&request.reply, value, error);
  tall_hbase_reply_clear (&request.reply);
  return ok;
}

/* Limits of one request: a framed gateway silently drops requests over 2 MB. */
#define MAX_ROWS 256
#define MAX_REQUEST (1536 * 1024)
#define GATEWAY_LIMIT (2 * 1024 * 1024 - 64 * 1024)

/* What Thrift adds to a row and to a change, at most. */
#define ROW_EXTRA 64
#define CHANGE_EXTRA 64

typedef enum
{
  GROUP_PUTS,    /* nothing but puts: putMultiple */
  GROUP_DELETES, /* deletes of one kind: deleteMultiple */
  GROUP_MIXED,   /* anything else, alone: mutateRow */
} Group;

/* One request of tall_hbase_writer_send(). */
typedef struct
{
  TallHbaseCall call;
  Group group;
  char *table;          /* with its name in HBase */
  TallArena *arena;     /* of the reply */
  guint n_failed;       /* deletes, as the reply says */
  GPtrArray *mutations; /* of TallMutation; not owned */
  gsize size;           /* bytes, about */
  gboolean again;       /* deletes failed, and are sent again */
} Request;

static void
request_free (gpointer data)
{
  Request *self = data;
  g_clear_pointer (&self->table, g_free);
  g_clear_pointer (&self->arena, tall_arena_free);
  g_clear_pointer (&self->mutations, g_ptr_array_unref);
  g_free (self);
}

static Group
group_of (const TallMutation *mutation)
{
  gboolean puts = tall_hbase_mutation_has (mutation, TALL_CHANGE_PUT);
  gboolean up_to = tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_UP_TO);
  gboolean at = tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_AT);

  if (puts + up_to + at > 1)
    return GROUP_MIXED;
  return puts ? GROUP_PUTS : GROUP_DELETES;
}

static gboolean
send_mixed (Request *self, TallTransport *transport, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseArgs args = {
    .table = tall_slice_str (self->table),
    .mutations = tall_hbase_t_row_mutations_new (g_ptr_array_index (self->mutations, 0), arena),
  };
  return tall_hbase_send (transport, TALL_HBASE_MUTATE_ROW, &args, error);
}

static gboolean
send_puts (Request *self, TallTransport *transport, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  guint n = self->mutations->len;
  TallHbaseTPut *puts = tall_arena_newa0 (arena, TallHbaseTPut, n);
  for (guint i = 0; i < n; i++)
    tall_hbase_t_put_init (&puts[i], g_ptr_array_index (self->mutations, i), arena);

  TallHbaseArgs args = { .table = tall_slice_str (self->table), .puts = puts, .n_puts = n };
  return tall_hbase_send (transport, TALL_HBASE_PUT_MULTIPLE, &args, error);
}

static gboolean
send_deletes (Request *self, TallTransport *transport, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  guint n = self->mutations->len;
  TallHbaseTDelete *deletes = tall_arena_newa0 (arena, TallHbaseTDelete, n);
  for (guint i = 0; i < n; i++)
    {
      const TallMutation *mutation = g_ptr_array_index (self->mutations, i);
      tall_hbase_t_delete_init (&deletes[i], mutation, mutation->changes[0].kind, arena);
    }

  TallHbaseArgs args = { .table = tall_slice_str (self->table),
                         .deletes = deletes,
                         .n_deletes = n };
  return tall_hbase_send (transport, TALL_HBASE_DELETE_MULTIPLE, &args, error);
}

static gboolean
apply_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  Request *self = (Request *)call;
  switch (self->group)
    {
    case GROUP_PUTS:
      return send_puts (self, transport, error);
    case GROUP_DELETES:
      return send_deletes (self, transport, error);
    case GROUP_MIXED:
      return send_mixed (self, transport, error);
    }
  g_assert_not_reached ();
}

/* The gateway lists failed deletes instead of declaring an error. All are sent again, once. */
static gboolean
check_deletes (Request *self, TallHbaseTIOError **io)
{
  self->call.again = self->n_failed > 0 && !self->again;
  self->again = self->call.again;
  if (self->n_failed == 0 || self->again)
    return TRUE;

  *io = tall_arena_new0 (self->arena, TallHbaseTIOError);
  (*io)->message = tall_arena_printf (self->arena, "%u of %u deletes failed", self->n_failed,
                                      self->mutations->len);
  (*io)->can_retry = TRUE;
  return FALSE;
}

static gboolean
count_failed (TallStructReader *reader,
              const TallStructType *type G_GNUC_UNUSED,
              gconstpointer element G_GNUC_UNUSED,
              GError **error G_GNUC_UNUSED)
{
  Request *self = reader->sink;
  self->n_failed++;
  return TRUE;
}

static gboolean
apply_receive (TallHbaseCall *call,
               TallTransport *transport,
               TallHbaseTIOError **io,
               GError **error)
{
  static const TallHbaseMethodId methods[] = {
    [GROUP_PUTS] = TALL_HBASE_PUT_MULTIPLE,
    [GROUP_DELETES] = TALL_HBASE_DELETE_MULTIPLE,
    [GROUP_MIXED] = TALL_HBASE_MUTATE_ROW,
  };
  static const TallStructHandler handler = { NULL, count_failed };
  Request *self = (Request *)call;
  TallHbaseReceiver receiver = { self->arena, &handler, self };
  TallHbaseResult result;

  self->n_failed = 0;
  gboolean ok = tall_hbase_receive (transport, methods[self->group], &receiver, &result, error);
  *io = result.io;
  return ok && check_deletes (self, io);
}

static Request *
request_new (const TallHbaseNames *names, const char *table, Group group)
{
  Request *self = g_new0 (Request, 1);
  self->call.send = apply_send;
  self->call.receive = apply_receive;
  self->call.table = table;
  self->call.writes = TRUE;
  self->call.harmless = TRUE; /* all timestamps are explicit */
  self->group = group;
  self->table = tall_hbase_names_get_table (names, table);
  self->arena = tall_arena_new (0);
  self->mutations = g_ptr_array_new ();
  return self;
}

/* The request that has room for more of that kind, or a new one. */
static Request *
request_for (GPtrArray *requests,
             const TallHbaseNames *names,
             const TallMutation *mutation,
             gsize size)
{
  Group group = group_of (mutation);
  for (guint i = requests->len; group != GROUP_MIXED && i > 0; i--)
    {
      Request *request = g_ptr_array_index (requests, i - 1);
      if (request->group == group && g_str_equal (request->call.table, mutation->table))
        {
          if (request->mutations->len < MAX_ROWS && request->size + size <= MAX_REQUEST)
            return request;
          break;
        }
    }

  Request *request = request_new (names, mutation->table, group);
  g_ptr_array_add (requests, request);
  return request;
}

static gsize
measure (const TallMutation *mutation)
{
  return tall_mutation_get_size (mutation) + mutation->row.len + ROW_EXTRA
         + (gsize)mutation->n_changes * CHANGE_EXTRA;
}

/**
 * tall_hbase_writer_measure:
 * @size: (out): about the bytes that it takes in a request
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE if the gateway would not take it
 */
gboolean
tall_hbase_writer_measure (TallHbasePool *pool,
                           const TallMutation *mutation,
                           gsize *size,
                           GError **error)
{
  *size = measure (mutation);
  if (*size <= GATEWAY_LIMIT || !pool->options.framed)
    return TRUE;

  g_autofree char *row = tall_slice_to_debug (mutation->row);
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                          "row %s of table %s: %" G_GSIZE_FORMAT
                          " bytes to write; a framed gateway takes requests of up to 2 MB",
                          row, mutation->table, *size);
}

/**
 * tall_hbase_writer_is_simple:
 *
 * Returns: whether the mutation can share a call with others of its kind
 */
gboolean
tall_hbase_writer_is_simple (const TallMutation *mutation)
{
  return group_of (mutation) != GROUP_MIXED;
}

/**
 * tall_hbase_writer_send:
 * @link: (nullable) (transfer full): a connection to begin with; goes back to the pool
 *
 * Writes rows. Those with puts only go by `putMultiple`, those with deletes only by
 * `deleteMultiple`, both in batches; every other row goes by a `mutateRow` of its own.
 */
gboolean
tall_hbase_writer_send (TallHbasePool *pool,
                        TallHbaseLink *link,
                        const TallHbaseWrite *write,
                        GError **error)
{
  g_autoptr (GPtrArray) requests = g_ptr_array_new_with_free_func (request_free);
  for (guint i = 0; i < write->n; i++)
    {
      TallMutation *mutation = write->mutations[i];
      gsize size = measure (mutation);
      Request *request = request_for (requests, &pool->names, mutation, size);
      request->call.divisible = write->divisible;
      g_ptr_array_add (request->mutations, mutation);
      request->size += size;
    }

  return tall_hbase_run_on (pool, link, (TallHbaseCall *const *)requests->pdata, requests->len,
                            write->deadline, error);
}
