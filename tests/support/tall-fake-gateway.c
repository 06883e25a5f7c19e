/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-fake-gateway.h"

#include "tall-fake-answer.h"

#include <sys/socket.h>
#include <thrift/c_glib/protocol/thrift_binary_protocol.h>
#include <thrift/c_glib/protocol/thrift_compact_protocol.h>

typedef struct
{
  TallFakeAnswer answer;
  guint times;          /* requests for which it is still valid */
  TallFakeAnswer after; /* to the one after them; TALL_FAKE_ANSWER: as usual */
  guint calls;          /* requests so far */
  GHashTable *rows;     /* owned: a set of GBytes: keys that they named, if they write */
} Method;

static void
method_free (gpointer data)
{
  Method *self = data;
  g_hash_table_unref (self->rows);
  g_free (self);
}

struct _TallFakeGateway
{
  gboolean framed;
  gboolean compact;
  char *address;
  GSocketListener *listener;
  GCancellable *stop;
  GThread *thread; /* accepts */

  GMutex mutex;
  GCond changed;
  GHashTable *methods;    /* of Method by name */
  GPtrArray *connections; /* of GSocketConnection: all that are served */
  GPtrArray *threads;     /* of GThread: one for each */
  guint n_connections;
  guint n_waiting; /* TALL_FAKE_TOGETHER */
  guint n_late;    /* TALL_FAKE_LATE: answers that are kept back */
  gboolean sends_late;
  guint n_served; /* connections, of at most max_served */
  guint max_served;
  TallFakeScript script;
  gboolean stopped;
};

/* A lost gateway is logged as a warning, and many tests are about that. */
static void
allow_warnings (void)
{
  static gsize done;
  if (!g_once_init_enter (&done)) /* later there are threads that log */
    return;
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL);
  g_once_init_leave (&done, 1);
}

/* Clients of all gateways whose answers are kept back, by their ports. */
static GMutex kept_mutex;
static GHashTable *kept;

static void
keep_back (GSocket *socket, gboolean is_kept)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&kept_mutex);
  g_autoptr (GSocketAddress) client = g_socket_get_remote_address (socket, NULL);
  if (client == NULL)
    return;
  gpointer port =
      GUINT_TO_POINTER (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (client)));
  if (kept == NULL)
    kept = g_hash_table_new (NULL, NULL);
  if (is_kept)
    g_hash_table_add (kept, port);
  else
    g_hash_table_remove (kept, port);
}

/**
 * tall_fake_gateway_keeps_back:
 *
 * Returns: whether a gateway has read a request of the client at that port, and does not answer
 */
gboolean
tall_fake_gateway_keeps_back (guint16 port)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&kept_mutex);
  return kept != NULL && g_hash_table_contains (kept, GUINT_TO_POINTER (port));
}

static Method *
get_method (TallFakeGateway *self, const char *name)
{
  Method *method = g_hash_table_lookup (self->methods, name);
  if (method == NULL)
    {
      method = g_new0 (Method, 1);
      method->rows =
          g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
      g_hash_table_insert (self->methods, g_strdup (name), method);
    }
  return method;
}

/* Counts a request and says what to do with it. */
static TallFakeAnswer
note_request (TallFakeGateway *self, const TallFakeRequest *request)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  Method *method = get_method (self, request->name);
  method->calls++;
  for (guint i = 0; request->writes && i < request->rows->len; i++)
    g_hash_table_add (method->rows, g_bytes_ref (g_ptr_array_index (request->rows, i)));
  g_cond_broadcast (&self->changed);
  if (method->times == 0)
    return TALL_FAKE_ANSWER;
  TallFakeAnswer answer = method->answer;
  if (--method->times == 0 && method->after != TALL_FAKE_ANSWER)
    {
      method->times = 1;
      method->answer = method->after;
      method->after = TALL_FAKE_ANSWER;
    }
  return answer;
}

static void
wait_for_others (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_waiting++;
  g_cond_broadcast (&self->changed);
  while (self->n_waiting < 3 && !self->stopped)
    g_cond_wait (&self->changed, &self->mutex);
}

