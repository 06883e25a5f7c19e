/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-binary-protocol.h"

#include "tall-guard-private.h"

struct _TallBinaryProtocol
{
  ThriftBinaryProtocol parent_instance;
};

G_DEFINE_FINAL_TYPE (TallBinaryProtocol, tall_binary_protocol, THRIFT_TYPE_BINARY_PROTOCOL)

#define PARENT THRIFT_PROTOCOL_CLASS (tall_binary_protocol_parent_class)
#define LENGTH_SIZE 4

/* The length that comes next: 4 bytes, big-endian, signed. */
static gboolean
peek_length (TallTransport *transport, gint64 *len, GError **error)
{
  const guint8 *bytes = tall_transport_fill (transport, LENGTH_SIZE, error);
  if (bytes == NULL)
    return FALSE;

  TallReader reader = tall_reader (tall_slice (bytes, LENGTH_SIZE));
  *len = (gint32)tall_reader_u32 (&reader);
  return TRUE;
}

static gint32
binary_read_string (ThriftProtocol *protocol, gchar **text, GError **error)
{
  TallTransport *transport = (TallTransport *)protocol->transport;
  gint64 len;

  *text = NULL;
  if (!peek_length (transport, &len, error)
      || !tall_guard_check_text (transport, LENGTH_SIZE, len, error))
    return -1;
  return PARENT->read_string (protocol, text, error);
}

static gint32
binary_read_binary (ThriftProtocol *protocol, gpointer *data, guint32 *size, GError **error)
{
  TallTransport *transport = (TallTransport *)protocol->transport;
  gint64 len;

  *data = NULL;
  *size = 0;
  if (!peek_length (transport, &len, error)
      || !tall_guard_check_bytes (transport, LENGTH_SIZE, len, error))
    return -1;
  return PARENT->read_binary (protocol, data, size, error);
}

static gint32
binary_read_bool (ThriftProtocol *protocol, gboolean *value, GError **error)
{
  TallTransport *transport = (TallTransport *)protocol->transport;
  const guint8 *byte = tall_transport_fill (transport, 1, error);

  if (byte == NULL)
    return -1;
  if (*byte > 1)
    return tall_guard_reject (transport, error, "%u for true or false", *byte);
  return PARENT->read_bool (protocol, value, error);
}

static void
tall_binary_protocol_class_init (TallBinaryProtocolClass *klass)
{
  ThriftProtocolClass *protocol_class = THRIFT_PROTOCOL_CLASS (klass);

  tall_guard_install (protocol_class);
  protocol_class->read_string = binary_read_string;
  protocol_class->read_binary = binary_read_binary;
  protocol_class->read_bool = binary_read_bool;
}

static void
tall_binary_protocol_init (TallBinaryProtocol *self G_GNUC_UNUSED)
{
}

/**
 * tall_binary_protocol_new:
 *
 * Returns: (transfer full): the binary protocol over @transport, of which it takes a reference
 */
ThriftProtocol *
tall_binary_protocol_new (TallTransport *transport)
{
  return g_object_new (TALL_TYPE_BINARY_PROTOCOL, "transport", transport, NULL);
}
