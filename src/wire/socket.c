/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/socket.h"

#include "base/fail.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

/* The least time that one of several addresses gets, in microseconds. */
#define MIN_SHARE (250 * G_TIME_SPAN_MILLISECOND)

/**
 * tall_socket_set_error:
 * @number: errno of a failed system call
 *
 * The one place where that becomes our error.
 */
void
tall_socket_set_error (GError **error, int number)
{
  if (number == ECONNRESET || number == EPIPE)
    g_set_error_literal (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                         "the other side closed the connection");
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "the connection failed: %s",
                 g_strerror (number));
}

/**
 * tall_address_parse:
 * @address: `host:port`, `address:port` or `[v6 address]:port`
 * @host: (out) (transfer full):
 * @port: (out):
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it is something else
 */
gboolean
tall_address_parse (const char *address, char **host, guint16 *port, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GSocketConnectable) parsed = g_network_address_parse (address, 0, &reason);
  GNetworkAddress *network = parsed == NULL ? NULL : G_NETWORK_ADDRESS (parsed);

  if (network == NULL || g_network_address_get_port (network) == 0
      || *g_network_address_get_hostname (network) == '\0')
    return tall_error_fail_invalid (
        error, "address",
        "\"%s\" is not an address: write host:port, such as 127.0.0.1:7654 or [::1]:7654", address);

  *host = g_strdup (g_network_address_get_hostname (network));
  *port = g_network_address_get_port (network);
  return TRUE;
}

/**
 * tall_socket_wait:
 *
 * Waits until @socket is ready for @condition.
 *
 * Returns: FALSE with %TALL_ERROR_TIMED_OUT after @deadline
 */
gboolean
tall_socket_wait (GSocket *socket, GIOCondition condition, gint64 deadline, GError **error)
{
  /* GIO waits for whole milliseconds. Round up, so that no time-out comes before the deadline. */
  gint64 timeout = -1;
  if (deadline != G_MAXINT64)
    timeout = MAX (deadline - g_get_monotonic_time (), 0) + 999;

  g_autoptr (GError) reason = NULL;
  if (g_socket_condition_timed_wait (socket, condition, timeout, NULL, &reason))
    return TRUE;

  if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
    g_set_error_literal (error, TALL_ERROR, TALL_ERROR_TIMED_OUT, "no answer in time");
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s", reason->message);
  return FALSE;
}

/**
 * tall_socket_receive:
 *
 * Receives what is there, and waits if nothing is.
 *
 * Returns: the number of bytes; 0 if the other side has closed; -1 with @error set
 */
gssize
tall_socket_receive (GSocket *socket, gpointer buffer, gsize size, gint64 deadline, GError **error)
{
  for (;;)
    {
      gssize n = recv (g_socket_get_fd (socket), buffer, size, MSG_DONTWAIT);
      if (n >= 0)
        return n;

      int number = errno;
      if (number == EINTR)
        continue;
      if (number != EAGAIN && number != EWOULDBLOCK)
        {
          tall_socket_set_error (error, number);
          return -1;
        }
      if (!tall_socket_wait (socket, G_IO_IN, deadline, error))
        return -1;
    }
}

/**
 * tall_socket_send_all:
 *
 * Returns: TRUE once the kernel has taken every byte. After FALSE the other side cannot have
 *   received all of them.
 */
