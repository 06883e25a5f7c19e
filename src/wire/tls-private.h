/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <openssl/ssl.h>

#include "wire/tls-context.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SSL_CTX, SSL_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (X509, X509_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (EVP_PKEY, EVP_PKEY_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (BIO, BIO_free_all)

SSL_CTX *tall_tls_context_get_ssl (TallTlsContext *self);

EVP_PKEY *tall_tls_key_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

char *tall_tls_fingerprint (X509 *certificate);
char *tall_tls_describe_name (const X509_NAME *name);

/* What the library says went wrong last, in words; never NULL. */
const char *tall_tls_get_reason (void);

G_END_DECLS
