/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-token.h"

#include <errno.h>
#include <unistd.h>

/**
 * tall_token_make:
 * @token: (out caller-allocates): a UUID of version 4 (RFC 9562)
 *
 * Makes a token that nobody else has: by it a write is known again when it is sent twice, and so is
 * who made a claim. Its randomness is the kernel's, so that no two processes make the same one,
 * whenever they were started. Any thread.
 */
void
tall_token_make (guint8 token[TALL_TOKEN_SIZE])
{
  if (getentropy (token, TALL_TOKEN_SIZE) != 0)
    g_error ("The kernel gives no random bytes: %s", g_strerror (errno));
  token[6] = (token[6] & 0x0f) | 0x40;
  token[8] = (token[8] & 0x3f) | 0x80;
}