static void
wait_to_be_late (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_late++;
  while (!self->sends_late && !self->stopped)
    g_cond_wait (&self->changed, &self->mutex);
}

static void
note_late (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_late--;
  g_cond_broadcast (&self->changed);
}

/* Reads a request and answers it. FALSE: the connection is to be closed. */
static gboolean
serve_request (TallFakeGateway *self, ThriftProtocol *protocol, GSocket *socket)
{
  g_auto (TallFakeRequest) request = { NULL };
  g_autoptr (GError) error = NULL;
  if (!tall_fake_request_read (protocol, &request, &error))
    return FALSE;

  TallFakeAnswer answer = note_request (self, &request);
  if (answer == TALL_FAKE_CLOSE)
    return FALSE;
  keep_back (socket, answer == TALL_FAKE_SILENT || answer == TALL_FAKE_LATE);
  if (answer == TALL_FAKE_SILENT)
    return TRUE;
  if (answer == TALL_FAKE_TOGETHER)
    wait_for_others (self);
  if (answer == TALL_FAKE_LATE)
    {
      wait_to_be_late (self);
      keep_back (socket, FALSE);
    }
  if (answer == TALL_FAKE_CUT || answer == TALL_FAKE_GARBLED)
    {
      tall_fake_answer_send_spoilt (&self->script, socket, &request, answer);
      return answer == TALL_FAKE_GARBLED;
    }
  gboolean sent = tall_fake_answer_write (&self->script, protocol, &request, answer, &error);
  if (answer == TALL_FAKE_LATE)
    note_late (self);
  return sent;
}

/* Behaves like a gateway whose threads are all busy: it accepts the connection and stays silent. */
static void
wait_to_be_served (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (self->n_served >= self->max_served && !self->stopped)
    g_cond_wait (&self->changed, &self->mutex);
  self->n_served++;
}

/* Nobody else shuts the connection from here on, as its descriptor is about to be closed. */
static void
end_serving (TallFakeGateway *self, GSocketConnection *connection)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_served--;
  g_ptr_array_remove (self->connections, connection);
  g_cond_broadcast (&self->changed);
}

typedef struct
{
  TallFakeGateway *gateway;
  GSocketConnection *connection;
} Serving;

static gpointer
serve (gpointer data)
{
  g_autofree Serving *serving = data;
  TallFakeGateway *self = serving->gateway;
  g_autoptr (GSocketConnection) connection = serving->connection;
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = TALL_WIRE_SERVER;
  options.framed = self->framed;

  g_autoptr (TallTransport) transport =
      tall_transport_new (g_socket_connection_get_socket (connection), "the client", &options);
  g_autoptr (ThriftProtocol) protocol = tall_thrift_protocol_new (transport, self->compact);
  wait_to_be_served (self);
  while (serve_request (self, protocol, g_socket_connection_get_socket (connection)))
    ;
  keep_back (g_socket_connection_get_socket (connection), FALSE);
  end_serving (self, connection);
  tall_transport_close (transport);
  return NULL;
}

static gpointer
accept_connections (gpointer data)
{
  TallFakeGateway *self = data;
  GSocketConnection *connection;
  while ((connection = g_socket_listener_accept (self->listener, NULL, self->stop, NULL)) != NULL)
    {
      Serving *serving = g_new0 (Serving, 1);
      serving->gateway = self;
      serving->connection = connection;
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
      self->n_connections++;
      g_ptr_array_add (self->connections, g_object_ref (connection));
      g_ptr_array_add (self->threads, g_thread_new ("fake-gateway", serve, serving));
    }
  return NULL;
}

/**
 * tall_fake_gateway_get_address:
 *
 * Returns: (transfer none): `host:port`
 */
const char *
tall_fake_gateway_get_address (TallFakeGateway *self)
{
  return self->address;
}

/**
 * tall_fake_gateway_set_answer:
 * @times: requests for which it counts; then it answers as usual
 */
