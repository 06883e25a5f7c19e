/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "tall-bytes.h"
#include "tall-thrift.h"
#include "wire/transport.h"

G_BEGIN_DECLS

/* Connections that send whatever a test wants them to. */
GSocketConnection *tall_test_connect (const char *address);
GSocketConnection *tall_test_connect_from (const char *address, const char *from);
void tall_test_send (GSocketConnection *connection, TallSlice bytes);
void tall_test_send_frame (GSocketConnection *connection, TallSlice content);
void tall_test_end_sending (GSocketConnection *connection);

/* Returns: (nullable) (transfer full): the content of the next frame; NULL if the other side has
 * closed the connection instead. Fails the test if neither comes. */
GByteArray *tall_test_receive_frame (GSocketConnection *connection);

/**
 * TallTestMessage:
 *
 * A Thrift message made by hand.
 */
typedef struct
{
  TallTransport *transport;
  ThriftProtocol *protocol; /* writes into it */
} TallTestMessage;

void tall_test_message_init (TallTestMessage *self,
                             gboolean compact,
                             const char *name,
                             ThriftMessageType type);
void tall_test_message_begin_field (TallTestMessage *self, ThriftType type, gint16 id);
void tall_test_message_add_text (TallTestMessage *self, gint16 id, const char *text);
void tall_test_message_add_bytes (TallTestMessage *self, gint16 id, TallSlice bytes);
void tall_test_message_add_i32 (TallTestMessage *self, gint16 id, gint32 value);
void tall_test_message_begin_struct (TallTestMessage *self, gint16 id);
void tall_test_message_begin_element (TallTestMessage *self);
void tall_test_message_end_struct (TallTestMessage *self);
TallSlice tall_test_message_get (TallTestMessage *self);
void tall_test_message_clear (TallTestMessage *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallTestMessage, tall_test_message_clear)

/* A transport that goes on in @message, which must be a reply of that type to that call. */
TallTransport *tall_test_read_message (TallSlice message,
                                       gboolean compact,
                                       const char *name,
                                       ThriftMessageType type);

/* Sends a message and reads its reply, which goes on from there. */
TallTransport *tall_test_exchange (GSocketConnection *connection,
                                   TallTestMessage *message,
                                   gboolean compact,
                                   const char *name,
                                   ThriftMessageType type);
void tall_test_assert_ping_works (GSocketConnection *connection, gboolean compact);

G_END_DECLS
