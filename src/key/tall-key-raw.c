/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-key-strategy.h"
#include "tall-limits.h"
#include "tall-order.h"

static void
append_number (const char *number, GByteArray *key)
{
  /* with the NUL: no number contains one, so it ends the part and sorts below all that follows */
  g_byte_array_append (key, (const guint8 *)number, strlen (number) + 1);
}

static void
append_customer (const char *number, guint64 id G_GNUC_UNUSED, GByteArray *key)
{
  append_number (number, key);
}

static gssize
measure (TallSlice key)
{
  gsize room = MIN (key.len, TALL_MAX_NUMBER_BYTES + 1);
  const guint8 *end = room == 0 ? NULL : memchr (key.data, '\0', room);
  if (end == NULL || !tall_validate_number ((const char *)key.data, "number", NULL))
    return -1;
  return end - key.data + 1;
}

/**
 * tall_key_raw:
 *
 * The numbers as they are, each ended by 0x00. UTF-8 bytes sort as code points do, and 0x00 sorts
 * below all of them, so rows stand in the order of their numbers.
 */
const TallKeyStrategy tall_key_raw = {
  .name = "raw",
  .summary = "customer number + 00 + order number + 00; readable and in order, for range scans",
  .needs_id = FALSE,
  .append_customer = append_customer,
  .append_order = append_number,
  .measure_customer = measure,
  .measure_order = measure,
};
