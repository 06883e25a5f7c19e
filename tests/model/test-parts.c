/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-parts.h"

static void
test_find (void)
{
  char texts[][3] = { "a", "1", "ab", "2", "b", "", "\xc3\xa9", "4" };
  TallAttribute items[] = {
    { texts[0], texts[1] }, { texts[2], texts[3] }, { texts[4], texts[5] }, { texts[6], texts[7] }
  };
  for (guint n = 0; n <= G_N_ELEMENTS (items); n++)
    {
      TallAttributes attributes = { items, n };
      for (guint i = 0; i < G_N_ELEMENTS (items); i++)
        g_assert_cmpstr (tall_attributes_find (&attributes, items[i].key), ==,
                         i < n ? items[i].value : NULL);
      g_assert_null (tall_attributes_find (&attributes, ""));
      g_assert_null (tall_attributes_find (&attributes, "aa"));
      g_assert_null (tall_attributes_find (&attributes, "zz"));
    }
}

static void
test_address_equal (void)
{
  TallAddress absent_texts = { NULL };
  char empty[2][1] = { "", "" };
  TallAddress empty_text = { .line2 = empty[0] };
  TallAddress same = { .line2 = empty[1] };
  g_assert_true (tall_address_equal (NULL, NULL));
  g_assert_false (tall_address_equal (NULL, &absent_texts));
  g_assert_false (tall_address_equal (&absent_texts, NULL));
  g_assert_false (tall_address_equal (&absent_texts, &empty_text));
  g_assert_true (tall_address_equal (&empty_text, &same));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/parts/find", test_find);
  g_test_add_func ("/model/parts/address-equal", test_address_equal);
  return g_test_run ();
}
