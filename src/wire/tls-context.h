/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"

#include <glib.h>
#include <openssl/x509.h>

/**
 * TallTlsIdentity:
 *
 * Says who the other side of a connection is, by a certificate that a trusted CA has signed.
 */
typedef struct
{
  GStrv names; /* with their kind: `cn:…`, `dns:…`, `email:…`, `uri:…`, and `subject:…` for all
                * of the subject (RFC 2253, such as `subject:CN=loader,O=Shop`) */
  char *fingerprint; /* SHA-256, 64 lower-case hex digits */
  GStrv issuers;     /* (nullable): the fingerprints of the CAs above it, up to the trusted one */
} TallTlsIdentity;

/* The kinds of names, with their colons. NULL-terminated. */
extern const char *const tall_tls_name_kinds[];

void tall_tls_identity_free (TallTlsIdentity *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTlsIdentity, tall_tls_identity_free)

TallTlsIdentity *tall_tls_identity_new (X509 *certificate, const STACK_OF (X509) * chain);

/**
 * TallTlsClients:
 * @TALL_TLS_CLIENTS_OFF: no client is asked for a certificate
 * @TALL_TLS_CLIENTS_OPTIONAL: a client may show one, which has to be good then
 * @TALL_TLS_CLIENTS_REQUIRED: a client without a good one is refused
 */
typedef enum
{
  TALL_TLS_CLIENTS_OFF,
  TALL_TLS_CLIENTS_OPTIONAL,
  TALL_TLS_CLIENTS_REQUIRED,
} TallTlsClients;

/**
 * TallTlsSettings:
 *
 * What one side of a TLS connection shows, and whom it trusts. Each file is PEM.
 */
typedef struct
{
  const char *certificate; /* its own, with those between it and the CA; NULL: none */
  const char *key;         /* of that certificate, without a password */
  const char *ca;         /* those that are trusted; NULL: those of the system, for a client only */
  TallTlsClients clients; /* of a server */
  GHashTable *revoked; /* (nullable) (element-type utf8): fingerprints of certificates, as those of
                        * #TallTlsIdentity, that are refused */
} TallTlsSettings;

/**
 * TallTlsContext:
 *
 * What many connections share: certificates, key and rules. It does not change. Any thread may use
 * it; a connection keeps its own reference.
 */
typedef struct _TallTlsContext TallTlsContext;

TallTlsContext *tall_tls_context_new_server (const TallTlsSettings *settings,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallTlsContext *tall_tls_context_new_client (const TallTlsSettings *settings,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_tls_context_has_ended (TallTlsContext *self);
char *tall_tls_context_describe (TallTlsContext *self);
gint64 tall_tls_context_get_end (TallTlsContext *self);
TallTlsContext *tall_tls_context_ref (TallTlsContext *self);
void tall_tls_context_unref (TallTlsContext *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTlsContext, tall_tls_context_unref)
