/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-transport.h"

#include "tall-guard-private.h"
#include "tall-socket.h"

#define FIRST_BUFFER (16 * 1024)
#define KEPT_BUFFER (1024 * 1024) /* a larger one is given back after its message */
#define FRAME_HEADER 4

struct _TallTransport
{
  ThriftTransport parent_instance;

  GSocket *socket;           /* NULL: memory, or closed */
  GCancellable *cancellable; /* nullable */
  char *peer;                /* for messages */
  TallWireOptions options;
  gint64 deadline; /* of every wait; microseconds of g_get_monotonic_time() */

  guint8 *in; /* in_size bytes; received and not yet read: in_pos up to in_end */
  gsize in_size;
  gsize in_pos;
  gsize in_end;
  gsize limit;        /* bytes that the message under way may still have */
  gboolean has_frame; /* the message under way has been received as a whole */
  GByteArray *out;    /* written and not yet sent; framed: with room for the header */
  gboolean just_sent; /* so nothing can be there yet: wait before receiving */
  gboolean delivered; /* the last message written has left as a whole */
  gboolean broken;    /* after any failure: must be closed */
  TallGuard guard;
};

G_DEFINE_FINAL_TYPE (TallTransport, tall_transport, THRIFT_TYPE_TRANSPORT)

static gsize
buffered (TallTransport *self)
{
  return self->in_end - self->in_pos;
}

/* Makes room behind what is buffered. Doubles, so it never takes more than twice what came. */
static void
make_room (TallTransport *self)
{
  if (self->in_pos == self->in_end)
    self->in_pos = self->in_end = 0;
  if (self->in_end < self->in_size)
    return;

  if (self->in_pos > 0 && self->in_pos >= self->in_size / 2)
    {
      memmove (self->in, self->in + self->in_pos, buffered (self));
      self->in_end -= self->in_pos;
      self->in_pos = 0;
      return;
    }
  self->in_size = MAX (self->in_size * 2, FIRST_BUFFER);
  self->in = g_realloc (self->in, self->in_size);
}

static void
give_back_buffer (TallTransport *self)
{
  if (self->in_size <= KEPT_BUFFER || buffered (self) > 0 || self->socket == NULL)
    return;

  g_clear_pointer (&self->in, g_free);
  self->in_size = self->in_pos = self->in_end = 0;
}

static gssize
receive (TallTransport *self, gint64 deadline, GError **error)
{
  if (self->socket == NULL)
    return 0;

  if (self->just_sent
      && !tall_socket_wait (self->socket, G_IO_IN, deadline, self->cancellable, error))
    return -1;
  self->just_sent = FALSE;

  make_room (self);
  gssize n = tall_socket_receive (self->socket, self->in + self->in_end,
                                  self->in_size - self->in_end, deadline, self->cancellable, error);
  if (n > 0)
    self->in_end += (gsize)n;
  return n;
}

/* Buffers @n bytes, whether or not a message is under way. */
static gboolean
receive_at_least (TallTransport *self, gsize n, GError **error)
{
  while (buffered (self) < n)
    {
      g_autoptr (GError) reason = NULL;
      gssize got = receive (self, self->deadline, &reason);
      if (got > 0)
        continue;

      self->broken = TRUE;
      if (got == 0)
        g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s closed the connection%s",
                     self->peer, buffered (self) > 0 ? " within a message" : "");
      else
        {
          g_prefix_error (&reason, "%s: ", self->peer);
          g_propagate_error (error, g_steal_pointer (&reason));
        }
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_transport_fill:
 *
 * Sees to it that the next @n bytes of the message have arrived, without reading them. Memory
 * grows with what arrives, not with @n.
 *
 * Returns: (nullable) (transfer none): those bytes, valid until the next read; NULL with @error set
 */
const guint8 *
tall_transport_fill (TallTransport *self, gsize n, GError **error)
{
  if (n > self->limit)
    {
      self->broken = TRUE;
      if (self->has_frame)
        g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                     "malformed message from %s: it announces more bytes than it has", self->peer);
      else
        g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                     "message from %s: larger than %" G_GSIZE_FORMAT " bytes", self->peer,
                     self->options.max_message);
      return NULL;
    }
  if (buffered (self) < n && !receive_at_least (self, n, error))
    return NULL;
  return self->in + self->in_pos;
}

/**
 * tall_transport_wait_for_input:
 * @ended: (out): the other side has closed, at a place where it may
 *
 * Waits for the first byte of the next message.
 */
gboolean
tall_transport_wait_for_input (TallTransport *self,
                               gint64 deadline,
                               gboolean *ended,
                               GError **error)
{
  *ended = FALSE;
  if (buffered (self) > 0)
    return TRUE;

  self->just_sent = FALSE;
  gssize n = receive (self, deadline, error);
  *ended = n == 0;
  if (n <= 0)
    self->broken = TRUE;
  return n >= 0;
}

/**
 * tall_transport_read_frame:
 *
 * Receives a whole frame, unless one is there already. Reading goes on within it and cannot leave
 * it.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE, %TALL_ERROR_INVALID (no frame), or an error of the
 *   connection
 */
