/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"

#include "tall-limits.h"
#include "tall-order.h"

static void
append_customer (const char *number, guint64 id G_GNUC_UNUSED, GByteArray *key)
{
  for (gsize i = strlen (number); i > 0; i--)
    tall_bytes_append_u8 (key, (guint8)number[i - 1]);
  tall_bytes_append_u8 (key, 0);
}

/* Reversed UTF-8 is not UTF-8, so the bytes are reversed once more before they are checked. */
static gssize
measure_customer (TallSlice key)
{
  gsize room = MIN (key.len, TALL_MAX_NUMBER_BYTES + 1);
  const guint8 *end = room == 0 ? NULL : memchr (key.data, '\0', room);
  if (end == NULL)
    return -1;

  char number[TALL_MAX_NUMBER_BYTES + 1];
  gsize len = end - key.data;
  for (gsize i = 0; i < len; i++)
    number[i] = (char)key.data[len - 1 - i];
  number[len] = '\0';
  return tall_validate_number (number, "number", NULL) ? (gssize)len + 1 : -1;
}

/* Without a sample, numbers are assumed to consist of digits. */
static gboolean
append_splits (guint n_regions, const char *const *sample, GPtrArray *splits, GError **error)
{
  if (sample != NULL)
    return tall_key_splits_append_sample (&tall_key_reversed, n_regions, sample, splits, error);

  tall_key_splits_append_digits (n_regions, splits);
  return TRUE;
}

/**
 * tall_key_reversed:
 *
 * The bytes of the customer number from the last to the first, ended by 0x00. The byte that changes
 * most between sequential numbers comes first, so the keys spread over the whole alphabet.
 */
const TallKeyStrategy tall_key_reversed = {
  .name = "reversed",
  .summary = "customer number backwards + 00 + order number + 00; spreads sequential numbers over "
             "their digits",
  .needs_id = FALSE,
  .append_customer = append_customer,
  .append_order = tall_key_text_append_order,
  .measure_customer = measure_customer,
  .measure_order = tall_key_text_measure,
  .append_splits = append_splits,
};
