/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "tall-error.h"
#include "tall-json.h"
#include "tall-patch.h"

#include <string.h>

/* What is changed: something of each kind. */
static const char before[] =
    "{\"customer_number\":\"C\",\"order_number\":\"1\",\"sales_date\":\"1996-07-04\","
    "\"shipping_locations\":[{\"number\":1,\"address\":{\"city\":\"Reims\"},\"line_items\":["
    "{\"number\":1,\"quantity\":\"12\",\"discount\":\"0.5\"},{\"number\":3}]},{\"number\":2}],"
    "\"attributes\":{\"a\":\"1\"}}";

/* Each line is a change. An order with changes is one that can be stored, and an error says where.
 */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strndup ((const char *)data, size);
  g_auto (GStrv) changes = g_strsplit (text, "\n", -1);
  g_autoptr (TallOrder) order = tall_order_from_json (before, -1, NULL);
  if (!tall_order_patch (order, (const char *const *)changes, g_strv_length (changes), &error))
    {
      g_assert_nonnull (error);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      if (g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID))
        g_assert_nonnull (tall_error_get_field (error));
      return 0;
    }
  g_autofree char *json = tall_order_to_json (order, FALSE);
  g_autoptr (TallOrder) again = tall_order_from_json (json, -1, &error);
  g_assert_no_error (error);
  g_assert_true (tall_order_equal (order, again));
  return 0;
}
