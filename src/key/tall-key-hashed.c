/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-key-strategy.h"
#include "tall-md5.h"

static void
append_md5 (const char *number, GByteArray *key)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (tall_slice_str (number), digest);
  g_byte_array_append (key, digest, sizeof digest);
}

static void
append_customer (const char *number, guint64 id G_GNUC_UNUSED, GByteArray *key)
{
  append_md5 (number, key);
}

static gssize
measure (TallSlice key)
{
  return key.len >= TALL_MD5_SIZE ? TALL_MD5_SIZE : -1;
}

/**
 * tall_key_hashed:
 *
 * MD5 of the number in both parts: fixed width and even spread. Two numbers may have the same MD5,
 * so who reads a row compares the numbers in its `summary` cell.
 */
const TallKeyStrategy tall_key_hashed = {
  .name = "hashed",
  .summary = "MD5 of customer number + MD5 of order number, 32 bytes; even spread",
  .needs_id = FALSE,
  .append_customer = append_customer,
  .append_order = append_md5,
  .measure_customer = measure,
  .measure_order = measure,
};
