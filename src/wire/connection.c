/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/connection.h"

#include "base/fail.h"

#include "wire/socket.h"
#include "wire/struct.h"
#include "wire/transport-private.h"

static const TallStructField tall_message_exception_type_fields[] = {
  { "an exception's message", 1, TALL_KIND_REASON, G_STRUCT_OFFSET (TallMessageException, message),
    TALL_STRUCT_ALWAYS, NULL },
  { "an exception's type", 2, TALL_KIND_I32, G_STRUCT_OFFSET (TallMessageException, type),
    TALL_STRUCT_ALWAYS, NULL },
};
TALL_STRUCT_TYPE (tall_message_exception_type, "an exception", TallMessageException);

void
tall_message_clear (TallMessage *self)
{
  g_clear_pointer (&self->name, g_free);
}

static gboolean
check_type (TallTransport *transport, gboolean server, ThriftMessageType type, GError **error)
{
  if (server ? type == T_CALL || type == T_ONEWAY : type == T_REPLY || type == T_EXCEPTION)
    return TRUE;
  return tall_transport_reject (transport, error, "type %d where a %s is due", (int)type,
                                server ? "call" : "reply");
}

/* An answer that comes late must not be taken for that of the next call. */
static gboolean
check_reply (const TallMessage *self, TallTransport *transport, GError **error)
{
  if (transport->call[0] == '\0')
    return TRUE;
  if (self->number != transport->number || strcmp (self->name, transport->call) != 0)
    return tall_transport_reject (transport, error,
                                  "reply %d to \"%.40s\" where %d to \"%s\" is due", self->number,
                                  self->name, transport->number, transport->call);
  transport->call[0] = '\0';
  return TRUE;
}

/**
 * tall_message_read:
 * @self: (out): cleared if it fails
 * @transport: its options say what is due: a call, or a reply to the call that was written last
 *
 * Reads the head of a message; its struct is next. Framed, receives the whole frame.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID (no such message), %TALL_ERROR_TOO_LARGE or an error of
 *   the connection
 */
gboolean
tall_message_read (TallMessage *self, TallTransport *transport, GError **error)
{
  gboolean server = tall_transport_get_options (transport)->side == TALL_WIRE_SERVER;

  *self = (TallMessage){ NULL };
  if (!tall_transport_begin_message (transport, error)
      || thrift_protocol_read_message_begin (tall_protocol_get_reader (transport), &self->name,
                                             &self->type, &self->number, error)
             < 0)
    return FALSE;
  gboolean ok = check_type (transport, server, self->type, error)
                && (server || check_reply (self, transport, error));
  if (!ok)
    tall_message_clear (self);
  return ok;
}

/**
 * tall_message_write:
 *
 * Appends a message to what the next flush sends.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE
 */
gboolean
tall_message_write (const TallMessage *self,
                    TallTransport *transport,
                    const TallStructType *type,
                    gconstpointer object,
                    GError **error)
{
  ThriftProtocol *protocol = tall_protocol_get_writer (transport);

  thrift_protocol_write_message_begin (protocol, self->name, self->type, self->number, NULL);
  tall_struct_write (type, object, protocol);
  thrift_protocol_write_message_end (protocol, NULL);
  if (!transport->overfull)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE, "message of over 2 GiB");
}

/**
 * tall_message_write_call:
 * @name: of the call, a short one
 *
 * Writes a call. It gets the connection's next number, and the next message that is read must be
 * its reply.
 */
gboolean
tall_message_write_call (const char *name,
                         TallTransport *transport,
                         const TallStructType *type,
                         gconstpointer args,
                         GError **error)
{
  TallMessage message = { (char *)name, T_CALL, 0 };

  g_return_val_if_fail (strlen (name) < sizeof transport->call, FALSE);
  transport->number = (transport->number + 1) & G_MAXINT32;
  g_strlcpy (transport->call, name, sizeof transport->call);
  message.number = transport->number;
  return tall_message_write (&message, transport, type, args, error);
}

/* What answers where a tallorder server was expected? Each kind of server understands one of the
 * greetings here; which one is answered tells. */

#define GREETING "GET / HTTP/1.0\r\n\r\n"

/* Bytes of the longest reply that is looked at. */
#define MAX_REPLY 4096

/* What the greeting is answered with, by servers that are not a gateway. */
static const struct
{
  const char *start;
  TallStranger stranger;
} texts[] = {
  { "HTTP/", { "a web server (HTTP)" } },
  { "SSH-", { "an SSH server" } },
  { "\x15\x03",
    { "a server that wants TLS: write tls:// before its address" } }, /* an alert, of any version */
};

