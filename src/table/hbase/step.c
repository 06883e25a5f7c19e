/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/step.h"

#include "table/hbase/convert.h"
#include "table/hbase/reply.h"
#include "table/hbase/writer.h"

typedef struct
{
  TallHbaseCall call;
  const char *table; /* with its name in HBase */
  TallArena *arena;  /* of the reply */
  const TallMutation *mutation;
  const TallHbaseCondition *condition;
  gboolean matched;
} ConditionalRequest;

static gboolean
apply_if_send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  const ConditionalRequest *self = (const ConditionalRequest *)call;
  return tall_hbase_send_apply_if (transport, self->table, self->mutation, self->condition, error);
}

static gboolean
apply_if_receive (TallHbaseCall *call,
                  TallTransport *transport,
                  TallHbaseTIOError **io,
                  GError **error)
{
  ConditionalRequest *self = (ConditionalRequest *)call;
  return tall_hbase_receive_apply_if (transport, self->mutation, self->arena, &self->matched, io,
                                      error);
}

/**
 * tall_hbase_apply_if:
 *
 * Implements apply_if by one request. It is sent twice only if the first one cannot have arrived as
 * a whole.
 */
gboolean
tall_hbase_apply_if (TallHbasePool *pool,
                     const TallHbaseNames *names,
                     const TallMutation *mutation,
                     const TallHbaseCondition *condition,
                     gint64 deadline,
                     gboolean *matched,
                     GError **error)
{
  gsize size;
  if (!tall_hbase_writer_measure (pool, mutation, &size, error))
    return FALSE;

  g_autofree char *table = tall_hbase_names_get_table (names, mutation->table);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  ConditionalRequest request = {
    .call = { .send = apply_if_send,
              .receive = apply_if_receive,
              .table = mutation->table,
              .writes = TRUE },
    .table = table,
    .arena = arena,
    .mutation = mutation,
    .condition = condition,
  };
  TallHbaseCall *calls[] = { &request.call };
  if (!tall_hbase_run (pool, names, calls, 1, deadline, error))
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
  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
                       "the gateway answered an increment without a counter");
  return FALSE;
}

/**
 * tall_hbase_increment:
 *
 * Implements increment. It is sent twice only if the first request cannot have arrived as a whole.
 */
gboolean
tall_hbase_increment (TallHbasePool *pool,
                      const TallHbaseNames *names,
                      const TallHbaseCounter *counter,
                      gint64 delta,
                      gint64 deadline,
                      gint64 *value,
                      GError **error)
{
  g_autofree char *table = tall_hbase_names_get_table (names, counter->table);
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
  gboolean ok = tall_hbase_run (pool, names, calls, 1, deadline, error)
                && read_counter (&request.reply, value, error);
  tall_hbase_reply_clear (&request.reply);
  return ok;
}
