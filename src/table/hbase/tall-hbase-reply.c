/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-reply.h"

#include <stdlib.h>
#include <thrift/c_glib/thrift_application_exception.h>

#include "tall-error.h"
#include "tall-struct-input.h"

/* What a cell takes besides its bytes. */
#define CELL_OVERHEAD 64
/* Cells of a row, mostly. */
#define USUAL_CELLS 32

typedef struct
{
  TallHbaseReply *reply;
  TallHbaseReplyKind kind;
  guint max_rows;
  TallStructInput input;
  HbTIOError *io; /* owned; NULL: none was declared */
} Decoder;

/* A struct TColumnValue. */
typedef struct
{
  TallSlice family;
  TallCell cell;
} ColumnValue;

/* Thrift's answer to a call that could not be run. */
typedef struct
{
  char *message; /* owned */
  gint32 type;
} Exception;

/* Reads the value of a field, or leaves it out. */
typedef gboolean (*ReadField) (
    Decoder *self, gint16 id, ThriftType type, gpointer object, GError **error);

static gboolean
malformed (GError **error, const char *what, const char *reason)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID, "malformed message: %s %s", what, reason);
  return FALSE;
}

static gboolean
note_field (guint64 *seen, gint16 id, const char *name, GError **error)
{
  if (id < 0 || id >= 64)
    return TRUE;

  guint64 bit = G_GUINT64_CONSTANT (1) << id;
  if (*seen & bit)
    return malformed (error, name, "has a field twice");
  *seen |= bit;
  return TRUE;
}

/* @seen: (out): the fields that were there, as bits. */
static gboolean
read_struct (Decoder *self,
             const char *name,
             ReadField read_field,
             gpointer object,
             guint64 *seen,
             GError **error)
{
  TallStructInput *input = &self->input;
  *seen = 0;
  if (!tall_struct_input_begin_struct (input, error))
    return FALSE;

  for (;;)
    {
      ThriftType type = T_STOP;
      gint16 id = 0;
      if (!tall_struct_input_begin_field (input, &type, &id, error))
        return FALSE;
      if (type == T_STOP)
        return tall_struct_input_end_struct (input, error);
      if (!note_field (seen, id, name, error) || !read_field (self, id, type, object, error)
          || !tall_struct_input_end_field (input, error))
        return FALSE;
    }
}

static gboolean
check_type (ThriftType type, ThriftType due, const char *name, GError **error)
{
  return type == due || malformed (error, name, "has the wrong type");
}

static gboolean
read_bytes (Decoder *self, ThriftType type, const char *name, TallSlice *slice, GError **error)
{
  return check_type (type, T_STRING, name, error)
         && tall_struct_input_bytes (&self->input, self->reply->arena, slice, error);
}

static gboolean
read_column_value_field (Decoder *self, gint16 id, ThriftType type, gpointer object, GError **error)
{
  ColumnValue *value = object;
  switch (id)
    {
    case 1:
      return read_bytes (self, type, "a cell's family", &value->family, error);
    case 2:
      return read_bytes (self, type, "a cell's qualifier", &value->cell.qualifier, error);
    case 3:
      return read_bytes (self, type, "a cell's value", &value->cell.value, error);
    case 4:
      return check_type (type, T_I64, "a cell's timestamp", error)
             && tall_struct_input_i64 (&self->input, &value->cell.timestamp, error);
    default:
      return tall_struct_input_skip (&self->input, type, error);
    }
}

/* A cell of another family, or without a timestamp, is not ours and is skipped. */
static gboolean
read_column_value (Decoder *self, GError **error)
{
  static const guint64 required = 1 << 1 | 1 << 2 | 1 << 3;
  TallHbaseReply *reply = self->reply;
  ColumnValue value = { 0 };
  guint64 seen;

  if (!read_struct (self, "a cell", read_column_value_field, &value, &seen, error))
    return FALSE;
  if ((seen & required) != required)
    return malformed (error, "a cell", "lacks its family, qualifier or value");
  if ((seen & 1 << 4) == 0 || !tall_slice_equal (value.family, tall_slice_str (TALL_FAMILY)))
    return TRUE;

  reply->bytes += CELL_OVERHEAD + value.cell.qualifier.len + value.cell.value.len;
  g_array_append_val (reply->cells, value.cell);
  return TRUE;
}

static gboolean
begin_structs (Decoder *self, ThriftType type, const char *name, guint32 *n, GError **error)
{
  ThriftType element = T_STOP;
  if (!check_type (type, T_LIST, name, error)
      || !tall_struct_input_begin_list (&self->input, &element, n, error))
    return FALSE;
  return *n == 0 || check_type (element, T_STRUCT, name, error);
}

static gboolean
read_cells (Decoder *self, ThriftType type, GError **error)
{
  guint32 n = 0;
  if (!begin_structs (self, type, "the list of cells", &n, error))
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    if (!read_column_value (self, error))
      return FALSE;
  return tall_struct_input_end_list (&self->input, error);
}

