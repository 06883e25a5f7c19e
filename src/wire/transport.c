/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/transport.h"

#include "base/fail.h"

#include "wire/socket.h"
#include "base/text.h"
#include "wire/transport-private.h"

/* Bytes of a large message that are sent without a look at the clock. */
#define SEND_STEP ((gsize)64 * 1024)

#define FIRST_OUTPUT 512

G_DEFINE_FINAL_TYPE (TallTransport, tall_transport, THRIFT_TYPE_TRANSPORT)

/* Bytes that come before what was written: a frame's header, as soon as something was. */
static gsize
header_size (const TallTransport *self)
{
  return self->options.framed ? TALL_TRANSPORT_FRAME_HEADER : 0;
}

/**
 * tall_transport_get_output:
 *
 * Returns: (transfer none): what was written and not yet sent, without a frame's header
 */
TallSlice
tall_transport_get_output (TallTransport *self)
{
  gsize header = header_size (self);
  if (self->out_end <= header)
    return (TallSlice)TALL_SLICE_INIT;
  return tall_slice (self->out + header, self->out_end - header);
}

/* Makes room for @len bytes more. Doubles, as most messages are written in many small parts. */
static gboolean
make_output_room (TallTransport *self, gsize len, GError **error)
{
  self->out_end = MAX (self->out_end, header_size (self));
  if (len > G_MAXINT32 - self->out_end)
    {
      self->broken = self->overfull = TRUE;
      return tall_error_fail (error, TALL_ERROR_TOO_LARGE, "message of over 2 GiB");
    }
  gsize size = MAX (self->out_size, FIRST_OUTPUT);
  while (size < self->out_end + len)
    size *= 2;
  if (size > self->out_size)
    self->out = g_realloc (self->out, size);
  self->out_size = size;
  self->out_room = size - self->out_end;
  return TRUE;
}

static G_NO_INLINE gboolean
write_slowly (TallTransport *self, gconstpointer data, gsize len, GError **error)
{
  self->delivered = FALSE;
  if (len > self->out_room && !make_output_room (self, len, error))
    return FALSE;
  if (len > 0)
    memcpy (self->out + self->out_end, data, len);
  self->out_end += len;
  self->out_room -= len;
  return TRUE;
}

/* Most writes are of numbers that have room: these are quick. */
static gboolean
transport_write (ThriftTransport *transport, const gpointer data, guint32 len, GError **error)
{
  TallTransport *self = (TallTransport *)transport;

  if (G_UNLIKELY (len > self->out_room)
      || !tall_transport_copy_number (self->out + self->out_end, data, len))
    return write_slowly (self, data, len, error);
  self->out_end += len;
  self->out_room -= len;
  return TRUE;
}

static gboolean
transport_write_end (ThriftTransport *transport G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

static void
seal_frame (TallTransport *self)
{
  guint32 len = GUINT32_TO_BE ((guint32)self->out_end - TALL_TRANSPORT_FRAME_HEADER);
  memcpy (self->out, &len, sizeof len);
}

/**
 * tall_transport_drop_output:
 *
 * Forgets what was written and not yet sent.
 */
void
tall_transport_drop_output (TallTransport *self)
{
  self->out_end = self->out_room = 0;
  if (self->out_size <= TALL_TRANSPORT_KEPT_BUFFER)
    return;
  g_clear_pointer (&self->out, g_free);
  self->out_size = 0;
}

static gboolean
send_bytes (TallTransport *self, const guint8 *data, gsize len, gint64 deadline, GError **error)
{
  return self->tls != NULL ? tall_tls_send_all (self->tls, data, len, deadline, error)
                           : tall_socket_send_all (self->socket, data, len, deadline, error);
}

/* Sends what was written: a large message in steps, each of which has to leave soon. */
static gboolean
send_output (TallTransport *self, GError **error)
{
  gsize len = self->out_end;
  gsize step = self->stall > 0 && len > TALL_TRANSPORT_KEPT_BUFFER ? SEND_STEP : len;

  for (gsize n, sent = 0; sent < len; sent += n)
    {
      gint64 deadline = self->deadline;
      if (step < len)
        deadline = MIN (deadline, g_get_monotonic_time () + self->stall);
      n = MIN (step, len - sent);
      if (!send_bytes (self, self->out + sent, n, deadline, error))
        return FALSE;
      self->n_sent += n;
    }
  return TRUE;
}

gboolean
tall_transport_flush (TallTransport *self, GError **error)
{
  if (!self->broken && (self->socket == NULL || self->out_end == 0))
    return TRUE;
  if (self->broken)
    return tall_error_fail (error, TALL_ERROR_UNAVAILABLE, "%s: the connection is closed",
                            self->peer);

  if (self->options.framed)
    seal_frame (self);
  self->delivered = send_output (self, error);
  tall_transport_drop_output (self);
  self->just_sent = TRUE;
  if (!self->delivered)
    {
      self->broken = TRUE;
      g_prefix_error (error, "%s: ", self->peer);
    }
  return self->delivered;
}

/**
 * tall_transport_close:
 *
 * Closes the connection; memory is only marked.
 */
void
tall_transport_close (TallTransport *self)
{
  self->broken = TRUE;
  if (self->tls != NULL)
    tall_tls_end (self->tls);
  g_clear_pointer (&self->tls, tall_tls_free);
  if (self->socket != NULL)
    g_socket_close (self->socket, NULL);
  g_clear_object (&self->socket);
}

static gboolean
transport_is_open (ThriftTransport *transport)
{
  TallTransport *self = (TallTransport *)transport;
  return self->socket != NULL && !self->broken;
}

/* It is made of a connected socket. */
static gboolean
transport_open (ThriftTransport *transport, GError **error)
{
  if (transport_is_open (transport))
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNAVAILABLE, "the connection is closed");
}

