/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
/* libcrypto would rather have us fetch a digest, begin it, and end it, for its providers: with the
 * short texts of keys that takes longer than the digest. MD5 places rows and recognises content. It
 * protects nothing, so no FIPS mode need forbid it, and none forbids this call. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "model/md5.h"

#include <openssl/md5.h>

/**
 * tall_md5:
 * @digest: (out caller-allocates): 16 bytes
 *
 * MD5 (RFC 1321). Threads: any.
 */
void
tall_md5 (TallSlice bytes, guint8 digest[TALL_MD5_SIZE])
{
  if (MD5 (bytes.data, bytes.len, digest) == NULL)
    g_error ("libcrypto failed to compute an MD5");
}

/**
 * tall_md5_is:
 *
 * Returns: whether @digest is that of @bytes
 */
gboolean
tall_md5_is (TallSlice bytes, const guint8 digest[TALL_MD5_SIZE])
{
  guint8 found[TALL_MD5_SIZE];
  tall_md5 (bytes, found);
  return memcmp (found, digest, TALL_MD5_SIZE) == 0;
}