gboolean
tall_socket_send_all (
    GSocket *socket, const guint8 *data, gsize len, gint64 deadline, GError **error)
{
  while (len > 0)
    {
      gssize n = send (g_socket_get_fd (socket), data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n >= 0)
        {
          data += n;
          len -= (gsize)n;
          continue;
        }

      int number = errno;
      if (number == EINTR)
        continue;
      if (number != EAGAIN && number != EWOULDBLOCK)
        {
          tall_socket_set_error (error, number);
          return FALSE;
        }
      if (!tall_socket_wait (socket, G_IO_OUT, deadline, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_socket_is_quiet:
 *
 * Costs one system call and never waits.
 *
 * Returns: whether a kept connection is still fit for a request: open, and nothing has arrived on
 *   it
 */
gboolean
tall_socket_is_quiet (GSocket *socket)
{
  guint8 byte;
  gssize n = recv (g_socket_get_fd (socket), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/**
 * tall_socket_has_input:
 *
 * Costs one system call and never waits. For any thread while the socket is open, because it does
 * not look at what a #GSocket keeps of itself, which only the thread that uses it may do.
 *
 * Returns: whether bytes wait to be received, or the other side has closed
 */
gboolean
tall_socket_has_input (GSocket *socket)
{
  struct pollfd place = { .fd = g_socket_get_fd (socket), .events = POLLIN };
  return poll (&place, 1, 0) == 1 && (place.revents & POLLIN) != 0;
}

/**
 * tall_socket_shut:
 * @also_writing: FALSE: what runs can still answer
 *
 * Lets nothing more be received from the socket. For any thread while it is open, as
 * tall_socket_has_input(). (g_socket_shutdown() notes in bits what it did, and other bits beside
 * them are the using thread's.)
 */
void
tall_socket_shut (GSocket *socket, gboolean also_writing)
{
  shutdown (g_socket_get_fd (socket), also_writing ? SHUT_RDWR : SHUT_RD);
}

/**
 * tall_socket_prepare:
 *
 * Sets what every connection of ours needs: no waiting for more before sending (Nagle's algorithm
 * costs 40 ms a call against delayed acknowledgements), and a probe that finds dead peers.
 */
void
tall_socket_prepare (GSocket *socket)
{
  g_socket_set_blocking (socket, FALSE);
  g_socket_set_keepalive (socket, TRUE);
  g_socket_set_option (socket, IPPROTO_TCP, TCP_NODELAY, 1, NULL);
}

/**
 * tall_socket_limit_unsent:
 *
 * From now on a send waits while the system holds more than about so many bytes that the other side
 * has no room for yet. It would hold some megabytes, and take them for sent.
 */
void
tall_socket_limit_unsent (GSocket *socket, guint bytes)
{
  g_socket_set_option (socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, (gint)bytes, NULL);
}

typedef struct
{
  GList *addresses; /* of GInetAddress */
  GError *error;
  gboolean done;
} Lookup;

static void
on_looked_up (GObject *source, GAsyncResult *result, gpointer data)
{
  Lookup *lookup = data;
  lookup->addresses =
      g_resolver_lookup_by_name_finish (G_RESOLVER (source), result, &lookup->error);
  lookup->done = TRUE;
}

static gboolean
on_lookup_late (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_REMOVE;
}

/* A look-up has no deadline of its own, so it runs in a separate main context, beside a timer. */
static GList *
look_up (const char *host, gint64 deadline, GError **error)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_main_context_push_thread_default (context);

  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GSource) timer = NULL;
  if (deadline != G_MAXINT64)
    {
      gint64 left = CLAMP ((deadline - now) / 1000, 0, G_MAXINT);
      timer = g_timeout_source_new ((guint)left);
      g_source_set_callback (timer, on_lookup_late, cancellable, NULL);
      g_source_attach (timer, context);
    }

  Lookup lookup = { 0 };
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  g_resolver_lookup_by_name_async (resolver, host, cancellable, on_looked_up, &lookup);
  while (!lookup.done)
    g_main_context_iteration (context, TRUE);

  if (timer != NULL)
    g_source_destroy (timer);
  g_main_context_pop_thread_default (context);

  g_autoptr (GError) reason = lookup.error;
  if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT, "\"%s\" could not be looked up in time",
                 host);
  else if (reason != NULL)
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "\"%s\" cannot be looked up: %s", host,
                 reason->message);
  return lookup.addresses;
}

static GList *
resolve (const char *host, gint64 deadline, GError **error)
{
  GInetAddress *numeric = g_inet_address_new_from_string (host);
  return numeric != NULL ? g_list_prepend (NULL, numeric) : look_up (host, deadline, error);
}

static GSocket *
connect_one (GInetAddress *inet, guint16 port, gint64 deadline, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (inet, port);
  g_autoptr (GSocket) socket = g_socket_new (g_inet_address_get_family (inet), G_SOCKET_TYPE_STREAM,
                                             G_SOCKET_PROTOCOL_TCP, &reason);
  if (socket != NULL)
    {
      tall_socket_prepare (socket);
      if (g_socket_connect (socket, address, NULL, &reason))
        return g_steal_pointer (&socket);
      if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_PENDING))
        {
          g_clear_error (&reason);
          if (!tall_socket_wait (socket, G_IO_OUT, deadline, error))
            return NULL;
          if (g_socket_check_connect_result (socket, &reason))
            return g_steal_pointer (&socket);
        }
    }

  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, reason->message);
  return NULL;
}

/* Each address gets an even share of the remaining time, so that a dead one leaves time for
 * others. */
static gint64
share_of (gint64 deadline, guint n_left)
{
  if (deadline == G_MAXINT64 || n_left == 1)
    return deadline;

  gint64 now = g_get_monotonic_time ();
  return MIN (deadline, now + MAX ((deadline - now) / n_left, MIN_SHARE));
}

static GSocket *
connect_any (GList *addresses, guint16 port, gint64 deadline, GError **error)
{
  g_autoptr (GError) first = NULL;
  guint n_left = g_list_length (addresses);

  for (GList *l = addresses; l != NULL; l = l->next, n_left--)
    {
      g_autoptr (GError) reason = NULL;
      GSocket *socket = connect_one (l->data, port, share_of (deadline, n_left), &reason);
      if (socket != NULL)
        return socket;
      if (first == NULL)
        first = g_steal_pointer (&reason);
    }

  g_propagate_error (error, g_steal_pointer (&first));
  return NULL;
}

static void
free_addresses (GList *addresses)
{
  g_list_free_full (addresses, g_object_unref);
}

/**
 * tall_socket_connect:
 * @address: `host:port`; all addresses of the host are tried, IPv6 and IPv4
 *
 * Returns: (transfer full): a connected socket that does not block; NULL with
 *   %TALL_ERROR_UNAVAILABLE, %TALL_ERROR_TIMED_OUT or %TALL_ERROR_INVALID
 */
GSocket *
tall_socket_connect (const char *address, gint64 deadline, GError **error)
{
  g_autofree char *host = NULL;
  guint16 port;
  if (!tall_address_parse (address, &host, &port, error))
    return NULL;

  g_autoptr (GError) reason = NULL;
  GSocket *socket = NULL;
  GList *addresses = resolve (host, deadline, &reason);
  if (addresses != NULL)
    socket = connect_any (addresses, port, deadline, &reason);
  free_addresses (addresses);

  if (socket == NULL)
    {
      g_prefix_error (&reason, "Connecting to %s: ", address);
      g_propagate_error (error, g_steal_pointer (&reason));
    }
  return socket;
}
