/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/listen.h"

#include "base/text.h"
#include "service/access/places.h"
#include "tall-error.h"

/* Connections that may wait until they are accepted. */
#define BACKLOG 128

#define MAX_TRIES 64 /* to find a port that is free on each address of a host */

/* Waiting after an accept that failed because the process has no descriptors left; milliseconds. */
#define PAUSE 100

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
                          "\"%s\" is not an address to listen on: write HOST:PORT, such as "
                          "127.0.0.1:7654 or [::1]:7654; port 0 takes a free one",
                          address);
  return NULL;
}

/* GLib says the same thing twice: “Error binding to address X: Address already in use”. */
static const char *
find_detail (const GError *reason)
{
  const char *detail = strrchr (reason->message, ':');
  return detail != NULL && detail[1] == ' ' ? detail + 2 : reason->message;
}

static void
explain (const GError *reason, const char *address, GError **error)
{
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
                 address, find_detail (reason));
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

static gboolean
is_loopback (GInetAddress *inet)
{
  g_autoptr (GInetAddress) plain = tall_networks_get_plain (inet);
  return g_inet_address_get_is_loopback (plain);
}

/* A name such as localhost has an address of each kind, also where IPv6 is off. */
static gboolean
is_missing_here (GInetAddress *inet, const GError *reason)
{
  return is_loopback (inet) && !g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE)
         && !g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED);
}

/* What comes of listening on the addresses of one host. */
typedef struct
{
  GSocketListener *listener; /* (nullable) */
  guint16 port;              /* all get the same */
  guint n_bound;             /* addresses */
  gboolean is_reachable;     /* from other machines */
  GInetAddress *failed;      /* (nullable): not owned */
} Listening;

/* An address that is left out would be missed by clients, or served by another program: so each
 * must work, but for a loopback address that this machine has not. */
static gboolean
listen_on_all (Listening *self, GList *addresses, GError **error)
{
  g_autoptr (GError) missing = NULL;

  for (GList *l = addresses; l != NULL; l = l->next)
    {
      g_autoptr (GError) reason = NULL;
      self->failed = l->data;
      if (listen_on (self->listener, l->data, &self->port, &reason))
        {
          self->n_bound++;
          self->is_reachable |= !is_loopback (l->data);
        }
      else if (!is_missing_here (l->data, reason))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      else
        {
          g_autofree char *text = g_inet_address_to_string (l->data);
          g_message ("Not listening on %s, which this machine does not have: %s", text,
                     find_detail (reason));
          g_clear_error (&missing);
          missing = g_steal_pointer (&reason);
        }
    }
  if (self->n_bound > 0)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&missing));
  return FALSE;
}

/* The kernel chooses port 0 by the first address alone. Where another one has it already, the port
 * stays taken until a better one is found. */
