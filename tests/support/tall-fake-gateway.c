/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-fake-gateway.h"

#include <gio/gio.h>

#include "tall-binary-protocol.h"
#include "tall-compact-protocol.h"

typedef struct
{
  TallFakeAnswer answer;
  guint times; /* requests for which it is still valid */
  guint calls; /* requests so far */
} Method;

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
  GPtrArray *connections; /* of GSocketConnection: all that were accepted */
  GPtrArray *threads;     /* of GThread: one for each */
  guint n_connections;
  guint n_waiting; /* TALL_FAKE_TOGETHER */
  guint n_served;  /* connections, of at most max_served */
  guint max_served;
  gboolean stopped;
};

static Method *
get_method (TallFakeGateway *self, const char *name)
{
  Method *method = g_hash_table_lookup (self->methods, name);
  if (method == NULL)
    {
      method = g_new0 (Method, 1);
      g_hash_table_insert (self->methods, g_strdup (name), method);
    }
  return method;
}

/* Counts a request and says what to do with it. */
static TallFakeAnswer
note_request (TallFakeGateway *self, const char *name)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  Method *method = get_method (self, name);
  method->calls++;
  g_cond_broadcast (&self->changed);
  if (method->times == 0)
    return TALL_FAKE_ANSWER;
  method->times--;
  return method->answer;
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

/* A request that was read. */
typedef struct
{
  char *name;
  gint32 seqid;
  GPtrArray *rows; /* of GBytes: keys of gets */
} Request;

static void
request_clear (Request *self)
{
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Request, request_clear)

static void
write_binary_field (ThriftProtocol *protocol, gint16 id, const char *text, gsize len)
{
  thrift_protocol_write_field_begin (protocol, "", T_STRING, id, NULL);
  thrift_protocol_write_binary (protocol, (gpointer)text, (guint32)len, NULL);
  thrift_protocol_write_field_end (protocol, NULL);
}

