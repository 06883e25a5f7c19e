/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/protocol.h"

#include "base/fail.h"
#include "wire/socket.h"
#include "wire/transport-private.h"

/* Receives from the socket into the one buffer, and keeps track of how far a message may go in
 * it. */

#define FIRST_BUFFER (16 * 1024)

/* How a record of a TLS handshake begins (RFC 8446, 5.1). */
#define TLS_HANDSHAKE 22
#define TLS_MAJOR 3

/* Makes room behind the buffered bytes. Doubles, so it never takes more than twice what arrived. */
static void
make_room (TallTransport *self)
{
  if (self->in_pos == self->in_end)
    self->in_pos = self->in_end = 0;
  if (self->in_end < self->in_size)
    return;

  if (self->in_pos > 0 && self->in_pos >= self->in_size / 2)
    {
      memmove (self->in, self->in + self->in_pos, tall_transport_buffered (self));
      self->in_end -= self->in_pos;
      self->in_pos = 0;
      return;
    }
  self->in_size = MAX (self->in_size * 2, FIRST_BUFFER);
  self->in = g_realloc (self->in, self->in_size);
}

/* Keeps the beginning of the next message, if it has come already. */
static void
give_back_buffer (TallTransport *self)
{
  gsize rest = tall_transport_buffered (self);
  if (self->in_size <= TALL_TRANSPORT_KEPT_BUFFER || self->socket == NULL)
    return;

  guint8 *kept = rest > 0 ? g_memdup2 (self->in + self->in_pos, rest) : NULL;
  g_free (self->in);
  self->in = kept;
  self->in_size = self->in_end = rest;
  self->in_pos = 0;
}

/* Whether bytes have been taken from the socket, so that it need not be waited for. */
static gboolean
has_pending (TallTransport *self)
{
  return self->tls != NULL && tall_tls_has_pending (self->tls);
}

static gssize
receive_bytes (TallTransport *self, gpointer buffer, gsize size, gint64 deadline, GError **error)
{
  if (self->tls == NULL)
    return tall_socket_receive (self->socket, buffer, size, deadline, error);
  gssize n = tall_tls_receive (self->tls, buffer, size, deadline, error);
  if (tall_tls_is_refused (self->tls))
    self->delivered = FALSE;
  return n;
}

/* Receives what is there, but not much more than the @wanted bytes: what follows a large message
 * may not lie beside it. */
static gssize
receive (TallTransport *self, gsize wanted, gint64 deadline, GError **error)
{
  if (self->socket == NULL)
    return 0;

  if (self->just_sent && !has_pending (self)
      && !tall_socket_wait (self->socket, G_IO_IN, deadline, error))
    return -1;
  self->just_sent = FALSE;

  make_room (self);
  gssize n = receive_bytes (self, self->in + self->in_end,
                            MIN (self->in_size - self->in_end, MAX (wanted, FIRST_BUFFER)),
                            deadline, error);
  if (n > 0)
    {
      self->in_end += (gsize)n;
      self->n_received += (guint64)n;
    }
  return n;
}

/* Buffers @n bytes, whether or not a message is under way. */
static gboolean
receive_at_least (TallTransport *self, gsize n, GError **error)
{
  while (tall_transport_buffered (self) < n)
    {
      g_autoptr (GError) reason = NULL;
      gssize got = receive (self, n - tall_transport_buffered (self), self->deadline, &reason);
      if (got > 0)
        continue;

      self->broken = TRUE;
      if (got == 0)
        g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s closed the connection%s",
                     self->peer, tall_transport_buffered (self) > 0 ? " within a message" : "");
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
 * Waits until the next @n bytes of the message have arrived, without reading them. Memory grows
 * with what arrives, not with @n.
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
  if (tall_transport_buffered (self) < n && !receive_at_least (self, n, error))
    return NULL;
  return self->in + self->in_pos;
}

/**
 * tall_transport_has_input:
 *
 * Returns: whether the first bytes of the next message are here already
 */
gboolean
tall_transport_has_input (const TallTransport *self)
{
  return tall_transport_buffered (self) > 0;
}

/**
 * tall_transport_wait_for_input:
 *
 * Waits until there is a next message, or the other side has closed. Receives nothing, so that what
 * has come can still be seen at the socket.
 *
 * Returns: FALSE with %TALL_ERROR_TIMED_OUT after @deadline, or %TALL_ERROR_UNAVAILABLE
 */
gboolean
tall_transport_wait_for_input (TallTransport *self, gint64 deadline, GError **error)
{
  self->just_sent = FALSE;
  if (self->socket == NULL || tall_transport_has_input (self) || has_pending (self)
      || tall_socket_wait (self->socket, G_IO_IN, deadline, error))
    return TRUE;
  self->broken = TRUE;
  return FALSE;
}

/**
 * tall_transport_receive_input:
 *
 * Receives the first bytes of the next message.
 *
 * Returns: FALSE if the other side has closed, or is gone, at a place where it may; with
 *   %TALL_ERROR_INVALID if it did what is not taken
 */
