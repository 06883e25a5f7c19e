/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Messages for the tests of this folder: replies of HBase's gateway, under both protocols.
 * Generated code writes them, and ours reads them. */

#include "hb_gateway.h"
#include "wire/connection.h"
#include "tall-thrift.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTResult, g_object_unref)

/* A row, as a struct of ours. */
typedef struct
{
  TallSlice qualifier;
  TallSlice value;
  gint64 timestamp;
} WireCell;

typedef struct
{
  TallSlice row;
  WireCell *cells; /* n_cells of them */
  guint n_cells;
  gboolean stale;
} WireRow;

typedef struct
{
  WireRow *rows; /* n_rows of them */
  guint n_rows;
} WireRows;

typedef struct
{
  char *message;
} WireReason;

#define FIELD(name, id, kind, type, member, beside, element)                                       \
  {                                                                                                \
    name, id, TALL_KIND_##kind, G_STRUCT_OFFSET (type, member), beside, element                    \
  }
static const TallStructField wire_cell_fields[] = {
  FIELD ("qualifier", 2, BYTES, WireCell, qualifier, TALL_STRUCT_ALWAYS, NULL),
  FIELD ("value", 3, BYTES, WireCell, value, TALL_STRUCT_ALWAYS, NULL),
  FIELD ("timestamp", 4, I64, WireCell, timestamp, TALL_STRUCT_ALWAYS, NULL),
};
static TALL_STRUCT_TYPE (wire_cell, "a cell", WireCell);
static const TallStructField wire_row_fields[] = {
  FIELD ("row", 1, BYTES, WireRow, row, TALL_STRUCT_ALWAYS, NULL),
  FIELD ("cells", 2, STRUCTS, WireRow, cells, G_STRUCT_OFFSET (WireRow, n_cells), &wire_cell),
  FIELD ("stale", 3, BOOL, WireRow, stale, TALL_STRUCT_ALWAYS, NULL),
};
static TALL_STRUCT_TYPE (
    wire_row, "a row", WireRow, .required = TALL_STRUCT_BIT (2), .lacking = "lacks its cells");
static const TallStructField wire_rows_fields[] = {
  FIELD ("rows", 0, STRUCTS, WireRows, rows, G_STRUCT_OFFSET (WireRows, n_rows), &wire_row),
};
static TALL_STRUCT_TYPE (wire_rows, "a reply", WireRows);
static const TallStructField wire_reason_fields[] = {
  FIELD ("message", 1, REASON, WireReason, message, TALL_STRUCT_ALWAYS, NULL),
};
static TALL_STRUCT_TYPE (wire_reason, "a reason", WireReason);
static const TallStructField wire_text_fields[] = {
  FIELD ("message", 1, TEXT, WireReason, message, TALL_STRUCT_ALWAYS, NULL),
};
static TALL_STRUCT_TYPE (wire_text, "a text", WireReason);

typedef struct
{
  char **texts; /* n_texts of them */
  guint n_texts;
} WireTexts;

static const TallStructField wire_texts_fields[] = {
  FIELD ("texts", 1, TEXTS, WireTexts, texts, G_STRUCT_OFFSET (WireTexts, n_texts), NULL),
};
static TALL_STRUCT_TYPE (wire_texts, "texts", WireTexts);
#undef FIELD

static inline TallWireOptions
options_of (TallWireSide side, gboolean framed, gboolean compact)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = side;
  options.framed = framed;
  options.compact = compact;
  return options;
}

static inline GByteArray *
byte_array (const char *text)
{
  return g_byte_array_append (g_byte_array_new (), (const guint8 *)text, strlen (text));
}

/* A row of @n_cells cells with values of @value_size bytes. */
static inline HbTResult *
result_new (guint n_cells, guint value_size)
{
  HbTResult *result = g_object_new (HB_TYPE_T_RESULT, NULL);
  result->row = byte_array ("row");
  result->__isset_row = TRUE;

  for (guint i = 0; i < n_cells; i++)
    {
      HbTColumnValue *cell = g_object_new (HB_TYPE_T_COLUMN_VALUE, NULL);
      g_autofree char *qualifier = g_strdup_printf ("q%05u", i);
      cell->family = byte_array ("d");
      cell->qualifier = byte_array (qualifier);
      cell->value = g_byte_array_new ();
      g_byte_array_set_size (cell->value, value_size);
      memset (cell->value->data, 'v', value_size);
      cell->timestamp = 1000 + i;
      cell->__isset_timestamp = TRUE;
      g_ptr_array_add (result->columnValues, cell);
    }
  return result;
}

static inline void
assert_done (gint32 n, GError *error)
{
  g_assert_no_error (error);
  g_assert_cmpint (n, >=, 0);
}

/* Writes a reply to getScannerResults: @n_rows times @row. */
static inline void
write_scan_reply (ThriftProtocol *protocol, gint32 seqid, HbTResult *row, guint n_rows)
{
  GError *error = NULL;
  assert_done (thrift_protocol_write_message_begin (protocol, "getScannerResults", T_REPLY, seqid,
                                                    &error),
               error);
  thrift_protocol_write_struct_begin (protocol, "result", &error);
  thrift_protocol_write_field_begin (protocol, "success", T_LIST, 0, &error);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, n_rows, &error);
  for (guint i = 0; i < n_rows; i++)
    thrift_struct_write (THRIFT_STRUCT (row), protocol, &error);
  thrift_protocol_write_list_end (protocol, &error);
  thrift_protocol_write_field_end (protocol, &error);
  thrift_protocol_write_field_stop (protocol, &error);
  thrift_protocol_write_struct_end (protocol, &error);
  assert_done (thrift_protocol_write_message_end (protocol, &error), error);
}

/* A struct as bytes. */
static inline GByteArray *
encode_struct (ThriftStruct *object, gboolean compact)
{
  TallWireOptions options = options_of (TALL_WIRE_SERVER, FALSE, compact);
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  g_autoptr (ThriftProtocol) protocol = tall_thrift_protocol_new (transport, compact);
  GError *error = NULL;

  assert_done (thrift_struct_write (object, protocol, &error), error);
  TallSlice output = tall_transport_get_output (transport);
  return g_byte_array_append (g_byte_array_new (), output.data, output.len);
}

/* Reads a struct that stands alone, into the arena. */
static inline gpointer
read_struct (TallTransport *transport, const TallStructType *type, TallArena *arena, GError **error)
{
  TallStructReader reader;
  gpointer object = tall_arena_alloc0 (arena, type->size);
  tall_struct_reader_init (&reader, transport, arena, NULL);
  if (!tall_struct_reader_read (&reader, type, object, error)
      || !tall_struct_reader_finish (&reader, error))
    return NULL;
  return object;
}

/* Reads @bytes as a row. */
static inline WireRow *
decode_row (TallSlice bytes, gboolean compact, TallArena *arena, GError **error)
{
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, FALSE, compact);
  g_autoptr (TallTransport) transport = tall_transport_new_memory (bytes, &options);
  return read_struct (transport, &wire_row, arena, error);
}
