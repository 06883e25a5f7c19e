/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/call.h"

#include "base/trace.h"
#include "table/hbase/reply.h"

#define INTERNAL_ERROR 6 /* of the types of Thrift's exceptions */

/**
 * tall_hbase_request:
 * @pool: that it is made by
 * @table: (nullable): short name; not copied
 */
TallHbaseRequest
tall_hbase_request (TallHbasePool *pool, const char *table)
{
  TallHbaseRequest self = {
    .call.arena = tall_arena_new (0),
    .pool = pool,
    .table = table,
    .starts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref),
    .found = g_array_new (FALSE, FALSE, sizeof (TallHbaseTTableName)),
  };
  TallHbaseArgs *args = &self.call.args;
  if (table != NULL)
    {
      args->table = tall_hbase_names_get_table (&pool->names, table, self.call.arena);
      args->name = tall_hbase_names_get_table_name (&pool->names, table, self.call.arena);
    }
  return self;
}

void
tall_hbase_request_clear (TallHbaseRequest *self)
{
  g_clear_pointer (&self->call.arena, tall_arena_free);
  g_clear_pointer (&self->starts, g_ptr_array_unref);
  g_clear_pointer (&self->found, g_array_unref);
}

/* Takes what a reply lists. */
static gboolean
take (TallStructReader *reader,
      const TallStructType *type,
      gconstpointer element,
      GError **error G_GNUC_UNUSED)
{
  TallHbaseRequest *self = reader->sink;
  if (type == &tall_hbase_t_table_name_type)
    g_array_append_vals (self->found, element, 1);
  else if (type == &tall_hbase_t_h_region_location_type)
    {
      TallSlice start = ((const TallHbaseTHRegionLocation *)element)->region_info->start_key;
      if (start.len > 0)
        g_ptr_array_add (self->starts, g_bytes_new (start.data, start.len));
    }
  return TRUE;
}

/* Where a region was never on a server, because its table is just being made, the gateway finds no
 * name of one, and says only that it has failed. */
static gboolean
is_unplaced (const TallHbaseRequest *self, const GError *reason)
{
  return self->call.method == TALL_HBASE_GET_ALL_REGION_LOCATIONS
         && g_error_matches (reason, TALL_HBASE_EXCEPTION, INTERNAL_ERROR);
}

