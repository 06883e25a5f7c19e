/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"

#include "base/fail.h"

static void
append_customer (const char *number, guint64 id G_GNUC_UNUSED, GByteArray *key)
{
  tall_key_text_append_order (number, key);
}

/* Only a sample of the input shows where numbers lie. */
static gboolean
append_splits (guint n_regions, const char *const *sample, GPtrArray *splits, GError **error)
{
  if (sample != NULL)
    return tall_key_splits_append_sample (&tall_key_raw, n_regions, sample, splits, error);

  return tall_error_fail_invalid (
      error, "regions",
      "Tables with raw keys are split where the customer numbers lie: give a "
      "sample of the input (init --sample), or choose 1 region or another key strategy");
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
  .append_order = tall_key_text_append_order,
  .measure_customer = tall_key_text_measure,
  .measure_order = tall_key_text_measure,
  .append_splits = append_splits,
};
