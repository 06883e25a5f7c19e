/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "tall-binary-protocol.h"
#include "tall-calls.h"
#include "tall-compact-protocol.h"
#include "tall-error.h"
#include "tall-idl-failure.h"
#include "tall-struct-reader.h"

static void
read_result (ThriftProtocol *protocol, const TallIdlCall *call, ThriftMessageType type)
{
  g_autoptr (TallOrder) order = tall_order_new ("", "");
  g_autoptr (GError) error = NULL;
  TallIdlResult result = { 0 };
  TallIdlApplicationError exception = { 0 };
  TallStructReader reader;

  tall_struct_reader_init (&reader, protocol, order->arena, tall_idl_call_get_limits (call));
  gboolean ok =
      type == T_EXCEPTION
          ? tall_struct_reader_read (&reader, &tall_idl_application_error_type, &exception, &error)
          : tall_struct_reader_read (&reader, call->result, &result, &error);
  ok = ok && tall_struct_reader_finish (&reader, &error);
  g_assert_cmpint (ok, ==, error == NULL);

  if (ok && result.failure != NULL)
    {
      g_autoptr (GError) failure = tall_idl_failure_to_error (result.failure);
      g_assert_true (failure->domain == TALL_ERROR);
      g_assert_true (g_utf8_validate (failure->message, -1, NULL));
    }
}

/* The content of one frame, as a client gets it from a server. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory (tall_slice (data, size), &options);
  g_autoptr (ThriftProtocol) protocol = size > 0 && data[0] == 0x82
                                            ? tall_compact_protocol_new (transport)
                                            : tall_binary_protocol_new (transport);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *name = NULL;
  ThriftMessageType type = T_REPLY;
  gint32 seqid = 0;

  if (thrift_protocol_read_message_begin (protocol, &name, &type, &seqid, &error) < 0)
    {
      g_assert_nonnull (error);
      return 0;
    }
  const TallIdlCall *call = tall_calls_find (name);
  if (call != NULL)
    read_result (protocol, call, type);
  return 0;
}
