/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/server.h"

#include "service/server/listen.h"
#include "service/access/memory.h"
#include "base/fail.h"
#include "service/server/log.h"
#include "service/access/places.h"
#include "service/server/session.h"

#define USUAL_CONNECTIONS 256
#define USUAL_IDLE_GRACE 1000
#define USUAL_IDLE_TIMEOUT (5 * 60 * 1000)
#define USUAL_TRANSFER_TIMEOUT (30 * 1000)
#define USUAL_HANDSHAKE_TIMEOUT 5000
#define USUAL_SLOW_CALL 1000
#define USUAL_STOP_TIMEOUT (10 * 1000)
#define USUAL_MAX_REQUEST (16 * 1024 * 1024)
#define USUAL_MEMORY (512 * 1024 * 1024)
#define USUAL_MEMORY_WAIT 3000

/* What a connection over the limit gets until it is refused; milliseconds and bytes. */
#define REFUSAL_TIMEOUT 1000
#define REFUSAL_MAX_REQUEST (2 * 1024 * 1024)

/* A usual request arrives at once. One that takes longer makes room for others; milliseconds. */
#define RECEIVING_GRACE 2000

/* The same for a reply: its client takes nothing of it for so long. */
#define REPLYING_GRACE 2000

/* Lines about connections that were closed for what came over them. */
#define CLOSINGS_A_MINUTE 20

struct _TallServer
{
  GObject parent_instance;

  TallFront *front;
  TallServerOptions options;      /* without zeros */
  char *address;                  /* the one bound */
  gboolean is_reachable;          /* from other machines */
  TallAcceptor *acceptor;         /* NULL: stopped */
  gint stopping;                  /* atomic */
  TallLogLimit log_limit;         /* of connections that end, but for … */
  TallLogLimit certificate_limit; /* … those that end because of a certificate */
  TallMemory memory;
  TallGate gate;
  TallPlaces *places;
  TallCallStats *stats;
  gsize n_broken;     /* atomic; as in #TallServerUsage */
  gsize n_distrusted; /* the same */
};

G_DEFINE_FINAL_TYPE (TallServer, tall_server, G_TYPE_OBJECT)

/* What a thread gets. Its place keeps the server: tall_server_stop() waits until it is left. */
typedef struct
{
  TallServer *server;
  TallPlace *place; /* owned */
} Job;

static void
log_closing (TallLogLimit *limit, const char *what, const char *reason)
{
  guint n_left_out = 0;

  if (!tall_log_limit_take (limit, CLOSINGS_A_MINUTE, G_TIME_SPAN_MINUTE, &n_left_out))
    return;
  if (n_left_out > 0)
    g_message ("%u messages like the next were left out", n_left_out);
  g_message ("%s: %s", what, reason);
}

static char *
name_peer (GSocket *socket)
{
  g_autoptr (GSocketAddress) address = g_socket_get_remote_address (socket, NULL);
  if (!G_IS_INET_SOCKET_ADDRESS (address))
    return g_strdup ("a client");
  return g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address));
}

static gboolean
is_local (const TallServer *self, GSocket *socket)
{
  g_autoptr (GSocketAddress) address = g_socket_get_remote_address (socket, NULL);
  if (!G_IS_INET_SOCKET_ADDRESS (address))
    return FALSE;
  return tall_networks_is_local (self->options.trusted_proxies,
                                 g_inet_socket_address_get_address (
                                     G_INET_SOCKET_ADDRESS (address)));
}

/* Says why a connection ends, if it does not end by itself. */
static void
log_end (TallServer *self, TallPlace *place, const char *peer, gboolean evicted, GError *error)
{
  const char *refusal = place->refusal;
  const char *reason = refusal != NULL ? refusal
                       : evicted       ? "it was silent or too slow, and made room for another"
                       : error != NULL ? error->message
                                       : NULL;
  gboolean distrusted = g_error_matches (error, TALL_ERROR, TALL_ERROR_FORBIDDEN);
  if (refusal == NULL && !evicted && error != NULL)
    g_atomic_pointer_add (distrusted ? &self->n_distrusted : &self->n_broken, 1);
  g_autofree char *what = g_strdup_printf ("Connection of %s closed", peer);
  if (reason != NULL)
    log_closing (distrusted ? &self->certificate_limit : &self->log_limit, what, reason);
}

