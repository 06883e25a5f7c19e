/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"

static void
append_customer (const char *number, guint64 id G_GNUC_UNUSED, GByteArray *key)
{
  tall_key_md5_append_order (number, key);
}

/**
 * tall_key_hashed:
 *
 * MD5 of the number in both parts: fixed width and even spread. Two numbers may have the same MD5,
 * so every reader of a row compares the numbers in its `summary` cell.
 */
const TallKeyStrategy tall_key_hashed = {
  .name = "hashed",
  .summary = "MD5 of customer number + MD5 of order number, 32 bytes; even spread",
  .needs_id = FALSE,
  .append_customer = append_customer,
  .append_order = tall_key_md5_append_order,
  .measure_customer = tall_key_md5_measure,
  .measure_order = tall_key_md5_measure,
  .append_splits = tall_key_splits_append_bytes,
};
