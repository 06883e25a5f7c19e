/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-gets.h"

#include "tall-hbase-convert.h"

/* Writes requests that are made thousands of times a second. It makes no object for every row,
 * column and array, because that would cost more than the writing. Fields and names as in
 * idl/hbase.thrift. */

static gboolean
write_binary (
    ThriftProtocol *protocol, const char *name, gint16 id, TallSlice bytes, GError **error)
{
  return thrift_protocol_write_field_begin (protocol, name, T_STRING, id, error) >= 0
         && thrift_protocol_write_binary (protocol, (gpointer)bytes.data, (guint32)bytes.len, error)
                >= 0
         && thrift_protocol_write_field_end (protocol, error) >= 0;
}

static gboolean
write_i64 (ThriftProtocol *protocol, const char *name, gint16 id, gint64 value, GError **error)
{
  return thrift_protocol_write_field_begin (protocol, name, T_I64, id, error) >= 0
         && thrift_protocol_write_i64 (protocol, value, error) >= 0
         && thrift_protocol_write_field_end (protocol, error) >= 0;
}

static gboolean
write_end (ThriftProtocol *protocol, GError **error)
{
  return thrift_protocol_write_field_stop (protocol, error) >= 0
         && thrift_protocol_write_struct_end (protocol, error) >= 0;
}

/* @qualifier: nullable: all of the family */
static gboolean
write_column (ThriftProtocol *protocol, const TallSlice *qualifier, GError **error)
{
  return thrift_protocol_write_struct_begin (protocol, "TColumn", error) >= 0
         && write_binary (protocol, "family", 1, tall_slice_str (TALL_FAMILY), error)
         && (qualifier == NULL || write_binary (protocol, "qualifier", 2, *qualifier, error))
         && write_end (protocol, error);
}

static gboolean
write_columns (ThriftProtocol *protocol, const TallRead *read, GError **error)
{
  guint n = MAX (read->n_qualifiers, 1);
  if (thrift_protocol_write_field_begin (protocol, "columns", T_LIST, 2, error) < 0
      || thrift_protocol_write_list_begin (protocol, T_STRUCT, (gint32)n, error) < 0)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!write_column (protocol, i < read->n_qualifiers ? &read->qualifiers[i] : NULL, error))
      return FALSE;
  return thrift_protocol_write_list_end (protocol, error) >= 0
         && thrift_protocol_write_field_end (protocol, error) >= 0;
}

static gboolean
write_time_range (ThriftProtocol *protocol, const TallRead *read, GError **error)
{
  if (!tall_hbase_read_has_time_range (read))
    return TRUE;
  return thrift_protocol_write_field_begin (protocol, "timeRange", T_STRUCT, 4, error) >= 0
         && thrift_protocol_write_struct_begin (protocol, "TTimeRange", error) >= 0
         && write_i64 (protocol, "minStamp", 1, read->min_timestamp, error)
         && write_i64 (protocol, "maxStamp", 2, read->max_timestamp, error)
         && write_end (protocol, error) && thrift_protocol_write_field_end (protocol, error) >= 0;
}

static gboolean
write_get (ThriftProtocol *protocol, const TallHbaseRowGet *get, GError **error)
{
  gint32 versions = tall_hbase_read_get_versions (get->read);
  return thrift_protocol_write_struct_begin (protocol, "TGet", error) >= 0
         && write_binary (protocol, "row", 1, get->key, error)
         && write_columns (protocol, get->read, error)
         && write_time_range (protocol, get->read, error)
         && thrift_protocol_write_field_begin (protocol, "maxVersions", T_I32, 5, error) >= 0
         && thrift_protocol_write_i32 (protocol, versions, error) >= 0
         && thrift_protocol_write_field_end (protocol, error) >= 0 && write_end (protocol, error);
}

static gboolean
write_gets (ThriftProtocol *protocol, const TallHbaseRowGet *gets, guint n, GError **error)
{
  if (thrift_protocol_write_list_begin (protocol, T_STRUCT, (gint32)n, error) < 0)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!write_get (protocol, &gets[i], error))
      return FALSE;
  return thrift_protocol_write_list_end (protocol, error) >= 0;
}

static gboolean
begin_call (ThriftProtocol *protocol, const char *method, const GByteArray *table, GError **error)
{
  return thrift_protocol_write_message_begin (protocol, method, T_CALL, 0, error) >= 0
         && thrift_protocol_write_struct_begin (protocol, "args", error) >= 0
         && write_binary (protocol, "table", 1, tall_slice_array (table), error);
}

static gboolean
end_call (ThriftProtocol *protocol, GError **error)
{
  return thrift_protocol_write_field_end (protocol, error) >= 0 && write_end (protocol, error)
         && thrift_protocol_write_message_end (protocol, error) >= 0
         && thrift_transport_flush (protocol->transport, error)
         && thrift_transport_write_end (protocol->transport, error);
}

/**
 * tall_hbase_row_get_size:
 *
 * Returns: about the bytes that it takes in a request
 */
gsize
tall_hbase_row_get_size (const TallHbaseRowGet *self)
{
  gsize size = 64 + self->key.len;
  for (guint i = 0; i < self->read->n_qualifiers; i++)
    size += 32 + self->read->qualifiers[i].len;
  return size;
}

/**
 * tall_hbase_send_get:
 * @table: with its name in HBase
 *
 * Sends a `get`: the bytes that the generated function sends.
 */
gboolean
tall_hbase_send_get (HbGatewayIf *client,
                     const GByteArray *table,
                     const TallHbaseRowGet *get,
                     GError **error)
{
  ThriftProtocol *protocol = HB_GATEWAY_CLIENT (client)->output_protocol;
  return begin_call (protocol, "get", table, error)
         && thrift_protocol_write_field_begin (protocol, "tget", T_STRUCT, 2, error) >= 0
         && write_get (protocol, get, error) && end_call (protocol, error);
}

/**
 * tall_hbase_send_gets:
 * @table: with its name in HBase
 * @gets: @n of them, each with columns, versions and times of its own
 *
 * Sends a `getMultiple`: the bytes that the generated function sends.
 */
gboolean
tall_hbase_send_gets (HbGatewayIf *client,
                      const GByteArray *table,
                      const TallHbaseRowGet *gets,
                      guint n,
                      GError **error)
{
  ThriftProtocol *protocol = HB_GATEWAY_CLIENT (client)->output_protocol;
  return begin_call (protocol, "getMultiple", table, error)
         && thrift_protocol_write_field_begin (protocol, "tgets", T_LIST, 2, error) >= 0
         && write_gets (protocol, gets, n, error) && end_call (protocol, error);
}
