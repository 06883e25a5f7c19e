/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"

#define ID_SIZE 8 /* bytes */

static guint64
reverse_bits (guint64 id)
{
  guint64 reversed = 0;
  for (guint i = 0; i < 64; i++)
    reversed |= (id >> i & 1) << (63 - i);
  return reversed;
}

static void
append_customer (const char *number G_GNUC_UNUSED, guint64 id, GByteArray *key)
{
  tall_bytes_append_u64 (key, reverse_bits (id));
}

static gssize
measure_customer (TallSlice key)
{
  return key.len >= ID_SIZE ? ID_SIZE : -1;
}

static guint64
parse_id (TallSlice part)
{
  TallReader reader = tall_reader (part);
  return reverse_bits (tall_reader_u64 (&reader));
}

/**
 * tall_key_numeric:
 *
 * The customer's id with its bits reversed, then the MD5 of the order number: the shortest keys.
 * The store assigns ids in sequence; the reversal keeps new customers from piling up at the end.
 * The bit that changes with every id comes first then. So of any 2^k consecutive ids, one lies in
 * each of 2^k equal parts of the keys, and even a few ids reach every region.
 */
const TallKeyStrategy tall_key_numeric = {
  .name = "numeric",
  .summary = "8-byte id from a look-up table, bits reversed + MD5 of order number, 24 bytes",
  .needs_id = TRUE,
  .append_customer = append_customer,
  .append_order = tall_key_md5_append_order,
  .measure_customer = measure_customer,
  .measure_order = tall_key_md5_measure,
  .append_splits = tall_key_splits_append_bytes,
  .parse_id = parse_id,
};
