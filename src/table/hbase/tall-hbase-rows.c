/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-rows.h"

#include <stdlib.h>
#include <thrift/c_glib/thrift_application_exception.h>

#include "tall-binary-protocol.h"

/* Fields of `idl/hbase.thrift`. */
#define RESULT_ROW 1
#define RESULT_CELLS 2
#define CELL_FAMILY 1
#define CELL_QUALIFIER 2
#define CELL_VALUE 3
#define CELL_TIMESTAMP 4
#define REPLY_SUCCESS 0
#define REPLY_IO 1

#define CELL_OVERHEAD 64 /* bytes of a cell besides qualifier and value, about */

/*
 * Reads results straight into rows. Thrift's generated code makes six objects of a cell, and its
 * classes check an object's type for every number: two thirds of what a scan cost us. The binary
 * protocol is read here, from the transport; the compact one through its guarded class.
 */
typedef struct
{
  TallHbaseRows *rows;
  ThriftProtocol *protocol;
  TallTransport *transport;
  gboolean direct;
  guint64 n_elements; /* direct: of all lists so far */
} Input;

void
tall_hbase_rows_init (TallHbaseRows *self)
{
  self->arena = tall_arena_new (4096);
  self->rows = g_array_new (FALSE, FALSE, sizeof (TallRow));
  self->cells = g_array_new (FALSE, FALSE, sizeof (TallCell));
  self->bytes = 0;
}

void
tall_hbase_rows_clear (TallHbaseRows *self)
{
  g_clear_pointer (&self->arena, tall_arena_free);
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->cells, g_array_unref);
}

static gboolean
malformed (Input *self, GError **error, const char *reason)
{
  tall_transport_break (self->transport);
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID, "malformed message: %s", reason);
  return FALSE;
}

/* A big-endian number of so many bytes. */
static gboolean
take_number (Input *self, guint size, guint64 *value, GError **error)
{
  const guint8 *bytes = tall_transport_take (self->transport, size, error);
  *value = 0;
  for (guint i = 0; bytes != NULL && i < size; i++)
    *value = *value << 8 | bytes[i];
  return bytes != NULL;
}

static gboolean
begin_struct (Input *self, GError **error)
{
  g_autofree gchar *name = NULL;
  return self->direct || thrift_protocol_read_struct_begin (self->protocol, &name, error) >= 0;
}

static gboolean
end_struct (Input *self, GError **error)
{
  return self->direct || thrift_protocol_read_struct_end (self->protocol, error) >= 0;
}

/* @seen: a bit for each field of the struct so far; none may come twice */
static gboolean
begin_field (Input *self, guint64 *seen, ThriftType *type, gint16 *id, GError **error)
{
  g_autofree gchar *name = NULL;
  guint64 number;
  if (!self->direct)
    return thrift_protocol_read_field_begin (self->protocol, &name, type, id, error) >= 0;

  if (!take_number (self, 1, &number, error))
    return FALSE;
  *type = (ThriftType)number;
  if (*type == T_STOP)
    return TRUE;
  if (!take_number (self, 2, &number, error))
    return FALSE;
  *id = (gint16)number;
  if (*id < 0 || *id > 63)
    return TRUE;
  if (*seen >> *id & 1)
    return malformed (self, error, "a field comes twice");
  *seen |= (guint64)1 << *id;
  return TRUE;
}

static gboolean
end_field (Input *self, GError **error)
{
  return self->direct || thrift_protocol_read_field_end (self->protocol, error) >= 0;
}

/* Every element of a list takes a byte at least. */
static gboolean
begin_list (Input *self, guint32 *n, GError **error)
{
  guint64 type;
  guint64 size;
  if (!self->direct)
    {
      ThriftType element = T_STOP;
      if (thrift_protocol_read_list_begin (self->protocol, &element, n, error) < 0)
        return FALSE;
      return *n == 0 || element == T_STRUCT || malformed (self, error, "a list of other things");
    }

  if (!take_number (self, 1, &type, error) || !take_number (self, 4, &size, error))
    return FALSE;
  if (size > tall_transport_get_remaining (self->transport))
    return malformed (self, error, "a list that is longer than the message");
  self->n_elements += size;
  if (self->n_elements > tall_transport_get_options (self->transport)->max_elements)
    return malformed (self, error, "too many rows and cells");
  *n = (guint32)size;
  return size == 0 || type == T_STRUCT || malformed (self, error, "a list of other things");
}

static gboolean
end_list (Input *self, GError **error)
{
  return self->direct || thrift_protocol_read_list_end (self->protocol, error) >= 0;
}

