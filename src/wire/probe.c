/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/probe.h"

#include "wire/connection.h"
#include "wire/message.h"
#include "wire/socket.h"

/* What answers where a tallorder server was expected? Each kind of server understands one of the
 * greetings here; which one is answered tells. */

#define GREETING "GET / HTTP/1.0\r\n\r\n"

/* Bytes of the longest reply that is looked at. */
#define MAX_REPLY 4096

/* What the greeting is answered with, by servers that are no gateway. */
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
static TallConnection *
ask (const char *address, const TallStranger *gateway, gint64 deadline)
{
  static const TallStructType no_args = { .name = "args" };
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.framed = gateway->framed;
  options.compact = gateway->compact;
  options.max_message = MAX_REPLY;
  g_autoptr (TallConnection) connection = tall_connection_open (address, &options, deadline, NULL);
  if (connection == NULL)
    return NULL;

  TallTransport *transport = tall_connection_get_transport (connection);
  tall_connection_set_deadline (connection, deadline);
  if (!tall_message_write_call (TALL_PROBE_GATEWAY_CALL, transport, &no_args, NULL, NULL)
      || !tall_transport_flush (transport, NULL))
    return NULL;
  return g_steal_pointer (&connection);
}

/* @connection: (nullable): */
static gboolean
is_answered (TallConnection *connection)
{
  g_auto (TallMessage) message = { NULL };
  return connection != NULL
         && tall_message_read (&message, tall_connection_get_transport (connection), NULL)
         && message.type == T_REPLY;
}

/**
 * tall_probe:
 * @milliseconds: that it may take at most
 *
 * Finds out what a server is that is none of ours, by talking to it in other ways, all at once.
 *
 * Returns: (transfer none) (nullable): what it seems to be; NULL: nothing that is known here
 */
const TallStranger *
tall_probe (const char *address, guint milliseconds)
{
  gint64 deadline = g_get_monotonic_time () + (gint64)milliseconds * G_TIME_SPAN_MILLISECOND;
  g_autoptr (GSocket) socket = greet (address, deadline);
  TallConnection *asked[G_N_ELEMENTS (gateways)];

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
