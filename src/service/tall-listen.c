/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-listen.h"

#include "tall-error.h"

/* Connections that may wait until they are accepted. */
#define BACKLOG 128

/* "host:port" with a port, which may be 0. */
static GNetworkAddress *
parse (const char *address, GError **error)
{
  /* A port that is not given takes the default: one that differs each time was not given. */
  g_autoptr (GSocketConnectable) one = g_network_address_parse (address, 1, NULL);
  g_autoptr (GSocketConnectable) two = g_network_address_parse (address, 2, NULL);

  if (one != NULL && two != NULL
      && g_network_address_get_port (G_NETWORK_ADDRESS (one))
             == g_network_address_get_port (G_NETWORK_ADDRESS (two))
      && *g_network_address_get_hostname (G_NETWORK_ADDRESS (one)) != '\0')
    return G_NETWORK_ADDRESS (g_steal_pointer (&one));

  tall_error_set_invalid (error, "address",
                          "\"%s\" is no address to listen on: write HOST:PORT, such as "
                          "127.0.0.1:9090 or [::1]:9090; port 0 takes a free one",
                          address);
  return NULL;
}

/* GLib says the same thing twice: “Error binding to address X: Address already in use”. */
static void
explain (const GError *reason, const char *address, GError **error)
{
  const char *detail = strrchr (reason->message, ':');
  detail = detail != NULL && detail[1] == ' ' ? detail + 2 : reason->message;

  if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                 "Cannot listen on %s: another program listens there; stop it, or choose another "
                 "port (0 takes a free one)",
                 address);
  else if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED))
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                 "Cannot listen on %s: this user may not use that port; choose one above 1023",
                 address);
  else if (g_error_matches (reason, G_RESOLVER_ERROR, G_RESOLVER_ERROR_NOT_FOUND))
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                 "Cannot listen on %s: there is no host of that name; write an address of this "
                 "machine",
                 address);
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                 "Cannot listen on %s: %s; write an address of this machine, such as 127.0.0.1, or "
                 "0.0.0.0 for all of them",
                 address, detail);
}

static gboolean
listen_on (GSocketListener *listener, GInetAddress *inet, guint16 *port, GError **error)
{
  g_autoptr (GSocketAddress) wanted = g_inet_socket_address_new (inet, *port);
  g_autoptr (GSocketAddress) bound = NULL;

  if (!g_socket_listener_add_address (listener, wanted, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP,
                                      NULL, &bound, error))
    return FALSE;
  *port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  return TRUE;
}

/* The first of a host's addresses must work. The others may be of a kind that this machine has not,
 * as localhost is where IPv6 is off. All get the same port. */
static gboolean
listen_on_all (GSocketListener *listener, GList *addresses, guint16 *port, GError **error)
{
  guint n_bound = 0;

  for (GList *l = addresses; l != NULL; l = l->next)
    {
      g_autoptr (GError) reason = NULL;
      if (listen_on (listener, l->data, port, &reason))
        n_bound++;
      else if (l->next == NULL && n_bound == 0)
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      else if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
    }
  return TRUE;
}

static void
free_addresses (GList *addresses)
{
  g_list_free_full (addresses, g_object_unref);
}

/**
 * tall_listen:
 * @address: `host:port` or `[v6 address]:port`; port 0 takes a free one
 * @bound: (out) (transfer full): the same with the port that was taken
 *
 * Returns: (transfer full): what accepts connections on all addresses of that host; NULL with
 *   %TALL_ERROR_INVALID (the address), or %TALL_ERROR_UNAVAILABLE
 */
GSocketListener *
tall_listen (const char *address, char **bound, GError **error)
{
  g_autoptr (GNetworkAddress) parsed = parse (address, error);
  if (parsed == NULL)
    return NULL;

  const char *host = g_network_address_get_hostname (parsed);
  guint16 port = g_network_address_get_port (parsed);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  GList *addresses = g_resolver_lookup_by_name (resolver, host, NULL, &reason);
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  g_socket_listener_set_backlog (listener, BACKLOG);
  gboolean ok = addresses != NULL && listen_on_all (listener, addresses, &port, &reason);
  free_addresses (addresses);

  if (!ok)
    {
      explain (reason, address, error);
      return NULL;
    }
  *bound = g_strdup_printf (strchr (host, ':') != NULL ? "[%s]:%u" : "%s:%u", host, port);
  return g_steal_pointer (&listener);
}
