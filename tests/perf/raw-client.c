/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "raw-client.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tall-error.h"
#include "wire/socket.h"

#define FIRST_WAIT 10000 /* milliseconds for a reply to begin */
#define END_WAIT 300     /* milliseconds of silence that end a reply of unknown length */

static gboolean
fail (GError **error, const char *what, int number)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "Measuring with a plain socket: %s: %s",
               what, number == 0 ? "the connection was closed" : g_strerror (number));
  return FALSE;
}

static void
close_socket (TallRawClient *self)
{
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

static gboolean
connect_to (TallRawClient *self, const char *address, GError **error)
{
  g_autofree char *host = NULL;
  guint16 port;
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  struct addrinfo *found = NULL;
  int on = 1;

  if (!tall_address_parse (address, &host, &port, error))
    return FALSE;
  g_autofree char *service = g_strdup_printf ("%u", port);
  int result = getaddrinfo (host, service, &hints, &found);
  if (result != 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                   "Measuring with a plain socket: %s: %s", address, gai_strerror (result));
      return FALSE;
    }
  for (const struct addrinfo *each = found; each != NULL; each = each->ai_next)
    {
      self->fd = socket (each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (self->fd >= 0 && connect (self->fd, each->ai_addr, each->ai_addrlen) == 0)
        break;
      result = errno;
      close_socket (self);
    }
  freeaddrinfo (found);
  if (self->fd < 0)
    return fail (error, address, result);
  setsockopt (self->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return TRUE;
}

static gboolean
send_request (const TallRawClient *self, GError **error)
{
  for (gsize sent = 0; sent < self->request->len;)
    {
      ssize_t n =
          send (self->fd, self->request->data + sent, self->request->len - sent, MSG_NOSIGNAL);
      if (n < 0 && errno != EINTR)
        return fail (error, "sending", errno);
      sent += n > 0 ? (gsize)n : 0;
    }
  return TRUE;
}

/* All replies must equal the first one. It ends when nothing more comes. */
static gboolean
learn_reply (TallRawClient *self, GError **error)
{
  struct pollfd waiting = { .fd = self->fd, .events = POLLIN };
  guint8 buffer[16384];

  self->reply = g_byte_array_new ();
  while (poll (&waiting, 1, self->reply->len == 0 ? FIRST_WAIT : END_WAIT) > 0)
    {
      ssize_t n = recv (self->fd, buffer, sizeof buffer, 0);
      if (n <= 0)
        return fail (error, "reading the first reply", n < 0 ? errno : 0);
      g_byte_array_append (self->reply, buffer, (guint)n);
    }
  if (self->reply->len == 0)
    return fail (error, "reading the first reply", ETIMEDOUT);
  self->buffer = g_malloc (self->reply->len);
  return TRUE;
}

/**
 * tall_raw_client_set_request:
 * @message: the request, without a frame's header; its reply is as long as that of the one before
 */
void
tall_raw_client_set_request (TallRawClient *self, TallSlice message, gboolean framed)
{
  g_byte_array_set_size (self->request, 0);
  if (framed)
    tall_bytes_append_u32 (self->request, (guint32)message.len);
  tall_bytes_append (self->request, message);
}

/**
 * tall_raw_client_open:
 * @message: the request, without a frame's header
 *
 * Connects, and sends the request once to learn its reply, which must be the same every time.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE
 */
gboolean
tall_raw_client_open (
    TallRawClient *self, const char *address, TallSlice message, gboolean framed, GError **error)
{
  self->request = g_byte_array_new ();
  tall_raw_client_set_request (self, message, framed);
  return connect_to (self, address, error) && send_request (self, error)
         && learn_reply (self, error);
}

/**
 * tall_raw_client_call:
 *
 * Sends the request, and reads as many bytes as the reply has.
 */
gboolean
tall_raw_client_call (TallRawClient *self, GError **error)
{
  if (!send_request (self, error))
    return FALSE;
  for (gsize read = 0; read < self->reply->len;)
    {
      ssize_t n = recv (self->fd, self->buffer + read, self->reply->len - read, 0);
      if (n == 0 || (n < 0 && errno != EINTR))
        return fail (error, "reading a reply", n < 0 ? errno : 0);
      read += n > 0 ? (gsize)n : 0;
    }
  return TRUE;
}

/**
 * tall_raw_client_check:
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if the last reply differs from the first
 */
gboolean
tall_raw_client_check (const TallRawClient *self, GError **error)
{
  if (memcmp (self->buffer, self->reply->data, self->reply->len) == 0)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The same request had two different replies; does another program write here?");
  return FALSE;
}

void
tall_raw_client_close (TallRawClient *self)
{
  close_socket (self);
  g_clear_pointer (&self->request, g_byte_array_unref);
  g_clear_pointer (&self->reply, g_byte_array_unref);
  g_clear_pointer (&self->buffer, g_free);
}
