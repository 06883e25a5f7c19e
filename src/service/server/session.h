/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/server/handler.h"
#include "service/access/places.h"
#include "wire/transport.h"

G_BEGIN_DECLS

/**
 * TallSession:
 *
 * One connection of a server, on one thread: frames come, are answered in their order, until one
 * side ends it.
 */
typedef struct
{
  TallHandler handler;      /* but for the visitor */
  TallGate *gate;           /* of the server */
  gboolean is_local;        /* the client is on this machine */
  const char *refusal;      /* not NULL: one call is answered by %TALL_ERROR_OVERLOADED with that */
  TallTransport *transport; /* made by tall_session_open() */
  TallPlace *place;         /* is kept up to date */
  TallMemory *memory;       /* of all calls of the server */
  gsize least_memory;       /* bytes of it, beside those of an order, that there must be */
  guint memory_wait;        /* milliseconds */
  guint idle_timeout;       /* milliseconds */
  guint transfer_timeout;   /* milliseconds */
  guint handshake_timeout;  /* milliseconds */
  const gint *stopping;     /* atomic; not zero: end after the call under way */
} TallSession;

TallTransport *tall_session_open (GSocket *socket, gsize max_request);
gboolean tall_session_run (const TallSession *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