void
tall_fake_gateway_set_answer (TallFakeGateway *self,
                              const char *method,
                              TallFakeAnswer answer,
                              guint times)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  get_method (self, method)->answer = answer;
  get_method (self, method)->times = times;
}

/**
 * tall_fake_gateway_set_answer_after:
 *
 * Says what becomes of the one request that follows those of tall_fake_gateway_set_answer().
 */
void
tall_fake_gateway_set_answer_after (TallFakeGateway *self,
                                    const char *method,
                                    TallFakeAnswer answer)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  get_method (self, method)->after = answer;
}

/**
 * tall_fake_gateway_set_reason:
 * @reason: what %TALL_FAKE_ERROR says from now on; no call may be under way
 */
void
tall_fake_gateway_set_reason (TallFakeGateway *self, const char *reason)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_free (self->script.reason);
  self->script.reason = g_strdup (reason);
}

/**
 * tall_fake_gateway_set_self_test:
 * @answers: to the checks of the self-test, "1" and "0", before it answers yes to all
 * @cells: what its row has in the end: "name=value name=value"
 *
 * Gives the gateway the table on which clients test what its HBase does.
 */
void
tall_fake_gateway_set_self_test (TallFakeGateway *self, const char *answers, const char *cells)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_assert_null (self->script.cells);
  self->script.answers = g_strdup (answers);
  self->script.cells = g_strdup (cells);
}

/**
 * tall_fake_gateway_set_served:
 * @n: connections that it serves at a time; it accepts more
 */
void
tall_fake_gateway_set_served (TallFakeGateway *self, guint n)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->max_served = n;
  g_cond_broadcast (&self->changed);
}

/**
 * tall_fake_gateway_get_calls:
 *
 * Returns: requests of a method so far
 */
guint
tall_fake_gateway_get_calls (TallFakeGateway *self, const char *method)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return get_method (self, method)->calls;
}

/**
 * tall_fake_gateway_has_row:
 * @method: `putMultiple` or `deleteMultiple`
 *
 * Returns: whether a request of a method named a row
 */
gboolean
tall_fake_gateway_has_row (TallFakeGateway *self, const char *method, const char *key)
{
  g_autoptr (GBytes) bytes = g_bytes_new (key, strlen (key));
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return g_hash_table_contains (get_method (self, method)->rows, bytes);
}

/**
 * tall_fake_gateway_wait_for_calls:
 *
 * Waits until a method was called @n times.
 */
void
tall_fake_gateway_wait_for_calls (TallFakeGateway *self, const char *method, guint n)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (get_method (self, method)->calls < n)
    g_cond_wait (&self->changed, &self->mutex);
}

/**
 * tall_fake_gateway_set_attributes:
 * @attributes: "key=value key=value": what its table has from now on
 */
void
tall_fake_gateway_set_attributes (TallFakeGateway *self, const char *attributes)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_auto (GStrv) texts = g_strsplit_set (attributes, " =", -1);
  for (guint i = 0; texts[i] != NULL; i++)
    g_ptr_array_add (parts, g_bytes_new (texts[i], strlen (texts[i])));
  tall_fake_table_set_attributes (&self->script.table, parts);
}

/**
 * tall_fake_gateway_describe:
 *
 * Returns: (transfer full): whether its table is enabled, and its attributes: "disabled key=value"
 */
char *
tall_fake_gateway_describe (TallFakeGateway *self)
{
  g_autofree char *attributes = tall_fake_table_get_attributes (&self->script.table);
  gboolean disabled = tall_fake_table_is_disabled (&self->script.table);
  return g_strdup_printf ("%s %s", disabled ? "disabled" : "enabled", attributes);
}

/**
 * tall_fake_gateway_send_late:
 *
 * Sends all answers that were kept back, and returns once the client's socket has them.
 */
void
tall_fake_gateway_send_late (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->sends_late = TRUE;
  g_cond_broadcast (&self->changed);
  while (self->n_late > 0)
    g_cond_wait (&self->changed, &self->mutex);
  self->sends_late = FALSE;
}

