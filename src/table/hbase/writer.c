/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/writer.h"

#include "base/fail.h"

#include "table/hbase/convert.h"
#include "table/hbase/reply.h"

/**
 * tall_hbase_make_apply_if:
 * @write: of one row
 * @args: (out): its arguments but the table
 *
 * The gateway does less for a row that is only put.
 *
 * Returns: the call that does it: `checkAndPut` if it only puts, else `checkAndMutate`
 */
TallHbaseMethodId
tall_hbase_make_apply_if (const TallConditionalWrite *write, TallHbaseArgs *args, TallArena *arena)
{
  const TallMutation *mutation = write->mutations[0];
  gboolean deletes = tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_UP_TO)
                     || tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_AT);
  *args = (TallHbaseArgs){
    .row = mutation->row,
    .family = tall_slice_str (TALL_FAMILY),
    .qualifier = write->qualifier,
    .compare_op = TALL_HBASE_EQUAL,
    /* The empty value means "must not exist"; an absent one is an error of `checkAndMutate`. */
    .value = write->expected == NULL ? (TallSlice)TALL_SLICE_INIT : *write->expected,
  };
  if (deletes)
    {
      args->mutations = tall_hbase_t_row_mutations_new (mutation, arena);
      return TALL_HBASE_CHECK_AND_MUTATE;
    }
  TallHbaseTPut *put = tall_arena_new0 (arena, TallHbaseTPut);
  tall_hbase_t_put_init (put, mutation, arena);
  args->puts = put;
  return TALL_HBASE_CHECK_AND_PUT;
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

  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseCall call = { .table = mutation->table, .arena = arena };
  call.method = tall_hbase_make_apply_if (write, &call.args, arena);
  call.args.table = tall_hbase_names_get_table (&pool->names, mutation->table, arena);
  if (!tall_hbase_run_one (pool, &call, write->deadline, error))
    return FALSE;
  *matched = call.result.yes;
  return TRUE;
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
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_auto (TallHbaseReply) reply;
  tall_hbase_reply_init (&reply, arena);
  TallHbaseCall call = {
    .method = TALL_HBASE_INCREMENT,
    .args = { .table = tall_hbase_names_get_table (&pool->names, counter->table, arena),
              .increment =
                  tall_hbase_t_increment_new (counter->row, counter->qualifier, delta, arena) },
    .table = counter->table,
    .reply = &reply,
    .max_rows = 1,
  };
  return tall_hbase_run_one (pool, &call, deadline, error) && read_counter (&reply, value, error);
}

/* Limits of one request: a framed gateway silently drops requests over 2 MB. */
#define MAX_ROWS 256
#define MAX_REQUEST (1536 * 1024)
#define GATEWAY_LIMIT (2 * 1024 * 1024 - 64 * 1024)

/* What Thrift adds to a row and to a change, at most. */
#define ROW_EXTRA 64
#define CHANGE_EXTRA 64

/* One request of tall_hbase_writer_send(), by its method: `putMultiple` has nothing but puts,
 * `deleteMultiple` deletes of one kind, and `mutateRow` anything else, of one row. */
typedef struct
{
  TallHbaseCall call;
  TallArena *arena;     /* of what is sent and of the reply */
  guint n_failed;       /* deletes, as the reply says */
  GPtrArray *mutations; /* of TallMutation; not owned */
  gsize size;           /* bytes, about */
  gboolean again;       /* deletes failed, and are sent again */
} Request;

static void
request_free (gpointer data)
{
  Request *self = data;
  g_clear_pointer (&self->arena, tall_arena_free);
  g_clear_pointer (&self->mutations, g_ptr_array_unref);
  g_free (self);
}

static TallHbaseMethodId
choose_method (const TallMutation *mutation)
{
  gboolean puts = tall_hbase_mutation_has (mutation, TALL_CHANGE_PUT);
  gboolean up_to = tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_UP_TO);
  gboolean at = tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_AT);

  if (puts + up_to + at > 1)
    return TALL_HBASE_MUTATE_ROW;
  return puts ? TALL_HBASE_PUT_MULTIPLE : TALL_HBASE_DELETE_MULTIPLE;
}

/* Makes the arguments, now that it has all its rows. */
static void
set_args (Request *self)
{
  TallHbaseArgs *args = &self->call.args;
  TallMutation *const *mutations = (TallMutation *const *)self->mutations->pdata;
  guint n = self->mutations->len;
  if (self->call.method == TALL_HBASE_MUTATE_ROW)
    args->mutations = tall_hbase_t_row_mutations_new (mutations[0], self->arena);
  else if (self->call.method == TALL_HBASE_PUT_MULTIPLE)
    {
      TallHbaseTPut *puts = tall_arena_newa0 (self->arena, TallHbaseTPut, n);
      for (guint i = 0; i < n; i++)
        tall_hbase_t_put_init (&puts[i], mutations[i], self->arena);
      args->puts = puts;
      args->n_puts = n;
    }
  else
    {
      TallHbaseTDelete *deletes = tall_arena_newa0 (self->arena, TallHbaseTDelete, n);
      for (guint i = 0; i < n; i++)
        tall_hbase_t_delete_init (&deletes[i], mutations[i], mutations[i]->changes[0].kind,
                                  self->arena);
      args->deletes = deletes;
      args->n_deletes = n;
    }
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
  static const TallStructHandler handler = { NULL, count_failed };
  Request *self = (Request *)call;
  TallHbaseReceiver receiver = { self->arena, &handler, self };

  self->n_failed = 0;
  gboolean ok = tall_hbase_receive (transport, call->method, &receiver, &call->result, error);
  *io = call->result.io;
  return ok && check_deletes (self, io);
}

static Request *
request_new (const TallHbaseNames *names, const char *table, TallHbaseMethodId method)
{
  Request *self = g_new0 (Request, 1);
  self->arena = tall_arena_new (0);
  self->call.method = method;
  self->call.args.table = tall_hbase_names_get_table (names, table, self->arena);
  self->call.table = table;
  self->call.receive = apply_receive;
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
  TallHbaseMethodId method = choose_method (mutation);
  for (guint i = requests->len; method != TALL_HBASE_MUTATE_ROW && i > 0; i--)
    {
      Request *request = g_ptr_array_index (requests, i - 1);
      if (request->call.method == method && g_str_equal (request->call.table, mutation->table))
        {
          if (request->mutations->len < MAX_ROWS && request->size + size <= MAX_REQUEST)
            return request;
          break;
        }
    }

  Request *request = request_new (names, mutation->table, method);
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
  return choose_method (mutation) != TALL_HBASE_MUTATE_ROW;
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

  for (guint i = 0; i < requests->len; i++)
    set_args (g_ptr_array_index (requests, i));
  return tall_hbase_run (pool, link, (TallHbaseCall *const *)requests->pdata, requests->len,
                         write->deadline, error);
}
