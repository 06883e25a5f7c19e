/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"

#include "base/fail.h"
#include "model/canonical.h"

#define N_BUCKETS 256

static guint8
choose_bucket (const char *number)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (tall_slice_str (number), digest);
  return digest[0];
}

static void
append_customer (const char *number, guint64 id G_GNUC_UNUSED, GByteArray *key)
{
  tall_bytes_append_u8 (key, choose_bucket (number));
  tall_key_text_append_order (number, key);
}

/* A number in a bucket other than its own was not made by this strategy. */
static gssize
measure_customer (TallSlice key)
{
  TallReader reader = tall_reader (key);
  guint8 bucket = tall_reader_u8 (&reader);
  gssize len = tall_key_text_measure (reader.rest);
  if (len < 0 || choose_bucket ((const char *)reader.rest.data) != bucket)
    return -1;
  return 1 + len;
}

static gboolean
append_splits (guint n_regions, const char *const *sample, GPtrArray *splits, GError **error)
{
  if (n_regions <= N_BUCKETS)
    {
      for (guint i = 1; i < n_regions; i++)
        {
          GByteArray *split = g_byte_array_new ();
          tall_bytes_append_u8 (split, (guint8)(i * N_BUCKETS / n_regions));
          g_ptr_array_add (splits, split);
        }
      return TRUE;
    }
  if (sample != NULL)
    return tall_key_splits_append_sample (&tall_key_salted, n_regions, sample, splits, error);

  return tall_error_fail_invalid (error, "regions",
                                  "%u regions: salted keys have %d buckets; choose at most as many "
                                  "regions, or give a sample of the input to split buckets by",
                                  n_regions, N_BUCKETS);
}

/**
 * tall_key_salted:
 *
 * The number as it is, after a byte that spreads customers over 256 buckets. The byte comes from
 * the number, so a customer lies in one bucket and is found without looking into the others; in
 * each bucket rows stand in the order of their numbers.
 */
const TallKeyStrategy tall_key_salted = {
  .name = "salted",
  .summary = "first byte of MD5, customer number + 00 + order number + 00; spreads sequential "
             "numbers over 256 buckets",
  .needs_id = FALSE,
  .append_customer = append_customer,
  .append_order = tall_key_text_append_order,
  .measure_customer = measure_customer,
  .measure_order = tall_key_text_measure,
  .append_splits = append_splits,
};
