/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <openssl/ssl.h>

#include "tall-error.h"

G_BEGIN_DECLS

void tall_tls_note_refused (SSL *ssl, X509 *certificate);
void tall_tls_set_error (SSL *ssl, const char *host, GError **error);
gboolean tall_tls_was_alerted (void);

G_END_DECLS