static void
write_cell (ThriftProtocol *protocol, const char *value, gsize len)
{
  thrift_protocol_write_struct_begin (protocol, "TColumnValue", NULL);
  write_binary_field (protocol, 1, "d", 1);
  write_binary_field (protocol, 2, "q", 1);
  write_binary_field (protocol, 3, value, len);
  thrift_protocol_write_field_begin (protocol, "timestamp", T_I64, 4, NULL);
  thrift_protocol_write_i64 (protocol, 1, NULL);
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

static void
write_row (ThriftProtocol *protocol, GBytes *row, TallFakeAnswer answer)
{
  gsize len;
  const char *key = g_bytes_get_data (row, &len);
  if (answer == TALL_FAKE_OTHER_ROW)
    {
      key = "row-another";
      len = strlen (key);
    }
  gboolean exists = len >= 4 && memcmp (key, "row-", 4) == 0;

  thrift_protocol_write_struct_begin (protocol, "TResult", NULL);
  if (exists)
    write_binary_field (protocol, 1, key, len);
  thrift_protocol_write_field_begin (protocol, "columnValues", T_LIST, 2, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, exists, NULL);
  if (exists)
    write_cell (protocol, key, len);
  thrift_protocol_write_list_end (protocol, NULL);
  thrift_protocol_write_field_end (protocol, NULL);
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

static void
write_rows (ThriftProtocol *protocol, const Request *request, TallFakeAnswer answer)
{
  thrift_protocol_write_field_begin (protocol, "success", T_LIST, 0, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, (gint32)request->rows->len, NULL);
  for (guint i = 0; i < request->rows->len; i++)
    write_row (protocol, request->rows->pdata[i], answer);
  thrift_protocol_write_list_end (protocol, NULL);
}

static void
write_region (ThriftProtocol *protocol, const char *start_key)
{
  thrift_protocol_write_struct_begin (protocol, "THRegionLocation", NULL);
  thrift_protocol_write_field_begin (protocol, "serverName", T_STRUCT, 1, NULL);
  thrift_protocol_write_struct_begin (protocol, "TServerName", NULL);
  write_binary_field (protocol, 1, "localhost", strlen ("localhost"));
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
  thrift_protocol_write_field_begin (protocol, "regionInfo", T_STRUCT, 2, NULL);
  thrift_protocol_write_struct_begin (protocol, "THRegionInfo", NULL);
  thrift_protocol_write_field_begin (protocol, "regionId", T_I64, 1, NULL);
  thrift_protocol_write_i64 (protocol, 1, NULL);
  write_binary_field (protocol, 2, "t", 1);
  write_binary_field (protocol, 3, start_key, strlen (start_key));
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

static void
write_regions (ThriftProtocol *protocol)
{
  thrift_protocol_write_field_begin (protocol, "success", T_LIST, 0, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, 2, NULL);
  write_region (protocol, "");
  write_region (protocol, "B");
  thrift_protocol_write_list_end (protocol, NULL);
}

static gboolean
is_question (const char *method)
{
  return g_str_equal (method, "checkAndMutate") || g_str_equal (method, "tableExists")
         || g_str_equal (method, "isTableEnabled");
}

static void
write_result (ThriftProtocol *protocol,
              const Request *request,
              TallFakeAnswer answer,
              GError **error)
{
  const char *name = request->name;
  if (answer == TALL_FAKE_ERROR)
    {
      thrift_protocol_write_field_begin (protocol, "io", T_STRUCT, 1, error);
      thrift_protocol_write_struct_begin (protocol, "TIOError", error);
      thrift_protocol_write_field_begin (protocol, "message", T_STRING, 1, error);
      thrift_protocol_write_string (protocol, "java.io.IOException: it hurts", error);
      thrift_protocol_write_field_begin (protocol, "canRetry", T_BOOL, 2, error);
      thrift_protocol_write_bool (protocol, TRUE, error);
      thrift_protocol_write_field_stop (protocol, error);
      thrift_protocol_write_struct_end (protocol, error);
    }
  else if (g_str_equal (name, "getThriftServerType"))
    {
      thrift_protocol_write_field_begin (protocol, "success", T_I32, 0, error);
      thrift_protocol_write_i32 (protocol, answer == TALL_FAKE_THRIFT1 ? 1 : 2, error);
    }
  else if (g_str_equal (name, "get"))
    {
      thrift_protocol_write_field_begin (protocol, "success", T_STRUCT, 0, error);
      write_row (protocol, request->rows->pdata[0], answer);
    }
  else if (g_str_equal (name, "getMultiple"))
    write_rows (protocol, request, answer);
  else if (is_question (name))
    {
      thrift_protocol_write_field_begin (protocol, "success", T_BOOL, 0, error);
      thrift_protocol_write_bool (protocol, answer != TALL_FAKE_NO, error);
    }
  else if (g_str_equal (name, "getAllRegionLocations"))
    write_regions (protocol);
  thrift_protocol_write_field_stop (protocol, error);
}

/* That the call could not be run. */
static void
write_exception (ThriftProtocol *protocol, GError **error)
{
  thrift_protocol_write_field_begin (protocol, "message", T_STRING, 1, error);
  thrift_protocol_write_string (protocol, "unknown method", error);
  thrift_protocol_write_field_begin (protocol, "type", T_I32, 2, error);
  thrift_protocol_write_i32 (protocol, THRIFT_APPLICATION_EXCEPTION_ERROR_UNKNOWN_METHOD, error);
  thrift_protocol_write_field_stop (protocol, error);
}

static gboolean
write_answer (ThriftProtocol *protocol,
              const Request *request,
              TallFakeAnswer answer,
              GError **error)
{
  gboolean unknown = answer == TALL_FAKE_UNKNOWN;
  thrift_protocol_write_message_begin (protocol, request->name, unknown ? T_EXCEPTION : T_REPLY,
                                       request->seqid, error);
  thrift_protocol_write_struct_begin (protocol, "result", error);
  if (unknown)
    write_exception (protocol, error);
  else
    write_result (protocol, request, answer, error);
  thrift_protocol_write_struct_end (protocol, error);
  thrift_protocol_write_message_end (protocol, error);
  return thrift_transport_flush (protocol->transport, error);
}

/* Reads the fields of a struct up to its end: TRUE for each one that @type and @id describe. */
static gboolean
find_field (ThriftProtocol *protocol, gint16 wanted, ThriftType *type, GError **error)
{
  g_autofree char *name = NULL;
  gint16 id = 0;
  for (;;)
    {
      g_clear_pointer (&name, g_free);
      if (thrift_protocol_read_field_begin (protocol, &name, type, &id, error) < 0
          || *type == T_STOP)
        return FALSE;
      if (id == wanted)
        return TRUE;
      if (thrift_protocol_skip (protocol, *type, error) < 0)
        return FALSE;
    }
}

/* A TGet: its first field is the row's key. */
static void
read_get (ThriftProtocol *protocol, GPtrArray *rows, GError **error)
{
  ThriftType type;
  g_autofree char *name = NULL;
  gpointer data;
  guint32 len;
  thrift_protocol_read_struct_begin (protocol, &name, error);
  while (find_field (protocol, 1, &type, error))
    if (thrift_protocol_read_binary (protocol, &data, &len, error) >= 0)
      g_ptr_array_add (rows, g_bytes_new_take (data, len));
  thrift_protocol_read_struct_end (protocol, error);
}

/* The second argument of `get` is a TGet, that of `getMultiple` a list of them. */
static void
read_gets (ThriftProtocol *protocol, GPtrArray *rows, GError **error)
{
  ThriftType type;
  g_autofree char *name = NULL;
  guint32 n = 1;
  thrift_protocol_read_struct_begin (protocol, &name, error);
  while (*error == NULL && find_field (protocol, 2, &type, error))
    {
      if (type == T_LIST)
        thrift_protocol_read_list_begin (protocol, &type, &n, error);
      for (guint32 i = 0; i < n && *error == NULL; i++)
        read_get (protocol, rows, error);
    }
  thrift_protocol_read_struct_end (protocol, error);
}

static gboolean
read_request (ThriftProtocol *protocol, Request *request, GError **error)
{
  ThriftMessageType type;
  request->rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  if (thrift_protocol_read_message_begin (protocol, &request->name, &type, &request->seqid, error)
      < 0)
    return FALSE;
  if (g_str_equal (request->name, "get") || g_str_equal (request->name, "getMultiple"))
    read_gets (protocol, request->rows, error);
  else
    thrift_protocol_skip (protocol, T_STRUCT, error);
  return *error == NULL && thrift_protocol_read_message_end (protocol, error) >= 0
         && thrift_transport_read_end (protocol->transport, error);
}

/* Reads a request and answers it. FALSE: the connection is to be closed. */
static gboolean
serve_request (TallFakeGateway *self, ThriftProtocol *protocol)
{
  g_auto (Request) request = { NULL };
  g_autoptr (GError) error = NULL;
  if (!read_request (protocol, &request, &error))
    return FALSE;

  TallFakeAnswer answer = note_request (self, request.name);
  if (answer == TALL_FAKE_CLOSE)
    return FALSE;
  if (answer == TALL_FAKE_SILENT)
    return TRUE;
  if (answer == TALL_FAKE_TOGETHER)
    wait_for_others (self);
  return write_answer (protocol, &request, answer, &error);
}

/* As a gateway whose threads are all busy does: it accepts the connection and is silent. */
static void
wait_to_be_served (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (self->n_served >= self->max_served && !self->stopped)
    g_cond_wait (&self->changed, &self->mutex);
  self->n_served++;
}

static void
end_serving (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_served--;
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
  g_autoptr (ThriftProtocol) protocol =
      self->compact ? tall_compact_protocol_new (transport) : tall_binary_protocol_new (transport);
  wait_to_be_served (self);
  while (serve_request (self, protocol))
    ;
  end_serving (self);
  thrift_transport_close (THRIFT_TRANSPORT (transport), NULL);
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
 * Closes all connections that there are, as a gateway does with idle ones.
 */
void
tall_fake_gateway_close_connections (TallFakeGateway *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < self->connections->len; i++)
    g_socket_shutdown (g_socket_connection_get_socket (self->connections->pdata[i]), TRUE, TRUE,
                       NULL);
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
  self->framed = framed;
  self->compact = compact;
  self->max_served = G_MAXUINT;
  self->methods = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
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
  g_free (self);
}