static gboolean
read_bytes (Input *self, TallSlice *slice, GError **error)
{
  TallArena *arena = self->rows->arena;
  if (!self->direct)
    {
      g_autofree gpointer copy = NULL;
      guint32 len = 0;
      if (thrift_protocol_read_binary (self->protocol, &copy, &len, error) < 0)
        return FALSE;
      *slice = tall_slice (tall_arena_memdup (arena, copy, len), len);
      return TRUE;
    }

  guint64 len;
  if (!take_number (self, 4, &len, error))
    return FALSE;
  const guint8 *bytes = tall_transport_take (self->transport, len, error);
  if (bytes == NULL)
    return FALSE;
  *slice = tall_slice (tall_arena_memdup (arena, bytes, len), len);
  return TRUE;
}

static gboolean
read_timestamp (Input *self, gint64 *timestamp, GError **error)
{
  guint64 number;
  if (!self->direct)
    return thrift_protocol_read_i64 (self->protocol, timestamp, error) >= 0;
  if (!take_number (self, 8, &number, error))
    return FALSE;
  *timestamp = (gint64)number;
  return TRUE;
}

static gboolean
read_cell_field (
    Input *self, ThriftType type, gint16 id, TallSlice *family, TallCell *cell, GError **error)
{
  if (type == T_STRING && id == CELL_FAMILY)
    return read_bytes (self, family, error);
  if (type == T_STRING && id == CELL_QUALIFIER)
    return read_bytes (self, &cell->qualifier, error);
  if (type == T_STRING && id == CELL_VALUE)
    return read_bytes (self, &cell->value, error);
  if (type == T_I64 && id == CELL_TIMESTAMP)
    return read_timestamp (self, &cell->timestamp, error);
  return thrift_protocol_skip (self->protocol, type, error) >= 0;
}

/* Cells of other families, and without a timestamp, are none of ours. */
static gboolean
read_cell (Input *self, GError **error)
{
  TallSlice family = TALL_SLICE_INIT;
  TallCell cell = { .timestamp = -1 };
  guint64 seen = 0;
  ThriftType type;
  gint16 id;

  if (!begin_struct (self, error))
    return FALSE;
  for (;;)
    {
      if (!begin_field (self, &seen, &type, &id, error))
        return FALSE;
      if (type == T_STOP)
        break;
      if (!read_cell_field (self, type, id, &family, &cell, error) || !end_field (self, error))
        return FALSE;
    }
  if (family.data == NULL || cell.qualifier.data == NULL || cell.value.data == NULL)
    return malformed (self, error, "a cell without family, qualifier or value");

  self->rows->bytes += CELL_OVERHEAD + cell.qualifier.len + cell.value.len;
  if (cell.timestamp >= 0 && tall_slice_equal (family, tall_slice_str (TALL_FAMILY)))
    g_array_append_val (self->rows->cells, cell);
  return end_struct (self, error);
}

static gboolean
read_cells (Input *self, GError **error)
{
  guint32 n = 0;
  if (!begin_list (self, &n, error))
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    if (!read_cell (self, error))
      return FALSE;
  return end_list (self, error);
}

/* By qualifier, and from the newest to the oldest. */
static int
compare_cells (gconstpointer a, gconstpointer b)
{
  const TallCell *x = a;
  const TallCell *y = b;
  int order = tall_slice_compare (x->qualifier, y->qualifier);
  return order != 0 ? order : (x->timestamp < y->timestamp) - (x->timestamp > y->timestamp);
}

static void
add_row (TallHbaseRows *self, TallSlice key)
{
  TallCell *cells = (TallCell *)self->cells->data;
  guint n = self->cells->len;
  gboolean sorted = TRUE;
  for (guint i = 1; i < n && sorted; i++)
    sorted = compare_cells (&cells[i - 1], &cells[i]) < 0;
  if (!sorted)
    qsort (cells, n, sizeof *cells, compare_cells);

  TallRow row = { key, tall_arena_memdup (self->arena, cells, n * sizeof *cells), n };
  g_array_append_val (self->rows, row);
}

static gboolean
read_row (Input *self, GError **error)
{
  TallHbaseRows *rows = self->rows;
  TallSlice key = TALL_SLICE_INIT;
  guint64 seen = 0;
  ThriftType type;
  gint16 id;

  g_array_set_size (rows->cells, 0);
  if (!begin_struct (self, error))
    return FALSE;
  for (;;)
    {
      gboolean ok;
      if (!begin_field (self, &seen, &type, &id, error))
        return FALSE;
      if (type == T_STOP)
        break;
      if (type == T_STRING && id == RESULT_ROW)
        ok = read_bytes (self, &key, error);
      else if (type == T_LIST && id == RESULT_CELLS)
        ok = read_cells (self, error);
      else
        ok = thrift_protocol_skip (self->protocol, type, error) >= 0;
      if (!ok || !end_field (self, error))
        return FALSE;
    }
  if (key.len == 0)
    g_array_set_size (rows->cells, 0);
  rows->bytes += key.len;
  add_row (rows, key);
  return end_struct (self, error);
}

