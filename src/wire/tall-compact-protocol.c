/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-compact-protocol.h"

#include "tall-guard-private.h"

struct _TallCompactProtocol
{
  ThriftCompactProtocol parent_instance;
};

G_DEFINE_FINAL_TYPE (TallCompactProtocol, tall_compact_protocol, THRIFT_TYPE_COMPACT_PROTOCOL)

#define PARENT THRIFT_PROTOCOL_CLASS (tall_compact_protocol_parent_class)
#define MAX_LENGTH_SIZE 5

/* The length that comes next: seven bits a byte, the lowest first; the top bit says "more". */
static gboolean
peek_length (TallTransport *transport, gsize *header, gint64 *len, GError **error)
{
  guint64 value = 0;

  for (gsize i = 0; i < MAX_LENGTH_SIZE; i++)
    {
      const guint8 *bytes = tall_transport_fill (transport, i + 1, error);
      if (bytes == NULL)
        return FALSE;

      value |= (guint64)(bytes[i] & 0x7f) << (7 * i);
      if ((bytes[i] & 0x80) == 0)
        {
          *header = i + 1;
          *len = (gint64)value;
          return TRUE;
        }
    }

  tall_guard_reject (transport, error, "a length of more than %d bytes", MAX_LENGTH_SIZE);
  return FALSE;
}

static gint32
compact_read_string (ThriftProtocol *protocol, gchar **text, GError **error)
{
  TallTransport *transport = (TallTransport *)protocol->transport;
  gsize header;
  gint64 len;

  *text = NULL;
  if (!peek_length (transport, &header, &len, error))
    return -1;
  return tall_guard_read_text (transport, header, len, text, error);
}

static gint32
compact_read_binary (ThriftProtocol *protocol, gpointer *data, guint32 *size, GError **error)
{
  TallTransport *transport = (TallTransport *)protocol->transport;
  gsize header;
  gint64 len;

  *data = NULL;
  *size = 0;
  if (!peek_length (transport, &header, &len, error)
      || !tall_guard_check_bytes (transport, header, len, error))
    return -1;
  return PARENT->read_binary (protocol, data, size, error);
}

/* The parent has no finalizer, and forgets the structs that a broken message left open. */
static void
tall_compact_protocol_finalize (GObject *object)
{
  TallCompactProtocol *self = TALL_COMPACT_PROTOCOL (object);
  g_queue_clear (&self->parent_instance._last_field);
  G_OBJECT_CLASS (tall_compact_protocol_parent_class)->finalize (object);
}

static void
tall_compact_protocol_class_init (TallCompactProtocolClass *klass)
{
  ThriftProtocolClass *protocol_class = THRIFT_PROTOCOL_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tall_compact_protocol_finalize;
  tall_guard_install (protocol_class);
  protocol_class->read_string = compact_read_string;
  protocol_class->read_binary = compact_read_binary;
}

static void
tall_compact_protocol_init (TallCompactProtocol *self G_GNUC_UNUSED)
{
}

/**
 * tall_compact_protocol_new:
 *
 * Returns: (transfer full): the compact protocol over @transport, of which it takes a reference
 */
ThriftProtocol *
tall_compact_protocol_new (TallTransport *transport)
{
  return g_object_new (TALL_TYPE_COMPACT_PROTOCOL, "transport", transport, NULL);
}
