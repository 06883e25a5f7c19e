/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-parts.h"

static void
test_address_equal (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallAddress *absent_texts = tall_address_new (arena);
  TallAddress *empty_text = tall_address_new (arena);
  TallAddress *same = tall_address_new (arena);
  empty_text->line2 = tall_arena_strdup (arena, "");
  same->line2 = tall_arena_strdup (arena, "");
  g_assert_true (tall_address_equal (NULL, NULL));
  g_assert_false (tall_address_equal (NULL, absent_texts));
  g_assert_false (tall_address_equal (absent_texts, NULL));
  g_assert_false (tall_address_equal (absent_texts, empty_text));
  g_assert_true (tall_address_equal (empty_text, same));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/parts/address-equal", test_address_equal);
  return g_test_run ();
}