gboolean
tall_transport_receive_input (TallTransport *self, GError **error)
{
  if (tall_transport_has_input (self))
    return TRUE;
  g_autoptr (GError) reason = NULL;
  self->broken = receive (self, FIRST_BUFFER, self->deadline, &reason) <= 0;
  if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_INVALID))
    g_propagate_error (error, g_steal_pointer (&reason));
  return !self->broken;
}

/* Whether a call begins where its length should be. */
static gboolean
is_unframed (const guint8 header[TALL_TRANSPORT_FRAME_HEADER])
{
  ThriftMessageType type;
  TallSlice start = tall_slice (header, TALL_TRANSPORT_FRAME_HEADER);
  return tall_protocol_recognize (start, &type) != TALL_RECOGNIZED_NOTHING
         && (type == T_CALL || type == T_ONEWAY);
}

/**
 * tall_transport_peek_frame:
 * @frame_len: (out): bytes of the next frame, or of the one that was read last
 *
 * Receives a frame's header without consuming it.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE, %TALL_ERROR_INVALID (no frame), or an error of the
 *   connection
 */
gboolean
tall_transport_peek_frame (TallTransport *self, gsize *frame_len, GError **error)
{
  *frame_len = self->limit;
  if (self->has_frame)
    return TRUE;
  if (!receive_at_least (self, TALL_TRANSPORT_FRAME_HEADER, error))
    return FALSE;

  const guint8 *header = self->in + self->in_pos;
  TallReader reader = tall_reader (tall_slice (header, TALL_TRANSPORT_FRAME_HEADER));
  guint32 len = tall_reader_u32 (&reader);

  if (len == 0 || len > self->options.max_message)
    {
      g_autofree char *shown =
          tall_slice_to_debug (tall_slice (header, TALL_TRANSPORT_FRAME_HEADER));
      self->broken = TRUE;
      if (header[0] == TLS_HANDSHAKE && header[1] == TLS_MAJOR)
        g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                     "%s: it begins TLS, which this server does not offer", self->peer);
      else if (is_unframed (header))
        g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                     "%s: an unframed client: it has to use a framed transport", self->peer);
      else if (len == 0 || len > G_MAXINT32)
        g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
                     "%s: not a Thrift frame: it starts with \"%s\"", self->peer, shown);
      else
        g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                     "%s: a frame of %u bytes (\"%s\"); at most %" G_GSIZE_FORMAT " are taken",
                     self->peer, len, shown, self->options.max_message);
      return FALSE;
    }
  *frame_len = len;
  return TRUE;
}

/**
 * tall_transport_await_frame:
 * @n: bytes, at most those of tall_transport_peek_frame()
 *
 * Receives the beginning of a frame whose header was received, without consuming it.
 */
gboolean
tall_transport_await_frame (TallTransport *self, gsize n, GError **error)
{
  return self->has_frame || receive_at_least (self, TALL_TRANSPORT_FRAME_HEADER + n, error);
}

/* Discards @n bytes that follow the first @kept buffered bytes, receiving them first. */
static gboolean
drop_after (TallTransport *self, gsize kept, gsize n, GError **error)
{
  gsize there = MIN (tall_transport_buffered (self) - kept, n);
  guint8 *start = self->in + self->in_pos + kept;
  memmove (start, start + there, tall_transport_buffered (self) - kept - there);
  self->in_end -= there;

  for (gsize left = n - there; left > 0;)
    {
      guint8 scratch[FIRST_BUFFER];
      gssize got = receive_bytes (self, scratch, MIN (left, sizeof scratch), self->deadline, error);
      if (got == 0)
        g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                     "%s closed the connection within a message", self->peer);
      if (got <= 0)
        {
          self->broken = TRUE;
          return FALSE;
        }
      left -= (gsize)got;
    }
  return TRUE;
}

/**
 * tall_transport_read_frame_start:
 * @max: bytes
 *
 * Like tall_transport_read_frame(), but keeps only the first @max bytes of a longer frame. The rest
 * is received and discarded. Takes no more memory than that.
 */
gboolean
tall_transport_read_frame_start (TallTransport *self, gsize max, GError **error)
{
  gsize len;

  if (self->has_frame)
    return TRUE;
  if (!tall_transport_peek_frame (self, &len, error))
    return FALSE;
  self->in_pos += TALL_TRANSPORT_FRAME_HEADER;
  gsize kept = MIN (len, max);
  if (!receive_at_least (self, kept, error) || !drop_after (self, kept, len - kept, error))
    return FALSE;
  self->limit = kept;
  self->has_frame = TRUE;
  return TRUE;
}

/**
 * tall_transport_read_frame:
 *
 * Receives a whole frame, unless one is there already. Reading goes on within it and cannot leave
 * it.
 *
 * Returns: FALSE as tall_transport_peek_frame()
 */
gboolean
tall_transport_read_frame (TallTransport *self, GError **error)
{
  return tall_transport_read_frame_start (self, G_MAXSIZE, error);
}

