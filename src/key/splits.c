/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/parts.h"

#include "tall-error.h"
#include "tall-order.h"

/**
 * tall_key_strategy_make_splits:
 * @n_regions: 1 … %TALL_MAX_REGIONS
 * @sample: (nullable) (array zero-terminated=1): customer numbers, one for each sampled order, so
 *   customers with more orders weigh more. Draw the orders at random: every tenth of sequential
 *   numbers ends in the same digit, which misleads where keys are reversed
 *
 * The row keys at which each table of a deployment is split, whatever its layout: row keys of all
 * layouts begin with the customer part.
 *
 * Returns: (transfer container) (element-type GByteArray): @n_regions - 1 row keys, ascending; NULL
 *   with %TALL_ERROR_INVALID if there cannot be so many regions
 */
GPtrArray *
tall_key_strategy_make_splits (const TallKeyStrategy *self,
                               guint n_regions,
                               const char *const *sample,
                               GError **error)
{
  if (n_regions < 1 || n_regions > TALL_MAX_REGIONS)
    {
      tall_error_set_invalid (error, "regions", "%u regions: choose 1 to %d", n_regions,
                              TALL_MAX_REGIONS);
      return NULL;
    }

  g_autoptr (GPtrArray) splits =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  if (n_regions > 1 && !self->append_splits (n_regions, sample, splits, error))
    return NULL;
  return g_steal_pointer (&splits);
}

/* Drops trailing bytes that are the least of the alphabet. The shorter split divides the keys
 * alike: it lies below all keys that begin with it. */
static void
add_trimmed (GPtrArray *splits, GByteArray *split, guint8 least)
{
  while (split->len > 1 && split->data[split->len - 1] == least)
    g_byte_array_set_size (split, split->len - 1);
  g_ptr_array_add (splits, split);
}

/**
 * tall_key_splits_append_bytes:
 *
 * For keys whose first bytes are evenly spread over 00 … ff: 4 bytes at most.
 */
void
tall_key_splits_append_bytes (guint n_regions, GPtrArray *splits)
{
  for (guint i = 1; i < n_regions; i++)
    {
      GByteArray *split = g_byte_array_new ();
      tall_bytes_append_u32 (split, (guint32)(((guint64)i << 32) / n_regions));
      add_trimmed (splits, split, 0);
    }
}

/**
 * tall_key_splits_append_digits:
 *
 * For keys whose first bytes are digits, evenly spread over 0 … 9: 8 digits at most. A customer
 * part has its 00 among or after these digits, so a split never begins with one.
 */
void
tall_key_splits_append_digits (guint n_regions, GPtrArray *splits)
{
  for (guint i = 1; i < n_regions; i++)
    {
      char digits[16];
      GByteArray *split = g_byte_array_new ();
      guint64 fraction = G_GUINT64_CONSTANT (100000000) * i / n_regions;
      int len = g_snprintf (digits, sizeof digits, "%08" G_GUINT64_FORMAT, fraction);
      g_byte_array_append (split, (const guint8 *)digits, len);
      add_trimmed (splits, split, '0');
    }
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare (tall_slice_array (*(GByteArray *const *)a),
                             tall_slice_array (*(GByteArray *const *)b));
}

/* The customer parts of the sample, sorted; NULL with an error if one of its numbers is not
 * valid. */
static GPtrArray *
make_sorted_keys (const TallKeyStrategy *strategy, const char *const *sample, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  for (; *sample != NULL; sample++)
    {
      if (!tall_validate_number (*sample, "sample", error))
        return NULL;
      GByteArray *key = g_byte_array_new ();
      strategy->append_customer (*sample, 0, key);
      g_ptr_array_add (keys, key);
    }
  g_ptr_array_sort (keys, compare_keys);
  return g_steal_pointer (&keys);
}

/* The position at which each distinct key first occurs in the sorted keys. */
static GArray *
find_firsts (const GPtrArray *keys)
{
  GArray *firsts = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < keys->len; i++)
    if (i == 0 || compare_keys (&keys->pdata[i - 1], &keys->pdata[i]) != 0)
      g_array_append_val (firsts, i);
  return firsts;
}

/**
 * tall_key_splits_append_sample:
 *
 * Splits at customers of the sample, so that every region has about the same number of its orders.
 * A customer with more than a region's share makes its region larger. Every region has at least one
 * customer.
 */
gboolean
tall_key_splits_append_sample (const TallKeyStrategy *strategy,
                               guint n_regions,
                               const char *const *sample,
                               GPtrArray *splits,
                               GError **error)
{
  g_autoptr (GPtrArray) keys = make_sorted_keys (strategy, sample, error);
  if (keys == NULL)
    return FALSE;

  g_autoptr (GArray) firsts = find_firsts (keys);
  if (firsts->len < n_regions)
    {
      tall_error_set_invalid (
          error, "sample",
          "%u regions, but the sample has %u different customers: give a larger "
          "sample, or choose fewer regions",
          n_regions, firsts->len);
      return FALSE;
    }

  guint at = 0; /* among the different ones */
  for (guint i = 1; i < n_regions; i++)
    {
      guint64 before = (guint64)i * keys->len / n_regions; /* orders in the regions so far */
      at++;
      while (at < firsts->len - (n_regions - i) && g_array_index (firsts, guint, at) < before)
        at++;
      GByteArray *key = keys->pdata[g_array_index (firsts, guint, at)];
      g_ptr_array_add (splits, g_byte_array_ref (key));
    }
  return TRUE;
}
