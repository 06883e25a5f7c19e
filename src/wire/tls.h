/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"
#include "wire/tls-context.h"

#include <gio/gio.h>
#include <openssl/ssl.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SSL_CTX, SSL_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (X509, X509_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (EVP_PKEY, EVP_PKEY_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (BIO, BIO_free_all)

SSL_CTX *tall_tls_context_get_ssl (TallTlsContext *self);

char *tall_tls_describe_name (const X509_NAME *name);

/* What the library says went wrong last, in words; never NULL. */
const char *tall_tls_get_reason (void);

void tall_tls_note_refused (SSL *ssl, X509 *certificate);

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