gboolean
tall_transport_read_frame (TallTransport *self, GError **error)
{
  if (self->has_frame)
    return TRUE;
  if (!receive_at_least (self, FRAME_HEADER, error))
    return FALSE;

  const guint8 *header = self->in + self->in_pos;
  TallReader reader = tall_reader (tall_slice (header, FRAME_HEADER));
  guint32 len = tall_reader_u32 (&reader);

  if (len == 0 || len > self->options.max_message)
    {
      g_autofree char *shown = tall_slice_to_debug (tall_slice (header, FRAME_HEADER));
      self->broken = TRUE;
      if (len == 0 || len > G_MAXINT32)
        g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                     "%s: not a Thrift frame: it starts with \"%s\"", self->peer, shown);
      else
        g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                     "%s: a frame of %u bytes (\"%s\"); at most %" G_GSIZE_FORMAT " are taken",
                     self->peer, len, shown, self->options.max_message);
      return FALSE;
    }

  self->in_pos += FRAME_HEADER;
  if (!receive_at_least (self, len, error))
    return FALSE;
  self->limit = len;
  self->has_frame = TRUE;
  return TRUE;
}

/**
 * tall_transport_recognize:
 *
 * Returns: the protocol of the frame that was read last
 */
TallRecognized
tall_transport_recognize (TallTransport *self)
{
  if (!self->has_frame || self->limit < 2)
    return TALL_RECOGNIZED_NOTHING;

  const guint8 *start = self->in + self->in_pos;
  if (start[0] == 0x80 && start[1] == 0x01)
    return TALL_RECOGNIZED_BINARY;
  if (start[0] == 0x82 && (start[1] & 0x1f) == 0x01)
    return TALL_RECOGNIZED_COMPACT;
  return TALL_RECOGNIZED_NOTHING;
}

/**
 * tall_transport_begin_message:
 *
 * Starts reading a message: framed, receives its frame; unframed, its bytes are counted from here.
 */
gboolean
tall_transport_begin_message (TallTransport *self, GError **error)
{
  if (self->options.framed)
    return tall_transport_read_frame (self, error);

  if (!self->has_frame)
    self->limit = self->options.max_message;
  return TRUE;
}

/* As tall_transport_fill(), and goes on behind the bytes, which stay until the next call. */
const guint8 *
tall_transport_take (TallTransport *self, gsize n, GError **error)
{
  const guint8 *bytes = tall_transport_fill (self, n, error);
  self->in_pos += bytes != NULL ? n : 0;
  self->limit -= bytes != NULL ? n : 0;
  return bytes;
}

/**
 * tall_transport_get_remaining:
 *
 * Returns: bytes that the message under way may still have
 */
gsize
tall_transport_get_remaining (TallTransport *self)
{
  return self->limit;
}

/**
 * tall_transport_get_output:
 *
 * Returns: (transfer none): what was written and not yet sent, without a frame's header
 */
TallSlice
tall_transport_get_output (TallTransport *self)
{
  gsize header = self->options.framed ? FRAME_HEADER : 0;
  if (self->out->len <= header)
    return (TallSlice)TALL_SLICE_INIT;
  return tall_slice (self->out->data + header, self->out->len - header);
}

static gint32
transport_read (ThriftTransport *transport, gpointer buffer, guint32 len, GError **error)
{
  TallTransport *self = TALL_TRANSPORT (transport);
  const guint8 *bytes = tall_transport_take (self, len, error);
  if (bytes != NULL)
    memcpy (buffer, bytes, len);
  return bytes != NULL ? (gint32)len : -1;
}

/* What is left of a message shows that it was not understood as it was meant. */
static gboolean
transport_read_end (ThriftTransport *transport, GError **error)
{
  TallTransport *self = TALL_TRANSPORT (transport);
  gsize rest = self->has_frame ? self->limit : 0;

  self->in_pos += MIN (rest, buffered (self));
  self->limit = 0;
  self->has_frame = FALSE;
  give_back_buffer (self);

  if (rest > 0)
    {
      self->broken = TRUE;
      g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                   "malformed message from %s: %" G_GSIZE_FORMAT " bytes too many", self->peer,
                   rest);
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_transport_skip_message:
 *
 * Throws away what is left of a frame that was read only in part, so that the connection can be
 * used on. The protocol that read it has its own idea of where it is: make a new one.
 */
void
tall_transport_skip_message (TallTransport *self)
{
  self->in_pos += MIN (self->has_frame ? self->limit : 0, buffered (self));
  self->limit = 0;
  self->has_frame = FALSE;
  give_back_buffer (self);
}

static gboolean
transport_write (ThriftTransport *transport, const gpointer data, guint32 len, GError **error)
{
  TallTransport *self = TALL_TRANSPORT (transport);
  self->delivered = FALSE;
  if (self->out->len == 0 && self->options.framed)
    g_byte_array_set_size (self->out, FRAME_HEADER);

  if (len > (guint32)G_MAXINT32 - self->out->len)
    {
      self->broken = TRUE;
      g_set_error_literal (error, TALL_ERROR, TALL_ERROR_TOO_LARGE, "message of over 2 GiB");
      return FALSE;
    }
  if (len > 0)
    g_byte_array_append (self->out, data, len);
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
  guint32 len = GUINT32_TO_BE (self->out->len - FRAME_HEADER);
  memcpy (self->out->data, &len, sizeof len);
}

static void
reset_output (TallTransport *self)
{
  if (self->out->len > KEPT_BUFFER)
    {
      g_byte_array_unref (self->out);
      self->out = g_byte_array_new ();
    }
  else
    g_byte_array_set_size (self->out, 0);
}

static gboolean
transport_flush (ThriftTransport *transport, GError **error)
{
  TallTransport *self = TALL_TRANSPORT (transport);
  if (!self->broken && (self->socket == NULL || self->out->len == 0))
    return TRUE;
  if (self->broken)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s: the connection is closed",
                   self->peer);
      return FALSE;
    }

  if (self->options.framed)
    seal_frame (self);
  self->delivered = tall_socket_send_all (self->socket, self->out->data, self->out->len,
                                          self->deadline, self->cancellable, error);
  reset_output (self);
  self->just_sent = TRUE;
  if (!self->delivered)
    {
      self->broken = TRUE;
      g_prefix_error (error, "%s: ", self->peer);
    }
  return self->delivered;
}

