/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/reply.h"

#include <stdlib.h>

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