static gboolean
transport_close (ThriftTransport *transport, GError **error G_GNUC_UNUSED)
{
  tall_transport_close ((TallTransport *)transport);
  return TRUE;
}

static gboolean
transport_flush (ThriftTransport *transport, GError **error)
{
  return tall_transport_flush ((TallTransport *)transport, error);
}

const TallWireOptions *
tall_transport_get_options (TallTransport *self)
{
  return &self->options;
}

/**
 * tall_transport_set_compact:
 *
 * Sets the protocol of what is read and written from now on.
 */
void
tall_transport_set_compact (TallTransport *self, gboolean compact)
{
  self->options.compact = compact;
}

/**
 * tall_transport_set_deadline:
 *
 * Sets the deadline of all reading and writing from now on.
 */
void
tall_transport_set_deadline (TallTransport *self, gint64 deadline)
{
  self->deadline = deadline;
}

/**
 * tall_transport_set_stall:
 * @stall: microseconds; 0: only the deadline counts
 *
 * Sets how long the other side may take nothing of a message over 256 KiB, whatever the deadline.
 */
void
tall_transport_set_stall (TallTransport *self, gint64 stall)
{
  self->stall = stall;
}

/**
 * tall_transport_get_peer:
 *
 * Returns: (transfer none): what messages call the other side; of a client's connection its address
 */
const char *
tall_transport_get_peer (TallTransport *self)
{
  return self->peer;
}

/**
 * tall_transport_is_fit:
 *
 * Returns: whether a kept client connection can take another call: nothing failed on it, the other
 *   side has not closed it, and nothing has arrived that was not asked for
 */
gboolean
tall_transport_is_fit (TallTransport *self)
{
  return self->socket != NULL && !self->broken && tall_transport_buffered (self) == 0
         && (self->tls == NULL || !tall_tls_has_pending (self->tls))
         && tall_socket_is_quiet (self->socket);
}

/**
 * tall_transport_is_broken:
 *
 * Returns: whether something failed on the connection, so that it must be closed
 */
gboolean
tall_transport_is_broken (TallTransport *self)
{
  return self->broken;
}

/**
 * tall_transport_break:
 *
 * Marks the connection as one that must be closed: what comes next on it is unknown.
 */
void
tall_transport_break (TallTransport *self)
{
  self->broken = TRUE;
}

gboolean
tall_transport_reject (TallTransport *self, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *clean = tall_text_clean (text);

  self->broken = TRUE;
  return tall_error_fail (error, TALL_ERROR_INVALID, "malformed message: %s", clean);
}

/**
 * tall_transport_has_delivered:
 *
 * Returns: whether the last message written has left as a whole, so that the other side may have
 *   acted on it
 */
gboolean
tall_transport_has_delivered (TallTransport *self)
{
  return self->delivered;
}

