/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Page tokens that only a forger, or another version, makes. */

/* The bytes before the checksum. */
GByteArray *tall_test_token_open (const char *token);

/* A token of any bytes, with a checksum that is right. */
char *tall_test_token_seal (const guint8 *bytes, gsize len);

/* A token whose @at-th byte is @byte, with a checksum that is right. */
char *tall_test_token_forge (const char *token, guint at, guint8 byte);

G_END_DECLS
