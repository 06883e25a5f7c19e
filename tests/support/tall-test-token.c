/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-token.h"

#include <string.h>

#include "model/canonical.h"

#define CHECKSUM_SIZE 4

GByteArray *
tall_test_token_open (const char *token)
{
  g_autofree char *padded = g_strconcat (token, &"==="[3 - (4 - strlen (token) % 4) % 4], NULL);
  gsize n;
  g_strdelimit (padded, "-", '+');
  g_strdelimit (padded, "_", '/');
  guint8 *data = g_base64_decode (padded, &n);
  g_assert_cmpuint (n, >, CHECKSUM_SIZE);
  return g_byte_array_new_take (data, n - CHECKSUM_SIZE);
}

char *
tall_test_token_seal (const guint8 *bytes, gsize len)
{
  guint8 digest[TALL_MD5_SIZE];
  g_autoptr (GByteArray) sealed = g_byte_array_new ();
  tall_md5 (tall_slice (bytes, len), digest);
  g_byte_array_append (sealed, bytes, (guint)len);
  g_byte_array_append (sealed, digest, CHECKSUM_SIZE);

  char *token = g_base64_encode (sealed->data, sealed->len);
  g_strdelimit (token, "+", '-');
  g_strdelimit (token, "/", '_');
  token[strcspn (token, "=")] = '\0';
  return token;
}

char *
tall_test_token_forge (const char *token, guint at, guint8 byte)
{
  g_autoptr (GByteArray) bytes = tall_test_token_open (token);
  g_assert_cmpuint (at, <, bytes->len);
  bytes->data[at] = byte;
  return tall_test_token_seal (bytes->data, bytes->len);
}
