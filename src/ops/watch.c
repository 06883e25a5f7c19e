/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/watch.h"

#include "service/server/listen.h"
#include "service/server/log.h"
#include "tall-error.h"

#include <fcntl.h>
#include <microhttpd.h>
#include <sys/socket.h>

/* Seconds without a byte before a connection is closed. */
#define IDLE_TIME 5

/* Bytes of a request's head: all that is read of a request. */
#define MAX_HEAD 8192

/* More than the places: a place is left a moment after its connection has been cut. */
#define MAX_SOCKETS (2 * TALL_WATCH_MAX_CONNECTIONS)

/* Milliseconds that a new connection waits at most until the daemon has taken it, and until another
 * one has made room for it. */
#define HANDING_TIME 100

struct _TallWatchPort
{
  const TallWatchPath *paths;
  gpointer data;
  char *address; /* the one bound */
  gboolean is_reachable;
  TallAcceptor *acceptor;
  struct MHD_Daemon *daemon;
  TallLogLimit log_limit;

  GMutex mutex; /* of what follows */
  GCond changed;
  guint64 n_begun; /* connections that the daemon has taken */
  GQueue open;     /* of their descriptors, the oldest first, until it has closed them */
};

static enum MHD_Result
answer (struct MHD_Connection *connection, guint status, const char *type, const char *text)
{
  struct MHD_Response *response =
      MHD_create_response_from_buffer (strlen (text), (void *)text, MHD_RESPMEM_MUST_COPY);
  if (response == NULL)
    return MHD_NO;
  gboolean ok =
      MHD_add_response_header (response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES
      && MHD_add_response_header (response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store") == MHD_YES
      && MHD_add_response_header (response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES
      && (status != MHD_HTTP_METHOD_NOT_ALLOWED
          || MHD_add_response_header (response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD") == MHD_YES);
  enum MHD_Result result = ok ? MHD_queue_response (connection, status, response) : MHD_NO;
  MHD_destroy_response (response);
  return result;
}

static enum MHD_Result
answer_unknown (const TallWatchPort *self, struct MHD_Connection *connection)
{
  g_autoptr (GString) text = g_string_new ("Nothing is here. There is:\n");
  for (guint i = 0; self->paths[i].path != NULL; i++)
    g_string_append_printf (text, "%s\n", self->paths[i].path);
  return answer (connection, MHD_HTTP_NOT_FOUND, TALL_WATCH_PLAIN_TEXT, text->str);
}

/* The answer is made when the head of the request is there. Whatever follows is not read: the
 * connection ends after the answer. */
static enum MHD_Result
on_request (void *data,
            struct MHD_Connection *connection,
            const char *url,
            const char *method,
            const char *version G_GNUC_UNUSED,
            const char *upload G_GNUC_UNUSED,
            size_t *upload_len G_GNUC_UNUSED,
            void **request G_GNUC_UNUSED)
{
  TallWatchPort *self = data;
  if (!g_str_equal (method, MHD_HTTP_METHOD_GET) && !g_str_equal (method, MHD_HTTP_METHOD_HEAD))
    return answer (connection, MHD_HTTP_METHOD_NOT_ALLOWED, TALL_WATCH_PLAIN_TEXT,
                   "Only GET and HEAD\n");
  for (const TallWatchPath *path = self->paths; path->path != NULL; path++)
    if (g_str_equal (url, path->path))
      {
        g_autoptr (GString) reply = g_string_new (NULL);
        gboolean ok = path->make (self->data, reply);
        return answer (connection, ok ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, path->type,
                       reply->str);
      }
  return answer_unknown (self, connection);
}

/* With the mutex. A usual request is answered within a millisecond. So the oldest connection is the
 * one that has least to lose. */
static void
make_room (TallWatchPort *self)
{
  guint n = g_queue_get_length (&self->open);
  /* As many at its head make room already, at most. */
  if (n > TALL_WATCH_MAX_CONNECTIONS)
    shutdown (GPOINTER_TO_INT (g_queue_peek_nth (&self->open, n - TALL_WATCH_MAX_CONNECTIONS - 1)),
              SHUT_RDWR);
}

/* The daemon closes the descriptor after that. */
static void
on_connection (void *data,
               struct MHD_Connection *connection,
               void **context,
               enum MHD_ConnectionNotificationCode code)
{
  TallWatchPort *self = data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    {
      const union MHD_ConnectionInfo *info =
          MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD);
      g_queue_push_tail (&self->open, GINT_TO_POINTER (info->connect_fd));
      *context = g_queue_peek_tail_link (&self->open);
      self->n_begun++;
      make_room (self);
    }
  else if (*context != NULL)
    g_queue_delete_link (&self->open, *context);
  g_cond_broadcast (&self->changed);
}

/* Only one at a time is on its way to the daemon, so that it never refuses one. */
static void
hand_over (TallWatchPort *self, int fd, const struct sockaddr *address, socklen_t len)
{
  gint64 until = g_get_monotonic_time () + HANDING_TIME * G_TIME_SPAN_MILLISECOND;
  g_mutex_lock (&self->mutex);
  guint64 before = self->n_begun;
  g_mutex_unlock (&self->mutex);
  if (MHD_add_connection (self->daemon, fd, address, len) != MHD_YES)
    return;
  g_mutex_lock (&self->mutex);
  while ((self->n_begun == before || g_queue_get_length (&self->open) > TALL_WATCH_MAX_CONNECTIONS)
         && g_cond_wait_until (&self->changed, &self->mutex, until))
    continue;
  g_mutex_unlock (&self->mutex);
}

static void
on_accepted (gpointer data, GSocket *socket)
{
  struct sockaddr_storage native;
  g_autoptr (GSocketAddress) address = g_socket_get_remote_address (socket, NULL);
  if (address == NULL || !g_socket_address_to_native (address, &native, sizeof native, NULL))
    return;
  int fd = fcntl (g_socket_get_fd (socket), F_DUPFD_CLOEXEC, 0);
  if (fd >= 0)
    hand_over (data, fd, (struct sockaddr *)&native,
               (socklen_t)g_socket_address_get_native_size (address));
}

static void
on_accept_failed (gpointer data, const GError *error)
{
  TallWatchPort *self = data;
  guint n_left_out = 0;
  if (tall_log_limit_take (&self->log_limit, 1, G_TIME_SPAN_MINUTE, &n_left_out))
    g_message ("Accepting a connection for metrics failed: %s", error->message);
}

static struct MHD_Daemon *
start_daemon (TallWatchPort *self)
{
  return MHD_start_daemon (
      MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC, 0,
      NULL, NULL, on_request, self, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_SOCKETS,
      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_TIME, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)MAX_HEAD, MHD_OPTION_NOTIFY_CONNECTION, on_connection, self, MHD_OPTION_END);
}

/**
 * tall_watch_port_new:
 * @address: `host:port` or `[v6 address]:port` to listen on; port 0 takes a free one
 * @paths: what is shown; stays
 * @data: for their functions; stays until tall_watch_port_free()
 *
 * Returns: (transfer full): which answers already; NULL with %TALL_ERROR_INVALID (the address), or
 *   %TALL_ERROR_UNAVAILABLE
 */
TallWatchPort *
tall_watch_port_new (const char *address, const TallWatchPath *paths, gpointer data, GError **error)
{
  g_autofree char *bound = NULL;
  gboolean is_reachable;
  g_autoptr (GSocketListener) listener = tall_listen (address, &bound, &is_reachable, error);
  if (listener == NULL)
    return NULL;

  g_autoptr (TallWatchPort) self = g_new0 (TallWatchPort, 1);
  g_mutex_init (&self->log_limit.mutex);
  self->paths = paths;
  self->data = data;
  self->is_reachable = is_reachable;
  self->address = g_steal_pointer (&bound);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  g_queue_init (&self->open);
  self->daemon = start_daemon (self);
  if (self->daemon == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                   "No thread can be had to answer on %s: raise the limits of this process",
                   self->address);
      return NULL;
    }
  self->acceptor = tall_acceptor_new (listener, on_accepted, on_accept_failed, self);
  return g_steal_pointer (&self);
}

/**
 * tall_watch_port_free:
 *
 * Answers no more.
 */
void
tall_watch_port_free (TallWatchPort *self)
{
  g_clear_pointer (&self->acceptor, tall_acceptor_end);
  g_clear_pointer (&self->daemon, MHD_stop_daemon);
  g_queue_clear (&self->open);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->log_limit.mutex);
  g_free (self->address);
  g_free (self);
}

/**
 * tall_watch_port_get_address:
 *
 * Returns: (transfer none): `host:port`, with the port that was taken if any free one was asked for
 */
const char *
tall_watch_port_get_address (TallWatchPort *self)
{
  return self->address;
}

/**
 * tall_watch_port_is_reachable:
 *
 * Returns: whether other machines can read the pages
 */
gboolean
tall_watch_port_is_reachable (TallWatchPort *self)
{
  return self->is_reachable;
}

struct _TallWatch
{
  TallMetricsSources sources; /* owns the readiness */
  TallWatchPort *port;
};

static gboolean
make_metrics (gpointer data, GString *reply)
{
  tall_metrics_write (&((TallWatch *)data)->sources, reply);
  return TRUE;
}

static gboolean
make_live (gpointer data G_GNUC_UNUSED, GString *reply)
{
  g_string_append (reply, "live\n");
  return TRUE;
}

static gboolean
make_ready (gpointer data, GString *reply)
{
  g_autofree char *reason = NULL;
  if (tall_readiness_get (((TallWatch *)data)->sources.readiness, &reason))
    {
      g_string_append (reply, "ready\n");
      return TRUE;
    }
  g_string_append_printf (reply, "not ready: %s\n", reason);
  return FALSE;
}

static const TallWatchPath paths[] = {
  { "/metrics", "text/plain; version=0.0.4; charset=utf-8", make_metrics },
  { "/live", TALL_WATCH_PLAIN_TEXT, make_live },
  { "/ready", TALL_WATCH_PLAIN_TEXT, make_ready },
  { NULL, NULL, NULL },
};

/**
 * tall_watch_new:
 * @address: `host:port` or `[v6 address]:port` to listen on; port 0 takes a free one
 * @server: stays, like the next two, until tall_watch_free()
 * @store: what the server shows
 * @moves: (nullable): its migrations
 *
 * Returns: (transfer full): which answers already; NULL with %TALL_ERROR_INVALID (the address), or
 *   %TALL_ERROR_UNAVAILABLE
 */
TallWatch *
tall_watch_new (const char *address,
                TallServer *server,
                TallStore *store,
                TallMigrateRunner *moves,
                GError **error)
{
  g_autoptr (TallWatch) self = g_new0 (TallWatch, 1);
  self->sources = (TallMetricsSources){
    .server = server,
    .store = store,
    .moves = moves,
    .readiness = tall_readiness_new (TALL_FRONT (store), NULL),
  };
  self->port = tall_watch_port_new (address, paths, self, error);
  if (self->port == NULL)
    return NULL;
  tall_readiness_begin (self->sources.readiness);
  return g_steal_pointer (&self);
}

/**
 * tall_watch_stop:
 *
 * The server stops: it is not ready any more, but live as long as its calls are waited for.
 */
void
tall_watch_stop (TallWatch *self)
{
  tall_readiness_stop (self->sources.readiness);
}

void
tall_watch_free (TallWatch *self)
{
  g_clear_pointer (&self->port, tall_watch_port_free);
  tall_readiness_end (self->sources.readiness);
  g_free (self);
}

/**
 * tall_watch_get_port:
 *
 * Returns: (transfer none): which shows the pages
 */
TallWatchPort *
tall_watch_get_port (TallWatch *self)
{
  return self->port;
}
