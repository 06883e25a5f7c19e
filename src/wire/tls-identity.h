/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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

G_END_DECLS