/* What has arrived of the message under way and was not yet read. */
static TallSlice
peek (TallTransport *self)
{
  gsize len = MIN (tall_transport_buffered (self), self->limit);
  return len > 0 ? tall_slice (self->in + self->in_pos, len) : (TallSlice)TALL_SLICE_INIT;
}

/**
 * tall_transport_recognize:
 *
 * Returns: the protocol of the frame that was read last
 */
TallRecognized
tall_transport_recognize (TallTransport *self)
{
  return self->has_frame ? tall_protocol_recognize (peek (self), NULL) : TALL_RECOGNIZED_NOTHING;
}

/**
 * tall_transport_begin_message:
 *
 * Starts reading a message: framed, receives its frame; unframed, its bytes are counted from here.
 */
gboolean
tall_transport_begin_message (TallTransport *self, GError **error)
{
  self->depth = 0;
  self->elements = self->options.max_elements;
  self->skipping = FALSE;
  if (self->options.framed)
    return tall_transport_read_frame (self, error);

  if (!self->has_frame)
    self->limit = self->options.max_message;
  return TRUE;
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

/* Counts the next @n bytes, which have arrived, as read. */
static inline void
advance (TallTransport *self, gsize n)
{
  if (G_UNLIKELY (self->tee != NULL))
    tall_bytes_append (self->tee, tall_slice (self->in + self->in_pos, n));
  self->in_pos += n;
  self->limit -= n;
}

/**
 * tall_transport_advance:
 * @n: bytes, at most those that have arrived of the message under way
 *
 * Counts bytes as read.
 */
void
tall_transport_advance (TallTransport *self, gsize n)
{
  g_return_if_fail (n <= MIN (tall_transport_buffered (self), self->limit));
  advance (self, n);
}

/**
 * tall_transport_set_tee:
 * @tee: (nullable): gets a copy of all that is read from now on; NULL: nothing does
 */
void
tall_transport_set_tee (TallTransport *self, GByteArray *tee)
{
  self->tee = tee;
}

/* Where a reason goes. */
static GError **
note_reason (TallTransport *self, GError **error)
{
  if (error != NULL)
    return error;
  g_clear_error (&self->unsaid);
  return &self->unsaid;
}

static G_NO_INLINE gint32
read_slowly (TallTransport *self, gpointer buffer, guint32 len, GError **error)
{
  const guint8 *bytes = tall_transport_fill (self, len, note_reason (self, error));
  if (bytes == NULL)
    return -1;
  if (len > 0)
    memcpy (buffer, bytes, len);
  advance (self, len);
  return (gint32)len;
}

/* Most reads are of numbers that have arrived: these are quick. */
static gint32
transport_read_all (ThriftTransport *transport, gpointer buffer, guint32 len, GError **error)
{
  TallTransport *self = (TallTransport *)transport;

  if (G_UNLIKELY (len > self->limit || len > tall_transport_buffered (self) || self->tee != NULL)
      || !tall_transport_copy_number (buffer, self->in + self->in_pos, len))
    return read_slowly (self, buffer, len, error);
  self->in_pos += len;
  self->limit -= len;
  return (gint32)len;
}

/* Thrift asks before it reads a container. */
static gboolean
transport_check_available (ThriftTransport *transport, glong n, GError **error)
{
  TallTransport *self = (TallTransport *)transport;
  return (n >= 0 && (gulong)n <= self->limit)
         || tall_transport_reject (self, note_reason (self, error),
                                   "it announces more than it has");
}

static gboolean
transport_read_end (ThriftTransport *transport, GError **error)
{
  return tall_transport_end_message ((TallTransport *)transport, error);
}

/* Puts the receiving half into the class. */
void
tall_transport_install_input (ThriftTransportClass *klass)
{
  klass->read = transport_read_all;
  klass->read_all = transport_read_all;
  klass->read_end = transport_read_end;
  klass->checkReadBytesAvailable = transport_check_available;
}

/**
 * tall_transport_skip_message:
 *
 * Discards the rest of a frame that was read only in part, so that the connection can still be
 * used. What has read from it has lost its place.
 */
void
tall_transport_skip_message (TallTransport *self)
{
  self->in_pos += MIN (self->has_frame ? self->limit : 0, tall_transport_buffered (self));
  self->limit = 0;
  self->has_frame = FALSE;
  give_back_buffer (self);
}

/**
 * tall_transport_end_message:
 *
 * Ends the message that was read; bytes that are left of it show that it was misunderstood.
 */
gboolean
tall_transport_end_message (TallTransport *self, GError **error)
{
  gsize rest = self->has_frame ? self->limit : 0;

  tall_transport_skip_message (self);
  if (rest == 0)
    return TRUE;
  self->broken = TRUE;
  return tall_error_fail (error, TALL_ERROR_INVALID,
                          "malformed message from %s: %" G_GSIZE_FORMAT " bytes too many",
                          self->peer, rest);
}