/* Microseconds; 0: no call is. */
static gint64
get_slow (const TallServer *self)
{
  guint slow = self->options.slow_call;
  return slow == G_MAXUINT ? 0 : (gint64)slow * G_TIME_SPAN_MILLISECOND;
}

static void
serve (TallServer *self, TallPlace *place)
{
  const char *refusal = place->refusal;
  gsize max_request = refusal != NULL ? MIN (REFUSAL_MAX_REQUEST, self->options.max_request)
                                      : self->options.max_request;
  g_autofree char *peer = name_peer (place->socket);
  g_autoptr (TallTransport) transport = tall_session_open (place->socket, max_request);
  g_autoptr (GError) error = NULL;
  TallSession session = {
    .handler = { .front = self->front,
                 .moves = self->options.moves,
                 .backups = self->options.backups,
                 .stats = self->stats,
                 .slow = get_slow (self) },
    .gate = &self->gate,
    .is_local = is_local (self, place->socket),
    .refusal = refusal,
    .transport = transport,
    .place = place,
    .memory = &self->memory,
    .least_memory = tall_call_memory_get_least (self->options.max_request, 0),
    .memory_wait = self->options.memory_wait,
    .idle_timeout = refusal != NULL ? REFUSAL_TIMEOUT : self->options.idle_timeout,
    .transfer_timeout = refusal != NULL ? REFUSAL_TIMEOUT : self->options.transfer_timeout,
    .handshake_timeout = refusal != NULL ? REFUSAL_TIMEOUT : self->options.handshake_timeout,
    .stopping = &self->stopping,
  };

  gboolean ok = tall_session_run (&session, &error);
  gboolean evicted = tall_place_let_go (place);
  /* First, so that a client that saw it end finds it counted. */
  log_end (self, place, peer, evicted, ok ? NULL : error);
  tall_transport_close (transport);
}

static gpointer
run_job (gpointer data)
{
  g_autofree Job *job = data;
  serve (job->server, job->place);
  tall_place_leave (job->place);
  return NULL;
}

/* Nobody joins the thread: that it has left its place is all that others wait for. */
static void
begin_session (gpointer data, GSocket *socket)
{
  TallServer *self = data;
  TallPlace *place = tall_places_take (self->places, socket);
  if (place == NULL)
    return;

  Job *job = g_new0 (Job, 1);
  job->server = self;
  job->place = place;

  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_try_new ("tall-session", run_job, job, &error);
  if (thread != NULL)
    {
      g_thread_unref (thread);
      return;
    }
  log_closing (&self->log_limit, "A connection was closed: no thread for it", error->message);
  tall_place_leave (place);
  g_free (job);
}

static void
on_accept_failed (gpointer data, const GError *error)
{
  TallServer *self = data;
  log_closing (&self->log_limit, "Accepting a connection failed", error->message);
}

/**
 * tall_server_get_address:
 *
 * Returns: (transfer none): `host:port`, with the port that was taken if any free one was asked for
 */
const char *
tall_server_get_address (TallServer *self)
{
  return self->address;
}

/**
 * tall_server_is_reachable:
 *
 * Tells whether other machines can reach the server, which neither asks its clients who they are
 * nor hides what it says to them.
 */
gboolean
tall_server_is_reachable (TallServer *self)
{
  return self->is_reachable;
}

/**
 * tall_server_replace_rules:
 * @tls: (nullable): as in #TallServerOptions
 * @access: (nullable): likewise
 *
 * Sets certificates and roles from now on. Open connections stay; their next calls are judged by
 * the new roles. Any thread may call it.
 */