static gboolean
find_port (Listening *self, GList *addresses, GError **error)
{
  g_autoptr (GPtrArray) tried = g_ptr_array_new_with_free_func (g_object_unref);
  const guint16 wanted = self->port;

  for (;;)
    {
      g_autoptr (GError) reason = NULL;
      self->port = wanted;
      self->n_bound = 0;
      self->listener = g_socket_listener_new ();
      g_socket_listener_set_backlog (self->listener, BACKLOG);
      if (listen_on_all (self, addresses, &reason))
        return TRUE;
      g_ptr_array_add (tried, g_steal_pointer (&self->listener));
      if (wanted == 0 && tried->len < MAX_TRIES
          && g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
        continue;
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
}

/* @address, and which of its addresses it is about if that is not clear. */
static char *
name_failed (const char *address, const char *host, GInetAddress *failed)
{
  g_autofree char *text = failed != NULL ? g_inet_address_to_string (failed) : NULL;
  if (text == NULL || g_str_equal (text, host))
    return g_strdup (address);
  return g_strdup_printf ("%s (%s)", address, text);
}

/**
 * tall_listen:
 * @address: `host:port` or `[v6 address]:port`; port 0 takes a free one
 * @bound: (out) (transfer full): the same with the port that was taken
 * @is_reachable: (out): whether other machines can reach it
 *
 * Returns: (transfer full): what accepts connections on all addresses of that host; NULL with
 *   %TALL_ERROR_INVALID (the address), or %TALL_ERROR_UNAVAILABLE
 */
GSocketListener *
tall_listen (const char *address, char **bound, gboolean *is_reachable, GError **error)
{
  g_autoptr (GNetworkAddress) parsed = parse (address, error);
  if (parsed == NULL)
    return NULL;

  const char *host = g_network_address_get_hostname (parsed);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  g_autolist (GInetAddress) addresses = g_resolver_lookup_by_name (resolver, host, NULL, &reason);
  Listening listening = { .port = g_network_address_get_port (parsed) };

  if (addresses == NULL || !find_port (&listening, addresses, &reason))
    {
      g_autofree char *name = name_failed (address, host, listening.failed);
      explain (reason, name, error);
      return NULL;
    }
  *bound = g_strdup_printf (strchr (host, ':') != NULL ? "[%s]:%u" : "%s:%u", host, listening.port);
  *is_reachable = listening.is_reachable;
  return listening.listener;
}

struct _TallAcceptor
{
  GSocketListener *listener;
  TallAccepted accepted;
  TallAcceptFailed failed;
  gpointer data; /* of both */
  GThread *thread;
  GMainContext *context; /* of the thread */
  GCancellable *closing; /* cancelled, by the thread itself, to end it */
  gboolean waiting;      /* for a connection */
};

static gboolean
on_pause_over (gpointer data)
{
  *(gboolean *)data = FALSE;
  return G_SOURCE_REMOVE;
}

/* The process may be out of descriptors: until some are free, accepting fails at once, again and
 * again. */
static void
pause_accepting (TallAcceptor *self)
{
  gboolean pausing = TRUE;
  g_autoptr (GSource) source = g_timeout_source_new (PAUSE);

  g_source_set_callback (source, on_pause_over, &pausing, NULL);
  g_source_attach (source, self->context);
  while (pausing && !g_cancellable_is_cancelled (self->closing))
    g_main_context_iteration (self->context, TRUE);
  g_source_destroy (source);
}

static void
on_accepted (GObject *listener, GAsyncResult *result, gpointer data)
{
  TallAcceptor *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocket) socket =
      g_socket_listener_accept_socket_finish (G_SOCKET_LISTENER (listener), result, NULL, &error);

  if (socket != NULL)
    self->accepted (self->data, socket);
  else if (!g_cancellable_is_cancelled (self->closing))
    {
      self->failed (self->data, error);
      pause_accepting (self);
    }
  self->waiting = FALSE;
}

static gpointer
accept_all (gpointer data)
{
  TallAcceptor *self = data;

  g_main_context_push_thread_default (self->context);
  while (!g_cancellable_is_cancelled (self->closing))
    {
      self->waiting = TRUE;
      g_socket_listener_accept_socket_async (self->listener, self->closing, on_accepted, self);
      while (self->waiting)
        g_main_context_iteration (self->context, TRUE);
    }
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

static gboolean
on_closing (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_REMOVE;
}

/**
 * tall_acceptor_new:
 * @listener: a reference is taken
 * @data: stays until tall_acceptor_end()
 *
 * Returns: (transfer full): which accepts already
 */
TallAcceptor *
tall_acceptor_new (GSocketListener *listener,
                   TallAccepted accepted,
                   TallAcceptFailed failed,
                   gpointer data)
{
  TallAcceptor *self = g_new0 (TallAcceptor, 1);
  self->listener = g_object_ref (listener);
  self->accepted = accepted;
  self->failed = failed;
  self->data = data;
  self->context = g_main_context_new ();
  self->closing = g_cancellable_new ();
  self->thread = g_thread_new ("tall-accept", accept_all, self);
  return self;
}

/**
 * tall_acceptor_end:
 * @self: (transfer full):
 *
 * Accepts nothing more, and closes the listener. Not for the acceptor's own thread.
 */
void
tall_acceptor_end (TallAcceptor *self)
{
  /* The thread cancels what it waits for: cancelled from another thread, a cancellable leaks its
   * source now and then (GLib 2.74). */
  g_autoptr (GSource) source = g_idle_source_new ();
  g_source_set_callback (source, on_closing, self->closing, NULL);
  g_source_attach (source, self->context);
  g_thread_join (self->thread);

  g_socket_listener_close (self->listener);
  g_object_unref (self->listener);
  g_object_unref (self->closing);
  g_main_context_unref (self->context);
  g_free (self);
}

/**
 * tall_gate_init:
 * @tls: (nullable): a reference is taken
 * @access: (nullable): a reference is taken
 */
void
tall_gate_init (TallGate *self, TallTlsContext *tls, TallRoles *access)
{
  *self = (TallGate){ .tls = tls != NULL ? tall_tls_context_ref (tls) : NULL,
                      .access = access != NULL ? tall_roles_ref (access) : NULL,
                      .generation = 1 };
  g_mutex_init (&self->mutex);
}

void
tall_gate_clear (TallGate *self)
{
  g_clear_pointer (&self->tls, tall_tls_context_unref);
  g_clear_pointer (&self->access, tall_roles_unref);
  g_mutex_clear (&self->mutex);
}

/**
 * tall_gate_replace:
 *
 * Sets the rules for connections and calls from now on.
 */
void
tall_gate_replace (TallGate *self, TallTlsContext *tls, TallRoles *access)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_clear_pointer (&self->tls, tall_tls_context_unref);
  g_clear_pointer (&self->access, tall_roles_unref);
  self->tls = tls != NULL ? tall_tls_context_ref (tls) : NULL;
  self->access = access != NULL ? tall_roles_ref (access) : NULL;
  g_atomic_int_inc (&self->generation);
}

static TallTlsContext *
get_tls (TallGate *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->tls != NULL ? tall_tls_context_ref (self->tls) : NULL;
}

/**
 * tall_gate_get_certificate_end:
 *
 * Returns: as tall_tls_context_get_end(); 0 without TLS
 */
gint64
tall_gate_get_certificate_end (TallGate *self)
{
  g_autoptr (TallTlsContext) tls = get_tls (self);
  return tls != NULL ? tall_tls_context_get_end (tls) : 0;
}

/**
 * tall_gate_admit:
 * @visitor: gets who the client is, as long as @transport is open
 * @transport: of a new connection, on the side of the server
 * @deadline: of the TLS handshake, if there is one
 *
 * Returns: FALSE as tall_tls_handshake()
 */
gboolean
tall_gate_admit (
    TallGate *self, TallVisitor *visitor, TallTransport *transport, gint64 deadline, GError **error)
{
  g_autoptr (TallTlsContext) tls = get_tls (self);
  visitor->gate = self;
  if (tls != NULL && !tall_transport_begin_tls (transport, tls, NULL, deadline, error))
    return FALSE;
  visitor->identity = tall_transport_get_identity (transport);
  return TRUE;
}

/* Without roles, where a client comes from has to do. */
static TallRole
find_role (const TallVisitor *self, TallRoles *access)
{
  if (access != NULL)
    return tall_roles_find_role (access, self->identity);
  return self->is_local ? TALL_ROLE_ADMIN : TALL_ROLE_WRITER;
}

/* Looks the role up again if the rules were replaced. */
static void
update_role (TallVisitor *self)
{
  if (self->generation == g_atomic_int_get (&self->gate->generation))
    return;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->gate->mutex);
  self->generation = g_atomic_int_get (&self->gate->generation);
  self->role = find_role (self, self->gate->access);
}

