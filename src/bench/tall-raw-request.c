/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-raw-request.h"

#include "tall-binary-protocol.h"
#include "tall-compact-protocol.h"
#include "tall-hbase-convert.h"
#include "tall-hbase-gets.h"

#define PAGE 256 /* rows of a scan, as the table asks for first */

static gboolean
send_read (HbGatewayIf *client, const TallHbaseNames *names, const TallRead *read, GError **error)
{
  g_autoptr (GByteArray) table = tall_hbase_names_get_table (names, read->table);
  if (read->kind == TALL_READ_GET)
    {
      g_autofree TallHbaseRowGet *gets = g_new (TallHbaseRowGet, read->n_keys);
      for (guint i = 0; i < read->n_keys; i++)
        gets[i] = (TallHbaseRowGet){ read, read->keys[i] };
      return read->n_keys == 1 ? tall_hbase_send_get (client, table, gets, error)
                               : tall_hbase_send_gets (client, table, gets, read->n_keys, error);
    }
  g_autoptr (GByteArray) start = tall_hbase_bytes (read->start);
  g_autoptr (HbTScan) scan = tall_hbase_scan_new (read, start, PAGE);
  return hb_gateway_client_send_get_scanner_results (client, table, scan, PAGE, error);
}

/**
 * tall_raw_request_encode:
 * @read: a get of one key, one of several, or a scan
 *
 * Returns: (transfer full): the request that a gateway gets for it, byte for byte what the HBase
 *   table sends, without a frame's header
 */
GByteArray *
tall_raw_request_encode (const TallHbaseOptions *options, const TallRead *read, GError **error)
{
  TallWireOptions wire = TALL_WIRE_OPTIONS_INIT;
  g_auto (TallHbaseNames) names = { 0 };
  if (!tall_hbase_names_init (&names, options->name, error))
    return NULL;

  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &wire);
  g_autoptr (ThriftProtocol) protocol = options->compact ? tall_compact_protocol_new (transport)
                                                         : tall_binary_protocol_new (transport);
  g_autoptr (HbGatewayClient) client = g_object_new (HB_TYPE_GATEWAY_CLIENT, "input_protocol",
                                                     protocol, "output_protocol", protocol, NULL);
  if (!send_read (HB_GATEWAY_IF (client), &names, read, error))
    return NULL;

  GByteArray *request = g_byte_array_new ();
  tall_bytes_append (request, tall_transport_get_output (transport));
  return request;
}
