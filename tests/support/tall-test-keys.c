/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-keys.h"

#include "key/strategy.h"

void
tall_test_keys_assert_golden (const TallKeyStrategy *strategy,
                              const TallTestKey *cases,
                              guint n_cases)
{
  for (guint i = 0; i < n_cases; i++)
    {
      g_auto (TallOrderKey) key = { NULL };
      tall_order_key_init (&key, strategy, cases[i].customer, 0, cases[i].order);
      g_autofree char *hex = tall_slice_to_hex (key.whole);
      g_assert_cmpstr (hex, ==, cases[i].hex);
    }
}

void
tall_test_keys_assert_refused (const TallKeyStrategy *strategy,
                               const TallTestBytes *cases,
                               guint n_cases)
{
  for (guint i = 0; i < n_cases; i++)
    {
      g_autofree char *exact = g_memdup2 (cases[i].bytes, cases[i].len);
      g_assert_cmpint (strategy->measure_customer (tall_slice (exact, cases[i].len)), ==, -1);
    }
}
