/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/parts.h"

#include "tall-limits.h"
#include "model/md5.h"
#include "tall-order.h"

void
tall_key_md5_append_order (const char *number, GByteArray *key)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (tall_slice_str (number), digest);
  g_byte_array_append (key, digest, sizeof digest);
}

gssize
tall_key_md5_measure (TallSlice key)
{
  return key.len >= TALL_MD5_SIZE ? TALL_MD5_SIZE : -1;
}

void
tall_key_text_append_order (const char *number, GByteArray *key)
{
  /* with the NUL: no number contains one, so it ends the part and sorts below all that follows */
  g_byte_array_append (key, (const guint8 *)number, strlen (number) + 1);
}

gssize
tall_key_text_measure (TallSlice key)
{
  gsize room = MIN (key.len, TALL_MAX_NUMBER_BYTES + 1);
  const guint8 *end = room == 0 ? NULL : memchr (key.data, '\0', room);
  if (end == NULL || !tall_validate_number ((const char *)key.data, "number", NULL))
    return -1;
  return end - key.data + 1;
}