/* Thrift asks before it takes memory for a container. */
static gboolean
transport_check_available (ThriftTransport *transport, glong n, GError **error)
{
  TallTransport *self = TALL_TRANSPORT (transport);
  if (n >= 0 && (gulong)n <= self->limit)
    return TRUE;

  self->broken = TRUE;
  if (error != NULL && *error == NULL)
    g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                 "malformed message from %s: a list is longer than the message", self->peer);
  return FALSE;
}

static gboolean
transport_is_open (ThriftTransport *transport)
{
  TallTransport *self = TALL_TRANSPORT (transport);
  return self->socket != NULL && !self->broken;
}

static gboolean
transport_open (ThriftTransport *transport, GError **error)
{
  if (transport_is_open (transport))
    return TRUE;

  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "the connection is closed");
  return FALSE;
}

static gboolean
transport_close (ThriftTransport *transport, GError **error G_GNUC_UNUSED)
{
  TallTransport *self = TALL_TRANSPORT (transport);
  self->broken = TRUE;
  if (self->socket != NULL)
    g_socket_close (self->socket, NULL);
  g_clear_object (&self->socket);
  return TRUE;
}

TallGuard *
tall_transport_get_guard (TallTransport *self)
{
  return &self->guard;
}

/**
 * tall_transport_get_options:
 *
 * Returns: (transfer none):
 */
const TallWireOptions *
tall_transport_get_options (TallTransport *self)
{
  return &self->options;
}

/**
 * tall_transport_set_deadline:
 *
 * Sets until when reading and writing may wait, from now on.
 */
void
tall_transport_set_deadline (TallTransport *self, gint64 deadline)
{
  self->deadline = deadline;
}

/**
 * tall_transport_set_cancellable:
 * @cancellable: (nullable): ends every wait when it is cancelled
 */
void
tall_transport_set_cancellable (TallTransport *self, GCancellable *cancellable)
{
  g_set_object (&self->cancellable, cancellable);
}

/**
 * tall_transport_is_fit:
 *
 * Tells whether a kept client connection can take another call: nothing failed on it, the other
 * side has not closed it, and nothing that nobody asked for has arrived.
 */
gboolean
tall_transport_is_fit (TallTransport *self)
{
  return transport_is_open (THRIFT_TRANSPORT (self)) && buffered (self) == 0
         && tall_socket_is_quiet (self->socket);
}

gboolean
tall_transport_is_broken (TallTransport *self)
{
  return self->broken;
}

/**
 * tall_transport_break:
 *
 * Marks the connection as one that must be closed: nobody knows what comes next on it.
 */
void
tall_transport_break (TallTransport *self)
{
  self->broken = TRUE;
}

/**
 * tall_transport_has_delivered:
 *
 * Tells whether the last message written has left as a whole, so that the other side may have
 * acted on it.
 */
gboolean
tall_transport_has_delivered (TallTransport *self)
{
  return self->delivered;
}

static void
tall_transport_finalize (GObject *object)
{
  TallTransport *self = TALL_TRANSPORT (object);
  transport_close (THRIFT_TRANSPORT (self), NULL);
  g_clear_object (&self->cancellable);
  g_byte_array_unref (self->out);
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
  transport_class->read = transport_read;
  transport_class->read_all = transport_read;
  transport_class->read_end = transport_read_end;
  transport_class->write = transport_write;
  transport_class->write_end = transport_write_end;
  transport_class->flush = transport_flush;
  transport_class->checkReadBytesAvailable = transport_check_available;
}

static void
tall_transport_init (TallTransport *self)
{
  self->out = g_byte_array_new ();
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
  tall_socket_prepare (socket);
  return self;
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
  self->in = g_memdup2 (message.data, message.len);
  self->in_size = self->in_end = self->limit = message.len;
  self->has_frame = TRUE;
  return self;
}
