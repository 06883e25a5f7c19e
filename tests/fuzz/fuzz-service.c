/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "service/server/handler.h"
#include "tall-test-front.h"

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
  TallGate gate;
  tall_gate_init (&gate, NULL, NULL);
  TallVisitor visitor = { .gate = &gate, .is_local = TRUE };
  const TallHandler handler = { .front = front, .visitor = &visitor };
  TallAnswer answer = tall_handler_answer (&handler, &memory, transport, &error);
  tall_gate_clear (&gate);

  /* An answer, or the reason why there is none. */
  g_assert_cmpint (answer == TALL_ANSWER_NONE, ==, error != NULL);
  if (answer != TALL_ANSWER_NONE)
    g_assert_cmpuint (tall_transport_get_output (transport).len, >, 0);
  return 0;
}
