/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "service/calls/calls.h"
#include "tall-error.h"
#include "service/calls/idl-failure.h"
#include "service/calls/idl.h"
#include "wire/connection.h"

static void
read_result (TallTransport *transport, const TallIdlCall *call, ThriftMessageType type)
{
  g_autoptr (TallOrder) order = tall_order_new ("", "");
  g_autoptr (GError) error = NULL;
  TallIdlResult result = { 0 };
  TallMessageException exception = { 0 };
  TallStructReader reader;

  tall_struct_reader_init (&reader, transport, tall_order_get_arena (order),
                           tall_idl_call_get_limits (call));
  gboolean ok =
      type == T_EXCEPTION
          ? tall_struct_reader_read (&reader, &tall_message_exception_type, &exception, &error)
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
  options.compact =
      tall_protocol_recognize (tall_slice (data, size), NULL) == TALL_RECOGNIZED_COMPACT;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory (tall_slice (data, size), &options);
  g_autoptr (GError) error = NULL;
  g_auto (TallMessage) message;

  if (!tall_message_read (&message, transport, &error))
    {
      g_assert_nonnull (error);
      return 0;
    }
  const TallIdlCall *call = tall_calls_find (message.name);
  if (call != NULL)
    read_result (transport, call, message.type);
  return 0;
}
