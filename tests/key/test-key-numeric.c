/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"

static const struct
{
  guint64 id;
  const char *hex;
} cases[] = {
  { 1, "8000000000000000" },
  { 2, "4000000000000000" },
  { 3, "c000000000000000" },
  { 4, "2000000000000000" },
  { 0x80, "0100000000000000" },
  { 0xff, "ff00000000000000" },
  { 0x100, "0080000000000000" },
  { G_GUINT64_CONSTANT (0x0123456789abcdef), "f7b3d591e6a2c480" },
  { G_GUINT64_CONSTANT (1) << 32, "0000000080000000" },
  { G_MAXINT64, "fffffffffffffffe" },
  { G_GUINT64_CONSTANT (1) << 63, "0000000000000001" },
  { G_MAXUINT64, "ffffffffffffffff" },
};

/* The customer part consists of the id alone; the order part is the MD5 of the order number. */
static void
test_golden (void)
{
  static const char *const numbers[] = { "VINET", "é", "10248" };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
      {
        g_auto (TallOrderKey) key = { NULL };
        tall_order_key_init (&key, &tall_key_numeric, numbers[j], cases[i].id, "10248");
        g_autofree char *hex = tall_slice_to_hex (key.whole);
        g_autofree char *expected =
            g_strconcat (cases[i].hex, "cfdf55d9c4687ca7b7d9b2d2b997135f", NULL);
        g_assert_cmpstr (hex, ==, expected);
        g_assert_cmpuint (key.customer.len, ==, 8);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key/numeric/golden", test_golden);
  g_assert_true (tall_key_numeric.needs_id);
  return g_test_run ();
}
