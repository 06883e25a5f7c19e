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
#define MAP_HEADER_SIZE 6

/* The guard's slot, behind ours. */
static typeof (((ThriftProtocolClass *)NULL)->read_map_begin) guarded_read_map_begin;

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
  if (!peek_length (transport, &len, error))
    return -1;
  return tall_guard_read_text (transport, LENGTH_SIZE, len, text, error);
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

/* Thrift sets its error twice if it knows neither type. Fields: the types, then the size. */
static gint32
binary_read_map_begin (ThriftProtocol *protocol,
                       ThriftType *key_type,
                       ThriftType *value_type,
                       guint32 *size,
                       GError **error)
{
  static const guint32 known = 1 << T_STOP | 1 << T_VOID | 1 << T_BOOL | 1 << T_BYTE | 1 << T_DOUBLE
                               | 1 << T_I16 | 1 << T_I32 | 1 << T_I64 | 1 << T_STRING
                               | 1 << T_STRUCT | 1 << T_MAP | 1 << T_SET | 1 << T_LIST;
  TallTransport *transport = (TallTransport *)protocol->transport;
  const guint8 *types = tall_transport_fill (transport, MAP_HEADER_SIZE, error);

  *size = 0;
  if (types == NULL)
    return -1;
  for (guint i = 0; i < 2; i++)
    if (types[i] > T_LIST || (known >> types[i] & 1) == 0)
      return tall_guard_reject (transport, error, "a map of an unknown type");
  return guarded_read_map_begin (protocol, key_type, value_type, size, error);
}

static void
tall_binary_protocol_class_init (TallBinaryProtocolClass *klass)
{
  ThriftProtocolClass *protocol_class = THRIFT_PROTOCOL_CLASS (klass);

  tall_guard_install (protocol_class);
  guarded_read_map_begin = protocol_class->read_map_begin;
  protocol_class->read_map_begin = binary_read_map_begin;
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