/* Another try begins anew. */
static gboolean
receive_list (TallHbaseCall *call, TallTransport *transport, TallHbaseTIOError **io, GError **error)
{
  static const TallStructHandler handler = { NULL, take };
  static char unplaced[] = "a region of the table is on no server yet";
  static TallHbaseTIOError not_now = { unplaced, TRUE };
  TallHbaseRequest *self = (TallHbaseRequest *)call;
  TallHbaseReceiver receiver = { call->arena, &handler, self };
  g_autoptr (GError) reason = NULL;

  g_ptr_array_set_size (self->starts, 0);
  g_array_set_size (self->found, 0);
  gboolean ok = tall_hbase_receive (transport, call->method, &receiver, &call->result, &reason);
  self->is_unplaced = is_unplaced (self, reason);
  if (self->is_unplaced)
    call->result.io = &not_now;
  else if (!ok && reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  *io = call->result.io;
  return ok;
}

gboolean
tall_hbase_request_run (TallHbaseRequest *self,
                        TallHbaseMethodId method,
                        gint64 deadline,
                        GError **error)
{
  self->call.method = method;
  self->call.receive = receive_list;
  self->call.done = FALSE;
  self->call.tries = 0;
  return tall_hbase_run_one (self->pool, &self->call, deadline, error);
}

/* Connections that one caller uses at a time. */
#define MAX_LINKS 4

/* How often a harmless call is sent: two gateways may die, one after the other. */
#define MAX_TRIES 3

/* What must be left of the operation's time for another try. */
#define MIN_REST (20 * G_TIME_SPAN_MILLISECOND)

/* A gateway answers calls on tables only when HBase has finished them. */
#define SLOW_TIMEOUT (60 * G_TIME_SPAN_SECOND)

typedef struct
{
  TallHbasePool *pool;
  gint64 deadline;
  gboolean writes;
  TallHbaseLink *links[MAX_LINKS]; /* n_links of them, lent */
  guint n_links;
  const TallHbaseCall *late; /* harmless and without an answer in time; NULL: none */
} Run;

/* Whether it may be sent more than once. So may writes of rows: all timestamps are explicit. */
static gboolean
is_harmless (const TallHbaseCall *call)
{
  static const guint changes = 1u << TALL_HBASE_CREATE_TABLE | 1u << TALL_HBASE_DELETE_TABLE
                               | 1u << TALL_HBASE_MODIFY_TABLE | 1u << TALL_HBASE_ENABLE_TABLE
                               | 1u << TALL_HBASE_DISABLE_TABLE | 1u << TALL_HBASE_CHECK_AND_PUT
                               | 1u << TALL_HBASE_CHECK_AND_MUTATE | 1u << TALL_HBASE_INCREMENT;
  return (changes >> call->method & 1) == 0;
}

/* Whether it writes rows: then its gateway must have passed the self-test. */
static gboolean
writes_rows (const TallHbaseCall *call)
{
  return call->method >= TALL_HBASE_PUT_MULTIPLE && call->method <= TALL_HBASE_INCREMENT;
}

static gboolean
is_on_tables (const TallHbaseCall *call)
{
  return call->table == NULL;
}

static void
give_back_links (Run *run)
{
  for (guint i = 0; i < run->n_links; i++)
    tall_hbase_pool_give_back (run->pool, run->links[i]);
  run->n_links = 0;
}

/* Waits only for the first connection: callers that hold one and wait for more may deadlock. */
static gboolean
take_links (Run *run, guint wanted, GError **error)
{
  while (run->n_links < MIN (wanted, MAX_LINKS))
    {
      TallHbaseLending lending = run->n_links > 0 ? TALL_HBASE_TRY : TALL_HBASE_WAIT;
      GError **reason = run->n_links > 0 ? NULL : error;
      TallHbaseLink *link =
          run->writes ? tall_hbase_pool_take_to_write (run->pool, lending, run->deadline, reason)
                      : tall_hbase_pool_take (run->pool, lending, run->deadline, reason);
      if (link == NULL)
        return run->n_links > 0;
      run->links[run->n_links++] = link;
    }
  return TRUE;
}

static gint64
get_timeout (const Run *run, const TallHbaseCall *call)
{
  const TallHbaseOptions *options = &run->pool->options;
  gint64 timeout = options->call_timeout * G_TIME_SPAN_MILLISECOND;
  return is_on_tables (call) ? MAX (timeout, SLOW_TIMEOUT) : timeout;
}

static void
set_deadline (const Run *run, TallHbaseLink *link, gint64 timeout)
{
  gint64 limit = g_get_monotonic_time () + timeout;
  link->hurried = run->deadline < limit;
  tall_transport_set_deadline (link->connection, MIN (limit, run->deadline));
}

/* Marks the connection as useless. If only the caller's time was over, that says little about the
 * gateway. */
static void
break_link (TallHbaseLink *link, const GError *reason)
{
  tall_transport_break (link->connection);
  link->late = g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  link->hurried &= link->late;
}

/* FALSE if HBase says no to a question about a call's table. */
static gboolean
ask (Run *run, const TallHbaseCall *call, TallHbaseLink *link, TallHbaseMethodId question)
{
  g_autoptr (GError) reason = NULL;
  gboolean answer = TRUE;
  if (!tall_hbase_link_ask (link, question, &run->pool->names, call->table, &answer, &reason)
      && reason != NULL)
    break_link (link, reason);
  return answer;
}

/* HBase's errors about an absent table often only name it. So HBase is asked whether the table
 * exists, unless its error is clear, or the call is about tables. */
static gboolean
is_table_missing (Run *run,
                  const TallHbaseCall *call,
                  TallHbaseLink *link,
                  const TallHbaseTIOError *io)
{
  if (is_on_tables (call) || tall_hbase_error_is_clear (io))
    return FALSE;

  set_deadline (run, link, get_timeout (run, call));
  return !ask (run, call, link, TALL_HBASE_TABLE_EXISTS);
}

/* The gateway is in doubt by now. So the next connection is to another gateway, or to this one
 * after it has answered again. */
static gboolean
may_be_repeated (const Run *run,
                 const TallHbaseCall *call,
                 TallHbaseLink *link,
                 const GError *reason)
{
  /* Bytes that make no sense, or the answer to another call: only this connection is to blame. */
  gboolean garbled = tall_hbase_error_is_garbled (reason) && is_harmless (call);
  gboolean late = g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  if (late && call->divisible)
    return FALSE;
  if (!garbled && !late && !g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNAVAILABLE))
    return FALSE;
  return call->tries < MAX_TRIES && g_get_monotonic_time () < run->deadline - MIN_REST
         && (is_harmless (call) || !tall_transport_has_delivered (link->connection));
}

