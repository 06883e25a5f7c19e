/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/exchange.h"

G_DEFINE_QUARK (tall - hbase - exception, tall_hbase_exception)

/**
 * tall_hbase_send:
 *
 * Sends a call.
 */
gboolean
tall_hbase_send (TallTransport *transport,
                 TallHbaseMethodId method,
                 const TallHbaseArgs *args,
                 GError **error)
{
  const TallHbaseMethod *self = &tall_hbase_methods[method];
  return tall_message_write_call (self->name, transport, self->args, args, error)
         && tall_transport_flush (transport, error);
}

static void
read_exception (TallStructReader *reader, GError **error)
{
  TallMessageException exception = { 0 };
  if (tall_struct_reader_read (reader, &tall_message_exception_type, &exception, error)
      && tall_struct_reader_finish (reader, error))
    g_set_error (error, TALL_HBASE_EXCEPTION, exception.type, "application error: %s",
                 exception.message != NULL && *exception.message != '\0' ? exception.message
                                                                         : "no reason given");
}

static gboolean
read_result (TallStructReader *reader,
             const TallHbaseMethod *method,
             TallHbaseResult *result,
             GError **error)
{
  if (!tall_struct_reader_read (reader, method->result, result, error)
      || !tall_struct_reader_finish (reader, error))
    return FALSE;
  if (result->io != NULL || method->success == NULL || (reader->seen & TALL_STRUCT_BIT (0)) != 0)
    return TRUE;
  return tall_transport_reject (reader->transport, error, "the reply has neither %s nor an error",
                                method->success);
}

/**
 * tall_hbase_receive:
 * @method: of the call that was sent last
 * @result: (out): what the reply says, by itself without what it hands on
 *
 * Reads one reply, straight from the buffer.
 *
 * Returns: FALSE with the result's `io` if the gateway declared an error, else with @error set;
 *   after @error the connection must be closed
 */
gboolean
tall_hbase_receive (TallTransport *transport,
                    TallHbaseMethodId method,
                    const TallHbaseReceiver *receiver,
                    TallHbaseResult *result,
                    GError **error)
{
  g_auto (TallMessage) message = { NULL };
  TallStructReader reader;

  *result = (TallHbaseResult){ NULL };
  if (!tall_message_read (&message, transport, error))
    return FALSE;
  tall_struct_reader_init (&reader, transport, receiver->arena, NULL);
  reader.handler = receiver->handler;
  reader.sink = receiver->sink;
  if (message.type == T_EXCEPTION)
    {
      read_exception (&reader, error);
      return FALSE;
    }
  if (read_result (&reader, &tall_hbase_methods[method], result, error))
    return result->io == NULL;
  result->io = NULL;
  return FALSE;
}

/**
 * tall_hbase_exchange:
 *
 * Sends a call and reads its reply; fails as tall_hbase_receive() does.
 */
gboolean
tall_hbase_exchange (TallTransport *transport,
                     TallHbaseMethodId method,
                     const TallHbaseArgs *args,
                     const TallHbaseReceiver *receiver,
                     TallHbaseResult *result,
                     GError **error)
{
  *result = (TallHbaseResult){ NULL };
  return tall_hbase_send (transport, method, args, error)
         && tall_hbase_receive (transport, method, receiver, result, error);
}
