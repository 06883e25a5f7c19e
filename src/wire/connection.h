/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/struct.h"
#include "wire/transport.h"

#include <glib.h>

/**
 * TallMessage:
 *
 * What stands before the struct of a message.
 */
typedef struct
{
  char *name; /* of the call; owned */
  ThriftMessageType type;
  gint32 number; /* a reply has that of its call */
} TallMessage;

/* Thrift's own answer: the call could not be run (%T_EXCEPTION). */
typedef struct
{
  char *message; /* NULL: absent */
  gint32 type;
} TallMessageException;

/* Its type: there is no such call. */
#define TALL_MESSAGE_UNKNOWN_METHOD 1

extern const TallStructType tall_message_exception_type;

void tall_message_clear (TallMessage *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallMessage, tall_message_clear)

gboolean tall_message_read (TallMessage *self,
                            TallTransport *transport,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_message_write (const TallMessage *self,
                             TallTransport *transport,
                             const TallStructType *type,
                             gconstpointer object,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_message_write_call (const char *name,
                                  TallTransport *transport,
                                  const TallStructType *type,
                                  gconstpointer args,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What HBase's gateway can be asked, which has the call since 2.4. It has no arguments. */
#define TALL_PROBE_GATEWAY_CALL "getThriftServerType"

/**
 * TallStranger:
 *
 * A kind of server that is not ours.
 */
typedef struct
{
  const char *name;    /* such as `a web server (HTTP)` */
  gboolean is_gateway; /* of HBase, whose connections are … */
  gboolean framed;
  gboolean compact;
} TallStranger;

const TallStranger *tall_probe (const char *address, guint milliseconds);

TallTransport *tall_connection_open (const char *address,
                                     const TallWireOptions *options,
                                     gint64 deadline,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
