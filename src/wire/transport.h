/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>
#include <thrift/c_glib/transport/thrift_transport.h>

#include "tall-bytes.h"
#include "tall-error.h"
#include "wire/tls.h"

/**
 * TallWireSide:
 * @TALL_WIRE_CLIENT: writes calls and reads replies
 * @TALL_WIRE_SERVER: reads calls and writes replies
 */
typedef enum
{
  TALL_WIRE_CLIENT,
  TALL_WIRE_SERVER,
} TallWireSide;

/**
 * TallWireOptions:
 *
 * How a connection speaks, and what it takes from the other side. Start from
 * TALL_WIRE_OPTIONS_INIT.
 */
typedef struct
{
  TallWireSide side;
  gboolean framed;
  gboolean compact;     /* the compact protocol instead of the binary one */
  gsize max_message;    /* bytes of the largest message that is read */
  guint max_depth;      /* structs and containers within each other; at most TALL_WIRE_MAX_DEPTH */
  guint64 max_elements; /* of all lists, sets and maps of one message together */
  TallTlsContext *tls;  /* (nullable): not owned; a client's connection is encrypted with that */
} TallWireOptions;

#define TALL_WIRE_MAX_DEPTH 64

#define TALL_WIRE_OPTIONS_INIT                                                                     \
  {                                                                                                \
    .side = TALL_WIRE_CLIENT, .framed = TRUE, .max_message = 64 * 1024 * 1024, .max_depth = 32,    \
    .max_elements = 16 * 1024 * 1024                                                               \
  }

/**
 * TallRecognized:
 *
 * What the first bytes of a message say.
 */
typedef enum
{
  TALL_RECOGNIZED_NOTHING,
  TALL_RECOGNIZED_BINARY,
  TALL_RECOGNIZED_COMPACT,
} TallRecognized;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftTransport, g_object_unref)

#define TALL_TYPE_TRANSPORT (tall_transport_get_type ())
G_DECLARE_FINAL_TYPE (TallTransport, tall_transport, TALL, TRANSPORT, ThriftTransport)

TallTransport *
tall_transport_new (GSocket *socket, const char *peer, const TallWireOptions *options);
TallTransport *tall_transport_new_memory (TallSlice message, const TallWireOptions *options);

gboolean tall_transport_begin_tls (TallTransport *self,
                                   TallTlsContext *context,
                                   const char *host,
                                   gint64 deadline,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
const TallTlsIdentity *tall_transport_get_identity (TallTransport *self);

void tall_transport_set_deadline (TallTransport *self, gint64 deadline);
void tall_transport_set_stall (TallTransport *self, gint64 stall);
const TallWireOptions *tall_transport_get_options (TallTransport *self);

gboolean tall_transport_wait_for_input (TallTransport *self,
                                        gint64 deadline,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_transport_receive_input (TallTransport *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_transport_has_input (const TallTransport *self);
gboolean tall_transport_peek_frame (TallTransport *self,
                                    gsize *len,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_transport_await_frame (TallTransport *self, gsize n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_transport_read_frame_start (TallTransport *self,
                                          gsize max,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_transport_read_frame (TallTransport *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallRecognized tall_transport_recognize (TallTransport *self);
void tall_transport_set_compact (TallTransport *self, gboolean compact);

void tall_transport_skip_message (TallTransport *self);
gboolean tall_transport_end_message (TallTransport *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_transport_begin_message (TallTransport *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
const guint8 *
tall_transport_fill (TallTransport *self, gsize n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gsize tall_transport_get_remaining (TallTransport *self);
void tall_transport_advance (TallTransport *self, gsize n);
TallSlice tall_transport_get_output (TallTransport *self);
void tall_transport_drop_output (TallTransport *self);
void tall_transport_set_tee (TallTransport *self, GByteArray *tee);
gboolean tall_transport_flush (TallTransport *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_transport_close (TallTransport *self);

const char *tall_transport_get_peer (TallTransport *self);
gboolean tall_transport_is_fit (TallTransport *self);
gboolean tall_transport_is_broken (TallTransport *self);
void tall_transport_break (TallTransport *self);
gboolean tall_transport_has_delivered (TallTransport *self);
void tall_transport_take_traffic (TallTransport *self, guint64 *n_sent, guint64 *n_received);

/* Says that the bytes make no sense; FALSE, with %TALL_ERROR_INVALID. */
gboolean tall_transport_reject (TallTransport *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
