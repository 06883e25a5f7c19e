/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Messages for the tests of this folder: replies of HBase's gateway, under both protocols. */

#include "hb_gateway.h"
#include "tall-binary-protocol.h"
#include "tall-compact-protocol.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTResult, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTIOError, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbGatewayClient, g_object_unref)

static inline ThriftProtocol *
protocol_new (TallTransport *transport, gboolean compact)
{
  return compact ? tall_compact_protocol_new (transport) : tall_binary_protocol_new (transport);
}

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
  g_autoptr (ThriftProtocol) protocol = protocol_new (transport, compact);
  GError *error = NULL;

  assert_done (thrift_struct_write (object, protocol, &error), error);
  TallSlice output = tall_transport_get_output (transport);
  return g_byte_array_append (g_byte_array_new (), output.data, output.len);
}

/* Reads @bytes as a row. */
static inline HbTResult *
decode_result (TallSlice bytes, gboolean compact, GError **error)
{
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, FALSE, compact);
  g_autoptr (TallTransport) transport = tall_transport_new_memory (bytes, &options);
  g_autoptr (ThriftProtocol) protocol = protocol_new (transport, compact);
  g_autoptr (HbTResult) result = g_object_new (HB_TYPE_T_RESULT, NULL);

  if (thrift_struct_read (THRIFT_STRUCT (result), protocol, error) < 0
      || !thrift_transport_read_end (THRIFT_TRANSPORT (transport), error))
    return NULL;
  return g_steal_pointer (&result);
}