void
tall_server_replace_rules (TallServer *self, TallTlsContext *tls, TallRoles *access)
{
  g_return_if_fail (TALL_IS_SERVER (self));
  tall_gate_replace (&self->gate, tls, access);
}

guint
tall_server_count_connections (TallServer *self)
{
  return tall_places_count (self->places);
}

gsize
tall_server_get_memory_used (TallServer *self)
{
  return tall_memory_get_used (&self->memory);
}

guint
tall_server_count_waiting (TallServer *self)
{
  return tall_memory_count_waiting (&self->memory);
}

/**
 * tall_server_stop:
 *
 * Accepts no more connections, ends those that are silent, lets the calls that run finish and
 * answer, within the stop time-out, and closes everything. May be called again, from one thread.
 *
 * Returns: FALSE if calls still run that could not be waited for: the front must stay
 */
gboolean
tall_server_stop (TallServer *self)
{
  g_return_val_if_fail (TALL_IS_SERVER (self), FALSE);

  g_atomic_int_set (&self->stopping, 1);
  tall_places_close (self->places);
  g_clear_pointer (&self->acceptor, tall_acceptor_end);
  return tall_places_end (self->places, self->options.stop_timeout);
}

/**
 * tall_server_get_usage:
 * @usage: (out caller-allocates):
 *
 * Any thread may call it, also after the server has stopped.
 */
void
tall_server_get_usage (TallServer *self, TallServerUsage *usage)
{
  g_return_if_fail (TALL_IS_SERVER (self));

  *usage = (TallServerUsage){
    .n_open = tall_places_count (self->places),
    .max_connections = self->options.max_connections,
    .n_broken = (guint64)(gsize)g_atomic_pointer_get (&self->n_broken),
    .n_distrusted = (guint64)(gsize)g_atomic_pointer_get (&self->n_distrusted),
    .memory = tall_memory_get_used (&self->memory),
    .max_memory = self->options.max_memory,
    .n_waiting = tall_memory_count_waiting (&self->memory),
    .certificate_end = tall_gate_get_certificate_end (&self->gate),
  };
  tall_places_get_totals (self->places, &usage->totals);
}

/**
 * tall_server_get_stats:
 *
 * Returns: (transfer none): of the calls that it has answered; stays as long as @self
 */
TallCallStats *
tall_server_get_stats (TallServer *self)
{
  g_return_val_if_fail (TALL_IS_SERVER (self), NULL);
  return self->stats;
}

static void
tall_server_dispose (GObject *object)
{
  TallServer *self = TALL_SERVER (object);
  if (self->acceptor != NULL && !tall_server_stop (self))
    g_warning ("A server was given up while its calls still run");
  /* Its threads use it: it stays until the process ends. */
  if (!tall_places_is_empty (self->places))
    g_object_ref (self);
  G_OBJECT_CLASS (tall_server_parent_class)->dispose (object);
}

static void
tall_server_finalize (GObject *object)
{
  TallServer *self = TALL_SERVER (object);
  g_clear_object (&self->front);
  g_clear_pointer (&self->places, tall_places_unref);
  g_clear_pointer (&self->stats, tall_call_stats_free);
  g_mutex_clear (&self->log_limit.mutex);
  g_mutex_clear (&self->certificate_limit.mutex);
  tall_memory_clear (&self->memory);
  tall_gate_clear (&self->gate);
  g_clear_pointer (&self->options.trusted_proxies, g_ptr_array_unref);
  g_free (self->address);
  G_OBJECT_CLASS (tall_server_parent_class)->finalize (object);
}

static void
tall_server_class_init (TallServerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = tall_server_dispose;
  G_OBJECT_CLASS (klass)->finalize = tall_server_finalize;
}

static void
tall_server_init (TallServer *self)
{
  g_mutex_init (&self->log_limit.mutex);
  g_mutex_init (&self->certificate_limit.mutex);
}