/**
 * tall_transport_take_traffic:
 * @n_sent: (inout): the bytes of messages that have left since the last call are added, without
 * what encrypts them
 * @n_received: (inout): the same for those that have come
 */
void
tall_transport_take_traffic (TallTransport *self, guint64 *n_sent, guint64 *n_received)
{
  *n_sent += self->n_sent;
  *n_received += self->n_received;
  self->n_sent = self->n_received = 0;
}

/* It has no reference to its transport. */
static void
free_protocol (ThriftProtocol *protocol)
{
  if (protocol == NULL)
    return;
  protocol->transport = NULL;
  g_object_unref (protocol);
}

static void
tall_transport_finalize (GObject *object)
{
  TallTransport *self = TALL_TRANSPORT (object);
  tall_transport_close (self);
  for (guint i = 0; i < G_N_ELEMENTS (self->readers); i++)
    {
      free_protocol (self->readers[i]);
      free_protocol (self->writers[i]);
    }
  g_clear_error (&self->unsaid);
  g_free (self->out);
  g_free (self->in);
  g_free (self->peer);
  G_OBJECT_CLASS (tall_transport_parent_class)->finalize (object);
}

static void
tall_transport_class_init (TallTransportClass *klass)
{
  ThriftTransportClass *transport_class = THRIFT_TRANSPORT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tall_transport_finalize;
  transport_class->is_open = transport_is_open;
  transport_class->open = transport_open;
  transport_class->close = transport_close;
  transport_class->write = transport_write;
  transport_class->write_end = transport_write_end;
  transport_class->flush = transport_flush;
  tall_transport_install_input (transport_class);
}

static void
tall_transport_init (TallTransport *self)
{
  self->deadline = G_MAXINT64;
}

/**
 * tall_transport_new:
 * @socket: a connected socket; a reference is taken
 * @peer: what messages call the other side, such as its address
 * @options: copied
 *
 * Not thread-safe: a connection belongs to one thread at a time.
 */
TallTransport *
tall_transport_new (GSocket *socket, const char *peer, const TallWireOptions *options)
{
  g_return_val_if_fail (options->max_depth <= TALL_WIRE_MAX_DEPTH, NULL);

  TallTransport *self = g_object_new (TALL_TYPE_TRANSPORT, NULL);
  self->socket = g_object_ref (socket);
  self->peer = g_strdup (peer);
  self->options = *options;
  self->elements = options->max_elements;
  tall_socket_prepare (socket);
  return self;
}

/**
 * tall_transport_begin_tls:
 * @host: (nullable): of the server that is meant; NULL on the server's side
 * @deadline: of the handshake
 *
 * Encrypts all that follows. Comes before anything was read or written.
 *
 * Returns: FALSE as tall_tls_handshake()
 */
gboolean
tall_transport_begin_tls (
    TallTransport *self, TallTlsContext *context, const char *host, gint64 deadline, GError **error)
{
  g_return_val_if_fail (self->socket != NULL && self->tls == NULL, FALSE);

  self->tls = host != NULL ? tall_tls_new_client (context, self->socket, host)
                           : tall_tls_new_server (context, self->socket);
  self->broken = !tall_tls_handshake (self->tls, deadline, error);
  return !self->broken;
}

/**
 * tall_transport_get_identity:
 *
 * Returns: (transfer none) (nullable): who the other side is by its certificate; NULL if it has
 *   shown none
 */
const TallTlsIdentity *
tall_transport_get_identity (TallTransport *self)
{
  return self->tls != NULL ? tall_tls_get_identity (self->tls) : NULL;
}

/**
 * tall_transport_new_memory:
 * @message: one message without a frame's header; copied
 *
 * Reads that message; what is written stays in tall_transport_get_output().
 */
TallTransport *
tall_transport_new_memory (TallSlice message, const TallWireOptions *options)
{
  g_return_val_if_fail (options->max_depth <= TALL_WIRE_MAX_DEPTH, NULL);

  TallTransport *self = g_object_new (TALL_TYPE_TRANSPORT, NULL);
  self->peer = g_strdup ("memory");
  self->options = *options;
  self->elements = options->max_elements;
  self->in = g_memdup2 (message.data, message.len);
  self->in_size = self->in_end = self->limit = message.len;
  self->has_frame = TRUE;
  return self;
}