#define GATEWAY(framed, compact)                                                                   \
  {                                                                                                \
    "a Thrift gateway of HBase", TRUE, framed, compact                                             \
  }
static const TallStranger gateways[] = {
  GATEWAY (FALSE, FALSE),
  GATEWAY (FALSE, TRUE),
  GATEWAY (TRUE, FALSE),
  GATEWAY (TRUE, TRUE),
};

static GSocket *
greet (const char *address, gint64 deadline)
{
  g_autoptr (GSocket) socket = tall_socket_connect (address, deadline, NULL);
  if (socket == NULL
      || !tall_socket_send_all (socket, (const guint8 *)GREETING, strlen (GREETING), deadline,
                                NULL))
    return NULL;
  return g_steal_pointer (&socket);
}

static const TallStranger *
find_text (TallSlice answer)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (tall_slice_has_prefix (answer, tall_slice_str (texts[i].start)))
      return &texts[i].stranger;
  return NULL;
}

/* @socket: (nullable): */
static const TallStranger *
read_text (GSocket *socket, gint64 deadline)
{
  guint8 answer[8];
  const TallStranger *stranger = NULL;

  for (gsize len = 0; socket != NULL && stranger == NULL && len < sizeof answer;)
    {
      gssize n = tall_socket_receive (socket, answer + len, sizeof answer - len, deadline, NULL);
      if (n <= 0)
        return NULL;
      len += (gsize)n;
      stranger = find_text (tall_slice (answer, len));
    }
  return stranger;
}

/* Asks what only HBase's gateway can say. */
static TallTransport *
ask (const char *address, const TallStranger *gateway, gint64 deadline)
{
  static const TallStructType no_args = { .name = "args" };
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.framed = gateway->framed;
  options.compact = gateway->compact;
  options.max_message = MAX_REPLY;
  g_autoptr (TallTransport) transport = tall_connection_open (address, &options, deadline, NULL);
  if (transport == NULL)
    return NULL;

  tall_transport_set_deadline (transport, deadline);
  if (!tall_message_write_call (TALL_PROBE_GATEWAY_CALL, transport, &no_args, NULL, NULL)
      || !tall_transport_flush (transport, NULL))
    return NULL;
  return g_steal_pointer (&transport);
}

/* @connection: (nullable): */
static gboolean
is_answered (TallTransport *connection)
{
  g_auto (TallMessage) message = { NULL };
  return connection != NULL && tall_message_read (&message, connection, NULL)
         && message.type == T_REPLY;
}

/**
 * tall_probe:
 * @milliseconds: that it may take at most
 *
 * Finds out what a server is that is not ours, by talking to it in other ways, all at once.
 *
 * Returns: (transfer none) (nullable): what it seems to be; NULL: nothing that is known here
 */
const TallStranger *
tall_probe (const char *address, guint milliseconds)
{
  gint64 deadline = g_get_monotonic_time () + (gint64)milliseconds * G_TIME_SPAN_MILLISECOND;
  g_autoptr (GSocket) socket = greet (address, deadline);
  TallTransport *asked[G_N_ELEMENTS (gateways)];

  for (guint i = 0; i < G_N_ELEMENTS (gateways); i++)
    asked[i] = ask (address, &gateways[i], deadline);
  const TallStranger *stranger = read_text (socket, deadline);
  for (guint i = 0; i < G_N_ELEMENTS (gateways); i++)
    {
      if (stranger == NULL && is_answered (asked[i]))
        stranger = &gateways[i];
      g_clear_object (&asked[i]);
    }
  return stranger;
}

/**
 * tall_connection_open:
 * @address: `host:port` or `[v6 address]:port`
 * @options: copied
 * @deadline: of connecting only; calls have none until tall_transport_set_deadline()
 *
 * A client's connection belongs to one thread at a time. After any error but those that the
 * interface declares it is broken and must be closed: what comes next on it may be the answer to
 * another call.
 *
 * Returns: (transfer full): a connection; NULL with %TALL_ERROR_UNAVAILABLE,
 *   %TALL_ERROR_TIMED_OUT or %TALL_ERROR_INVALID (the address); with TLS as tall_tls_handshake()
 */
TallTransport *
tall_connection_open (const char *address,
                      const TallWireOptions *options,
                      gint64 deadline,
                      GError **error)
{
  g_autofree char *host = NULL;
  guint16 port;
  g_autoptr (GSocket) socket = tall_socket_connect (address, deadline, error);
  if (socket == NULL || !tall_address_parse (address, &host, &port, error))
    return NULL;

  g_autoptr (TallTransport) self = tall_transport_new (socket, address, options);
  if (options->tls != NULL && !tall_transport_begin_tls (self, options->tls, host, deadline, error))
    return NULL;
  return g_steal_pointer (&self);
}
