/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"

/* Made with md5sum(1). */
static const struct
{
  const char *number;
  const char *hex;
} cases[] = {
  { "VINET", "369aacdc152e982e657b6b738ee5360e" },
  { "10248", "cfdf55d9c4687ca7b7d9b2d2b997135f" },
  { "a", "0cc175b9c0f1b6a831c399e269772661" },
  { "日本語", "00110af8b4393ef3f72c50be5b332bec" },
};

static void
test_golden (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GByteArray) key = g_byte_array_new ();
      tall_key_hashed.append_customer (cases[i].number, 0, key);
      tall_key_hashed.append_order (cases[i].number, key);
      g_autofree char *hex = tall_slice_to_hex (tall_slice_array (key));
      g_autofree char *twice = g_strconcat (cases[i].hex, cases[i].hex, NULL);
      g_assert_cmpstr (hex, ==, twice);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key/hashed/golden", test_golden);
  return g_test_run ();
}