static gboolean
read_rows (Input *self, gboolean is_list, GError **error)
{
  guint32 n = 0;
  if (!is_list)
    return read_row (self, error);
  if (!begin_list (self, &n, error))
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    if (!read_row (self, error))
      return FALSE;
  return end_list (self, error);
}

static gboolean
read_io_error (Input *self, HbTIOError **io, GError **error)
{
  g_clear_object (io);
  *io = g_object_new (HB_TYPE_T_I_O_ERROR, NULL);
  if (thrift_struct_read (THRIFT_STRUCT (*io), self->protocol, error) >= 0)
    return TRUE;
  g_clear_object (io);
  return FALSE;
}

/* @found: (out): whether there is a result, or an error in @io */
static gboolean
read_reply (Input *self, gboolean is_list, gboolean *found, HbTIOError **io, GError **error)
{
  ThriftType success = is_list ? T_LIST : T_STRUCT;
  guint64 seen = 0;
  ThriftType type;
  gint16 id;

  if (!begin_struct (self, error))
    return FALSE;
  for (;;)
    {
      gboolean ok;
      if (!begin_field (self, &seen, &type, &id, error))
        return FALSE;
      if (type == T_STOP)
        return end_struct (self, error);
      if (id == REPLY_SUCCESS && type == success)
        ok = *found = read_rows (self, is_list, error);
      else if (id == REPLY_IO && type == T_STRUCT)
        ok = *found = read_io_error (self, io, error);
      else
        ok = thrift_protocol_skip (self->protocol, type, error) >= 0;
      if (!ok || !end_field (self, error))
        return FALSE;
    }
}

/* Thrift's own answer where the gateway could give none. */
static void
read_application_error (Input *self, GError **error)
{
  ThriftApplicationException *answer = g_object_new (THRIFT_TYPE_APPLICATION_EXCEPTION, NULL);
  if (thrift_struct_read (THRIFT_STRUCT (answer), self->protocol, error) >= 0)
    g_set_error (error, THRIFT_APPLICATION_EXCEPTION_ERROR, answer->type, "application error: %s",
                 answer->message != NULL ? answer->message : "no reason given");
  g_object_unref (answer);
}

static gboolean
end_message (Input *self, GError **error)
{
  return thrift_protocol_read_message_end (self->protocol, error) >= 0
         && thrift_transport_read_end (self->protocol->transport, error);
}

/**
 * tall_hbase_rows_receive:
 * @client: one that has just sent a `get`, or with @is_list a `getMultiple` or `getScannerResults`
 * @io: (out): what the gateway complains about, if it does
 *
 * Receives the reply and appends its rows.
 *
 * Returns: FALSE with @io or @error set
 */
gboolean
tall_hbase_rows_receive (
    TallHbaseRows *self, HbGatewayIf *client, gboolean is_list, HbTIOError **io, GError **error)
{
  ThriftProtocol *protocol = HB_GATEWAY_CLIENT (client)->input_protocol;
  Input input = { self, protocol, (TallTransport *)protocol->transport,
                  TALL_IS_BINARY_PROTOCOL (protocol), 0 };
  g_autofree gchar *name = NULL;
  ThriftMessageType type = T_REPLY;
  gint32 seqid = 0;
  gboolean found = FALSE;

  if (thrift_protocol_read_message_begin (protocol, &name, &type, &seqid, error) < 0)
    return FALSE;
  if (type == T_EXCEPTION)
    {
      read_application_error (&input, error);
      return FALSE;
    }
  if (!read_reply (&input, is_list, &found, io, error) || !end_message (&input, error))
    return FALSE;
  if (!found)
    return malformed (&input, error, "a reply without a result");
  return *io == NULL;
}

/**
 * tall_hbase_rows_move:
 * @arena: becomes the owner of what the rows point to
 * @rows: has room for all; the rows that are there are appended
 */
void
tall_hbase_rows_move (TallHbaseRows *self, TallArena *arena, TallRows *rows)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      const TallRow *row = &g_array_index (self->rows, TallRow, i);
      if (row->n_cells > 0)
        rows->rows[rows->n_rows++] = *row;
    }
  g_array_set_size (self->rows, 0);
  tall_arena_own (arena, g_steal_pointer (&self->arena), (GDestroyNotify)tall_arena_free);
}
