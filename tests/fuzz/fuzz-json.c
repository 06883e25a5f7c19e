/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "tall-json.h"

static void
check_error (const GError *error)
{
  g_assert_nonnull (error);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static void
try_order (const char *text, gsize len)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_order_from_json (text, len, &error);
  if (order == NULL)
    {
      check_error (error);
      return;
    }

  g_autofree char *json = tall_order_to_json (order, FALSE);
  g_autoptr (TallOrder) again = tall_order_from_json (json, -1, &error);
  g_assert_no_error (error);
  g_assert_true (tall_order_equal (order, again));
}

static void
try_customer (const char *text, gsize len)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallCustomer) customer = tall_customer_from_json (text, len, &error);
  if (customer == NULL)
    {
      check_error (error);
      return;
    }

  g_autofree char *json = tall_customer_to_json (customer, TRUE);
  g_autoptr (TallCustomer) again = tall_customer_from_json (json, -1, &error);
  g_assert_no_error (error);
  g_assert_true (tall_customer_equal (customer, again));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  try_order ((const char *)data, size);
  try_customer ((const char *)data, size);
  return 0;
}
