/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/transport.h"

G_BEGIN_DECLS

/* A larger buffer is given back after its message. */
#define TALL_TRANSPORT_KEPT_BUFFER (256 * 1024)
#define TALL_TRANSPORT_FRAME_HEADER 4
#define TALL_TRANSPORT_MAX_NAME 64

struct _TallTransport
{
  GObject parent_instance;

  GSocket *socket; /* NULL: memory, or closed */
  TallTls *tls;    /* (nullable): on the socket */
  char *peer;      /* for messages */
  TallWireOptions options;
  gint64 deadline; /* of every wait; microseconds of g_get_monotonic_time() */
  gint64 stall;    /* microseconds in which some of a large message must leave; 0: until deadline */

  guint8 *in; /* in_size bytes; received and not yet read: in_pos up to in_end */
  gsize in_size;
  gsize in_pos;
  gsize in_end;
  gsize limit;        /* bytes that the message under way may still have */
  gboolean has_frame; /* the message under way has been received as a whole */
  GByteArray *out;    /* written and not yet sent; if framed, with room for the header */
  guint64 n_sent;     /* bytes, since they were taken last */
  guint64 n_received; /* the same */
  gboolean just_sent; /* so nothing can be there yet: wait before receiving */
  gboolean delivered; /* the last message written has left as a whole */
  gboolean broken;    /* after any failure: must be closed */
  gint32 number;      /* of the last call written … */
  char call[TALL_TRANSPORT_MAX_NAME]; /* … and its name; empty: no reply is due */
};

/* Bytes received and not yet read. */
static inline gsize
tall_transport_buffered (const TallTransport *self)
{
  return self->in_end - self->in_pos;
}

G_END_DECLS