static gboolean
read_result_field (Decoder *self, gint16 id, ThriftType type, gpointer object, GError **error)
{
  TallRow *row = object;
  if (id == 1)
    return read_bytes (self, type, "a row key", &row->key, error);
  if (id == 2)
    return read_cells (self, type, error);
  return tall_struct_input_skip (&self->input, type, error);
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

static gboolean
read_result (Decoder *self, GError **error)
{
  TallHbaseReply *reply = self->reply;
  TallRow row = { 0 };
  guint64 seen;

  if (reply->arenas != NULL)
    reply->arena = reply->arenas[reply->rows->len];
  g_array_set_size (reply->cells, 0);
  if (!read_struct (self, "a row", read_result_field, &row, &seen, error))
    return FALSE;
  if ((seen & 1 << 2) == 0)
    return malformed (error, "a row", "lacks its list of cells");
  if (reply->cells->len > 0 && (seen & 1 << 1) == 0)
    return malformed (error, "a row", "has cells and no key");

  row.n_cells = reply->cells->len;
  row.cells = tall_arena_memdup (reply->arena, reply->cells->data, row.n_cells * sizeof (TallCell));
  sort_cells (&row);
  reply->bytes += row.key.len;
  g_array_append_val (reply->rows, row);
  return TRUE;
}

static gboolean
read_results (Decoder *self, ThriftType type, GError **error)
{
  guint32 n = 0;
  if (!begin_structs (self, type, "the list of rows", &n, error))
    return FALSE;
  if (n > self->max_rows)
    return malformed (error, "the list of rows", "is longer than asked for");
  for (guint32 i = 0; i < n; i++)
    if (!read_result (self, error))
      return FALSE;
  return tall_struct_input_end_list (&self->input, error);
}

/* A text of HBase's for people. */
static gboolean
read_text (Decoder *self, ThriftType type, const char *name, char **text, GError **error)
{
  return check_type (type, T_STRING, name, error)
         && tall_struct_input_text (&self->input, text, error);
}

static gboolean
read_io_field (Decoder *self, gint16 id, ThriftType type, gpointer object, GError **error)
{
  HbTIOError *io = object;
  switch (id)
    {
    case 1:
      io->__isset_message = TRUE;
      return read_text (self, type, "an error's message", &io->message, error);
    case 2:
      io->__isset_canRetry = TRUE;
      return check_type (type, T_BOOL, "an error's mark", error)
             && tall_struct_input_bool (&self->input, &io->canRetry, error);
    default:
      return tall_struct_input_skip (&self->input, type, error);
    }
}

static gboolean
read_io (Decoder *self, ThriftType type, GError **error)
{
  guint64 seen;
  self->io = g_object_new (HB_TYPE_T_I_O_ERROR, NULL);
  g_clear_pointer (&self->io->message, g_free);
  return check_type (type, T_STRUCT, "an error", error)
         && read_struct (self, "an error", read_io_field, self->io, &seen, error);
}

static gboolean
read_reply_field (
    Decoder *self, gint16 id, ThriftType type, gpointer object G_GNUC_UNUSED, GError **error)
{
  if (id == 0 && self->kind == TALL_HBASE_REPLY_LIST)
    return read_results (self, type, error);
  if (id == 0)
    return check_type (type, T_STRUCT, "the row", error) && read_result (self, error);
  if (id == 1)
    return read_io (self, type, error);
  return tall_struct_input_skip (&self->input, type, error);
}

/* FALSE with @error set, or with self->io. */
static gboolean
read_reply (Decoder *self, ThriftProtocol *protocol, GError **error)
{
  guint64 seen;
  tall_struct_input_init (&self->input, protocol);
  if (!read_struct (self, "the reply", read_reply_field, NULL, &seen, error)
      || !tall_struct_input_finish (&self->input, error))
    {
      g_clear_object (&self->io);
      return FALSE;
    }
  return self->io == NULL
         && ((seen & 1) != 0 || malformed (error, "the reply", "has neither rows nor an error"));
}

static gboolean
read_exception_field (Decoder *self, gint16 id, ThriftType type, gpointer object, GError **error)
{
  Exception *exception = object;
  if (id == 1)
    return read_text (self, type, "an exception's message", &exception->message, error);
  if (id == 2)
    return check_type (type, T_I32, "an exception's type", error)
           && tall_struct_input_i32 (&self->input, &exception->type, error);
  return tall_struct_input_skip (&self->input, type, error);
}

/* The gateway did not run the call. Thrift's own class for this leaks memory with every object. */
static void
read_exception (Decoder *self, ThriftProtocol *protocol, GError **error)
{
  Exception exception = { 0 };
  guint64 seen;
  tall_struct_input_init (&self->input, protocol);
  if (read_struct (self, "an exception", read_exception_field, &exception, &seen, error)
      && tall_struct_input_finish (&self->input, error))
    g_set_error (error, THRIFT_APPLICATION_EXCEPTION_ERROR, exception.type, "application error: %s",
                 exception.message != NULL && *exception.message != '\0' ? exception.message
                                                                         : "no reason given");
  g_free (exception.message);
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
 * @protocol: where the reply is due; guarded
 * @max_rows: as many as were asked for
 * @io: (out) (transfer full): what the gateway declared
 *
 * Reads one reply and appends its rows, straight from the buffer into the arena. Generated code
 * makes an object and three byte arrays of every cell, which costs more than everything else.
 *
 * Returns: FALSE with @io or @error set, and no rows; after @error the connection must be closed
 */
gboolean
tall_hbase_reply_read (TallHbaseReply *self,
                       ThriftProtocol *protocol,
                       TallHbaseReplyKind kind,
                       guint max_rows,
                       HbTIOError **io,
                       GError **error)
{
  Decoder decoder = { .reply = self, .kind = kind, .max_rows = max_rows };
  g_autofree gchar *name = NULL;
  ThriftMessageType type = T_REPLY;
  gint32 seqid = 0;
  guint n_before = self->rows->len;
  gsize bytes_before = self->bytes;

  if (thrift_protocol_read_message_begin (protocol, &name, &type, &seqid, error) < 0)
    return FALSE;
  if (type == T_EXCEPTION)
    {
      read_exception (&decoder, protocol, error);
      return FALSE;
    }
  if (read_reply (&decoder, protocol, error))
    return TRUE;

  g_array_set_size (self->rows, n_before);
  self->bytes = bytes_before;
  *io = decoder.io;
  return FALSE;
}
