/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/connection.h"

#include "wire/socket.h"

struct _TallConnection
{
  GObject parent_instance;

  char *address; /* host:port */
  TallTransport *transport;
};

G_DEFINE_FINAL_TYPE (TallConnection, tall_connection, G_TYPE_OBJECT)

/**
 * tall_connection_get_transport:
 *
 * Returns: (transfer none): where calls are written and replies are read
 */
TallTransport *
tall_connection_get_transport (TallConnection *self)
{
  return self->transport;
}

/**
 * tall_connection_get_address:
 *
 * Returns: (transfer none): `host:port`
 */
const char *
tall_connection_get_address (TallConnection *self)
{
  return self->address;
}

/**
 * tall_connection_set_deadline:
 * @deadline: in microseconds of g_get_monotonic_time(), G_MAXINT64: none
 *
 * Sets the deadline of all calls from now on.
 */
void
tall_connection_set_deadline (TallConnection *self, gint64 deadline)
{
  tall_transport_set_deadline (self->transport, deadline);
}

/**
 * tall_connection_has_delivered:
 *
 * Returns: whether the last call has left as a whole. If not, the other side cannot have acted on
 *   it.
 */
gboolean
tall_connection_has_delivered (TallConnection *self)
{
  return tall_transport_has_delivered (self->transport);
}

/**
 * tall_connection_is_fit:
 *
 * Returns: whether a kept connection can take another call. It may still turn out closed when the
 *   call is made.
 */
gboolean
tall_connection_is_fit (TallConnection *self)
{
  return tall_transport_is_fit (self->transport);
}

/**
 * tall_connection_is_broken:
 *
 * Returns: whether something failed on the connection, so that it must be closed.
 */
gboolean
tall_connection_is_broken (TallConnection *self)
{
  return tall_transport_is_broken (self->transport);
}

/**
 * tall_connection_break:
 *
 * Marks the connection as unfit for another call.
 */
void
tall_connection_break (TallConnection *self)
{
  tall_transport_break (self->transport);
}

static void
tall_connection_finalize (GObject *object)
{
  TallConnection *self = TALL_CONNECTION (object);
  if (self->transport != NULL)
    tall_transport_close (self->transport);
  g_clear_object (&self->transport);
  g_free (self->address);
  G_OBJECT_CLASS (tall_connection_parent_class)->finalize (object);
}

static void
tall_connection_class_init (TallConnectionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = tall_connection_finalize;
}

static void
tall_connection_init (TallConnection *self G_GNUC_UNUSED)
{
}

static gboolean
begin_tls (TallConnection *self, TallTlsContext *context, gint64 deadline, GError **error)
{
  g_autofree char *host = NULL;
  guint16 port;
  if (!tall_address_parse (self->address, &host, &port, error))
    return FALSE;
  if (tall_transport_begin_tls (self->transport, context, host, deadline, error))
    return TRUE;
  g_prefix_error (error, "Connecting to %s: ", self->address);
  return FALSE;
}

/**
 * tall_connection_open:
 * @address: `host:port` or `[v6 address]:port`
 * @options: copied
 * @deadline: of connecting only; calls have none until tall_connection_set_deadline()
 *
 * Returns: (transfer full): a connection; NULL with %TALL_ERROR_UNAVAILABLE,
 *   %TALL_ERROR_TIMED_OUT or %TALL_ERROR_INVALID (the address); with TLS as tall_tls_handshake()
 */
TallConnection *
tall_connection_open (const char *address,
                      const TallWireOptions *options,
                      gint64 deadline,
                      GError **error)
{
  g_autoptr (GSocket) socket = tall_socket_connect (address, deadline, error);
  if (socket == NULL)
    return NULL;

  g_autoptr (TallConnection) self = g_object_new (TALL_TYPE_CONNECTION, NULL);
  self->address = g_strdup (address);
  self->transport = tall_transport_new (socket, address, options);
  if (options->tls != NULL && !begin_tls (self, options->tls, deadline, error))
    return NULL;
  return g_steal_pointer (&self);
}
