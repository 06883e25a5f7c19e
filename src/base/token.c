/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-token.h"

#include <errno.h>
#include <unistd.h>

/**
 * tall_token_make:
 * @token: (out caller-allocates): a UUID of version 4 (RFC 9562)
 *
 * Makes a unique token. It identifies a write that is sent twice, and the writer of a claim. Its
 * random bytes come from the kernel, so no two processes make the same token, whenever they
 * started. Any thread.
 */
void
tall_token_make (guint8 token[TALL_TOKEN_SIZE])
{
  if (getentropy (token, TALL_TOKEN_SIZE) != 0)
    g_error ("The kernel gives no random bytes: %s", g_strerror (errno));
  token[6] = (token[6] & 0x0f) | 0x40;
  token[8] = (token[8] & 0x3f) | 0x80;
}