static void
set_options (TallServer *self, const TallServerOptions *options)
{
  static const TallServerOptions none = { 0 };
  const TallServerOptions *given = options != NULL ? options : &none;

#define USE(member, usual) self->options.member = given->member != 0 ? given->member : (usual)
  USE (max_connections, USUAL_CONNECTIONS);
  USE (max_connections_per_address, (self->options.max_connections + 1) / 2);
  if (given->trusted_proxies != NULL)
    self->options.trusted_proxies = g_ptr_array_ref (given->trusted_proxies);
  self->options.moves = given->moves;
  self->options.backups = given->backups;
  USE (idle_grace, USUAL_IDLE_GRACE);
  USE (idle_timeout, USUAL_IDLE_TIMEOUT);
  USE (transfer_timeout, USUAL_TRANSFER_TIMEOUT);
  USE (handshake_timeout, USUAL_HANDSHAKE_TIMEOUT);
  USE (slow_call, USUAL_SLOW_CALL);
  USE (stop_timeout, USUAL_STOP_TIMEOUT);
  USE (max_request, USUAL_MAX_REQUEST);
  USE (max_memory, USUAL_MEMORY);
  USE (memory_wait, USUAL_MEMORY_WAIT);
#undef USE
  self->options.max_memory =
      MAX (self->options.max_memory,
           tall_call_memory_get_least (self->options.max_request,
                                       tall_front_measure_order (self->front, NULL)));
}

static TallPlaces *
new_places (const TallServerOptions *options)
{
  TallPlacesLimits limits = {
    .max_connections = options->max_connections,
    .max_per_address = options->max_connections_per_address,
    .trusted = options->trusted_proxies,
    .idle_grace = options->idle_grace,
    .receiving_grace = RECEIVING_GRACE,
    .replying_grace = REPLYING_GRACE,
  };
  return tall_places_new (&limits);
}

/* What everybody on the way can read and change has to be wanted. */
static gboolean
check_reach (const char *address,
             gboolean is_reachable,
             const TallServerOptions *options,
             GError **error)
{
  if (!is_reachable || (options != NULL && (options->tls != NULL || options->insecure)))
    return TRUE;
  return tall_error_fail_invalid (
      error, "address",
      "Other machines can reach %s, and nothing would be encrypted: give a certificate "
      "(--tls-certificate, --tls-key), listen on 127.0.0.1, or say --insecure if you mean it",
      address);
}

/**
 * tall_server_new:
 * @front: what keeps the orders; called from many threads at once
 * @address: `host:port` or `[v6 address]:port` to listen on; port 0 takes a free one
 * @options: (nullable): copied
 *
 * Returns: (transfer full): a server that takes connections already; NULL with %TALL_ERROR_INVALID
 *   (the address), or %TALL_ERROR_UNAVAILABLE. End it with tall_server_stop() before letting go of
 *   it.
 */
TallServer *
tall_server_new (TallFront *front,
                 const char *address,
                 const TallServerOptions *options,
                 GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (front), NULL);

  g_autofree char *bound = NULL;
  gboolean is_reachable;
  g_autoptr (GSocketListener) listener = tall_listen (address, &bound, &is_reachable, error);
  if (listener == NULL || !check_reach (address, is_reachable, options, error))
    return NULL;

  TallServer *self = g_object_new (TALL_TYPE_SERVER, NULL);
  self->front = g_object_ref (front);
  set_options (self, options);
  tall_gate_init (&self->gate, options != NULL ? options->tls : NULL,
                  options != NULL ? options->access : NULL);
  tall_memory_init (&self->memory, self->options.max_memory,
                    tall_front_measure_order (front, NULL));
  self->stats = tall_call_stats_new ();
  self->places = new_places (&self->options);
  self->address = g_steal_pointer (&bound);
  self->is_reachable = is_reachable;
  self->acceptor = tall_acceptor_new (listener, begin_session, on_accept_failed, self);
  return self;
}