static void
set_error (Run *run,
           TallHbaseCall *call,
           TallHbaseLink *link,
           GError *reason,
           const TallHbaseTIOError *io,
           GError **error)
{
  const char *gateway = tall_transport_get_peer (link->connection);

  if (io != NULL && is_table_missing (run, call, link, io))
    {
      tall_hbase_error_set_no_table (error, call->table, run->pool->names.deployment);
      return;
    }

  g_autoptr (GError) translated = NULL;
  tall_hbase_error_set (&translated, reason, io, gateway);
  if (is_on_tables (call) && g_error_matches (translated, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    g_prefix_error (&translated, "Calls on tables need HBase's master, which may be gone: ");
  tall_hbase_pool_explain (run->pool, &translated);
  gboolean refused =
      io != NULL
      && (translated->code == TALL_ERROR_NOT_FOUND || translated->code == TALL_ERROR_CONFLICT
          || translated->code == TALL_ERROR_UNSUPPORTED || translated->code == TALL_ERROR_INVALID
          || translated->code == TALL_ERROR_SHUT);
  if (!is_harmless (call) && !refused
      && (io != NULL || tall_transport_has_delivered (link->connection)))
    translated->code = TALL_ERROR_OUTCOME_UNKNOWN;
  g_propagate_error (error, g_steal_pointer (&translated));
}

/* Decides what a failed call means: if no error is set, it is sent once more. */
static void
settle_failure (Run *run,
                TallHbaseCall *call,
                TallHbaseLink *link,
                GError *reason,
                const TallHbaseTIOError *io,
                GError **error)
{
  if (io == NULL)
    break_link (link, reason);
  if (link->late && !link->hurried && is_harmless (call) && !is_on_tables (call))
    run->late = call;
  if (io == NULL && may_be_repeated (run, call, link, reason))
    link->n_retries++;
  else if (*error == NULL)
    set_error (run, call, link, reason, io, error);
}

static gboolean
send_call (Run *run, TallHbaseCall *call, TallHbaseLink *link, GError **reason)
{
  set_deadline (run, link, get_timeout (run, call));
  call->tries++;
  return tall_hbase_send (link->connection, call->method, &call->args, reason);
}

/* FALSE as tall_hbase_receive(), and if the call could not be sent. */
static gboolean
receive_answer (TallHbaseCall *call, TallHbaseLink *link, TallHbaseTIOError **io, GError **reason)
{
  TallHbaseReceiver receiver = { call->arena, NULL, NULL };
  if (*reason != NULL)
    return FALSE;
  if (call->receive != NULL)
    return call->receive (call, link->connection, io, reason);
  if (call->reply != NULL)
    return tall_hbase_reply_read (call->reply, link->connection, call->method, call->max_rows, io,
                                  reason);
  gboolean ok =
      tall_hbase_receive (link->connection, call->method, &receiver, &call->result, reason);
  *io = call->result.io;
  return ok;
}

/* One round: sends one call on each connection, then receives all answers. */
static gboolean
run_round (Run *run, TallHbaseCall *const *calls, guint n, GError **error)
{
  GError *reasons[MAX_LINKS] = { NULL };
  g_autoptr (GError) first = NULL;
  gint64 begin = g_get_monotonic_time ();

  for (guint i = 0; i < n; i++)
    {
      calls[i]->again = FALSE;
      send_call (run, calls[i], run->links[i], &reasons[i]);
    }

  for (guint i = 0; i < n; i++)
    {
      TallHbaseCall *call = calls[i];
      TallHbaseLink *link = run->links[i];
      g_autoptr (GError) reason = reasons[i];
      TallHbaseTIOError *io = NULL;
      /* Nobody waits for an answer that has come while an earlier one was waited for. */
      gboolean waits = i == 0 || tall_transport_is_fit (link->connection);
      gint64 since = waits ? begin : g_get_monotonic_time ();
      gboolean ok = receive_answer (call, link, &io, &reason);
      tall_trace_add (tall_transport_get_peer (link->connection), g_get_monotonic_time () - since);
      if (ok)
        {
          call->done = !call->again;
          call->tries = 0;
        }
      else
        settle_failure (run, call, link, reason, io, &first);
    }

  if (first == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

/* Some calls on a disabled table have no answer for minutes, and would have none again. So HBase is
 * asked, on another connection, before more time is spent on them. Another gateway may do better,
 * so this takes a part of a call's time only, and no answer says little. */
static gboolean
check_late (Run *run, GError **error)
{
  const TallHbaseCall *call = g_steal_pointer (&run->late);
  if (call == NULL || g_get_monotonic_time () >= run->deadline - MIN_REST
      || !take_links (run, 1, NULL))
    return TRUE;
  set_deadline (run, run->links[0], get_timeout (run, call) / 4);
  run->links[0]->hurried = TRUE;
  if (ask (run, call, run->links[0], TALL_HBASE_IS_TABLE_ENABLED))
    return TRUE;
  g_clear_error (error);
  tall_hbase_error_set_disabled (error, call->table, run->pool->names.deployment);
  return FALSE;
}

/* Gives back the connections that failed; the next round finds others. */
static void
drop_broken_links (Run *run)
{
  guint kept = 0;
  for (guint i = 0; i < run->n_links; i++)
    {
      TallHbaseLink *link = run->links[i];
      if (tall_transport_is_broken (link->connection))
        tall_hbase_pool_give_back (run->pool, link);
      else
        run->links[kept++] = link;
    }
  run->n_links = kept;
}

/**
 * tall_hbase_run:
 * @link: (nullable) (transfer full): a connection to begin with; goes back to the pool
 * @calls: @n of them, independent of each other; one may be followed by more (@again)
 *
 * Makes calls on several connections at once: each round sends on all of them before it receives.
 * If a connection fails or a call takes too long, a harmless call is sent again on another
 * connection; any other call only if it had not left. After an error the round is still finished,
 * so that its connections can be used again.
 *
 * Returns: TRUE if all calls are done. %TALL_ERROR_OUTCOME_UNKNOWN is only set for calls that are
 *   not harmless
 */
gboolean
tall_hbase_run (TallHbasePool *pool,
                TallHbaseLink *link,
                TallHbaseCall *const *calls,
                guint n,
                gint64 deadline,
                GError **error)
{
  Run run = { .pool = pool, .deadline = deadline, .writes = n > 0 && writes_rows (calls[0]) };
  gboolean ok = TRUE;

  if (link != NULL)
    run.links[run.n_links++] = link;
  for (;;)
    {
      TallHbaseCall *round[MAX_LINKS];
      guint n_round = 0;
      for (guint i = 0; i < n && n_round < MAX_LINKS; i++)
        if (!calls[i]->done)
          round[n_round++] = calls[i];

      ok = ok && (n_round == 0 || take_links (&run, n_round, error));
      if (!ok || n_round == 0)
        break;
      ok = run_round (&run, round, MIN (n_round, run.n_links), error);
      drop_broken_links (&run);
      ok = check_late (&run, error) && ok;
      drop_broken_links (&run);
    }

  give_back_links (&run);
  return ok;
}

/**
 * tall_hbase_run_one:
 *
 * Makes one call on a connection that is free, as tall_hbase_run() does.
 */
gboolean
tall_hbase_run_one (TallHbasePool *pool, TallHbaseCall *call, gint64 deadline, GError **error)
{
  return tall_hbase_run (pool, NULL, &call, 1, deadline, error);
}