/**
 * tall_fake_gateway_get_connections:
 *
 * Returns: connections that were accepted so far
 */
guint
tall_fake_gateway_get_connections (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->n_connections;
}

/**
 * tall_fake_gateway_close_connections:
 *
 * Closes all connections, as a gateway does with idle ones.
 */
void
tall_fake_gateway_close_connections (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < self->connections->len; i++)
    /* Not g_socket_shutdown(): a GSocket is only for the thread that uses it. */
    shutdown (g_socket_get_fd (g_socket_connection_get_socket (self->connections->pdata[i])),
              SHUT_RDWR);
  g_ptr_array_set_size (self->connections, 0);
}

static gboolean
listen_on (TallFakeGateway *self, GSocketFamily family)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (family);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;

  self->listener = g_socket_listener_new ();
  if (!g_socket_listener_add_address (self->listener, any, G_SOCKET_TYPE_STREAM,
                                      G_SOCKET_PROTOCOL_TCP, NULL, &bound, NULL))
    return FALSE;
  self->address = g_strdup_printf (family == G_SOCKET_FAMILY_IPV4 ? "127.0.0.1:%u" : "[::1]:%u",
                                   g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)));
  return TRUE;
}

static TallFakeGateway *
gateway_new (gboolean framed, gboolean compact, GSocketFamily family)
{
  TallFakeGateway *self = g_new0 (TallFakeGateway, 1);
  allow_warnings ();
  /* Its threads would make the types otherwise, and the sanitizer does not see how Thrift guards
   * that. */
  g_type_ensure (THRIFT_TYPE_BINARY_PROTOCOL);
  g_type_ensure (THRIFT_TYPE_COMPACT_PROTOCOL);
  self->framed = framed;
  self->compact = compact;
  self->max_served = G_MAXUINT;
  self->methods = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, method_free);
  self->connections = g_ptr_array_new_with_free_func (g_object_unref);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);

  self->threads = g_ptr_array_new ();
  self->stop = g_cancellable_new ();
  if (listen_on (self, family))
    self->thread = g_thread_new ("fake-gateway-accept", accept_connections, self);
  return self;
}

/**
 * tall_fake_gateway_new:
 *
 * Returns: (transfer full): a gateway that answers everything
 */
TallFakeGateway *
tall_fake_gateway_new (gboolean framed, gboolean compact)
{
  TallFakeGateway *self = gateway_new (framed, compact, G_SOCKET_FAMILY_IPV4);
  g_assert_nonnull (self->address);
  return self;
}

/**
 * tall_fake_gateway_new_v6:
 *
 * Returns: (nullable) (transfer full): one that listens on the loopback address of IPv6, unframed
 *   and binary; NULL if this machine has none
 */
TallFakeGateway *
tall_fake_gateway_new_v6 (void)
{
  TallFakeGateway *self = gateway_new (FALSE, FALSE, G_SOCKET_FAMILY_IPV6);
  if (self->address == NULL)
    g_clear_pointer (&self, tall_fake_gateway_free);
  return self;
}

/**
 * tall_fake_gateway_free:
 *
 * Stops listening, and closes all connections.
 */
void
tall_fake_gateway_free (TallFakeGateway *self)
{
  if (self == NULL)
    return;

  g_cancellable_cancel (self->stop);
  if (self->thread != NULL)
    g_thread_join (self->thread);
  g_socket_listener_close (self->listener);
  g_mutex_lock (&self->mutex);
  self->stopped = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->mutex);
  tall_fake_gateway_close_connections (self);
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (self->threads->pdata[i]);

  g_object_unref (self->listener);
  g_object_unref (self->stop);
  g_hash_table_unref (self->methods);
  g_ptr_array_unref (self->connections);
  g_ptr_array_unref (self->threads);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self->address);
  g_free (self->script.answers);
  g_free (self->script.cells);
  g_free (self->script.reason);
  tall_fake_table_clear (&self->script.table);
  g_free (self);
}
