/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-md5.h"

#include <openssl/evp.h>

static EVP_MD *
fetch_md5 (void)
{
  static gsize fetched;
  if (g_once_init_enter (&fetched))
    {
      /* MD5 places rows and recognises content. It protects nothing, so FIPS mode need not forbid
       * it. */
      EVP_MD *md5 = EVP_MD_fetch (NULL, "MD5", "-fips");
      if (md5 == NULL)
        md5 = EVP_MD_fetch (NULL, "MD5", NULL);
      if (md5 == NULL)
        g_error ("libcrypto has no MD5: enable its default provider in openssl.cnf");
      g_once_init_leave (&fetched, (gsize)md5);
    }
  return (EVP_MD *)fetched;
}

static EVP_MD_CTX *
get_context (void)
{
  static GPrivate context = G_PRIVATE_INIT ((GDestroyNotify)EVP_MD_CTX_free);
  EVP_MD_CTX *ctx = g_private_get (&context);
  if (ctx == NULL)
    {
      ctx = EVP_MD_CTX_new ();
      g_private_set (&context, ctx);
    }
  return ctx;
}

/**
 * tall_md5:
 * @digest: (out caller-allocates): 16 bytes
 *
 * MD5 (RFC 1321). Threads: any.
 */
void
tall_md5 (TallSlice bytes, guint8 digest[TALL_MD5_SIZE])
{
  EVP_MD_CTX *ctx = get_context ();
  if (EVP_DigestInit_ex2 (ctx, fetch_md5 (), NULL) != 1
      || EVP_DigestUpdate (ctx, bytes.data, bytes.len) != 1
      || EVP_DigestFinal_ex (ctx, digest, NULL) != 1)
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
