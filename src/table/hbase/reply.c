/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/reply.h"

#include <stdlib.h>

G_DEFINE_QUARK (tall - hbase - exception, tall_hbase_exception)

/**
 * tall_hbase_send:
 *
 * Sends a call.
 */
gboolean
tall_hbase_send (TallTransport *transport,
                 TallHbaseMethodId method,
                 const TallHbaseArgs *args,
                 GError **error)
{
  const TallHbaseMethod *self = &tall_hbase_methods[method];
  return tall_message_write_call (self->name, transport, self->args, args, error)
         && tall_transport_flush (transport, error);
}

static void
read_exception (TallStructReader *reader, GError **error)
{
  TallMessageException exception = { 0 };
  if (tall_struct_reader_read (reader, &tall_message_exception_type, &exception, error)
      && tall_struct_reader_finish (reader, error))
    g_set_error (error, TALL_HBASE_EXCEPTION, exception.type, "application error: %s",
                 exception.message != NULL && *exception.message != '\0' ? exception.message
                                                                         : "no reason given");
}

static gboolean
read_result (TallStructReader *reader,
             const TallHbaseMethod *method,
             TallHbaseResult *result,
             GError **error)
{
  if (!tall_struct_reader_read (reader, method->result, result, error)
      || !tall_struct_reader_finish (reader, error))
    return FALSE;
  if (result->io != NULL || method->success == NULL || (reader->seen & TALL_STRUCT_BIT (0)) != 0)
    return TRUE;
  return tall_transport_reject (reader->transport, error, "the reply has neither %s nor an error",
                                method->success);
}

/**
 * tall_hbase_receive:
 * @method: of the call that was sent last
 * @result: (out): what the reply says, by itself without what it hands on
 *
 * Reads one reply, straight from the buffer.
 *
 * Returns: FALSE with the result's `io` if the gateway declared an error, else with @error set;
 *   after @error the connection must be closed
 */
gboolean
tall_hbase_receive (TallTransport *transport,
                    TallHbaseMethodId method,
                    const TallHbaseReceiver *receiver,
                    TallHbaseResult *result,
                    GError **error)
{
  g_auto (TallMessage) message = { NULL };
  TallStructReader reader;

  *result = (TallHbaseResult){ NULL };
  if (!tall_message_read (&message, transport, error))
    return FALSE;
  tall_struct_reader_init (&reader, transport, receiver->arena, NULL);
  reader.handler = receiver->handler;
  reader.sink = receiver->sink;
  if (message.type == T_EXCEPTION)
    {
      read_exception (&reader, error);
      return FALSE;
    }
  if (read_result (&reader, &tall_hbase_methods[method], result, error))
    return result->io == NULL;
  result->io = NULL;
  return FALSE;
}

/**
 * tall_hbase_exchange:
 *
 * Sends a call and reads its reply; fails as tall_hbase_receive() does.
 */
gboolean
tall_hbase_exchange (TallTransport *transport,
                     TallHbaseMethodId method,
                     const TallHbaseArgs *args,
                     const TallHbaseReceiver *receiver,
                     TallHbaseResult *result,
                     GError **error)
{
  *result = (TallHbaseResult){ NULL };
  return tall_hbase_send (transport, method, args, error)
         && tall_hbase_receive (transport, method, receiver, result, error);
}

/* What a cell takes besides its bytes. */
#define CELL_OVERHEAD 64
/* Cells of a row, mostly. */
#define USUAL_CELLS 32

/* By qualifier, and from the newest to the oldest. */
static int
compare_cells (gconstpointer a, gconstpointer b)
{
  const TallCell *x = a;
  const TallCell *y = b;
  int order = tall_slice_compare (x->qualifier, y->qualifier);
  return order != 0 ? order : (x->timestamp < y->timestamp) - (x->timestamp > y->timestamp);
}

