/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-probe.h"

#include "tall-bytes.h"
#include "tall-socket.h"

/* What answers where a tallorder server was expected? The greetings here are understood by one kind
 * of server each; which one is answered tells. */

#define CALL "getThriftServerType" /* of HBase's gateway, which has it since 2.4 */
#define BINARY_CALL "\x80\1\0\1\0\0\0\x13" CALL "\0\0\0\0\0"
#define COMPACT_CALL "\x82\x21\0\x13" CALL "\0"

#define BINARY_REPLY "\x80\1\0\2"
#define COMPACT_REPLY "\x82\x41"

#define GATEWAY "a Thrift gateway of HBase", TRUE
#define GREETING(text)                                                                             \
  {                                                                                                \
    text, sizeof text - 1                                                                          \
  }

typedef struct
{
  struct
  {
    const char *data;
    gsize len;
  } sent, expected;
  gsize skipped;         /* bytes of an answer before what is expected */
  TallStranger stranger; /* what answers so */
} Greeting;

static const Greeting greetings[] = {
  { GREETING ("GET / HTTP/1.0\r\n\r\n"), GREETING ("HTTP/"), 0, { "a web server (HTTP)" } },
  { GREETING ("GET / HTTP/1.0\r\n\r\n"), GREETING ("SSH-"), 0, { "an SSH server" } },
  { GREETING ("GET / HTTP/1.0\r\n\r\n"), GREETING ("\x15\x03"), 0, { "a server that wants TLS" } },
  { GREETING (BINARY_CALL), GREETING (BINARY_REPLY), 0, { GATEWAY, FALSE, FALSE } },
  { GREETING (COMPACT_CALL), GREETING (COMPACT_REPLY), 0, { GATEWAY, FALSE, TRUE } },
  { GREETING ("\0\0\0\x20" BINARY_CALL), GREETING (BINARY_REPLY), 4, { GATEWAY, TRUE, FALSE } },
  { GREETING ("\0\0\0\x18" COMPACT_CALL), GREETING (COMPACT_REPLY), 4, { GATEWAY, TRUE, TRUE } },
};

static GSocket *
greet (const char *address, const Greeting *greeting, gint64 deadline)
{
  g_autoptr (GSocket) socket = tall_socket_connect (address, deadline, NULL);
  if (socket == NULL
      || !tall_socket_send_all (socket, (const guint8 *)greeting->sent.data, greeting->sent.len,
                                deadline, NULL))
    return NULL;
  return g_steal_pointer (&socket);
}

static gboolean
is_answered (GSocket *socket, const Greeting *greeting, gint64 deadline)
{
  guint8 answer[16];
  gsize wanted = greeting->skipped + greeting->expected.len, len = 0;

  while (len < wanted)
    {
      gssize n = tall_socket_receive (socket, answer + len, sizeof answer - len, deadline, NULL);
      if (n <= 0)
        return FALSE;
      len += (gsize)n;
    }
  return memcmp (answer + greeting->skipped, greeting->expected.data, greeting->expected.len) == 0;
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
  GSocket *sockets[G_N_ELEMENTS (greetings)];
  const TallStranger *stranger = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (greetings); i++)
    sockets[i] = greet (address, &greetings[i], deadline);
  for (guint i = 0; i < G_N_ELEMENTS (greetings); i++)
    {
      if (stranger == NULL && sockets[i] != NULL
          && is_answered (sockets[i], &greetings[i], deadline))
        stranger = &greetings[i].stranger;
      g_clear_object (&sockets[i]);
    }
  return stranger;
}
