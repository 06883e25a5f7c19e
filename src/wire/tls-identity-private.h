/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <openssl/x509.h>

#include "wire/tls-identity.h"

G_BEGIN_DECLS

TallTlsIdentity *tall_tls_identity_new (X509 *certificate, const STACK_OF (X509) * chain);

G_END_DECLS