static void
set_forbidden (const TallVisitor *self, const TallIdlCall *call, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->gate->mutex);
  TallRoles *access = self->gate->access;
  if (access == NULL)
    g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN,
                 "the server answers \"%s\" only to clients on its own machine: run it there, with "
                 "a loopback address that is not one of its trusted proxies, or give it roles",
                 call->name);
  else if (self->identity == NULL)
    g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN,
                 "\"%s\" needs the role %s, and this client has shown no certificate", call->name,
                 tall_role_name (call->role));
  else if (tall_roles_is_revoked (access, self->identity))
    g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN,
                 "the certificate of this client was revoked");
  else
    {
      g_autofree char *name = tall_text_cut (self->identity->names[0], TALL_TEXT_MAX_NAME);
      g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN,
                   "\"%s\" needs the role %s, and this client has %s (%s); the roles are in the "
                   "file that the server's --access names",
                   call->name, tall_role_name (call->role),
                   self->role == TALL_ROLE_NONE ? "none" : tall_role_name (self->role), name);
    }
}

/**
 * tall_visitor_may_call:
 *
 * The one place where it is decided. A call that the table gives no role is nobody's.
 *
 * Returns: FALSE with %TALL_ERROR_FORBIDDEN
 */
gboolean
tall_visitor_may_call (TallVisitor *self, const TallIdlCall *call, GError **error)
{
  update_role (self);
  if (call->role != TALL_ROLE_NONE && self->role >= call->role)
    return TRUE;
  set_forbidden (self, call, error);
  return FALSE;
}

/**
 * tall_visitor_may_see_details:
 * @call: one that it may make
 *
 * Returns: whether it gets all of the answer, or what the table of calls leaves for others
 */
gboolean
tall_visitor_may_see_details (TallVisitor *self, const TallIdlCall *call)
{
  update_role (self);
  return self->role >= call->details;
}
