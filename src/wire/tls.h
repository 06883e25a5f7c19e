/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "wire/tls-context.h"
#include "wire/tls-identity.h"

G_BEGIN_DECLS

/**
 * TallTls:
 *
 * TLS on one connected socket that does not block. It belongs to one thread at a time, which does
 * all of its work, handshake included: a slow other side holds nothing but its own connection.
 * Deadlines as in wire/socket.h.
 */
typedef struct _TallTls TallTls;

TallTls *tall_tls_new_server (TallTlsContext *context, GSocket *socket);
TallTls *tall_tls_new_client (TallTlsContext *context, GSocket *socket, const char *host);
void tall_tls_free (TallTls *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTls, tall_tls_free)

gboolean
tall_tls_handshake (TallTls *self, gint64 deadline, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallTlsIdentity *tall_tls_get_identity (TallTls *self);

gssize tall_tls_receive (TallTls *self,
                         gpointer buffer,
                         gsize size,
                         gint64 deadline,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_tls_send_all (TallTls *self,
                            const guint8 *data,
                            gsize len,
                            gint64 deadline,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_tls_has_pending (TallTls *self);
gboolean tall_tls_is_refused (TallTls *self);
void tall_tls_end (TallTls *self);

G_END_DECLS