/* HBase sends them sorted already. */
static void
sort_cells (TallRow *row)
{
  for (guint i = 1; i < row->n_cells; i++)
    if (compare_cells (&row->cells[i - 1], &row->cells[i]) > 0)
      {
        qsort (row->cells, row->n_cells, sizeof *row->cells, compare_cells);
        return;
      }
}

/* A cell of another family, or without a timestamp, is not ours and is skipped. */
static void
add_cell (TallHbaseReply *self, const TallHbaseTColumnValue *value)
{
  if (!value->has_timestamp || !tall_slice_equal (value->family, tall_slice_str (TALL_FAMILY)))
    return;
  TallCell cell = { .qualifier = value->qualifier,
                    .timestamp = value->timestamp,
                    .value = value->value };
  self->bytes += CELL_OVERHEAD + cell.qualifier.len + cell.value.len;
  g_array_append_val (self->cells, cell);
}

static void
add_row (TallHbaseReply *self, TallSlice key)
{
  TallRow row = { .key = key, .n_cells = self->cells->len };
  row.cells = tall_arena_memdup (self->arena, self->cells->data, row.n_cells * sizeof (TallCell));
  sort_cells (&row);
  self->bytes += key.len;
  g_array_append_val (self->rows, row);
}

static gboolean
begin (TallStructReader *reader, const TallStructType *type, GError **error)
{
  TallHbaseReply *self = reader->sink;
  if (type == &tall_hbase_t_column_value_type)
    return TRUE;

  if (self->max_rows == 0)
    return tall_transport_reject (reader->transport, error,
                                  "the list of rows is longer than asked for");
  self->max_rows--;
  if (self->arenas != NULL)
    reader->arena = self->arena = self->arenas[self->rows->len];
  g_array_set_size (self->cells, 0);
  return TRUE;
}

static gboolean
end (TallStructReader *reader, const TallStructType *type, gconstpointer element, GError **error)
{
  TallHbaseReply *self = reader->sink;
  if (type == &tall_hbase_t_column_value_type)
    {
      add_cell (self, element);
      return TRUE;
    }

  const TallHbaseTResult *row = element;
  if (self->cells->len > 0 && row->row.data == NULL)
    return tall_transport_reject (reader->transport, error, "a row has cells and no key");
  add_row (self, row->row);
  return TRUE;
}

/**
 * tall_hbase_reply_init:
 * @arena: takes what will be read
 */
void
tall_hbase_reply_init (TallHbaseReply *self, TallArena *arena)
{
  self->arena = arena;
  self->arenas = NULL;
  self->rows = g_array_new (FALSE, FALSE, sizeof (TallRow));
  self->cells = g_array_sized_new (FALSE, FALSE, sizeof (TallCell), USUAL_CELLS);
  self->bytes = 0;
}

void
tall_hbase_reply_clear (TallHbaseReply *self)
{
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->cells, g_array_unref);
}

/**
 * tall_hbase_reply_read:
 * @transport: where the reply is due
 * @method: one that answers with a row or with rows
 * @max_rows: as many as were asked for
 * @io: (out) (transfer none): what the gateway declared, in the arena
 *
 * Reads one reply and appends its rows, straight from the buffer into the arena.
 *
 * Returns: FALSE with @io or @error set, and no rows; after @error the connection must be closed
 */
gboolean
tall_hbase_reply_read (TallHbaseReply *self,
                       TallTransport *transport,
                       TallHbaseMethodId method,
                       guint max_rows,
                       TallHbaseTIOError **io,
                       GError **error)
{
  static const TallStructHandler handler = { begin, end };
  TallHbaseReceiver receiver = { self->arena, &handler, self };
  TallHbaseResult result;
  guint n_before = self->rows->len;
  gsize bytes_before = self->bytes;

  self->max_rows = max_rows;
  if (tall_hbase_receive (transport, method, &receiver, &result, error))
    return TRUE;

  g_array_set_size (self->rows, n_before);
  self->bytes = bytes_before;
  *io = result.io;
  return FALSE;
}
