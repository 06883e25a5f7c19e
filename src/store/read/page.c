/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/page.h"

#include "tall-error.h"
#include "model/md5.h"

/* A token is base64url, without padding, of
 *
 *      0         1      2            10        18         n-4
 *     +---------+------+------------+---------+----------+----------+
 *     | version | kind | deployment | listing | position | checksum |
 *     | 1       | 1    | 8          | 8       | any      | 4        |
 *     +---------+------+------------+---------+----------+----------+
 *
 * with the first bytes of MD5s: of the deployment's id; of the customer's number and the range of
 * dates; of all bytes before. A token of version 1 is of the first generation of tables. One of
 * version 2 is of a later one, whose number, 8 bytes, comes before the position. Every version
 * begins with its number and ends with the checksum. Nothing in it is secret, and a forged one
 * gains nothing: a position outside of the listing is not looked for. */
#define VERSION_FIRST 1
#define VERSION_LATER 2
#define FIRST_GENERATION 1
#define GENERATION_SIZE 8
#define DIGEST_SIZE 8
#define CHECKSUM_SIZE 4
#define HEADER_SIZE (2 + 2 * DIGEST_SIZE)
#define MAX_TOKEN 1024 /* characters; the longest has about 400 */

static void
append_digest (GByteArray *array, TallSlice bytes, gsize size)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (bytes, digest);
  g_byte_array_append (array, digest, (guint)size);
}

static void
append_listing (const TallPageScope *scope, GByteArray *array)
{
  const TallListOptions *options = scope->options;
  g_autoptr (GByteArray) listing = g_byte_array_new ();

  tall_bytes_append_u8 (listing, options != NULL && options->has_from);
  tall_bytes_append_u64 (listing,
                         options != NULL && options->has_from ? (guint64)options->from : 0);
  tall_bytes_append_u8 (listing, options != NULL && options->has_to);
  tall_bytes_append_u64 (listing, options != NULL && options->has_to ? (guint64)options->to : 0);
  if (scope->customer != NULL)
    tall_bytes_append (listing, tall_slice_str (scope->customer));
  append_digest (array, tall_slice_array (listing), DIGEST_SIZE);
}

static void
append_header (const TallPageScope *scope, GByteArray *array)
{
  gboolean is_first = scope->generation <= FIRST_GENERATION;
  tall_bytes_append_u8 (array, is_first ? VERSION_FIRST : VERSION_LATER);
  tall_bytes_append_u8 (array, scope->kind);
  append_digest (array, tall_slice_str (scope->deployment), DIGEST_SIZE);
  append_listing (scope, array);
  if (!is_first)
    tall_bytes_append_u64 (array, scope->generation);
}

static char *
encode (const GByteArray *bytes)
{
  char *token = g_base64_encode (bytes->data, bytes->len);
  g_strdelimit (token, "+", '-');
  g_strdelimit (token, "/", '_');
  token[strcspn (token, "=")] = '\0';
  return token;
}

/**
 * tall_page_to_token:
 * @position: after which the page begins
 *
 * Returns: (transfer full): a token, of letters, digits, `-` and `_`
 */
char *
tall_page_to_token (const TallPageScope *scope, TallSlice position)
{
  g_autoptr (GByteArray) bytes = g_byte_array_sized_new (256);
  append_header (scope, bytes);
  tall_bytes_append (bytes, position);
  append_digest (bytes, tall_slice_array (bytes), CHECKSUM_SIZE);
  return encode (bytes);
}

