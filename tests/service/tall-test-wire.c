/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-wire.h"

#include "wire/connection.h"
#include "tall-must.h"

/* Seconds; a test that waits so long has failed. */
#define PATIENCE 60

#define SEQUENCE_ID 1 /* of the first call on a connection, as our client numbers them */

GSocketConnection *
tall_test_connect_from (const char *address, const char *from)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GSocketAddress) local = g_inet_socket_address_new_from_string (from, 0);
  g_assert_nonnull (local);
  g_socket_client_set_local_address (client, local);
  g_socket_client_set_timeout (client, PATIENCE);
  GSocketConnection *connection =
      must (g_socket_client_connect_to_host (client, address, 1, NULL, &error));
  return connection;
}

GSocketConnection *
tall_test_connect (const char *address)
{
  return tall_test_connect_from (address, "127.0.0.1");
}

/* The server may close before it has everything: what counts is what it does then. */
void
tall_test_send (GSocketConnection *connection, TallSlice bytes)
{
  GOutputStream *stream = g_io_stream_get_output_stream (G_IO_STREAM (connection));
  gsize written = 0;
  (void)!g_output_stream_write_all (stream, bytes.data, bytes.len, &written, NULL, NULL);
}

void
tall_test_send_frame (GSocketConnection *connection, TallSlice content)
{
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  tall_bytes_append_u32 (frame, (guint32)content.len);
  tall_bytes_append (frame, content);
  tall_test_send (connection, tall_slice_array (frame));
}

void
tall_test_end_sending (GSocketConnection *connection)
{
  (void)!g_socket_shutdown (g_socket_connection_get_socket (connection), FALSE, TRUE, NULL);
}

static gsize
receive (GSocketConnection *connection, guint8 *data, gsize len)
{
  g_autoptr (GError) error = NULL;
  GInputStream *stream = g_io_stream_get_input_stream (G_IO_STREAM (connection));
  gsize got = 0;

  if (!g_input_stream_read_all (stream, data, len, &got, NULL, &error)
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED))
    g_assert_no_error (error);
  return got;
}

GByteArray *
tall_test_receive_frame (GSocketConnection *connection)
{
  guint8 header[4];
  gsize got = receive (connection, header, sizeof header);
  if (got == 0)
    return NULL;
  g_assert_cmpuint (got, ==, sizeof header);

  TallReader reader = tall_reader (tall_slice (header, sizeof header));
  guint32 len = tall_reader_u32 (&reader);
  GByteArray *content = g_byte_array_new ();
  g_byte_array_set_size (content, len);
  g_assert_cmpuint (receive (connection, content->data, len), ==, len);
  return content;
}

static void
check (gint32 n, GError *error)
{
  g_assert_no_error (error);
  g_assert_cmpint (n, >=, 0);
}

void
tall_test_message_init (TallTestMessage *self,
                        gboolean compact,
                        const char *name,
                        ThriftMessageType type)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  self->transport = tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  self->protocol = tall_thrift_protocol_new (self->transport, compact);

  GError *error = NULL;
  check (thrift_protocol_write_message_begin (self->protocol, name, type, SEQUENCE_ID, &error),
         error);
  tall_test_message_begin_element (self);
}

void
tall_test_message_begin_field (TallTestMessage *self, ThriftType type, gint16 id)
{
  GError *error = NULL;
  check (thrift_protocol_write_field_begin (self->protocol, "", type, id, &error), error);
}

void
tall_test_message_add_text (TallTestMessage *self, gint16 id, const char *text)
{
  tall_test_message_add_bytes (self, id, tall_slice_str (text));
}

void
tall_test_message_add_bytes (TallTestMessage *self, gint16 id, TallSlice bytes)
{
  GError *error = NULL;
  tall_test_message_begin_field (self, T_STRING, id);
  check (thrift_protocol_write_binary (self->protocol, (gpointer)bytes.data, (guint32)bytes.len,
                                       &error),
         error);
}

void
tall_test_message_add_i32 (TallTestMessage *self, gint16 id, gint32 value)
{
  GError *error = NULL;
  tall_test_message_begin_field (self, T_I32, id);
  check (thrift_protocol_write_i32 (self->protocol, value, &error), error);
}

void
tall_test_message_begin_struct (TallTestMessage *self, gint16 id)
{
  tall_test_message_begin_field (self, T_STRUCT, id);
  tall_test_message_begin_element (self);
}

void
tall_test_message_begin_element (TallTestMessage *self)
{
  GError *error = NULL;
  check (thrift_protocol_write_struct_begin (self->protocol, "", &error), error);
}

void
tall_test_message_end_struct (TallTestMessage *self)
{
  GError *error = NULL;
  check (thrift_protocol_write_field_stop (self->protocol, &error), error);
  check (thrift_protocol_write_struct_end (self->protocol, &error), error);
}

TallSlice
tall_test_message_get (TallTestMessage *self)
{
  return tall_transport_get_output (self->transport);
}

void
tall_test_message_clear (TallTestMessage *self)
{
  g_object_unref (self->protocol);
  g_object_unref (self->transport);
}

TallTransport *
tall_test_read_message (TallSlice message,
                        gboolean compact,
                        const char *name,
                        ThriftMessageType type)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.compact = compact;
  TallTransport *transport = tall_transport_new_memory (message, &options);
  g_auto (TallMessage) head;

  must (tall_message_read (&head, transport, &error));
  g_assert_cmpstr (head.name, ==, name);
  g_assert_cmpint (head.type, ==, type);
  g_assert_cmpint (head.number, ==, SEQUENCE_ID);
  return transport;
}

TallTransport *
tall_test_exchange (GSocketConnection *connection,
                    TallTestMessage *message,
                    gboolean compact,
                    const char *name,
                    ThriftMessageType type)
{
  tall_test_send_frame (connection, tall_test_message_get (message));
  g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
  g_assert_nonnull (answer);
  return tall_test_read_message (tall_slice_array (answer), compact, name, type);
}

void
tall_test_assert_ping_works (GSocketConnection *connection, gboolean compact)
{
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, compact, "ping", T_CALL);
  tall_test_message_end_struct (&message);
  g_autoptr (TallTransport) reply =
      tall_test_exchange (connection, &message, compact, "ping", T_REPLY);
}
