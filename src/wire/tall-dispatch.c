/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-dispatch.h"

/**
 * tall_dispatch:
 * @processor: a generated processor
 * @error: must not be NULL: generated code dereferences it
 *
 * Reads one call and answers it. Use this rather than thrift_processor_process(), which logs a
 * warning about every message that is not a call: anybody could fill the log. An unknown method is
 * answered with Thrift's exception for it, and is no error.
 *
 * Returns: FALSE if the connection must be closed
 */
gboolean
tall_dispatch (ThriftDispatchProcessor *processor,
               ThriftProtocol *input,
               ThriftProtocol *output,
               GError **error)
{
  g_return_val_if_fail (error != NULL, FALSE);

  char *name;
  ThriftMessageType type;
  gint32 seqid;
  if (thrift_protocol_read_message_begin (input, &name, &type, &seqid, error) < 0)
    return FALSE;

  /* Takes the name. */
  return THRIFT_DISPATCH_PROCESSOR_GET_CLASS (processor)->dispatch_call (processor, input, output,
                                                                         name, seqid, error);
}
