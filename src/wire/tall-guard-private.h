/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-transport.h"

G_BEGIN_DECLS

#define TALL_GUARD_MAX_NAME 64

/**
 * TallGuard:
 *
 * What the guard has seen of a message so far. It belongs to the transport, because both protocols
 * of a server's connection share it.
 */
typedef struct
{
  guint depth;                       /* open structs and containers */
  guint64 elements;                  /* of containers, so far */
  guint64 seen[TALL_WIRE_MAX_DEPTH]; /* fields 0 … 63 of each open struct, as bits */
  gboolean may_repeat;               /* the reader of this message refuses repeated fields itself */
  gint32 seqid;                      /* of the last call written */
  char call[TALL_GUARD_MAX_NAME];    /* its name; empty: none */
} TallGuard;

TallGuard *tall_transport_get_guard (TallTransport *self);

void tall_guard_install (ThriftProtocolClass *klass);
gboolean tall_guard_check_bytes (TallTransport *transport, gsize header, gint64 len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gint32 tall_guard_read_text (TallTransport *transport,
                             gsize header,
                             gint64 len,
                             gchar **text,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Fails the call with %TALL_ERROR_INVALID and marks the connection as broken. */
gint32 tall_guard_reject (TallTransport *transport, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

G_END_DECLS