/* Returns: (nullable): its bytes, if it is as some version has written it. */
static GByteArray *
decode (const char *token)
{
  gsize len = strlen (token), n;
  if (len > MAX_TOKEN
      || strspn (token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                        "0123456789-_")
             != len)
    return NULL;

  g_autofree char *padded = g_strconcat (token, &"==="[3 - (4 - len % 4) % 4], NULL);
  g_strdelimit (padded, "-", '+');
  g_strdelimit (padded, "_", '/');
  guint8 *data = g_base64_decode (padded, &n);
  g_autoptr (GByteArray) bytes = g_byte_array_new_take (data, n);
  if (n <= CHECKSUM_SIZE)
    return NULL;

  g_autoptr (GByteArray) checksum = g_byte_array_new ();
  append_digest (checksum, tall_slice (bytes->data, n - CHECKSUM_SIZE), CHECKSUM_SIZE);
  g_autofree char *again = encode (bytes);
  if (memcmp (checksum->data, bytes->data + n - CHECKSUM_SIZE, CHECKSUM_SIZE) != 0
      || !g_str_equal (again, token))
    return NULL;
  return g_steal_pointer (&bytes);
}

/* Of the tables that the position is of; 0 if that is not to be seen. */
static guint64
get_generation (const GByteArray *bytes)
{
  if (bytes->data[0] == VERSION_FIRST && bytes->len >= HEADER_SIZE + CHECKSUM_SIZE)
    return FIRST_GENERATION;
  if (bytes->data[0] != VERSION_LATER || bytes->len < HEADER_SIZE + GENERATION_SIZE + CHECKSUM_SIZE)
    return 0;
  TallReader reader = tall_reader (tall_slice (bytes->data + HEADER_SIZE, GENERATION_SIZE));
  return tall_reader_u64 (&reader);
}

/**
 * tall_page_get_generation:
 * @token: anything
 *
 * Returns: the generation of tables that a token is of; 0 if it is no token
 */
guint64
tall_page_get_generation (const char *token)
{
  g_autoptr (GByteArray) bytes = decode (token);
  return bytes != NULL ? get_generation (bytes) : 0;
}

static gboolean
refuse (GError **error, const char *why)
{
  tall_error_set_invalid (error, "page", "%s", why);
  return FALSE;
}

static gboolean
check_header (const TallPageScope *scope, const GByteArray *bytes, GError **error)
{
  g_autoptr (GByteArray) header = g_byte_array_new ();
  append_header (scope, header);

  if (bytes->data[0] > VERSION_LATER)
    return refuse (error, "the page token was made by a newer version of tallorder; begin again "
                          "with the first page, or ask the newer version");
  if (get_generation (bytes) == 0)
    return refuse (error, "this is no page token; give one as a listing has given it");
  if (memcmp (bytes->data + 2, header->data + 2, DIGEST_SIZE) != 0)
    return refuse (error, "the page token is of another deployment; begin again with the first "
                          "page");
  if (bytes->data[1] != scope->kind)
    return refuse (error, "the page token is of another kind of listing; begin again with the "
                          "first page");
  if (memcmp (bytes->data + 2, header->data + 2, HEADER_SIZE - 2) != 0)
    return refuse (error, "the page token is of a listing of another customer or other dates; "
                          "repeat those, or begin again with the first page");
  if (bytes->data[0] != header->data[0]
      || get_generation (bytes) != MAX (scope->generation, FIRST_GENERATION))
    return refuse (error, "the page token was made before the orders moved to other tables; begin "
                          "again with the first page");
  return TRUE;
}

/**
 * tall_page_from_token:
 * @token: anything
 * @position: what is appended to
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, field `page`, if it is no token, one of a newer version,
 *   of another deployment, of another listing, of tables of before: each says so
 */
gboolean
tall_page_from_token (const TallPageScope *scope,
                      const char *token,
                      GByteArray *position,
                      GError **error)
{
  g_autoptr (GByteArray) bytes = decode (token);
  if (bytes == NULL)
    return refuse (error, "this is no page token; give one as a listing has given it");
  if (!check_header (scope, bytes, error))
    return FALSE;
  guint begin = HEADER_SIZE + (bytes->data[0] == VERSION_LATER ? GENERATION_SIZE : 0);
  g_byte_array_append (position, bytes->data + begin, bytes->len - begin - CHECKSUM_SIZE);
  return TRUE;
}
