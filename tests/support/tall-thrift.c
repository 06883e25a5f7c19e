/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-thrift.h"

#include "wire/protocol.h"

#define TALL_TYPE_THRIFT_TRANSPORT (tall_thrift_transport_get_type ())
G_DECLARE_FINAL_TYPE (
    TallThriftTransport, tall_thrift_transport, TALL, THRIFT_TRANSPORT, ThriftTransport)

struct _TallThriftTransport
{
  ThriftTransport parent_instance;

  TallTransport *transport;
  gboolean reading; /* a message was begun */
};

G_DEFINE_FINAL_TYPE (TallThriftTransport, tall_thrift_transport, THRIFT_TYPE_TRANSPORT)

static gboolean
transport_is_open (ThriftTransport *transport)
{
  return !tall_transport_is_broken (TALL_THRIFT_TRANSPORT (transport)->transport);
}

/* Thrift's protocols take messages without a version, which old clients sent, and so anything. */
static gboolean
begin_message (TallThriftTransport *self, GError **error)
{
  if (!tall_transport_begin_message (self->transport, error))
    return FALSE;
  const guint8 *start = tall_transport_fill (self->transport, 4, error);
  self->reading = start != NULL;
  if (start == NULL
      || tall_protocol_recognize (tall_slice (start, 4), NULL) != TALL_RECOGNIZED_NOTHING)
    return start != NULL;
  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_INVALID, "not Thrift");
  return FALSE;
}

static gint32
transport_read (ThriftTransport *transport, gpointer buffer, guint32 len, GError **error)
{
  TallThriftTransport *self = TALL_THRIFT_TRANSPORT (transport);
  if (!self->reading && !begin_message (self, error))
    return -1;

  const guint8 *bytes = tall_transport_fill (self->transport, len, error);
  if (bytes == NULL)
    return -1;
  memcpy (buffer, bytes, len);
  tall_transport_advance (self->transport, len);
  return (gint32)len;
}

static gboolean
transport_read_end (ThriftTransport *transport, GError **error)
{
  TallThriftTransport *self = TALL_THRIFT_TRANSPORT (transport);
  self->reading = FALSE;
  return tall_transport_end_message (self->transport, error);
}

static gboolean
transport_write (ThriftTransport *transport, const gpointer data, guint32 len, GError **error)
{
  TallThriftTransport *self = TALL_THRIFT_TRANSPORT (transport);
  return thrift_transport_write (THRIFT_TRANSPORT (self->transport), data, len, error);
}

static gboolean
transport_write_end (ThriftTransport *transport G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

static gboolean
transport_flush (ThriftTransport *transport, GError **error)
{
  return tall_transport_flush (TALL_THRIFT_TRANSPORT (transport)->transport, error);
}

/* Thrift asks before it takes memory for a container. */
static gboolean
transport_check_available (ThriftTransport *transport G_GNUC_UNUSED,
                           glong n G_GNUC_UNUSED,
                           GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

static void
tall_thrift_transport_finalize (GObject *object)
{
  g_object_unref (TALL_THRIFT_TRANSPORT (object)->transport);
  G_OBJECT_CLASS (tall_thrift_transport_parent_class)->finalize (object);
}

static void
tall_thrift_transport_class_init (TallThriftTransportClass *klass)
{
  ThriftTransportClass *transport_class = THRIFT_TRANSPORT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tall_thrift_transport_finalize;
  transport_class->is_open = transport_is_open;
  transport_class->read = transport_read;
  transport_class->read_all = transport_read;
  transport_class->read_end = transport_read_end;
  transport_class->write = transport_write;
  transport_class->write_end = transport_write_end;
  transport_class->flush = transport_flush;
  transport_class->checkReadBytesAvailable = transport_check_available;
}

static void
tall_thrift_transport_init (TallThriftTransport *self G_GNUC_UNUSED)
{
}

/**
 * tall_thrift_protocol_new:
 *
 * Returns: (transfer full): a protocol of Thrift's, which holds a reference of @transport
 */
ThriftProtocol *
tall_thrift_protocol_new (TallTransport *transport, gboolean compact)
{
  g_autoptr (TallThriftTransport) wrapped = g_object_new (TALL_TYPE_THRIFT_TRANSPORT, NULL);
  wrapped->transport = g_object_ref (transport);
  return g_object_new (compact ? THRIFT_TYPE_COMPACT_PROTOCOL : THRIFT_TYPE_BINARY_PROTOCOL,
                       "transport", wrapped, NULL);
}
