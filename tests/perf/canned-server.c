/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "canned-server.h"

#include <gio/gio.h>

#include "wire/socket.h"

#define MAX_CONNECTIONS 8

struct _TallCannedServer
{
  gsize request_len;
  GByteArray *reply;
  char *address;

  GMainContext *context; /* in which connections are accepted */
  GMainLoop *loop;
  GThread *acceptor;
  GSocketService *service;
};

static gboolean
answer (GThreadedSocketService *service G_GNUC_UNUSED,
        GSocketConnection *connection,
        GObject *source G_GNUC_UNUSED,
        gpointer data)
{
  const TallCannedServer *self = data;
  GInputStream *in = g_io_stream_get_input_stream (G_IO_STREAM (connection));
  GOutputStream *out = g_io_stream_get_output_stream (G_IO_STREAM (connection));
  g_autofree guint8 *request = g_malloc (self->request_len);
  gsize n_read = 0;

  tall_socket_prepare (g_socket_connection_get_socket (connection));
  while (g_input_stream_read_all (in, request, self->request_len, &n_read, NULL, NULL)
         && n_read == self->request_len
         && g_output_stream_write_all (out, self->reply->data, self->reply->len, NULL, NULL, NULL))
    continue;
  return TRUE;
}

static gpointer
accept_all (gpointer data)
{
  TallCannedServer *self = data;
  g_main_context_push_thread_default (self->context);
  g_main_loop_run (self->loop);
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

static gboolean
listen_on_loopback (TallCannedServer *self, GError **error)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) wanted = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;

  g_main_context_push_thread_default (self->context);
  gboolean listens = g_socket_listener_add_address (G_SOCKET_LISTENER (self->service), wanted,
                                                    G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP,
                                                    NULL, &bound, error);
  if (listens)
    g_socket_service_start (self->service);
  g_main_context_pop_thread_default (self->context);
  if (listens)
    self->address =
        g_strdup_printf ("127.0.0.1:%u",
                         g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)));
  return listens;
}

/**
 * tall_canned_server_new:
 * @reply: copied
 *
 * Returns: (transfer full): a server on a free port of the loopback; free it after its clients have
 *   closed their connections
 */
TallCannedServer *
tall_canned_server_new (gsize request_len, TallSlice reply, GError **error)
{
  g_autoptr (TallCannedServer) self = g_new0 (TallCannedServer, 1);
  self->request_len = request_len;
  self->reply = g_byte_array_new ();
  tall_bytes_append (self->reply, reply);
  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);

  g_main_context_push_thread_default (self->context);
  self->service = g_threaded_socket_service_new (MAX_CONNECTIONS);
  g_main_context_pop_thread_default (self->context);
  g_signal_connect (self->service, "run", G_CALLBACK (answer), self);
  if (!listen_on_loopback (self, error))
    return NULL;
  self->acceptor = g_thread_new ("canned-server", accept_all, self);
  return g_steal_pointer (&self);
}

void
tall_canned_server_free (TallCannedServer *self)
{
  /* A service that is stopped while its context runs in another thread sometimes leaks (GLib
   * 2.74). */
  g_main_loop_quit (self->loop);
  if (self->acceptor != NULL)
    g_thread_join (self->acceptor);
  g_socket_service_stop (self->service);
  g_socket_listener_close (G_SOCKET_LISTENER (self->service));
  while (g_main_context_iteration (self->context, FALSE))
    continue;
  g_object_unref (self->service);
  g_main_loop_unref (self->loop);
  g_main_context_unref (self->context);
  g_byte_array_unref (self->reply);
  g_free (self->address);
  g_free (self);
}

const char *
tall_canned_server_get_address (TallCannedServer *self)
{
  return self->address;
}
