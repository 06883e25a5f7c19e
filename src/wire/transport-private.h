/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <thrift/c_glib/protocol/thrift_protocol.h>

#include "wire/transport.h"

/* A larger buffer is given back after its message. */
#define TALL_TRANSPORT_KEPT_BUFFER (256 * 1024)
#define TALL_TRANSPORT_FRAME_HEADER 4
#define TALL_TRANSPORT_MAX_NAME 64

struct _TallTransport
{
  ThriftTransport parent_instance;

  ThriftProtocol *readers[2]; /* (nullable): of messages here; compact: 1 */
  ThriftProtocol *writers[2]; /* the same */
  GSocket *socket;            /* NULL: memory, or closed */
  TallTls *tls;               /* (nullable): on the socket */
  char *peer;                 /* for messages */
  TallWireOptions options;
  gint64 deadline; /* of every wait; microseconds of g_get_monotonic_time() */
  gint64 stall;    /* microseconds in which some of a large message must leave; 0: until deadline */

  guint8 *in; /* in_size bytes; received and not yet read: in_pos up to in_end */
  gsize in_size;
  gsize in_pos;
  gsize in_end;
  gsize limit;        /* bytes that the message under way may still have */
  gboolean has_frame; /* the message under way has been received as a whole */
  guint depth;        /* structs and containers of it that are open */
  guint64 elements;   /* of its containers that may still come */
  gboolean skipping;  /* nobody asked for the value that is read */
  GError *unsaid;     /* (nullable): why reading failed, for a caller that takes no errors */
  GByteArray *tee;    /* nullable, not owned: takes all that is read */

  guint8 *out; /* out_size bytes; written and not yet sent: out_end, with a frame's header */
  gsize out_size;
  gsize out_end;
  gsize out_room;    /* bytes that can be written at once; 0 before the first ones of a message */
  gboolean overfull; /* a message was written that is too large to be sent */

  guint64 n_sent;                     /* bytes, since they were taken last */
  guint64 n_received;                 /* the same */
  gboolean just_sent;                 /* so nothing can be there yet: wait before receiving */
  gboolean delivered;                 /* the last message written has left as a whole */
  gboolean broken;                    /* after any failure: must be closed */
  gint32 number;                      /* of the last call written … */
  char call[TALL_TRANSPORT_MAX_NAME]; /* … and its name; empty: no reply is due */
};

/* Bytes received and not yet read. */
static inline gsize
tall_transport_buffered (const TallTransport *self)
{
  return self->in_end - self->in_pos;
}

/* Copies a number, without a call. FALSE if @n is the size of none. */
static inline gboolean
tall_transport_copy_number (gpointer to, gconstpointer from, gsize n)
{
  switch (n)
    {
    case 1:
      memcpy (to, from, 1);
      return TRUE;
    case 2:
      memcpy (to, from, 2);
      return TRUE;
    case 4:
      memcpy (to, from, 4);
      return TRUE;
    case 8:
      memcpy (to, from, 8);
      return TRUE;
    default:
      return FALSE;
    }
}

void tall_transport_install_input (ThriftTransportClass *klass);
