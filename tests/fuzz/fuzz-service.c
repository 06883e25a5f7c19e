/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "service/calls/calls.h"
#include "service/server/session.h"
#include "tall-error.h"
#include "tall-must.h"
#include "tall-test-front.h"
#include "wire/connection.h"

/* The client can read what was written, and the server had memory for it. */
static void
check_reply (TallTransport *answered)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.compact = tall_transport_get_options (answered)->compact;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory (tall_transport_get_output (answered), &options);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) error = NULL;
  g_auto (TallMessage) message;
  TallIdlResult result = { 0 };
  TallMessageException exception = { 0 };
  TallStructReader reader;

  must (tall_message_read (&message, transport, &error));
  const TallIdlCall *call = tall_calls_find (message.name);
  g_assert_cmpint (message.type, ==, call != NULL ? T_REPLY : T_EXCEPTION);
  tall_struct_reader_init (&reader, transport, arena,
                           call != NULL ? tall_idl_call_get_limits (call) : &tall_idl_limits);
  gboolean is_read = call != NULL ? tall_struct_reader_read (&reader, call->result, &result, &error)
                                  : tall_struct_reader_read (&reader, &tall_message_exception_type,
                                                             &exception, &error);
  g_assert_no_error (error);
  g_assert_true (is_read && tall_struct_reader_finish (&reader, &error));
  g_assert_true (result.failure == NULL || result.failure->code != TALL_ERROR_OVERLOADED);
}

/* The content of one frame, as a server gets it from a connection. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = TALL_WIRE_SERVER;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory (tall_slice (data, size), &options);
  TallRecognized recognized = tall_transport_recognize (transport);
  if (recognized == TALL_RECOGNIZED_NOTHING)
    return 0;

  tall_transport_set_compact (transport, recognized == TALL_RECOGNIZED_COMPACT);
  g_autoptr (TallFront) front = tall_test_front_new ();
  g_autoptr (GError) error = NULL;
  TallCallMemory memory;
  tall_call_memory_init (&memory, NULL, NULL, 0);
  g_assert_true (tall_call_memory_begin (&memory, size));
  TallGate gate;
  tall_gate_init (&gate, NULL, NULL);
  TallVisitor visitor = { .gate = &gate, .is_local = TRUE };
  const TallHandler handler = { .front = front, .visitor = &visitor };
  TallAnswer answer = tall_handler_answer (&handler, &memory, transport, &error);
  tall_gate_clear (&gate);

  /* An answer, or the reason why there is none. */
  g_assert_cmpint (answer == TALL_ANSWER_NONE, ==, error != NULL);
  if (answer != TALL_ANSWER_NONE)
    check_reply (transport);
  return 0;
}
